import { type Static, Type } from '@sinclair/typebox'
import { AddressSchema } from './common.js'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const optionalAddress = (description: string) => Type.Union([Type.String({ ...AddressSchema }), Type.Null()], { description })
const number = (description: string) => Type.Union([Type.String({ pattern: '^\\d+$' }), Type.Null()], { description })

export const DaoReportSchema = Type.Object({
  dao: Type.String({ ...AddressSchema, description: 'Address of the DAO, which is the pool_id of its ticker.' }),
  listed: Type.Boolean({ description: 'Whether the tickers have it.' }),
  reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not listed: excluded, undecodable, no reserves, mint unreadable, history incomplete.' }),
  state: Type.Union([Type.Literal('spot'), Type.Literal('futarchy'), Type.Null()], { description: 'futarchy while a proposal is live. Null: undecodable.' }),
  base_mint: optionalAddress('Mint of the base token.'),
  quote_mint: optionalAddress('Mint of the quote token.'),
  priced_in_usd: Type.Boolean({ description: 'Whether anything prices the quote token in a dollar. If not, the DAO adds nothing to USD figures.' }),
  account_bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description: 'Size of the account: tells the version that made or resized it.' }),
  sequence_on_chain: number('Number of the latest event, by the account.'),
  sequence_indexed: number('Highest number that is indexed.'),
  missing_events: Type.String({ pattern: '^\\d+$', description: 'Numbers below the highest indexed one that have not been found.' }),
  first_swap: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Time of the first indexed spot swap.' })
}, { additionalProperties: false })

export const DaosSchema = Type.Object({
  slot: Type.Integer({ minimum: 0, description: 'Slot of the accounts.' }),
  discovered: count('Accounts of the program that begin as a DAO does; listed + left_out.'),
  listed: count('DAOs that the tickers have.'),
  left_out: count('DAOs that they have not.'),
  daos: Type.Array(DaoReportSchema, { description: 'By address.' })
}, { $id: 'Daos', additionalProperties: false })
export type Daos = Static<typeof DaosSchema>
export type DaoReport = Static<typeof DaoReportSchema>
