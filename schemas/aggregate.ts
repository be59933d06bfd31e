import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { address, date, decimal, integer, MINT_EXAMPLE, record, symbol } from './common.js'

export const DAY_FIELD = date('UTC day.')
export const TOKEN_FIELDS = {
  mint: address('Mint of the base token.', MINT_EXAMPLE),
  symbol: symbol('base token', 'META')
}

/** The days and the tokens of a sum since launch. */
export const byDayAndToken = <D extends TSchema, T extends TSchema>(day: D, token: T, largest: string) => ({
  dailyBreakdown: Type.Array(day, {
    description: 'Every UTC day since the first launch, newest first; a day without a swap is there with zeros.'
  }),
  tokens: Type.Array(token, { description: `Largest ${largest} first.` })
})

const DailyVolumeSchema = record('DailyVolume', 'One UTC day.', {
  date: DAY_FIELD,
  volume: decimal('Spot volume of that day in USD.', '1234567.89'),
  trades: integer('Spot swaps of that day.', 214)
})

const TokenVolumeSchema = record('TokenVolume', 'One base token.', {
  ...TOKEN_FIELDS,
  totalVolume: decimal('Spot volume of the token since launch, over all its DAOs, in USD.', '1234567.89')
})

export const AggregateSchema = record('AggregateVolume', 'Volume of the spot pools of all DAOs.', {
  totalVolume: decimal(
    'Spot volume of all DAOs since launch, in USD. Equals the sum of the days, and that of the tokens. A swap counts ' +
      'what was paid or received on the quote leg, or, where VOLUME_BASIS is fees, its protocol fee divided by ' +
      'PROTOCOL_FEE_RATE; a quote token without a USD value by the settings counts nothing.', '1234567.89'),
  ...byDayAndToken(DailyVolumeSchema, TokenVolumeSchema, 'volume')
})
export type AggregateVolume = Static<typeof AggregateSchema>
