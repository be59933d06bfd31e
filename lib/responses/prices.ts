import { multiply, parseDecimal, type Rational } from '../decimal.js'
import { executedPrice, type Reading, type Trade } from '../history/history.js'
import type { Kept, Part } from '../live/fresh.js'
import { executedPriceText, priceText } from '../market/pool-figures.js'
import type { Pair } from '../market/ticker.js'
import { createValuation, type PricedPool } from '../market/usd.js'
import { invalidParameter } from '../query.js'
import { type Prices, PricesSchema } from '../../schemas/prices.js'
import { jsonResponse } from './json-response.js'
import { checkFinal, extentOf } from './known.js'
import { headOf, keepEach, oncePerValue, type Sources } from './sources.js'
import type { TickerList } from './tickers.js'

const toPrices = jsonResponse(PricesSchema)
/** Answers of the past that are kept: anyone may ask for any second. */
const MAX_KEPT = 128
/** What `at` may be. */
const PAST_SECOND = 'Unix seconds or an ISO 8601 time, not after now, as 1769860800'

type Price = Prices['prices'][string]

/** What a pool's price, in text, and what its quote token is worth then make of its base token. */
const priced = (pair: Pair, price: string, worth: Rational | undefined, timestamp: number): Price => ({
  price_usd: worth === undefined ? null : priceText(multiply(parseDecimal(price)!, worth)),
  price,
  quote_mint: pair.quoteMint,
  pool_id: pair.address,
  timestamp
})

/** The deepest pool of each base mint. */
const poolsOf = oncePerValue(({ tickers, pairs }: TickerList): ReadonlyMap<string, Pair> =>
  new Map(tickers.toReversed().map(({ pool_id: id, base_currency: mint }) => [mint, pairs.get(id)!])))

/**
 * Prices of mints, now or at a Unix second. Throws INVALID_PARAMETER for a second to come, WARMING_UP for one that is
 * not final yet, and what the tickers and the history throw.
 */
export function createPrices (sources: Sources, tickers: Kept<TickerList>) {
  const { history, settings } = sources
  const { usdMints, usdPricedMints: pricedBy, usdMinDepth: minDepth } = settings

  function current (list: TickerList, mints: readonly string[]): Prices {
    const pools = poolsOf(list)
    const prices = mints.map((mint): [string, Price] => {
      const pair = pools.get(mint)
      if (pair === undefined) return [mint, null]
      return [mint, priced(pair, list.byPool.get(pair.address)!.last_price, list.usd(pair.quoteMint), list.time)]
    })
    return { prices: Object.fromEntries(prices), slot: list.slot }
  }

  /** A pool that prices a token in USD as it was after its last trade by then: price and depth count as they do now. */
  const asOf = (pair: Pair | undefined, trade: Trade | undefined): PricedPool[] =>
    pair === undefined || trade?.reserves == null
      ? []
      : [{ ...pair, baseReserves: trade.reserves.base, quoteReserves: trade.reserves.quote }]

  async function past (
    list: TickerList, mints: readonly string[], at: number, reading: Reading
  ): Promise<{ body: Prices, isLost: boolean }> {
    const pools = poolsOf(list)
    const wanted = mints.flatMap(mint => pools.get(mint)?.address ?? [])
    const pricing = [...pricedBy].filter(([mint]) => mints.some(one => pools.get(one)?.quoteMint === mint))
      .map(([, pool]) => pool)
    const last = await reading.lastTrades(at, [...new Set([...wanted, ...pricing])])
    const trades = new Map(last.map(trade => [trade.dao, trade]))
    let isLost = false
    for (const pool of [...wanted, ...pricing]) {
      const known = trades.get(pool)
      const after = known === undefined ? -Infinity : known.at - 1
      const { headers } = extentOf(reading, pool, after, { until: at, isWhole: true })
      if (headers['x-history-complete'] === 'false') isLost = true
    }
    const usd = createValuation(
      pricing.flatMap(pool => asOf(list.pairs.get(pool), trades.get(pool))), { usdMints, pricedBy, minDepth }
    )
    const prices = mints.map((mint): [string, Price] => {
      const pair = pools.get(mint)
      const trade = pair && trades.get(pair.address)
      if (trade === undefined || pair === undefined) return [mint, null]
      const price = executedPriceText(executedPrice(trade.swap)!, pair)
      return [mint, priced(pair, price, usd(pair.quoteMint), trade.at)]
    })
    return { body: { prices: Object.fromEntries(prices), slot: list.slot }, isLost }
  }

  const kept = keepEach(sources, MAX_KEPT, async (parts, { at, mints }: { at: number, mints: readonly string[] }) => {
    const list = await tickers(parts)
    headOf(sources, parts)
    const { body, isLost } = await history.read(reading => past(list, mints, at, reading))
    return toPrices(body, { 'x-history-complete': String(!isLost) })
  }, ({ at, mints }) => `${at} ${mints.join()}`)

  return async (parts: Part[], mints: readonly string[], at: number | undefined) => {
    if (at === undefined) return toPrices(current(await tickers(parts), mints))
    checkFinal(sources, at, invalidParameter('at', PAST_SECOND), 1)
    return await kept(parts, { at, mints })
  }
}
