/** Conditions that partial indexes are made on: a query that uses one must repeat its words. */
import { sql } from 'kysely'

/** Events that change a spot pool's reserves by the will of someone. */
export const POOL_KINDS = [
  'SpotSwap', 'ProvideLiquidity', 'WithdrawLiquidity', 'LaunchProposal', 'FinalizeProposal', 'AdminCancelProposal',
  'ApplyLiquidation'
] as const

const quoted = (kinds: readonly string[]) => sql.raw(kinds.map(kind => `'${kind}'`).join(', '))

/** Of what kind an event is that readers ask for in the order of the chain. */
export const IS_POOL_EVENT = sql<boolean>`kind in (${quoted(POOL_KINDS)})`
/** Events whose place in the block is not known yet; those of version 1.0 lack their maker, too. */
export const INCOMPLETE = sql<boolean>`block_index is null and kind in (${quoted([...POOL_KINDS, 'InitializeDao'])})`
/** Trades of version 1.0 whose maker is not known yet. */
export const UNNAMED = sql<boolean>`maker is null and side is not null`
