import { ServiceError } from '../../errors.js'
import type { Pair } from '../../market/ticker.js'
import { poolNotFound } from '../../../schemas/errors.js'
import type { DaoFactsKept } from '../daos/facts.js'
import type { MarketTotals } from '../aggregate.js'
import { ALL, checkAddress, type Kept, type Sources } from '../sources.js'
import { createMarketDay, createMarketDays } from './market-day.js'
import { createPoolHistory } from './pool-history.js'
import { createQuotes } from './quote.js'
import { createPools } from './pools.js'

export type PoolResponses = ReturnType<typeof createPoolResponses>

/** What is told of single pools and days. */
export function createPoolResponses (sources: Sources, totals: Kept<MarketTotals>, facts: DaoFactsKept) {
  /** The listed pool of an id. Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
  async function listed (poolId: string): Promise<Pair> {
    checkAddress(poolId, 'INVALID_POOL_ID')
    const { value: { pairs } } = await sources.snapshot.get(ALL)
    const pair = pairs.find(({ address }) => address === poolId)
    if (pair === undefined) throw new ServiceError('POOL_NOT_FOUND', poolNotFound(poolId))
    return pair
  }
  return {
    ...createPools(sources, facts, listed),
    ...createPoolHistory(sources, listed),
    quote: createQuotes(sources, listed),
    day: createMarketDay(sources, totals),
    marketDays: createMarketDays(sources, totals)
  }
}
