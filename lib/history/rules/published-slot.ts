/** Readers ask for each block range once: nothing is published that something may be missing from. */
import type { SequenceGap } from './sequence-gaps.js'
import type { MissingTransaction } from './types.js'

/** A stretch of slots, both ends included, that no node offers any more. */
interface LostSlots { fromSlot: number, toSlot: number }

export interface PublishView {
  /** Walked to the beginning that the node offers, without an unindexed range. */
  complete: boolean
  /** Where the node lists nothing, nobody knows what is older. */
  listed: boolean
  /** Up to here compared with the accounts' numbers; 0: not yet. */
  verifiedSlot: number
  sequenceGaps: Iterable<SequenceGap>
  /** Looked for in the DAO's own signatures, in vain. */
  searched: (gap: SequenceGap) => boolean
  /** Whether transactions were met on the way that are listed and not given. */
  withheld: (gap: SequenceGap) => boolean
  losses: readonly LostSlots[]
  /** Transactions that are listed and have not been given. */
  missing: readonly MissingTransaction[]
  /** Of the oldest event whose place in its block or maker is not known; null: all are. */
  incompleteSlot: number | null
}

/** A stated loss: a DAO's first events, older than all that nodes have, or within a loss. */
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
    // what it holds would be numbered: lost, too, where it can only be a stated loss that no DAO's list has
    const around = sequenceGaps.filter(({ fromSlot, toSlot }) => fromSlot <= at && at <= toSlot)
    if (around.length === 0 || around.some(gap => !isLost(gap, view) || withheld(gap))) slot = Math.min(slot, at - 1)
  }
  if (incompleteSlot !== null) slot = Math.min(slot, incompleteSlot - 1)
  return slot < 0 ? undefined : slot
}
