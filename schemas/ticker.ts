import { type Static, Type } from '@sinclair/typebox'
import { AddressSchema, decimalSchema } from './common.js'

export const TickerSchema = Type.Object({
  ticker_id: Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}_[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'Base mint, underscore, quote mint. Not unique: several DAOs may share a pair; pool_id is.'
  }),
  base_currency: Type.String({ ...AddressSchema, description: 'Mint of the base token.' }),
  target_currency: Type.String({ ...AddressSchema, description: 'Mint of the quote token, typically a dollar stablecoin.' }),
  base_symbol: Type.String({ description: 'Symbol of the base token, as its creator wrote it; empty where it has no metadata.' }),
  base_name: Type.String({ description: 'Name of the base token, as its creator wrote it; empty where it has no metadata.' }),
  target_symbol: Type.String({ description: 'Symbol of the quote token.' }),
  target_name: Type.String({ description: 'Name of the quote token.' }),
  pool_id: Type.String({ ...AddressSchema, description: 'Address of the DAO, which is the pool.' }),
  last_price: decimalSchema(
    'Quote tokens per base token: (quote reserves / base reserves) × 10^(base decimals − quote decimals) of the spot pool, while a proposal is live too. ' +
    '12 digits after the point, more where 12 significant ones need them.', '0.912345678901'),
  base_volume: decimalSchema('Base tokens that spot swaps moved in the last 24 hours, buys and sells alike; 8 digits after the point.', '120345.67000000'),
  target_volume: decimalSchema('Quote tokens that spot swaps moved in the last 24 hours, buys and sells alike; 8 digits after the point.', '109800.12000000'),
  liquidity_in_usd: decimalSchema(
    'Twice the quote reserves of the spot pool, in USD. "0.00" where nothing on chain prices the quote token in a dollar.', '451234.56'),
  bid: decimalSchema('What selling base tokens for about 100 quote tokens (at most 1 % of the pool) yields per base token, fee and impact included.', '0.907000000000'),
  ask: decimalSchema('What buying base tokens for 100 quote tokens (at most 1 % of the pool) costs per base token, fee and impact included.', '0.917000000000')
}, { $id: 'Ticker', description: 'One pool of one DAO.', additionalProperties: false })
export type Ticker = Static<typeof TickerSchema>

export const TickersSchema = Type.Array(TickerSchema, { $id: 'Tickers', description: 'Deepest pool first, then by pool_id.' })
