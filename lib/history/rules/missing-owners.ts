import type { Numbered } from './sequence-gaps.js'
import type { AccountState } from './types.js'

/**
 * Whose the missing transactions are: up to the last comparison with the accounts they show as sequence gaps; beyond
 * it, the DAOs' own lists tell, and until then they may be anybody's.
 */
export interface MissingOwners {
  /** Up to this slot the lists have been searched for all. */
  slot: number
  /** By DAO the slots of those in its list. */
  owners: Readonly<Record<string, readonly number[]>>
}

export const NO_OWNERS: MissingOwners = { slot: 0, owners: {} }

/** Accounts, read at `readAt`, of DAOs of which something up to `slot` may not be stored. */
export const suspectsAt = (
  slot: number, accounts: readonly AccountState[], readAt: number,
  sequenceRanges: Numbered['sequenceRanges']
): AccountState[] => accounts.filter(({ address, seqNum }) =>
  readAt < slot || (sequenceRanges.get(address)?.at(-1)?.last ?? 0n) < seqNum)
