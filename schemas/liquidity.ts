import { type Static, Type } from '@sinclair/typebox'
import { DAY_FIELD, TOKEN_FIELDS } from './aggregate.js'
import { address, DAO_EXAMPLE, decimal, integer, nullable, record } from './common.js'

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
