import { type Static, Type } from '@sinclair/typebox'
import { address, decimal, integer, nullable, object, record, SECOND_EXAMPLE, slot } from './common.js'
import { TickerSchema } from './ticker.js'

const [{ base_currency: mint, pool_id: pool, last_price: price }] = TickerSchema.examples

const PriceSchema = nullable(object({
  price_usd: nullable(decimal(
    'In USD by the settings (USD_MINTS, USD_PRICED_MINTS). null where the quote token has no value by them.', price
  )),
  price: decimal(
    'In whole quote tokens: now the spot price, at a second of the past the price that the last trade executed at.',
    price
  ),
  quote_mint: address('The quote token.'),
  pool_id: address('The pool: the deepest listed one that trades the mint as its base.', pool),
  timestamp: integer('Unix second of the state, or of the trade.', SECOND_EXAMPLE)
}))

export const PricesSchema = record('Prices', 'Prices of tokens.', {
  prices: Type.Record(Type.String(), PriceSchema, {
    description: 'By mint, each that was asked for; null where it has no listed pool, or had no trade by then.',
    examples: [{ [mint]: PriceSchema.examples[0] }]
  }),
  slot: slot('Slot of the state that the pools were chosen by.')
})
export type Prices = Static<typeof PricesSchema>
