import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, decimalSchema, MINT_EXAMPLE, record } from './common.js'

export const DailyVolumeSchema = record('DailyVolume', 'One UTC day.', {
  date: Type.String({ format: 'date', description: 'UTC day.', examples: ['2026-01-31'] }),
  volume: decimalSchema('Spot volume of that day in USD.', '123456.78'),
  trades: Type.Integer({ minimum: 0, description: 'Spot swaps of that day.', examples: [214] })
})

export const TokenVolumeSchema = record('TokenVolume', 'One base token.', {
  mint: addressSchema('Mint of the base token.', MINT_EXAMPLE),
  symbol: Type.String({
    description: 'Its symbol, as its creator wrote it; empty where it has no metadata.',
    examples: ['META']
  }),
  totalVolume: decimalSchema('Spot volume of the token since launch, over all its DAOs, in USD.', '1234567.89')
})

export const AggregateSchema = record('AggregateVolume', 'Volume of the spot pools of all DAOs.', {
  totalVolume: decimalSchema(
    'Spot volume of all DAOs since launch, in USD. Equals the sum of the days, and that of the tokens. A swap counts ' +
      'its protocol fee divided by ' +
    'PROTOCOL_FEE_RATE, on the quote leg; a quote token that nothing on chain prices in a dollar counts ' +
      'nothing.', '1234567.89'),
  dailyBreakdown: Type.Array(
    DailyVolumeSchema,
    { description: 'Every UTC day since the first launch, newest first; a day without a swap is there with zeros.' }
  ),
  tokens: Type.Array(TokenVolumeSchema, { description: 'Largest volume first.' })
}, {
  dailyBreakdown: [
    { date: '2026-01-31', volume: '123456.78', trades: 214 },
    { date: '2026-01-30', volume: '1111111.11', trades: 1893 }
  ]
})
export type AggregateVolume = Static<typeof AggregateSchema>
