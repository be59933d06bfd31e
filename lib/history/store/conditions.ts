/** Of partial indexes: a query that uses one must repeat its words. */
import { sql } from 'kysely'
import { TOLD_KINDS } from '../../protocol/events.js'

/** Events that change a spot pool's reserves. */
export const POOL_KINDS = [
  'SpotSwap', 'ProvideLiquidity', 'WithdrawLiquidity', 'LaunchProposal', 'FinalizeProposal', 'AdminCancelProposal',
  'ApplyLiquidation'
] as const

export const quoted = (kinds: readonly string[]) => sql.raw(kinds.map(kind => `'${kind}'`).join(', '))

export const IS_POOL_EVENT = sql<boolean>`kind in (${quoted(POOL_KINDS)})`
const PLACED_KINDS = [...new Set([...POOL_KINDS, 'InitializeDao', ...TOLD_KINDS])]
/** Whose index in the block is not known yet; those of 1.0 lack the maker, too. */
export const INCOMPLETE = sql<boolean>`block_index is null and kind in (${quoted(PLACED_KINDS)})`
/** Of a decision or an external pool, stored by 1.0, which did not read what they tell. */
export const UNTOLD = sql<boolean>`maker is null and kind in (${quoted(TOLD_KINDS)})`
export const IS_PROPOSAL_EVENT = sql<boolean>`proposal is not null and market is null`
/** That bring a pool fees which no swap of it was charged. */
export const BRINGS_FEES = sql<boolean>`
  kind in (${quoted(['FinalizeProposal', 'AdminCancelProposal', 'CollectMeteoraDammFees'])})`
/** Part of block ranges. */
export const IS_ON_TIME = sql<boolean>`coalesce(late, 'fee') = 'fee'`
/** Trades of 1.0 whose maker is not known yet. */
export const UNNAMED = sql<boolean>`maker is null and side is not null`
