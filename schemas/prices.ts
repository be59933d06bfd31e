import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, decimalSchema, record } from './common.js'
import { TickerSchema } from './ticker.js'

const example = TickerSchema.examples[0]!
const EXAMPLE = {
  price_usd: example.last_price,
  price: example.last_price,
  quote_mint: example.target_currency,
  pool_id: example.pool_id,
  timestamp: 1769860800
}
const priceUsd = decimalSchema('In USD by the settings (USD_MINTS, USD_PRICED_MINTS).', example.last_price)

const PriceSchema = Type.Unsafe<{
  price_usd: string | null
  price: string
  quote_mint: string
  pool_id: string
  timestamp: number
} | null>({
  ...Type.Object({
    price_usd: Type.Unsafe<string | null>({
      ...priceUsd,
      type: ['string', 'null'],
      description: `${priceUsd.description} null where the quote token has no value by them.`
    }),
    price: decimalSchema(
      'In whole quote tokens: now the spot price, at a second of the past the price that the last trade executed at.',
      example.last_price
    ),
    quote_mint: addressSchema('The quote token.'),
    pool_id: addressSchema('The pool: the deepest listed one that trades the mint as its base.'),
    timestamp: Type.Integer(
      { minimum: 0, description: 'Unix second of the state, or of the trade.', examples: [1769860800] }
    )
  }, { additionalProperties: false }),
  type: ['object', 'null'],
  examples: [EXAMPLE]
})

export const PricesSchema = record('Prices', 'Prices of tokens.', {
  prices: Type.Record(
    Type.String(),
    PriceSchema,
    { description: 'By mint, each that was asked for; null where it has no listed pool, or had no trade by then.' }
  ),
  slot: Type.Integer(
    { minimum: 0, description: 'Slot of the state that the pools were chosen by.', examples: [400000000] }
  )
}, { prices: { [example.base_currency]: EXAMPLE } })
export type Prices = Static<typeof PricesSchema>
