import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import { invalidParameter } from '../../query.js'
import type { CoinGeckoOrderBook, CoinGeckoPairs, CoinGeckoTickers, CoinGeckoTrades } from '../../../schemas/coingecko.js'
import { jsonResponse } from '../json-response.js'
import { formOf } from '../sources.js'
import { deepestBook } from './order-book.js'
import type { FormSources } from './sources.js'
import { createPairTrades, type PairTrade, type Side, SIDES } from './trades.js'
import { createWindowTickers } from './windows.js'

/** Times in seconds, or in milliseconds where they are as large as such are today. */
interface CoinGeckoTradesAsked {
  ticker_id: string
  pool_id: string | undefined
  type: Side | undefined
  limit: number
  start_time: number | undefined
  end_time: number | undefined
}

/** From here on a time is in milliseconds. */
const MILLISECONDS = 10 ** 12
const MAX_TRADES = 1_000

const row = ({ id, pool, price, base, quote, at, side }: PairTrade) => ({
  trade_id: id.toString(),
  pool_id: pool,
  price,
  base_volume: base,
  target_volume: quote,
  trade_timestamp: at * 1000,
  type: side
})

/** The market in CoinGecko's form. */
export function createCoinGecko (sources: FormSources, windows = createWindowTickers(sources)) {
  const pairTrades = createPairTrades(sources)

  return {
    pairs: formOf(sources.tickers, ({ tickers }) => jsonResponse<CoinGeckoPairs>(tickers.map(ticker => ({
      ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id
    })))),

    tickers: formOf(windows, tickers =>
      jsonResponse<CoinGeckoTickers>(tickers.map(({ ticker, high, low }) => ({ ...ticker, high, low })))),

    /** Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, POOL_NOT_FOUND, INVALID_PARAMETER and OVERLOADED. */
    async trades (parts: Part[], asked: CoinGeckoTradesAsked, turn: Turn) {
      const { ticker_id: tickerId, pool_id: pool, type, limit, start_time: start, end_time: end } = asked
      const [from, to] = [start, end].map(time => time !== undefined && time < MILLISECONDS ? time * 1000 : time)
      if (from !== undefined && to !== undefined && to < from) throw invalidParameter('end_time', 'start_time or later')
      const since = from === undefined ? undefined : Math.ceil(from / 1000)
      const until = to === undefined ? undefined : Math.floor(to / 1000)
      const sides = type === undefined ? SIDES : [type]
      const wanted = { sides, since, until, limit: limit === 0 ? MAX_TRADES : limit, pool }
      const { buy, sell, headers } = await pairTrades(parts, tickerId, wanted, turn)
      return jsonResponse<CoinGeckoTrades>({ buy: buy.map(row), sell: sell.map(row) }, headers)
    },

    orderBook: async (parts: Part[], tickerId: string, depth: number) =>
      jsonResponse<CoinGeckoOrderBook>({ ticker_id: tickerId, ...await deepestBook(sources, parts, tickerId, depth) })
  }
}
