import { type Static, Type } from '@sinclair/typebox'
import { DailyVolumeSchema, TokenVolumeSchema } from './aggregate.js'
import { AddressSchema } from './common.js'
import { nullableDecimal } from './treasury.js'

const DailyLiquiditySchema = Type.Object({
  date: DailyVolumeSchema.properties.date,
  liquidity: nullableDecimal(
    'Twice the quote reserves of the spot pools at the end of that day, in USD: of the DAOs whose reserves then are ' +
      'known. null: of none.',
    '5000000.00'),
  daos: Type.Integer({ minimum: 0, description: 'DAOs that are in it.', examples: [82] }),
  unknown: Type.Integer(
    { minimum: 0, description: 'DAOs whose reserves then are not known: they are not in it.', examples: [0] }
  )
}, {
  $id: 'DailyLiquidity',
  description: 'The end of a UTC day.',
  additionalProperties: false,
  examples: [{ date: '2026-01-31', liquidity: '5000000.00', daos: 82, unknown: 0 }]
})

const DaoLiquiditySchema = Type.Object({
  dao: Type.String({ ...AddressSchema, description: 'The DAO.' }),
  mint: TokenVolumeSchema.properties.mint,
  symbol: TokenVolumeSchema.properties.symbol,
  liquidity: nullableDecimal('Of its pool at the end of the newest day, in USD. null: not known.', '123456.78')
}, {
  $id: 'DaoLiquidity',
  description: 'One DAO.',
  additionalProperties: false,
  examples: [{
    dao: 'GVikRbEHoPYjGfGpSSdLHB8EBA1iq7WDyxLmAz6Kxpwi',
    mint: 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta',
    symbol: 'META',
    liquidity: '123456.78'
  }]
})

export const LiquiditySchema = Type.Object({
  totalLiquidity: nullableDecimal('That of the newest day.', '5000000.00'),
  dailyBreakdown: Type.Array(DailyLiquiditySchema, { description: 'Every UTC day that is over, newest first.' }),
  daos: Type.Array(DaoLiquiditySchema, { description: 'Largest first, those that are not known last.' })
}, {
  $id: 'AggregateLiquidity',
  description: 'Liquidity of the spot pools of all DAOs by day, from events.',
  additionalProperties: false,
  examples: [{
    totalLiquidity: '5000000.00',
    dailyBreakdown: [{ date: '2026-01-31', liquidity: '5000000.00', daos: 82, unknown: 0 }],
    daos: [{
      dao: 'GVikRbEHoPYjGfGpSSdLHB8EBA1iq7WDyxLmAz6Kxpwi',
      mint: 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta',
      symbol: 'META',
      liquidity: '123456.78'
    }]
  }]
})
export type AggregateLiquidity = Static<typeof LiquiditySchema>
