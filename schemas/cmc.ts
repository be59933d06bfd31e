import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { CURVE, executed, milliseconds, sides } from './coingecko.js'
import { address, boolean, list, MINT_EXAMPLE, NAMED, number, oneOf, record, shown } from './common.js'
import { TickerSchema } from './ticker.js'

/** CoinMarketCap's form: amounts and prices are numbers, written with every digit they have. */

const {
  ticker_id: TICKER_ID, pool_id: POOL_ID, base_currency: base, target_currency: target
} = TickerSchema.properties

const price = (description: string, example: number) =>
  Type.Number({ exclusiveMinimum: 0, description, examples: [example] })
const PRICE = price('Quote tokens per base token.', 0.912345678901)
const VOLUMES = {
  base_volume: number('Base tokens of the last 24 hours.', 120345.67),
  quote_volume: number('Quote tokens of the last 24 hours.', 109800.12)
}

/** Records by an id. */
const byId = <S extends TSchema & { examples: [unknown] }>(
  title: string, description: string, of: S, id: string
) => Type.Record(Type.String(), of, { title, description, examples: [{ [id]: of.examples[0] }] })

const AssetSchema = record('CmcAsset', 'One token.', {
  ...NAMED,
  unified_cryptoasset_id: Type.Null({ description: 'CoinMarketCap\'s own number of the asset: not known here.' }),
  can_withdraw: boolean('Always true: tokens are in their owners\' wallets.'),
  can_deposit: boolean('Always true.'),
  min_withdraw: price('The smallest unit of the token.', 0.000001),
  maker_fee: number('Share of a trade\'s input. A pool has takers only: as taker_fee.', 0.005),
  taker_fee: number('Share of a trade\'s input, TAKER_FEE_RATE.', 0.005),
  contractAddress: address('Mint of the token.', MINT_EXAMPLE)
})

export const CmcAssetsSchema =
  byId('CmcAssets', 'Every token of a listed pair, by its mint: symbols repeat.', AssetSchema, MINT_EXAMPLE)
export type CmcAssets = Static<typeof CmcAssetsSchema>

const CmcTickerSchema = record('CmcTicker', 'A pair; of several pools the deepest.', {
  base_id: base,
  base_name: shown('Name of the base token.', 'Meta'),
  base_symbol: shown('Symbol of the base token.', 'META'),
  quote_id: target,
  quote_name: shown('Name of the quote token.', 'USD Coin'),
  quote_symbol: shown('Symbol of the quote token.', 'USDC'),
  last_price: PRICE,
  ...VOLUMES,
  isFrozen: Type.Integer({ minimum: 0, maximum: 1, description: 'Always 0: a listed pool trades.', examples: [0] })
})

export const CmcTickersSchema = byId(
  'CmcTickers', 'Every pair by its ticker_id. Nothing is added up: of several pools of a pair the deepest stands for ' +
    'it.', CmcTickerSchema, TickerSchema.examples[0].ticker_id
)
export type CmcTickers = Static<typeof CmcTickersSchema>

export const CmcOrderBookSchema = record('CmcOrderBook', `${CURVE}.`, {
  timestamp: milliseconds('When the pool was read, Unix milliseconds.'),
  ticker_id: TICKER_ID,
  ...sides(
    price('Price in quote tokens per base token, then amount in base tokens.', 0.9125),
    [0.9073, 1100.25], [0.9174, 1098.5]
  )
})
export type CmcOrderBook = Static<typeof CmcOrderBookSchema>

const CmcSummaryRowSchema = record('CmcSummaryRow', 'One pool.', {
  trading_pairs: TICKER_ID,
  pool_id: POOL_ID,
  base_currency: base,
  quote_currency: target,
  last_price: PRICE,
  lowest_ask: price('What buying costs.', 0.917),
  highest_bid: price('What selling yields.', 0.907),
  ...VOLUMES,
  price_change_percent_24h: Type.Union([Type.Number(), Type.Null()], {
    description: 'From the last trade before the window to the last one of all, percent. Null: there is none to ' +
      'compare with.',
    examples: [-1.25]
  }),
  highest_price_24h: price(executed('Highest'), 0.95),
  lowest_price_24h: price(executed('Lowest'), 0.89)
})

export const CmcSummarySchema = list('CmcSummary', 'One row per pool, deepest first.', CmcSummaryRowSchema)
export type CmcSummary = Static<typeof CmcSummarySchema>

const CmcTradeSchema = record('CmcTrade', 'A spot swap.', {
  trade_id: Type.Integer({
    minimum: 1, description: 'Number of the event among its DAO\'s: unique, rising with time.', examples: [4711]
  }),
  price: price('Executed price, fee included.', 0.912345678901),
  base_volume: number('Base tokens.', 10.5),
  quote_volume: number('Quote tokens.', 9.579629628461),
  timestamp: milliseconds('Unix milliseconds.'),
  type: oneOf(['buy', 'sell'], 'A buy pays quote tokens.')
})

export const CmcTradesSchema = list(
  'CmcTrades', 'Trades of the last 24 hours of the deepest pool of a pair, newest first.', CmcTradeSchema
)
export type CmcTrades = Static<typeof CmcTradesSchema>
