import { type Static, Type } from '@sinclair/typebox'
import { DailyVolumeSchema, TokenVolumeSchema } from './aggregate.js'
import { decimalSchema, record } from './common.js'
import { nullableDecimal } from './treasury.js'

const { date, trades } = DailyVolumeSchema.properties
const { mint, symbol } = TokenVolumeSchema.properties

const DailyFeesSchema = record('DailyFees', 'One UTC day.', {
  date,
  fees: decimalSchema(
    'Protocol fees of that day in USD.',
    '617.28'
  ),
  trades
})

const TokenFeesSchema = record('TokenFees', 'One base token.', {
  mint,
  symbol,
  totalFees: decimalSchema(
    'Protocol fees of the token\'s spot pools since launch, in USD.',
    '6172.84'
  )
})

export const FeesSchema = record('AggregateFees', 'Protocol fees of the spot pools of all DAOs.', {
  totalFees: decimalSchema(
    'Protocol fees of all spot swaps since launch, in USD: each as it was charged, by the fee balances before and ' +
      'after the swap. A fee in base tokens ' +
    'counts at the price of its own swap; what it is worth in USD is valued as the volumes are. Equals the sum of ' +
      'the days, and that of the tokens.', '6172.84'),
  conditionalFees: nullableDecimal(
    'Beside totalFees, not in it: what the winning markets of proposals held of fees when they were decided, in USD; ' +
      'base tokens at the spot price then. null: not all of it is known.',
    '310.55'),
  externalPoolFees: nullableDecimal(
    'Beside totalFees, not in it: what positions in external pools have earned and was collected, in USD; base ' +
      'tokens at the spot price then. null: not all of it is known.',
    '1204.10'),
  dailyBreakdown: Type.Array(
    DailyFeesSchema,
    { description: 'Every UTC day since the first launch, newest first; a day without a swap is there with zeros.' }
  ),
  tokens: Type.Array(TokenFeesSchema, { description: 'Largest fees first.' })
}, {
  dailyBreakdown: [
    { date: '2026-01-31', fees: '617.28', trades: 214 },
    { date: '2026-01-30', fees: '5555.56', trades: 1893 }
  ]
})
export type AggregateFees = Static<typeof FeesSchema>
