import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { decimal, digits, integer, list, oneOf, record, SECOND_EXAMPLE } from './common.js'
import { TickerSchema } from './ticker.js'

/** CoinGecko's form of a decentralized exchange. */

const {
  ticker_id: TICKER_ID, pool_id: POOL_ID, base_currency: base, target_currency: target
} = TickerSchema.properties

const PairSchema = record('CoinGeckoPair', 'The pair of one pool.', {
  ticker_id: TICKER_ID, base, target, pool_id: POOL_ID
})

export const CoinGeckoPairsSchema = list('CoinGeckoPairs', 'One row per pool, deepest first.', PairSchema)
export type CoinGeckoPairs = Static<typeof CoinGeckoPairsSchema>

export const CURVE =
  'The pool\'s curve in slices of a price move of 0.1 %, each at the price that it executes at, fee included'
export const milliseconds = (description: string) => integer(description, SECOND_EXAMPLE * 1000)
/** Both sides of a book, of levels with parts of this `form`; `bid`, `ask`: examples of a level. */
export function sides<L> (form: TSchema, bid: [L, L], ask: [L, L]) {
  const levels = Type.Unsafe<readonly [L, L]>(Type.Array(form, { minItems: 2, maxItems: 2 }))
  const side = (description: string, level: [L, L]) => Type.Array(levels, { description, examples: [[level]] })
  return { bids: side('Highest price first.', bid), asks: side('Lowest price first.', ask) }
}

export const CoinGeckoOrderBookSchema = record('CoinGeckoOrderBook',
  `${CURVE}: walking the book to any level yields what one swap of that size yields.`, {
    ticker_id: TICKER_ID,
    timestamp: milliseconds('When the pool was read, Unix milliseconds.'),
    ...sides(
      decimal('Price in target tokens per base token, then amount in base tokens.', '0.9125'),
      ['0.9073', '1100.25'], ['0.9174', '1098.5']
    )
  })
export type CoinGeckoOrderBook = Static<typeof CoinGeckoOrderBookSchema>

export const executed = (which: string): string =>
  `${which} price that a trade of the last 24 hours executed at; without a trade the last price.`
const CoinGeckoTickerSchema = record('CoinGeckoTicker', 'The ticker of one pool.', {
  ...TickerSchema.properties,
  high: decimal(executed('Highest'), '0.950000000000'),
  low: decimal(executed('Lowest'), '0.890000000000')
})

export const CoinGeckoTickersSchema = list('CoinGeckoTickers', 'Deepest pool first.', CoinGeckoTickerSchema)
export type CoinGeckoTickers = Static<typeof CoinGeckoTickersSchema>

const TradeSchema = record('CoinGeckoTrade', 'A spot swap.', {
  trade_id: digits('Number of the event among its DAO\'s: unique in its pool, rising with time.', '4711'),
  pool_id: POOL_ID,
  price: decimal('Executed price: target tokens per base token, fee included.', '0.912345678901'),
  base_volume: decimal('Base tokens.', '10.5'),
  target_volume: decimal('Target tokens.', '9.579629628461'),
  trade_timestamp: milliseconds('Unix milliseconds.'),
  type: oneOf(['buy', 'sell'], 'A buy pays target tokens.')
})

export const CoinGeckoTradesSchema = record('CoinGeckoTrades', 'Trades of one pool of a pair, newest first.', {
  buy: Type.Array(TradeSchema, { description: 'Those that paid target tokens.' }),
  sell: Type.Array(TradeSchema, { description: 'Those that paid base tokens.' })
}, { sell: [] })
export type CoinGeckoTrades = Static<typeof CoinGeckoTradesSchema>
