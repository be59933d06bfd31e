import { type Completeness, knowledgeOf } from '../../../lib/history/rules/completeness.js'
import { NO_OWNERS } from '../../../lib/history/rules/missing-owners.js'
import type { SequenceGap } from '../../../lib/history/rules/sequence-gaps.js'
import type { MissingTransaction } from '../../../lib/history/rules/types.js'

/** All is known of one DAO, 'A'. */
export const NOTHING_MISSING: Completeness = {
  sequenceRanges: new Map([['A', []]]),
  unreadable: new Map(),
  sequenceGaps: new Map(),
  numbersAhead: new Map(),
  verifiedSlot: 100,
  searched: () => false,
  missingOwners: NO_OWNERS,
  missing: [],
  lostBefore: null,
  losses: [],
  walkedTo: -Infinity
}

/** Whether one of `missing` may be a DAO's without showing as its gap, all of which are before the second 1. */
export function mayOwnOf (missing: MissingTransaction[], facts: Partial<Completeness>): (dao: string) => boolean {
  const knowledge = knowledgeOf({ ...NOTHING_MISSING, ...facts, missing }, 1)
  return dao => knowledge(dao) !== 'whole'
}

/** Whether an event of `gap` after the Unix second `time` may be missing. `lost`: of one looked for in vain. */
export function mayReach (
  gap: SequenceGap, time: number, lost: Partial<Pick<Completeness, 'lostBefore' | 'losses' | 'missing'>> | null
): boolean {
  const known = {
    ...NOTHING_MISSING,
    ...lost,
    verifiedSlot: Infinity,
    searched: () => lost !== null,
    sequenceRanges: new Map([[gap.dao, []]]),
    sequenceGaps: new Map([[gap.dao, [gap]]])
  }
  return knowledgeOf(known, time)(gap.dao) !== 'whole'
}
