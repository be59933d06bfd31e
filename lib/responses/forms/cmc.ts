import { powerOfTen, toFixed } from '../../decimal.js'
import { unusable } from '../../errors.js'
import { type Exact, exact, exactJson, type ExactNumber } from '../../exact-json.js'
import { executedPrice, type Trade } from '../../history/history.js'
import { exactResponse, JSON_TYPE, makeCachedResponse } from '../../http/cached-response.js'
import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import type { Token } from '../../live/tokens.js'
import type { Level } from '../../market/order-book.js'
import { textsOf } from '../../market/pool-figures.js'
import { DAY } from '../../time.js'
import type { CmcAssets, CmcOrderBook, CmcSummary, CmcTickers, CmcTrades } from '../../../schemas/cmc.js'
import { checkLeft, headOf, knownTrades } from '../known-history.js'
import { rateText } from '../pools.js'
import { formOf, keep } from '../sources.js'
import { pairIn } from '../tickers.js'
import { type DayTicker, deepestBook, type FormSources } from './day-tickers.js'
import { namesOf } from './token-texts.js'

/** Of one answer, far more than a pool has in a day: beyond, nothing is answered. */
const MAX_TRADES = 100_000
/** Trades that are read at once. */
const PAGE = 1_000
/** Pairs whose trades are kept, 15 MB each at most. */
const MAX_KEPT = 8

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
  const fee = exact(rateText(sources.settings.quoteRules.feeRate))

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

    /** Of the last 24 hours. Throws as `pairIn`, OVERLOADED, and HISTORY_UNAVAILABLE for too many. */
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
