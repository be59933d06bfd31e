import { multiply, ONE, type Rational } from '../decimal.js'
import { executedPrice } from '../history/history.js'
import { jsonResponse } from '../http/cached-response.js'
import type { Kept, Part } from '../live/fresh.js'
import { tokensOf } from '../live/snapshot.js'
import { priceText } from '../market/pool-figures.js'
import { lastText, spotPrice, wholePrice } from '../market/price.js'
import type { Pair } from '../market/ticker.js'
import { createValuation, type UsdValuation } from '../market/usd.js'
import { invalidParameter } from '../query.js'
import type { Prices } from '../../schemas/prices.js'
import { checkFinal, extentOf, headOf, historyHeaders } from './known-history.js'
import { keep, type Sources } from './sources.js'
import type { TickerList } from './tickers.js'

const PAST_SECOND = 'Unix seconds or an ISO 8601 time, not after now, as 1769860800'

type Price = Prices['prices'][string]

/** The deepest pool of a base mint, even if its past is not known: the next one would pass for it. */
const poolOf = ({ state: { deepest } }: TickerList, mint: string): Pair | undefined =>
  deepest.find(({ baseMint }) => baseMint === mint)

/** Prices of mints, now or at a Unix second that is final. Throws INVALID_PARAMETER for one to come. */
export function createPrices (sources: Sources, tickers: Kept<TickerList>) {
  const { history, settings: { quoteRules, usdRules } } = sources

  /** A pool's price, exact and as text, with the USD price of its base token. */
  function priced (pair: Pair, exact: Rational, price: string, usd: UsdValuation, timestamp: number): Price {
    const worth = usd(pair.quoteMint)
    const own = usdRules.usdMints.has(pair.baseMint) ? ONE : worth && multiply(exact, worth)
    return {
      price_usd: own === undefined ? null : priceText(own),
      price,
      quote_mint: pair.quoteMint,
      pool_id: pair.address,
      timestamp
    }
  }

  const pricesOf = (list: TickerList, mints: readonly string[], priceOf: (pool: Pair) => Price | null): Prices => ({
    prices: Object.fromEntries(mints.map(mint => {
      const pool = poolOf(list, mint)
      return [mint, pool === undefined ? null : priceOf(pool)]
    })),
    slot: list.state.accountsSlot
  })

  const kept = keep(sources, async (parts, at: number, mints: readonly string[]) => {
    const list = await tickers(parts)
    headOf(sources, parts)
    const pools = mints.flatMap(mint => poolOf(list, mint) ?? [])
    const quoteMints = new Set(pools.map(({ quoteMint }) => quoteMint))
    const pricing = [...usdRules.pricedBy].flatMap(([mint, pool]) => quoteMints.has(mint) ? [pool] : [])
    const read = [...new Set([...pools.map(({ address }) => address), ...pricing])]
    const { trades, isWhole } = await history.read(async reading => {
      const trades = new Map((await reading.lastTrades(at, read)).map(trade => [trade.dao, trade]))
      const extents = read.map(pool =>
        extentOf(reading, pool, (trades.get(pool)?.at ?? -Infinity) - 1, { until: at, mustBeWhole: true }))
      return { trades, isWhole: extents.every(({ isWhole }) => isWhole) }
    })
    // the pools that price tokens, as they were after their last trade by then
    const usd = createValuation(new Map(pricing.flatMap(address => {
      // by now it may be empty, and so not listed
      const [dao, reserves] = [list.state.daos.get(address), trades.get(address)?.reserves]
      const traded = dao && tokensOf(dao, list.state.tokens)
      return traded === undefined || reserves == null
        ? []
        : [[address, { address, ...traded, baseReserves: reserves.base, quoteReserves: reserves.quote }]]
    })), usdRules)
    const body = pricesOf(list, mints, pool => {
      const trade = trades.get(pool.address)
      if (trade === undefined) return null
      const price = wholePrice(executedPrice(trade.swap)!, pool)
      return priced(pool, price, priceText(price), usd, trade.at)
    })
    return jsonResponse(body, historyHeaders(isWhole))
  })

  return async (parts: Part[], mints: readonly string[], at: number | undefined) => {
    if (at === undefined) {
      const list = await tickers(parts)
      return jsonResponse(pricesOf(list, mints, pool =>
        priced(pool, spotPrice(pool), lastText(pool, quoteRules), list.state.usd, list.state.time)))
    }
    checkFinal(sources, at, invalidParameter('at', PAST_SECOND), 1)
    return await kept(parts, at, mints)
  }
}
