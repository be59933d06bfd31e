import { type Completeness, knowledgeOf, NO_OWNERS } from '../../../lib/history/rules/completeness.js'
import type { SequenceGap } from '../../../lib/history/rules/sequence-gaps.js'
import type { MissingTransaction } from '../../../lib/history/rules/rows.js'

/** What nodes no longer have, to where the walk has come, and what has been compared (0: nothing). */
export interface Past { lostBefore?: number | null, walkedTo?: number, verifiedSlot?: number }

/** As the state has it: walked to the nodes' beginning, or to `walkedTo`. */
export function pastOf ({ lostBefore = null, walkedTo = -Infinity, verifiedSlot = 100 }: Past) {
  const ended = walkedTo === -Infinity
  const oldestTime = ended ? lostBefore : walkedTo === Infinity ? null : walkedTo
  const range = { newest: 'n', newestSlot: 1, oldest: 'o', oldestSlot: 1, oldestTime, anchor: null }
  return { ended, indexedRanges: [range], verifiedTo: verifiedSlot === 0 ? null : { slot: verifiedSlot, time: 0 } }
}

export const bySignature = <T extends { signature: string }>(rows: readonly T[]) =>
  new Map(rows.map(row => [row.signature, row]))

/** All is known of one DAO, 'A'. */
export const NOTHING_MISSING: Completeness = {
  sequenceRanges: new Map([['A', []]]),
  unreadable: new Map(),
  sequenceGaps: new Map(),
  numbersAhead: new Map(),
  numbersBefore: new Map(),
  ...pastOf({}),
  isLost: () => false,
  missingOwners: NO_OWNERS,
  missing: new Map(),
  losses: []
}

/** Whether one of `rows` may be a DAO's without showing as its gap, all of which are before the second 1. */
export function mayOwnOf (
  rows: MissingTransaction[], facts: Partial<Completeness> & Past
): (dao: string) => boolean {
  const knowledge = knowledgeOf({ ...NOTHING_MISSING, ...facts, ...pastOf(facts), missing: bySignature(rows) }, 1)
  return dao => knowledge(dao) !== 'whole'
}

/** Whether an event of `gap` after the Unix second `time` may be missing. `lost`: of one looked for in vain. */
export function mayReach (
  gap: SequenceGap, time: number, lost: Partial<Pick<Completeness, 'losses' | 'missing'>> & Past | null
): boolean {
  const known = {
    ...NOTHING_MISSING,
    ...lost,
    ...pastOf({ ...lost, verifiedSlot: Infinity }),
    isLost: () => lost !== null,
    sequenceRanges: new Map([[gap.dao, []]]),
    sequenceGaps: new Map([[gap.dao, [gap]]])
  }
  return knowledgeOf(known, time)(gap.dao) !== 'whole'
}
