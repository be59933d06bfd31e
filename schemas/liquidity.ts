import { type Static, Type } from '@sinclair/typebox'
import { DailyVolumeSchema, TokenVolumeSchema } from './aggregate.js'
import { addressSchema, DAO_EXAMPLE, record } from './common.js'
import { nullableDecimal } from './treasury.js'

const DailyLiquiditySchema = record('DailyLiquidity', 'The end of a UTC day.', {
  date: DailyVolumeSchema.properties.date,
  liquidity: nullableDecimal(
    'Twice the quote reserves of the spot pools at the end of that day, in USD: of the DAOs whose reserves then are ' +
      'known. null: of none.',
    '5000000.00'),
  daos: Type.Integer({ minimum: 0, description: 'DAOs that are in it.', examples: [82] }),
  unknown: Type.Integer(
    { minimum: 0, description: 'DAOs whose reserves then are not known: they are not in it.', examples: [0] }
  )
})

const DaoLiquiditySchema = record('DaoLiquidity', 'One DAO.', {
  dao: addressSchema('The DAO.', DAO_EXAMPLE),
  mint: TokenVolumeSchema.properties.mint,
  symbol: TokenVolumeSchema.properties.symbol,
  liquidity: nullableDecimal('Of its pool at the end of the newest day, in USD. null: not known.', '123456.78')
}, { dao: 'GVikRbEHoPYjGfGpSSdLHB8EBA1iq7WDyxLmAz6Kxpwi' })

export const LiquiditySchema = record('AggregateLiquidity',
  'Liquidity of the spot pools of all DAOs by day, from events.', {
    totalLiquidity: nullableDecimal('That of the newest day.', '5000000.00'),
    dailyBreakdown: Type.Array(DailyLiquiditySchema, { description: 'Every UTC day that is over, newest first.' }),
    daos: Type.Array(DaoLiquiditySchema, { description: 'Largest first, those that are not known last.' })
  })
export type AggregateLiquidity = Static<typeof LiquiditySchema>
