/** Readers ask for each block range once: none is published in which something may be missing. */
import type { Completeness } from './completeness.js'
import { isOfUnreadableVersion, type Met } from './losses.js'
import type { SequenceGap } from './sequence-gaps.js'
import { isComplete } from './signature-ranges.js'

export interface PublishView {
  /** What a gap's search met. */
  met: (gap: SequenceGap) => Met | undefined
  /** Of the oldest event whose index in the block or maker is not known; null: all are. */
  incompleteSlot: number | null
  /** DAOs without a place in block ranges. */
  excluded: ReadonlySet<string>
}

/** The newest slot up to which every event is final, stored and placed; undefined: none. */
export function publishableSlot (
  known: Completeness, { met, incompleteSlot, excluded }: PublishView
): number | undefined {
  const { verifiedTo, missing } = known
  if (!isComplete(known) || verifiedTo === null) return undefined
  const sequenceGaps = [...known.sequenceGaps.values()].flat()
  let slot = verifiedTo.slot
  // the slot at the low end of a gap may hold events on both sides of it
  const holds = (gap: SequenceGap) => !excluded.has(gap.dao) && !known.isLost(gap)
  for (const gap of sequenceGaps) if (holds(gap)) slot = Math.min(slot, gap.fromSlot - 1)
  for (const row of missing.values()) {
    if (isOfUnreadableVersion(row)) continue
    const { slot: at, signature } = row
    // its events would be numbered: where all gaps around are stated losses, and no DAO's list has it, it is lost, too
    const around = sequenceGaps.filter(({ fromSlot, toSlot }) => fromSlot <= at && at <= toSlot)
    const isOpen = around.length === 0 ||
      around.some(gap => holds(gap) || (!excluded.has(gap.dao) && met(gap)?.missed.has(signature)))
    if (isOpen) slot = Math.min(slot, at - 1)
  }
  slot = Math.min(slot, (incompleteSlot ?? Infinity) - 1)
  return slot < 0 ? undefined : slot
}
