import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, AddressSchema, DAO_EXAMPLE, record } from './common.js'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const optionalAddress = (description: string) =>
  Type.Union([Type.String({ ...AddressSchema }), Type.Null()], { description })
const number = (description: string) => Type.Union([Type.String({ pattern: '^\\d+$' }), Type.Null()], { description })

const EXAMPLE = {
  dao: DAO_EXAMPLE,
  symbol: 'META',
  created_at: '2026-01-31T12:00:00.000Z',
  listed: false,
  reason: 'no reserves',
  state: 'spot' as const,
  base_mint: 'METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta',
  quote_mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  priced_in_usd: true,
  account_bytes: 1205,
  sequence_on_chain: '4711',
  sequence_indexed: '4711',
  missing_events: '0',
  first_swap: '2026-01-31T12:00:00.000Z'
}

export const DaoReportSchema = record('DaoReport',
  'What became of one account of the program that begins as a DAO does.', {
    dao: addressSchema('Address of the DAO, which is the pool_id of its ticker.', DAO_EXAMPLE),
    symbol: Type.String({
      description: 'Of its base token, as its creator wrote it; empty where it has no metadata, or is excluded.',
      examples: ['META']
    }),
    created_at: Type.Union(
      [Type.String({ format: 'date-time' }), Type.Null()],
      { description: 'When its pool began, by its account. Null: undecodable.' }
    ),
    listed: Type.Boolean({ description: 'Whether the tickers have it.' }),
    reason: Type.Union(
      [Type.String(), Type.Null()],
      { description: 'Why it is not listed: excluded, undecodable, no reserves, mint unreadable, history incomplete.' }
    ),
    state: Type.Union(
      [Type.Literal('spot'), Type.Literal('futarchy'), Type.Null()],
      {
        description: 'futarchy, as the program names it, while a proposal is live: the pools\' `proposal`. Null: ' +
        'undecodable.'
      }
    ),
    base_mint: optionalAddress('Mint of the base token.'),
    quote_mint: optionalAddress('Mint of the quote token.'),
    priced_in_usd: Type.Boolean(
      {
        description: 'Whether the quote token has a USD value: by USD_MINTS, or by USD_PRICED_MINTS while its pool ' +
        'is deep enough. If not, the DAO adds nothing to USD figures.'
      }
    ),
    account_bytes: Type.Union(
      [Type.Integer({ minimum: 0 }), Type.Null()],
      { description: 'Size of the account: tells the version that made or resized it.' }
    ),
    sequence_on_chain: number('Number of the latest event, by the account.'),
    sequence_indexed: number('Highest number that is indexed.'),
    missing_events: Type.String({
      pattern: '^\\d+$',
      description: 'Numbers below the highest indexed one that have not been found.'
    }),
    first_swap: Type.Union(
      [Type.String({ format: 'date-time' }), Type.Null()],
      { description: 'Time of the first indexed spot swap.' }
    )
  }, EXAMPLE)

export const DaosSchema = record('Daos', 'Every discovered DAO. discovered = listed + left_out.', {
  slot: Type.Integer({ minimum: 0, description: 'Slot of the accounts.' }),
  discovered: count('Accounts of the program that begin as a DAO does; listed + left_out.'),
  listed: count('DAOs that the tickers have.'),
  left_out: count('DAOs that they have not.'),
  daos: Type.Array(DaoReportSchema, { description: 'By address.' })
}, { slot: 400123456, discovered: 1, listed: 0, left_out: 1 })
export type Daos = Static<typeof DaosSchema>
export type DaoReport = Static<typeof DaoReportSchema>
