import type { CachedResponse } from '../../http/cached-response.js'
import type { Aged } from '../../live/fresh.js'
import {
  type CoinGeckoOrderBook, CoinGeckoOrderBookSchema, type CoinGeckoPairs, CoinGeckoPairsSchema, type CoinGeckoTickers,
  CoinGeckoTickersSchema,
  type CoinGeckoTrades, CoinGeckoTradesSchema
} from '../../../schemas/coingecko.js'
import { exactResponse } from '../json-response.js'
import type { Turn } from '../../line.js'
import { invalidParameter } from '../../query.js'
import { headPart, TICKER_TTL } from '../sources.js'
import { createPairTrades, type PairTrade, type Side, SIDES } from './trades.js'
import { createWindowTickers } from './windows.js'
import { createOrderBooks } from './order-book.js'
import type { FormSources } from './sources.js'
import { sameLife } from '../same-life.js'

/** The market in CoinGecko's form. */

/** Times in seconds, or in milliseconds where they are as large as such are today. */
export interface CoinGeckoTradesAsked {
  ticker_id: string
  pool_id: string | undefined
  type: Side | undefined
  limit: number
  start_time: number | undefined
  end_time: number | undefined
}

export interface CoinGecko {
  pairs (): Promise<Aged<CachedResponse<CoinGeckoPairs>>>
  tickers (): Promise<Aged<CachedResponse<CoinGeckoTickers>>>
  /** Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, INVALID_POOL_ID, POOL_NOT_FOUND, INVALID_PARAMETER and OVERLOADED. */
  trades (asked: CoinGeckoTradesAsked, turn: Turn): Promise<Aged<CachedResponse<CoinGeckoTrades>>>
  /** Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
  orderBook (tickerId: string, depth: number): Promise<Aged<CachedResponse<CoinGeckoOrderBook>>>
}

const toPairs = exactResponse(CoinGeckoPairsSchema)
const toTickers = exactResponse(CoinGeckoTickersSchema)
const toTrades = exactResponse(CoinGeckoTradesSchema)
const toOrderBook = exactResponse(CoinGeckoOrderBookSchema)

/** From here on a time is in milliseconds. */
const MILLISECONDS = 10 ** 12
const MAX_TRADES = 1_000

const row = ({ id, pool, price, base, quote, at, side }: PairTrade) =>
  ({
    trade_id: id.toString(),
    pool_id: pool,
    price,
    base_volume: base,
    target_volume: quote,
    trade_timestamp: at * 1000,
    type: side
  })

export function createCoinGecko (sources: FormSources): CoinGecko {
  const windows = createWindowTickers(sources)
  const pairTrades = createPairTrades(sources)

  async function trades (asked: CoinGeckoTradesAsked, turn: Turn) {
    const { ticker_id: tickerId, pool_id: pool, type, limit, start_time: start, end_time: end } = asked
    const since = start === undefined ? undefined : start >= MILLISECONDS ? Math.ceil(start / 1000) : start
    const until = end === undefined ? undefined : end >= MILLISECONDS ? Math.floor(end / 1000) : end
    if (since !== undefined && until !== undefined && until < since) {
      throw invalidParameter('end_time', 'start_time or later')
    }
    const sides = type === undefined ? SIDES : [type]
    const { buy, sell, headers } = await pairTrades(tickerId, {
      sides,
      since,
      until,
      limit: limit === 0 ? MAX_TRADES : limit,
      pool
    }, turn)
    const head = headPart(sources)
    const value = toTrades({ buy: buy.map(row), sell: sell.map(row) }, headers)
    return { value, parts: [head], age: sources.time.age(head.time), left: TICKER_TTL }
  }

  return {
    pairs: sameLife(sources.tickers, async ({ tickers }) => toPairs(tickers.map(ticker => ({
      ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id
    })))),
    tickers: sameLife(windows.get, async tickers =>
      toTickers(tickers.map(({ ticker, high, low }) => ({ ...ticker, high, low })))),
    trades,
    orderBook: createOrderBooks(sources, async (tickerId, { time, bids, asks }) => toOrderBook({
      ticker_id: tickerId,
      timestamp: time * 1000,
      bids: bids.map(([price, amount]) => [price, amount]),
      asks: asks.map(([price, amount]) => [price, amount])
    }))
  }
}
