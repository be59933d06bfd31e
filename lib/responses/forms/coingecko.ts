import { executedPrice } from '../../history/history.js'
import { jsonResponse } from '../../http/cached-response.js'
import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import { textsOf } from '../../market/pool-figures.js'
import { invalidParameter } from '../../query.js'
import type {
  CoinGeckoOrderBook, CoinGeckoPairs, CoinGeckoTickers, CoinGeckoTrades
} from '../../../schemas/coingecko.js'
import { headOf, historyHeaders, knownTrades } from '../known-history.js'
import { formOf } from '../sources.js'
import { pairIn } from '../tickers.js'
import { deepestBook, type FormSources } from './day-tickers.js'

/** Times in seconds, or milliseconds from `MILLISECONDS` on. */
interface CoinGeckoTradesAsked {
  ticker_id: string
  pool_id: string | undefined
  type: 'buy' | 'sell' | undefined
  limit: number
  start_time: number | undefined
  end_time: number | undefined
}

const MILLISECONDS = 10 ** 12
const MOST_TRADES = 1_000

export function createCoinGecko (sources: FormSources) {
  const { history, tickers, days } = sources

  return {
    pairs: formOf(tickers, ({ tickers }) => jsonResponse<CoinGeckoPairs>(tickers.map(ticker => ({
      ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id
    })))),

    tickers: formOf(days, days => jsonResponse<CoinGeckoTickers>(days.map(({ ticker }) => ticker))),

    /**
     * Trades of one pool of a pair by side; without a start, as far back as all are known. Throws as `pairIn`,
     * INVALID_PARAMETER and OVERLOADED.
     */
    async trades (parts: Part[], asked: CoinGeckoTradesAsked, turn: Turn) {
      const { type, limit, start_time: start, end_time: end } = asked
      const [from, to] = [start, end].map(time => time !== undefined && time < MILLISECONDS ? time * 1000 : time)
      if (from !== undefined && to !== undefined && to < from) throw invalidParameter('end_time', 'start_time or later')
      const since = from && Math.ceil(from / 1000)
      const until = to && Math.floor(to / 1000)
      const { pair } = await pairIn(tickers, [], asked.ticker_id, asked.pool_id)
      const { base, quote, price } = textsOf(pair)
      // before the trades are read, which are then of that moment or younger
      headOf(sources, parts)
      return await turn(() => history.read(async reading => {
        let headers = historyHeaders(true)
        async function rows (side: 'buy' | 'sell'): Promise<CoinGeckoTrades['buy']> {
          if (type !== undefined && type !== side) return []
          const wanted = { dao: pair.address, side, since, until, limit: limit === 0 ? MOST_TRADES : limit }
          const found = await knownTrades(reading, wanted, since !== undefined)
          if (!found.isWhole) headers = found.headers
          return found.trades.map(({ seq, at, swap }) => {
            const paid = executedPrice(swap)!
            return {
              trade_id: seq.toString(),
              pool_id: pair.address,
              price: price(paid),
              base_volume: base(paid.base),
              target_volume: quote(paid.quote),
              trade_timestamp: at * 1000,
              type: side
            }
          })
        }
        return jsonResponse<CoinGeckoTrades>({ buy: await rows('buy'), sell: await rows('sell') }, headers)
      }))
    },

    orderBook: async (parts: Part[], tickerId: string, depth: number) =>
      jsonResponse<CoinGeckoOrderBook>({ ticker_id: tickerId, ...await deepestBook(sources, parts, tickerId, depth) })
  }
}
