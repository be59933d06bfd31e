/** Parts of the past that no node has any more: stated, so that nothing waits for them. */
import type { UnindexedRange } from './signature-ranges.js'
import type { Loss, MissingTransaction } from './types.js'

/** Why a transaction of a version that is newer than this service is missing. */
export const UNREADABLE_VERSION = "its version can't be read yet"

export const isOfUnreadableVersion = ({ reason }: MissingTransaction): boolean => reason === UNREADABLE_VERSION

/** Newest first, one for each first slot. */
export const withLoss = (losses: readonly Loss[], loss: Loss): Loss[] =>
  [...losses.filter(({ fromSlot }) => fromSlot !== loss.fromSlot), loss].sort((a, b) => b.toSlot - a.toSlot)

/** The loss of a range that no node knows; undefined for the beginning, which is no loss within what is indexed. */
export const lossOf = ({ above, until }: UnindexedRange): Loss | undefined => until && {
  fromSlot: until.newestSlot,
  toSlot: Math.max(until.newestSlot, above.oldestSlot - 1),
  until: above.oldestTime
}

/** Whether one of `losses` touches some slots. */
export const spans = ({ fromSlot, toSlot }: { fromSlot: number, toSlot: number }, losses: readonly Loss[]): boolean =>
  losses.some(loss => loss.fromSlot <= toSlot && loss.toSlot >= fromSlot)

/** Whether it may hold something after the Unix second `time`. */
export const reachesBeyond = ({ until }: Loss, time: number): boolean => until === null || until > time
