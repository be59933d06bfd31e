import { type Static, Type } from '@sinclair/typebox'
import { decimalSchema, list, record } from './common.js'
import { TickerSchema } from './ticker.js'

/** CoinGecko's form of a decentralized exchange. */

const {
  ticker_id: TickerIdSchema,
  base_currency: BaseSchema,
  target_currency: TargetSchema,
  pool_id: PoolIdSchema
} = TickerSchema.properties

const PairSchema = record('CoinGeckoPair', 'The pair of one pool.', {
  ticker_id: TickerIdSchema, base: BaseSchema, target: TargetSchema, pool_id: PoolIdSchema
})

export const CoinGeckoPairsSchema = list('CoinGeckoPairs', 'One row per pool, deepest first.', PairSchema)
export type CoinGeckoPairs = Static<typeof CoinGeckoPairsSchema>

const LevelSchema = Type.Unsafe<[string, string]>(Type.Array(
  decimalSchema('Price in target tokens per base token, then amount in base tokens.', '0.9125'),
  { minItems: 2, maxItems: 2 }
))
const sideSchema = (description: string) => Type.Array(LevelSchema, { description })

export const CoinGeckoOrderBookSchema = record('CoinGeckoOrderBook',
  'The pool\'s curve in slices of a price move of 0.1 %, each at the price that it executes at, fee ' +
    'included: walking the book to any ' +
    'level yields what one swap of that size yields.', {
    ticker_id: TickerIdSchema,
    timestamp: Type.Integer({ minimum: 0, description: 'When the pool was read, Unix milliseconds.' }),
    bids: sideSchema('Highest price first.'),
    asks: sideSchema('Lowest price first.')
  }, {
    timestamp: 1769860800000,
    bids: [['0.9073', '1100.25']],
    asks: [['0.9174', '1098.5']]
  })
export type CoinGeckoOrderBook = Static<typeof CoinGeckoOrderBookSchema>

const CoinGeckoTickerSchema = record('CoinGeckoTicker', 'The ticker of one pool.', {
  ...TickerSchema.properties,
  high: decimalSchema(
    'Highest price that a trade of the last 24 hours executed at; without a trade the last price.',
    '0.95'
  ),
  low: decimalSchema(
    'Lowest price that a trade of the last 24 hours executed at; without a trade the last price.',
    '0.89'
  )
}, { high: '0.950000000000', low: '0.890000000000' })

export const CoinGeckoTickersSchema = list('CoinGeckoTickers', 'Deepest pool first.', CoinGeckoTickerSchema)
export type CoinGeckoTickers = Static<typeof CoinGeckoTickersSchema>

const TradeSchema = record('CoinGeckoTrade', 'A spot swap.', {
  trade_id: Type.String({
    pattern: '^\\d+$',
    description: 'Number of the event among its DAO\'s: unique in its pool, rising with time.'
  }),
  pool_id: PoolIdSchema,
  price: decimalSchema('Executed price: target tokens per base token, fee included.', '0.912345678901'),
  base_volume: decimalSchema('Base tokens.', '10.5'),
  target_volume: decimalSchema('Target tokens.', '9.58'),
  trade_timestamp: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
  type: Type.Unsafe<'buy' | 'sell'>({ type: 'string', enum: ['buy', 'sell'], description: 'A buy pays target tokens.' })
}, {
  trade_id: '4711',
  target_volume: '9.579629628461',
  trade_timestamp: 1769860800000,
  type: 'buy'
})

export const CoinGeckoTradesSchema = record(
  'CoinGeckoTrades',
  'Trades of one pool of a pair, newest first.',
  { buy: Type.Array(TradeSchema), sell: Type.Array(TradeSchema) },
  { sell: [] }
)
export type CoinGeckoTrades = Static<typeof CoinGeckoTradesSchema>
