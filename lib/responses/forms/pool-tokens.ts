import type { Snapshot } from '../../live/snapshot.js'
import type { Dao } from '../../protocol/dao.js'
import type { Sources } from '../sources.js'

/** What a DAO trades, which never changes; undefined where a mint can't be read. */
export function tokensOf ({ baseMint, quoteMint }: Dao, tokens: Snapshot['tokens']) {
  const [base, quote] = [tokens.get(baseMint), tokens.get(quoteMint)]
  return base == null || quote == null
    ? undefined
    : { baseMint, quoteMint, baseDecimals: base.decimals, quoteDecimals: quote.decimals }
}

/** asset0 is the base token, asset1 the quote token. */
export type PoolTokens = NonNullable<ReturnType<typeof tokensOf>>

/** A state so young is not read anew for a pool that it does not know, ms: anyone may ask for what there is not. */
const YOUNG = 1_000

/**
 * What a pool trades, by the state that is kept, of any age, else by a younger one, whose ServiceError is thrown.
 * `undefined`: no such DAO, or its account or its mints can't be read.
 */
export async function poolTokens ({ peek, get }: Sources['snapshot'], pool: string): Promise<PoolTokens | undefined> {
  const tokensIn = ({ daos, tokens }: Snapshot) => {
    const dao = daos.get(pool)
    return dao && tokensOf(dao, tokens)
  }
  const kept = peek()
  return (kept && tokensIn(kept.value)) ?? tokensIn(await get([], YOUNG))
}
