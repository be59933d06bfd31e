import { type Static, Type } from '@sinclair/typebox'
import { AddressSchema, decimalSchema } from './common.js'

export const AggregateSchema = Type.Object({
  totalVolume: decimalSchema('Spot volume of all DAOs since launch, in USD. Equals the sum of the days, and that of the tokens.', '45000000.12'),
  dailyBreakdown: Type.Array(Type.Object({
    date: Type.String({ format: 'date', description: 'UTC day.', examples: ['2026-01-31'] }),
    volume: decimalSchema('Volume of that day in USD.', '123456.78'),
    trades: Type.Integer({ minimum: 0, description: 'Spot swaps of that day.' })
  }, { additionalProperties: false }), { description: 'Every UTC day since the first launch, newest first.' }),
  tokens: Type.Array(Type.Object({
    mint: Type.String({ ...AddressSchema, description: 'Mint of the base token.' }),
    symbol: Type.String({ description: 'Its symbol, as its creator wrote it.' }),
    totalVolume: decimalSchema('Volume of the token since launch, over all its DAOs, in USD.', '1234567.89')
  }, { additionalProperties: false }), { description: 'Largest volume first.' })
}, { $id: 'AggregateVolume', additionalProperties: false })
export type AggregateVolume = Static<typeof AggregateSchema>
