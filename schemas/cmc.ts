import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, list, MINT_EXAMPLE, record } from './common.js'
import { TickerSchema } from './ticker.js'

/** CoinMarketCap's form: amounts and prices are numbers, written with every digit they have. */

const { ticker_id: TickerIdSchema, base_currency: BaseSchema, target_currency: TargetSchema } = TickerSchema.properties
const ticker = TickerSchema.examples[0]!

const amount = (description: string) => Type.Number({ minimum: 0, description })
const price = (description: string) => Type.Number({ exclusiveMinimum: 0, description })
const text = (description: string) => Type.String({ minLength: 1, description })

const AssetSchema = record('CmcAsset', 'One token.', {
  name: text('Name; where the token has none, its symbol, else its address.'),
  symbol: text('Symbol; where the token has none, the first eight characters of its address.'),
  unified_cryptoasset_id: Type.Null({ description: 'CoinMarketCap\'s own number of the asset: not known here.' }),
  can_withdraw: Type.Boolean({ description: 'Always true: tokens are in their owners\' wallets.' }),
  can_deposit: Type.Boolean({ description: 'Always true.' }),
  min_withdraw: price('The smallest unit of the token.'),
  maker_fee: amount('Share of a trade\'s input. A pool has takers only: as taker_fee.'),
  taker_fee: amount('Share of a trade\'s input, TAKER_FEE_RATE.'),
  contractAddress: addressSchema('Mint of the token.', MINT_EXAMPLE)
}, {
  name: 'Meta',
  symbol: 'META',
  unified_cryptoasset_id: null,
  can_withdraw: true,
  can_deposit: true,
  min_withdraw: 0.000001,
  maker_fee: 0.005,
  taker_fee: 0.005
})

export const CmcAssetsSchema = Type.Record(Type.String(), AssetSchema, {
  $id: 'CmcAssets',
  description: 'Every token of a listed pair, by its mint: symbols repeat.',
  examples: [{ [ticker.base_currency]: AssetSchema.examples[0] }]
})
export type CmcAssets = Static<typeof CmcAssetsSchema>

const CmcTickerSchema = record('CmcTicker', 'A pair; of several pools the deepest.', {
  base_id: BaseSchema,
  base_name: text('Name of the base token.'),
  base_symbol: text('Symbol of the base token.'),
  quote_id: TargetSchema,
  quote_name: text('Name of the quote token.'),
  quote_symbol: text('Symbol of the quote token.'),
  last_price: price('Quote tokens per base token.'),
  base_volume: amount('Base tokens of the last 24 hours.'),
  quote_volume: amount('Quote tokens of the last 24 hours.'),
  isFrozen: Type.Integer({ minimum: 0, maximum: 1, description: 'Always 0: a listed pool trades.' })
}, {
  base_name: 'Meta',
  base_symbol: 'META',
  quote_name: 'USD Coin',
  quote_symbol: 'USDC',
  last_price: 0.912345678901,
  base_volume: 120345.67,
  quote_volume: 109800.12,
  isFrozen: 0
})

export const CmcTickersSchema = Type.Record(Type.String(), CmcTickerSchema, {
  $id: 'CmcTickers',
  description:
    'Every pair by its ticker_id. Nothing is added up: of several pools of a pair the deepest stands for it.',
  examples: [{ [ticker.ticker_id]: CmcTickerSchema.examples[0] }]
})
export type CmcTickers = Static<typeof CmcTickersSchema>

const sideSchema = (description: string) => Type.Array(Type.Unsafe<[number, number]>(
  Type.Array(price(
    'Price in quote tokens per base token, then amount in base tokens.'
  ), { minItems: 2, maxItems: 2 })), { description })

export const CmcOrderBookSchema = record('CmcOrderBook',
  'The pool\'s curve in slices of a price move of 0.1 %, each at the price that it executes at, fee ' +
    'included.', {
    timestamp: Type.Integer({ minimum: 0, description: 'When the pool was read, Unix milliseconds.' }),
    ticker_id: TickerIdSchema,
    bids: sideSchema('Highest price first.'),
    asks: sideSchema('Lowest price first.')
  }, {
    timestamp: 1769860800000,
    bids: [[0.9073, 1100.25]],
    asks: [[0.9174, 1098.5]]
  })
export type CmcOrderBook = Static<typeof CmcOrderBookSchema>

const CmcSummaryRowSchema = record('CmcSummaryRow', 'One pool.', {
  trading_pairs: TickerIdSchema,
  pool_id: TickerSchema.properties.pool_id,
  base_currency: BaseSchema,
  quote_currency: TargetSchema,
  last_price: price('Quote tokens per base token.'),
  lowest_ask: price('What buying costs.'),
  highest_bid: price('What selling yields.'),
  base_volume: amount('Base tokens of the last 24 hours.'),
  quote_volume: amount('Quote tokens of the last 24 hours.'),
  price_change_percent_24h: Type.Union(
    [Type.Number(), Type.Null()],
    {
      description: 'From the last trade before the window to the last one of all, percent. Null: there is none to ' +
        'compare with.'
    }
  ),
  highest_price_24h: price('Highest price that a trade executed at; without a trade the last price.'),
  lowest_price_24h: price('Lowest price that a trade executed at; without a trade the last price.')
}, {
  last_price: 0.912345678901,
  lowest_ask: 0.917,
  highest_bid: 0.907,
  base_volume: 120345.67,
  quote_volume: 109800.12,
  price_change_percent_24h: -1.25,
  highest_price_24h: 0.95,
  lowest_price_24h: 0.89
})

export const CmcSummarySchema = list('CmcSummary', 'One row per pool, deepest first.', CmcSummaryRowSchema)
export type CmcSummary = Static<typeof CmcSummarySchema>

const CmcTradeSchema = record('CmcTrade', 'A spot swap.', {
  trade_id: Type.Integer({
    minimum: 1,
    description: 'Number of the event among its DAO\'s: unique, rising with time.'
  }),
  price: price('Executed price, fee included.'),
  base_volume: amount('Base tokens.'),
  quote_volume: amount('Quote tokens.'),
  timestamp: Type.Integer({ minimum: 0, description: 'Unix milliseconds.' }),
  type: Type.Unsafe<'buy' | 'sell'>({ type: 'string', enum: ['buy', 'sell'], description: 'A buy pays quote tokens.' })
}, {
  trade_id: 4711,
  price: 0.912345678901,
  base_volume: 10.5,
  quote_volume: 9.579629628461,
  timestamp: 1769860800000,
  type: 'buy'
})

export const CmcTradesSchema = list(
  'CmcTrades', 'Trades of the last 24 hours of the deepest pool of a pair, newest first.', CmcTradeSchema
)
export type CmcTrades = Static<typeof CmcTradesSchema>
