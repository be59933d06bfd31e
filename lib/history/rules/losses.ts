/** Parts of the past inside what is indexed that no node offers any more: stated, so that nothing waits for them. */
import type { Loss } from './types.js'

/** Losses that are kept apart; each needs an outage longer than what every node keeps. */
const MAX_LOSSES = 100

/** `losses`, newest first, and one more; beyond a bound the oldest ones become one that spans them. */
export function withLoss (losses: readonly Loss[], loss: Loss): Loss[] {
  const all = [...losses, loss].sort((a, b) => b.toSlot - a.toSlot)
  if (all.length <= MAX_LOSSES) return all
  const [newer, oldest] = [all.at(-2)!, all.at(-1)!]
  return [...all.slice(0, -2), { ...newer, fromSlot: Math.min(oldest.fromSlot, newer.fromSlot) }]
}

/** Whether one of `losses` lies, at least in part, within some slots. */
export const spans = ({ fromSlot, toSlot }: { fromSlot: number, toSlot: number }, losses: readonly Loss[]): boolean =>
  losses.some(loss => loss.fromSlot <= toSlot && loss.toSlot >= fromSlot)

/** Whether something that happened after the Unix second `time` may be lost. */
export const reachesBeyond = ({ until }: Loss, time: number): boolean => until === null || until > time
