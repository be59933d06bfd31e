/** Parts of the past that no node offers any more: stated, so that nothing waits for them. */
import type { UnindexedRange } from './signature-ranges.js'
import type { Loss } from './types.js'

/** Newest first, one from each slot on: few, as each needs an outage longer than what every node keeps. */
export const withLoss = (losses: readonly Loss[], loss: Loss): Loss[] =>
  [...losses.filter(({ fromSlot }) => fromSlot !== loss.fromSlot), loss].sort((a, b) => b.toSlot - a.toSlot)

/**
 * What is lost with a range that no node knows: below the slot that is stored above it, after which all is listed;
 * undefined: the beginning, no loss inside what is indexed.
 */
export const lossOf = ({ above, until }: UnindexedRange): Loss | undefined => until && {
  fromSlot: until.newestSlot,
  toSlot: Math.max(until.newestSlot, above.oldestSlot - 1),
  until: above.oldestTime
}

/** Whether one of `losses` lies, at least in part, within some slots. */
export const spans = ({ fromSlot, toSlot }: { fromSlot: number, toSlot: number }, losses: readonly Loss[]): boolean =>
  losses.some(loss => loss.fromSlot <= toSlot && loss.toSlot >= fromSlot)

/** Whether something that happened after the Unix second `time` may be lost. */
export const reachesBeyond = ({ until }: Loss, time: number): boolean => until === null || until > time
