import { type Static, Type } from '@sinclair/typebox'
import {
  address, DAO_EXAMPLE, decimal, KEY, list, MINT_EXAMPLE, name, QUOTE_EXAMPLE, record, symbol
} from './common.js'

export const DEEPEST_FIRST =
  'Deepest pool first, then by pool_id; pools whose quote token has no USD value come last.'
const is24h = (token: string, first: string, second: string) =>
  `${token} tokens that spot swaps moved in the last 24 hours, buys and sells alike: of a ${first} what was paid, of ` +
  `a ${second} what was received. 8 digits after the point.`

export const TickerSchema = record('Ticker', 'The spot pool of one DAO.', {
  ticker_id: Type.String({
    pattern: `^${KEY}_${KEY}$`,
    description: 'Base mint, underscore, quote mint. Not unique: several DAOs may share a pair; pool_id is.',
    examples: [`${MINT_EXAMPLE}_${QUOTE_EXAMPLE}`]
  }),
  base_currency: address('Mint of the base token.', MINT_EXAMPLE),
  target_currency: address('Mint of the quote token, typically a dollar stablecoin.'),
  base_symbol: symbol('base token', 'META'),
  base_name: name('base token', 'Meta'),
  target_symbol: symbol('quote token', 'USDC'),
  target_name: name('quote token', 'USD Coin'),
  pool_id: address('Address of the DAO, which is the pool.', DAO_EXAMPLE),
  last_price: decimal(
    'Quote tokens per base token: (quote reserves / base reserves) × 10^(base decimals − quote decimals) of the spot ' +
      'pool, while a proposal is live too. 12 digits after the point, more where 12 significant ones need them.',
    '0.912345678901'),
  base_volume: decimal(is24h('Base', 'sell', 'buy'), '120345.67000000'),
  target_volume: decimal(is24h('Quote', 'buy', 'sell'), '109800.12000000'),
  liquidity_in_usd: decimal(
    'Twice the quote reserves of the spot pool, in USD. "0.00" where the quote token has no USD value (USD_MINTS, ' +
      'USD_PRICED_MINTS).', '451234.56'),
  bid: decimal(
    'What selling base tokens for about QUOTE_NOTIONAL (100) quote tokens, at most 1 % of the pool, yields per base ' +
      'token, fee and impact included. Always below last_price.', '0.907000000000'),
  ask: decimal(
    'What buying base tokens for QUOTE_NOTIONAL (100) quote tokens, at most 1 % of the pool, costs per base token, ' +
      'fee and impact included. Always above last_price.', '0.917000000000')
})
export type Ticker = Static<typeof TickerSchema>

export const TickersSchema = list('Tickers', DEEPEST_FIRST, TickerSchema)
