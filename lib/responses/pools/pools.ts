import { ratio } from '../../decimal.js'
import { orUnknown, unusable } from '../../errors.js'
import type { Kept, Part } from '../../live/fresh.js'
import type { Pool, PoolDetail } from '../../../schemas/pools.js'
import type { MarketTotals } from '../aggregate.js'
import { jsonResponse } from '../json-response.js'
import type { DaoFactsKept } from '../daos/facts.js'
import { checkAddress, formOf, keep, MAX_RECORDS, noPool, type Sources } from '../sources.js'
import { createMarketDay, createMarketDays } from './market-day.js'
import { createPoolHistory } from './pool-history.js'
import { createPoolList, createTradedPools } from './pool-list.js'
import { createQuotes, type ListedPool, rateText } from './quote.js'

/** Pools, and days of all pools. */
export function createPoolResponses (sources: Sources, totals: Kept<MarketTotals>, facts: DaoFactsKept) {
  const { history, settings, snapshot } = sources
  const traded = createTradedPools(sources)
  const list = createPoolList(sources, traded, facts)

  /** Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
  async function listed (parts: Part[], poolId: string): Promise<ListedPool> {
    checkAddress(poolId, 'INVALID_POOL_ID')
    const state = await snapshot.get(parts)
    const pair = state.pairs.get(poolId)
    if (pair === undefined) throw noPool(poolId)
    return { pair, state }
  }

  async function detail (parts: Part[], poolId: string): Promise<PoolDetail> {
    const { state: { daos, byPair, priceUsd, slot, tokens }, byId, windowsEnd } = await list(parts)
    const [pool, dao] = [byId.get(poolId), daos.get(poolId)]
    if (pool === undefined || dao === undefined) throw unusable(`events of ${poolId} are missing`)
    const indexed = history.report().get(poolId)
    const read = pool.treasury_usdc_aum === null ? await orUnknown(facts.one(parts, poolId)) : undefined
    const rates = await history.read(reading => reading.feeRates(poolId))
    // lists leave out long texts
    const whole = (token: Pool['base']): Pool['base'] => ({ ...token, ...tokens.get(token.mint)?.whole })
    return {
      ...pool,
      base: whole(pool.base),
      quote: whole(pool.quote),
      ...read?.figures.poolFigures(priceUsd(poolId)),
      provenance: {
        slot,
        base_reserves: dao.baseReserves.toString(),
        quote_reserves: dao.quoteReserves.toString(),
        base_fees: dao.baseFees.toString(),
        quote_fees: dao.quoteFees.toString(),
        accounts: {
          dao: dao.address,
          base_vault: dao.baseVault,
          quote_vault: dao.quoteVault,
          base_mint: dao.baseMint,
          quote_mint: dao.quoteMint
        },
        fee_rates: rates.map(({ bps, fromSlot, toSlot }) =>
          ({ rate: rateText(ratio(BigInt(bps), 10_000n)), from_slot: fromSlot, to_slot: toSlot })),
        taker_fee_rate: rateText(settings.quoteRules.feeRate),
        quote_notional: rateText(settings.quoteRules.notional),
        volume_basis: settings.volumeBasis,
        usd_priced_by: pool.priced_in_usd && !settings.usdRules.usdMints.has(dao.quoteMint)
          ? settings.usdRules.pricedBy.get(dao.quoteMint)!
          : null,
        sequence_on_chain: dao.seqNum.toString(),
        sequence_indexed: (indexed?.indexed ?? 0n).toString(),
        missing_events: (indexed?.missingEvents ?? 0n).toString(),
        windows_end: windowsEnd
      },
      other_pools: byPair.get(pool.ticker_id)!.filter(other => other !== poolId && byId.has(other))
    }
  }

  const details = keep(sources, async (parts, poolId: string) =>
    jsonResponse(await detail(parts, poolId)), { max: MAX_RECORDS })

  return {
    traded,
    known: list,
    list: formOf(list, ({ byId }) => jsonResponse([...byId.values()])),
    /** Throws INVALID_POOL_ID and POOL_NOT_FOUND. */
    async one (parts: Part[], poolId: string) {
      await listed([], poolId)
      return await details(parts, poolId)
    },
    ...createPoolHistory(sources, async (poolId: string) => (await listed([], poolId)).pair),
    quote: createQuotes(sources, listed),
    day: createMarketDay(sources, totals),
    marketDays: createMarketDays(sources, totals)
  }
}
