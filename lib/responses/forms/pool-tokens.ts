import type { Snapshot } from '../../live/snapshot.js'
import type { Sources } from '../sources.js'

function tokensIn ({ daos, tokens }: Snapshot, pool: string) {
  const dao = daos.get(pool)
  const [base, quote] = [dao && tokens.get(dao.baseMint), dao && tokens.get(dao.quoteMint)]
  return dao === undefined || base == null || quote == null
    ? undefined
    : { baseMint: dao.baseMint, quoteMint: dao.quoteMint, baseDecimals: base.decimals, quoteDecimals: quote.decimals }
}

/** What a pool trades, which never changes; asset0 is the base token, asset1 the quote token. */
export type PoolTokens = NonNullable<ReturnType<typeof tokensIn>>

/** A state so young is not read anew for a pool that it does not know, ms: anyone may ask for what there is not. */
const YOUNG = 1_000

/**
 * What a pool trades, by the state that is kept, of any age; a pool may be younger than that: then the state is read
 * anew, whose ServiceError is thrown. `undefined`: no such DAO, or its account or its mints can't be read.
 */
export async function poolTokens ({ peek, get }: Sources['snapshot'], pool: string): Promise<PoolTokens | undefined> {
  const kept = peek()
  return (kept && tokensIn(kept.value, pool)) ?? tokensIn(await get([], YOUNG), pool)
}
