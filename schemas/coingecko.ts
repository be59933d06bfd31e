import { type Static, Type } from '@sinclair/typebox'
import { decimalSchema } from './common.js'
import { TickerSchema } from './ticker.js'

/** CoinGecko's form of a decentralized exchange. */

const {
  ticker_id: TickerIdSchema,
  base_currency: BaseSchema,
  target_currency: TargetSchema,
  pool_id: PoolIdSchema
} = TickerSchema.properties
const ticker = TickerSchema.examples[0]!

const PairSchema = Type.Object({
  ticker_id: TickerIdSchema, base: BaseSchema, target: TargetSchema, pool_id: PoolIdSchema
}, {
  $id: 'CoinGeckoPair',
  description: 'The pair of one pool.',
  additionalProperties: false,
  examples: [
    { ticker_id: ticker.ticker_id, base: ticker.base_currency, target: ticker.target_currency, pool_id: ticker.pool_id }
  ]
})

export const CoinGeckoPairsSchema = Type.Array(PairSchema, {
  $id: 'CoinGeckoPairs',
  description: 'One row per pool, deepest first.',
  examples: [
    PairSchema.examples as Array<Static<typeof PairSchema>>
  ]
})
export type CoinGeckoPairs = Static<typeof CoinGeckoPairsSchema>

const LevelSchema = Type.Unsafe<[string, string]>(Type.Array(
  decimalSchema('Price in target tokens per base token, then amount in base tokens.', '0.9125'),
  { minItems: 2, maxItems: 2 }
))
const sideSchema = (description: string) => Type.Array(LevelSchema, { description })

export const CoinGeckoOrderBookSchema = Type.Object({
  ticker_id: TickerIdSchema,
  timestamp: Type.Integer({ minimum: 0, description: 'When the pool was read, Unix milliseconds.' }),
  bids: sideSchema('Highest price first.'),
  asks: sideSchema('Lowest price first.')
}, {
  $id: 'CoinGeckoOrderBook',
  description: 'The pool\'s curve in slices of a price move of 0.1 %, each at the price that it executes at, fee ' +
    'included: walking the book to any ' +
    'level yields what one swap of that size yields.',
  additionalProperties: false,
  examples: [{
    ticker_id: ticker.ticker_id,
    timestamp: 1769860800000,
    bids: [['0.9073', '1100.25']],
    asks: [['0.9174', '1098.5']]
  }]
})
export type CoinGeckoOrderBook = Static<typeof CoinGeckoOrderBookSchema>

const CoinGeckoTickerSchema = Type.Object({
  ...TickerSchema.properties,
  high: decimalSchema(
    'Highest price that a trade of the last 24 hours executed at; without a trade the last price.',
    '0.95'
  ),
  low: decimalSchema(
    'Lowest price that a trade of the last 24 hours executed at; without a trade the last price.',
    '0.89'
  )
}, {
  $id: 'CoinGeckoTicker',
  description: 'The ticker of one pool.',
  additionalProperties: false,
  examples: [{ ...ticker, high: '0.950000000000', low: '0.890000000000' }]
})

export const CoinGeckoTickersSchema = Type.Array(CoinGeckoTickerSchema, {
  $id: 'CoinGeckoTickers',
  description: 'Deepest pool first.',
  examples: [
    CoinGeckoTickerSchema.examples as Array<Static<typeof CoinGeckoTickerSchema>>
  ]
})
export type CoinGeckoTickers = Static<typeof CoinGeckoTickersSchema>

const TradeSchema = Type.Object({
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
  $id: 'CoinGeckoTrade',
  description: 'A spot swap.',
  additionalProperties: false,
  examples: [{
    trade_id: '4711',
    pool_id: ticker.pool_id,
    price: '0.912345678901',
    base_volume: '10.5',
    target_volume: '9.579629628461',
    trade_timestamp: 1769860800000,
    type: 'buy'
  }]
})

export const CoinGeckoTradesSchema = Type.Object({ buy: Type.Array(TradeSchema), sell: Type.Array(TradeSchema) }, {
  $id: 'CoinGeckoTrades',
  description: 'Trades of one pool of a pair, newest first.',
  additionalProperties: false,
  examples: [{ buy: TradeSchema.examples as Array<Static<typeof TradeSchema>>, sell: [] }]
})
export type CoinGeckoTrades = Static<typeof CoinGeckoTradesSchema>
