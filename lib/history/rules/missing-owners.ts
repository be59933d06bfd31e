import type { Numbered } from './sequence-gaps.js'
import type { AccountState } from './types.js'

/**
 * Whose the missing transactions are. Up to the last comparison they show as sequence gaps; beyond it the DAOs' own
 * lists tell the owners, and until then it may be anybody. Any may lie where a DAO's numbers have an open end.
 */
export interface MissingOwners {
  /** Up to this slot every missing one has been looked for in those lists. */
  slot: number
  /** Slots of the transactions that are in a DAO's list. */
  owners: Readonly<Record<string, readonly number[]>>
}

export const NO_OWNERS: MissingOwners = { slot: 0, owners: {} }

/** Accounts, read at `readAt`, of DAOs of which something up to `slot` may not be stored. */
export const suspectsAt = (
  slot: number, accounts: readonly AccountState[], readAt: number,
  sequenceRanges: Numbered['sequenceRanges']
): AccountState[] => accounts.filter(({ address, seqNum }) =>
  readAt < slot || (sequenceRanges.get(address)?.at(-1)?.last ?? 0n) < seqNum)
