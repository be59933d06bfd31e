import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, DAO_EXAMPLE, decimalSchema, list, MINT_EXAMPLE, record } from './common.js'

const META = 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

export const TickerSchema = record('Ticker', 'The spot pool of one DAO.', {
  ticker_id: Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}_[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'Base mint, underscore, quote mint. Not unique: several DAOs may share a pair; pool_id is.',
    examples: [`${META}_${USDC}`]
  }),
  base_currency: addressSchema('Mint of the base token.', MINT_EXAMPLE),
  target_currency: addressSchema('Mint of the quote token, typically a dollar stablecoin.'),
  base_symbol: Type.String(
    {
      description: 'Symbol of the base token, as its creator wrote it; empty where it has no metadata or more than ' +
        '32 characters.',
      examples: ['META']
    }
  ),
  base_name: Type.String({
    description: 'Name of the base token, as its creator wrote it; empty where it has no metadata.',
    examples: ['Meta']
  }),
  target_symbol: Type.String({
    description: 'Symbol of the quote token; empty where it has no metadata or more than 32 characters.',
    examples: ['USDC']
  }),
  target_name: Type.String({
    description: 'Name of the quote token; empty where it has no metadata.',
    examples: ['USD Coin']
  }),
  pool_id: addressSchema('Address of the DAO, which is the pool.', DAO_EXAMPLE),
  last_price: decimalSchema(
    'Quote tokens per base token: (quote reserves / base reserves) × 10^(base decimals − quote decimals) of the spot ' +
      'pool, while a proposal is live too. ' +
    '12 digits after the point, more where 12 significant ones need them.', '0.912345678901'),
  base_volume: decimalSchema(
    'Base tokens that spot swaps moved in the last 24 hours, buys and sells alike: of a sell what was paid, of a buy ' +
    'what was received. 8 digits after the point.', '120345.67000000'),
  target_volume: decimalSchema(
    'Quote tokens that spot swaps moved in the last 24 hours, buys and sells alike: of a buy what was paid, of a ' +
      'sell ' +
    'what was received. 8 digits after the point.', '109800.12000000'),
  liquidity_in_usd: decimalSchema(
    'Twice the quote reserves of the spot pool, in USD. "0.00" where the quote token has no USD value (USD_MINTS, ' +
      'USD_PRICED_MINTS).', '451234.56'),
  bid: decimalSchema(
    'What selling base tokens for about 100 quote tokens (at most 1 % of the pool) yields per base token, fee and ' +
      'impact included. Always below last_price.',
    '0.907000000000'
  ),
  ask: decimalSchema(
    'What buying base tokens for 100 quote tokens (at most 1 % of the pool) costs per base token, fee and impact ' +
      'included. Always above last_price.',
    '0.917000000000'
  )
})
export type Ticker = Static<typeof TickerSchema>

export const TickersSchema = list(
  'Tickers', 'Deepest pool first, then by pool_id; pools whose quote token has no USD value come last.', TickerSchema
)
