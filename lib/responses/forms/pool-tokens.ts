import { ALL, type Sources } from '../sources.js'
import type { Snapshot } from '../../live/snapshot.js'
import type { PoolTokens } from './block-event.js'

/**
 * What each pool trades, kept for good; for one that is not known the state is read anew, whose ServiceError is thrown.
 * `undefined`: no such DAO, or its account or its mints can't be read.
 */
export function createPoolTokens (
  { snapshot: snapshots }: Pick<Sources, 'snapshot'>
): (pool: string) => Promise<PoolTokens | undefined> {
  const known = new Map<string, PoolTokens>()
  const seen = new WeakSet<Snapshot>()

  function learn (snapshot: Snapshot): void {
    if (seen.has(snapshot)) return
    seen.add(snapshot)
    for (const { address, dao } of snapshot.discovered) {
      const [base, quote] = [dao && snapshot.tokens.get(dao.baseMint), dao && snapshot.tokens.get(dao.quoteMint)]
      if (dao === undefined || base == null || quote == null || known.has(address)) continue
      known.set(
        address,
        { baseMint: dao.baseMint, quoteMint: dao.quoteMint, baseDecimals: base.decimals, quoteDecimals: quote.decimals }
      )
    }
  }

  return async pool => {
    // The account may be younger than the state that is kept
    for (const maxAge of [undefined, 0]) {
      const found = known.get(pool)
      if (found !== undefined) return found
      learn((await snapshots.get(ALL, maxAge)).value)
    }
    return known.get(pool)
  }
}
