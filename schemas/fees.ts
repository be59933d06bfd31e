import type { Static } from '@sinclair/typebox'
import { byDayAndToken, DAY_FIELD, TOKEN_FIELDS } from './aggregate.js'
import { decimal, integer, nullable, record } from './common.js'

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
