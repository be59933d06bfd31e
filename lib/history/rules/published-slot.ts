/**
 * Up to which slot everything can be given out for good: readers ask for each block range once, so nothing is published
 * that something may still be missing from.
 */
import type { SequenceGap } from './sequence-gaps.js'
import type { MissingTransaction } from './types.js'

/** A stretch of slots, both ends included, that no node offers any more. */
interface LostSlots { fromSlot: number, toSlot: number }

export interface PublishView {
  /** Walked to the beginning that the node offers, without an unindexed range. */
  complete: boolean
  /** The node has listed something: where it lists nothing, nobody knows what is older than its lists. */
  listed: boolean
  /** Up to here what is stored has been compared with the accounts' numbers; 0: not yet. */
  verifiedSlot: number
  sequenceGaps: Iterable<SequenceGap>
  /** Whether a sequence gap has been looked for in the DAO's own signatures, in vain. */
  searched: (gap: SequenceGap) => boolean
  /** Whether transactions were met on the way that are listed and not given. */
  withheld: (gap: SequenceGap) => boolean
  losses: readonly LostSlots[]
  /** Transactions that are listed and have not been given. */
  missing: readonly MissingTransaction[]
  /** Slot of the oldest event whose place in its block or whose maker is not known yet; null: all are. */
  incompleteSlot: number | null
}

/** Whether a gap is a stated loss: a DAO's first events, older than all that nodes have, or within a loss. */
function isLost (gap: SequenceGap, { listed, searched, losses }: PublishView): boolean {
  if (!searched(gap)) return false
  return (gap.from === 1n && listed) ||
    losses.some(({ fromSlot, toSlot }) => gap.fromSlot <= toSlot && fromSlot <= gap.toSlot)
}

/** The newest slot up to which every event is final, stored and placed; undefined: none. */
export function publishableSlot (view: PublishView): number | undefined {
  const { complete, verifiedSlot, missing, withheld, incompleteSlot } = view
  const sequenceGaps = [...view.sequenceGaps]
  if (!complete || verifiedSlot === 0) return undefined
  let slot = verifiedSlot
  // The slot at the low end of a gap may hold events on both sides of it
  for (const gap of sequenceGaps) if (!isLost(gap, view)) slot = Math.min(slot, gap.fromSlot - 1)
  for (const { slot: at } of missing) {
    // What it holds would be numbered: where it can only be what is stated to be lost, and no DAO's own list has it any
    // more, it is lost, too
    const around = sequenceGaps.filter(({ fromSlot, toSlot }) => fromSlot <= at && at <= toSlot)
    if (around.length === 0 || around.some(gap => !isLost(gap, view) || withheld(gap))) slot = Math.min(slot, at - 1)
  }
  if (incompleteSlot !== null) slot = Math.min(slot, incompleteSlot - 1)
  return slot < 0 ? undefined : slot
}
