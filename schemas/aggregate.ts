import { type Static, type TSchema, Type } from '@sinclair/typebox'
import {
  address, DAO_EXAMPLE, date, decimal, integer, MINT_EXAMPLE, nullable, record, symbol
} from './common.js'

/** Sums over all DAOs by UTC day and by token: volume, fees, liquidity. */

export const DAY_FIELD = date('UTC day.')
const TOKEN_FIELDS = {
  mint: address('Mint of the base token.', MINT_EXAMPLE),
  symbol: symbol('base token', 'META')
}

/** The days and the tokens of a sum since launch. */
const byDayAndToken = <D extends TSchema, T extends TSchema>(day: D, token: T, largest: string) => ({
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

const DailyFeesSchema = record('DailyFees', 'One UTC day.', {
  date: DAY_FIELD,
  fees: decimal('Protocol fees of that day in USD.', '6172.84'),
  trades: integer('Spot swaps of that day.', 214)
})

const TokenFeesSchema = record('TokenFees', 'One base token.', {
  ...TOKEN_FIELDS,
  totalFees: decimal('Protocol fees of the token\'s spot pools since launch, in USD.', '6172.84')
})

const beside = (what: string, example: string) => nullable(decimal(
  `Beside totalFees, not in it: ${what}, in USD; base tokens at the spot price then. null: not all of it is known.`,
  example
))

export const FeesSchema = record('AggregateFees', 'Protocol fees of the spot pools of all DAOs.', {
  totalFees: decimal(
    'Protocol fees of all spot swaps since launch, in USD: each as it was charged, by the fee balances before and ' +
      'after the swap. A fee in base tokens counts at the price of its own swap; what it is worth in USD is valued ' +
      'as the volumes are. Equals the sum of the days, and that of the tokens.', '6172.84'),
  conditionalFees: beside('what the winning markets of proposals held of fees when they were decided', '310.55'),
  externalPoolFees: beside('what positions in external pools have earned and was collected', '1204.10'),
  ...byDayAndToken(DailyFeesSchema, TokenFeesSchema, 'fees')
})
export type AggregateFees = Static<typeof FeesSchema>

const DailyLiquiditySchema = record('DailyLiquidity', 'The end of a UTC day.', {
  date: DAY_FIELD,
  liquidity: nullable(decimal(
    'Twice the quote reserves of the spot pools at the end of that day, in USD: of the DAOs whose reserves then are ' +
      'known. null: of none.', '5000000.00')),
  daos: integer('DAOs that are in it.', 82),
  unknown: integer('DAOs whose reserves then are not known: they are not in it.', 0)
})

const DaoLiquiditySchema = record('DaoLiquidity', 'One DAO.', {
  dao: address('The DAO.', DAO_EXAMPLE),
  ...TOKEN_FIELDS,
  liquidity: nullable(decimal('Of its pool at the end of the newest day, in USD. null: not known.', '123456.78'))
})

export const LiquiditySchema = record('AggregateLiquidity',
  'Liquidity of the spot pools of all DAOs by day, from events.', {
    totalLiquidity: nullable(decimal('That of the newest day.', '5000000.00')),
    dailyBreakdown: Type.Array(DailyLiquiditySchema, { description: 'Every UTC day that is over, newest first.' }),
    daos: Type.Array(DaoLiquiditySchema, { description: 'Largest first, those that are not known last.' })
  })
export type AggregateLiquidity = Static<typeof LiquiditySchema>
