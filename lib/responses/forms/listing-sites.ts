import { powerOfTen, shortText, toFixed } from '../../decimal.js'
import { unusable } from '../../errors.js'
import { type Exact, exact, exactJson, type ExactNumber } from '../../exact-json.js'
import { executedPrice, type Trade } from '../../history/history.js'
import { exactResponse, JSON_TYPE, jsonResponse, makeCachedResponse } from '../../http/cached-response.js'
import type { Turn } from '../../line.js'
import type { Kept, Part } from '../../live/fresh.js'
import type { Token } from '../../live/tokens.js'
import { type Level, levelsOf, orderBook } from '../../market/order-book.js'
import { textsOf } from '../../market/pool-figures.js'
import { invalidParameter } from '../../query.js'
import { DAY } from '../../time.js'
import type { CmcAssets, CmcOrderBook, CmcSummary, CmcTickers, CmcTrades } from '../../../schemas/cmc.js'
import type {
  CoinGeckoOrderBook, CoinGeckoPairs, CoinGeckoTickers, CoinGeckoTrades
} from '../../../schemas/coingecko.js'
import type { Pool } from '../../../schemas/pools.js'
import type { Supply } from '../../../schemas/supply.js'
import type { PoolList } from '../pools.js'
import { checkLeft, formOf, headOf, historyHeaders, keep, knownTrades, type Sources } from '../sources.js'
import { pairIn, type TickerList } from '../tickers.js'
import { namesOf } from './token-texts.js'

export interface FormSources extends Sources {
  tickers: Kept<TickerList>
  days: Kept<DayTicker[]>
  supply: Kept<Supply, [mint: string]>
}

/** A ticker with exact volumes, and what else the trades of its 24 hours tell. */
interface DayTicker {
  ticker: CoinGeckoTickers[number]
  change: Pool['price_change_24h']
  /** Of several pools of a pair, listed or not. */
  isDeepest: boolean
}

/**
 * The tickers whose last 24 hours are all known, deepest first, kept. Throws what the tickers throw, and
 * HISTORY_UNAVAILABLE where none is left.
 */
export const createDayTickers = (
  sources: Sources, list: Kept<TickerList>, pools: Kept<PoolList>
): Kept<DayTicker[]> => keep(sources, async parts => {
  const { tickers, state: { byPair } } = await list(parts)
  const { byId } = await pools(parts)
  const whole = tickers.flatMap((ticker): DayTicker[] => {
    const pool = byId.get(ticker.pool_id)
    const { base_volume_24h: base, target_volume_24h: target } = pool ?? {}
    if (pool === undefined || base == null || target == null) return []
    const last = ticker.last_price
    return [{
      ticker: {
        ...ticker,
        // rounded they would contradict high and low
        base_volume: base,
        target_volume: target,
        high: pool.high_24h ?? last,
        low: pool.low_24h ?? last
      },
      change: pool.price_change_24h,
      isDeepest: byPair.get(ticker.ticker_id)![0] === ticker.pool_id
    }]
  })
  checkLeft(whole.length, tickers.length)
  return whole
})

/** The order book of a pair's deepest pool, of so many levels (0: all), with its Unix ms. Throws as `pairIn`. */
async function deepestBook (
  { tickers, settings }: FormSources, parts: Part[], tickerId: string, depth: number
) {
  const { list, pair } = await pairIn(tickers, parts, tickerId)
  const { bids, asks } = orderBook(pair, settings.quoteRules, levelsOf(depth))
  return { timestamp: list.time * 1000, bids, asks }
}

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

/** The market in CoinGecko's form. */
export function createCoinGecko (sources: FormSources) {
  const { history, tickers, days } = sources

  return {
    pairs: formOf(tickers, ({ tickers }) => jsonResponse<CoinGeckoPairs>(tickers.map(ticker => ({
      ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id
    })))),

    tickers: formOf(days, days => jsonResponse<CoinGeckoTickers>(days.map(({ ticker }) => ticker))),

    /**
     * Trades of one pool of a pair by side; without a start, as far back as all are known. Throws what `pairIn` throws,
     * INVALID_PARAMETER, OVERLOADED, and WARMING_UP and HISTORY_UNAVAILABLE while not all are known.
     */
    async trades (parts: Part[], asked: CoinGeckoTradesAsked, turn: Turn) {
      const { type, limit, start_time: start, end_time: end } = asked
      const [from, to] = [start, end].map(time => time !== undefined && time < MILLISECONDS ? time * 1000 : time)
      if (from !== undefined && to !== undefined && to < from) throw invalidParameter('end_time', 'start_time or later')
      const since = from === undefined ? undefined : Math.ceil(from / 1000)
      const until = to === undefined ? undefined : Math.floor(to / 1000)
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

/** Of one answer, far more than a pool has in a day: beyond, nothing is answered. */
const MAX_TRADES = 100_000
/** Trades that are read at once. */
const PAGE = 1_000
/** Pairs whose trades are kept, 15 MB each at most. */
const MAX_KEPT = 8
/** A setting has so many decimals at most. */
const MAX_PLACES = 30

const exactLevel = ([price, amount]: Level): [ExactNumber, ExactNumber] => [exact(price), exact(amount)]

const summaryRow = ({ ticker, change }: DayTicker): Exact<CmcSummary[number]> => ({
  trading_pairs: ticker.ticker_id,
  pool_id: ticker.pool_id,
  base_currency: ticker.base_currency,
  quote_currency: ticker.target_currency,
  last_price: exact(ticker.last_price),
  lowest_ask: exact(ticker.ask),
  highest_bid: exact(ticker.bid),
  base_volume: exact(ticker.base_volume),
  quote_volume: exact(ticker.target_volume),
  price_change_percent_24h: change === null ? null : exact(change),
  highest_price_24h: exact(ticker.high),
  lowest_price_24h: exact(ticker.low)
})

function tickerEntry ({ ticker }: DayTicker): [id: string, Exact<CmcTickers[string]>] {
  const { base_currency: baseMint, target_currency: quoteMint } = ticker
  const base = namesOf({ mint: baseMint, symbol: ticker.base_symbol, name: ticker.base_name })
  const quote = namesOf({ mint: quoteMint, symbol: ticker.target_symbol, name: ticker.target_name })
  return [ticker.ticker_id, {
    base_id: baseMint,
    base_name: base.name,
    base_symbol: base.symbol,
    quote_id: quoteMint,
    quote_name: quote.name,
    quote_symbol: quote.symbol,
    last_price: exact(ticker.last_price),
    base_volume: exact(ticker.base_volume),
    quote_volume: exact(ticker.target_volume),
    isFrozen: 0
  }]
}

/** The market in CoinMarketCap's form. */
export function createCmc (sources: FormSources, maxTrades = MAX_TRADES) {
  const { history } = sources

  /** Trades that have a price, newest first, read in the client's turns. */
  const day = keep(sources, async (parts, tickerId: string, pool: string, turn: Turn) => {
    const { pair } = await pairIn(sources.tickers, [], tickerId, pool)
    const { base, quote, price } = textsOf(pair)
    const since = headOf(sources, parts).time - DAY + 1
    const texts: string[] = []
    let page: Trade[] = []
    do {
      const last = page.at(-1)
      const asked = { dao: pool, since, before: last?.seq, limit: PAGE }
      page = (await turn(() => history.read(reading => knownTrades(reading, asked, true)), last && 'admitted')).trades
      for (const { seq, at, swap } of page) {
        const paid = executedPrice(swap)
        if (paid === undefined) continue
        texts.push(exactJson({
          trade_id: exact(seq.toString()),
          price: exact(price(paid)),
          base_volume: exact(base(paid.base)),
          quote_volume: exact(quote(paid.quote)),
          timestamp: at * 1000,
          type: swap.side
        } satisfies Exact<CmcTrades[number]>))
      }
      if (texts.length > maxTrades) throw unusable(`more than ${maxTrades} trades of ${tickerId} in a day`)
    } while (page.length === PAGE)
    return makeCachedResponse<CmcTrades>(JSON_TYPE, `[${texts.join()}]`)
  }, { keyOf: ([tickerId, pool]) => `${tickerId} ${pool}`, max: MAX_KEPT })
  const fee = exact(shortText(sources.settings.quoteRules.feeRate, MAX_PLACES))

  const asset = (token: Token) => [token.mint, {
    ...namesOf(token),
    unified_cryptoasset_id: null,
    can_withdraw: true,
    can_deposit: true,
    min_withdraw: exact(toFixed(powerOfTen(-token.decimals), token.decimals)),
    maker_fee: fee,
    taker_fee: fee,
    contractAddress: token.mint
  }] as const

  return {
    summary: formOf(sources.days, days => exactResponse<CmcSummary>(days.map(summaryRow))),

    /** Of the last 24 hours. Throws what `pairIn` throws, OVERLOADED, and HISTORY_UNAVAILABLE for too many. */
    async trades (parts: Part[], tickerId: string, turn: Turn) {
      // before what is kept, which outlives a failure, but not its pair
      const { pair } = await pairIn(sources.tickers, [], tickerId)
      return await day(parts, tickerId, pair.address, turn)
    },

    assets: formOf(sources.tickers, ({ tickers, state: { tokens } }) => exactResponse<CmcAssets>(Object.fromEntries(
      tickers.flatMap(ticker => [ticker.base_currency, ticker.target_currency]).map(mint => asset(tokens.get(mint)!))
    ))),

    ticker: formOf(sources.days, days => {
      // the next pool would pass for the deepest of a pair
      const deepest = days.filter(({ isDeepest }) => isDeepest)
      checkLeft(deepest.length, days.length)
      return exactResponse<CmcTickers>(Object.fromEntries(deepest.map(tickerEntry)))
    }),

    async orderBook (parts: Part[], tickerId: string, depth: number) {
      const { timestamp, bids, asks } = await deepestBook(sources, parts, tickerId, depth)
      return exactResponse<CmcOrderBook>({
        timestamp, ticker_id: tickerId, bids: bids.map(exactLevel), asks: asks.map(exactLevel)
      })
    }
  }
}
