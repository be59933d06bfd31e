import { type Static, Type } from '@sinclair/typebox'
import {
  address, boolean, DAO_EXAMPLE, digits, integer, MINT_EXAMPLE, orNull, record, symbol, text, time
} from './common.js'

export const DaoReportSchema = record('DaoReport',
  'What became of one account of the program that begins as a DAO does.', {
    dao: address('Address of the DAO, which is the pool_id of its ticker.', DAO_EXAMPLE),
    symbol: symbol('base token', 'META', ', and where the DAO is excluded or undecodable'),
    created_at: orNull(time(''), 'When its pool began, by its account. Null: undecodable.'),
    listed: boolean('Whether the tickers have it.', false),
    reason: orNull(
      text('', 'no reserves'),
      'Why it is not listed: excluded, undecodable, no reserves, mint unreadable, history incomplete.'
    ),
    state: Type.Union([Type.Literal('spot'), Type.Literal('futarchy'), Type.Null()], {
      description: 'futarchy, as the program names it, while a proposal is live: the pools\' `proposal`. Null: ' +
        'undecodable.'
    }),
    base_mint: orNull(address('', MINT_EXAMPLE), 'Mint of the base token.'),
    quote_mint: orNull(address(''), 'Mint of the quote token.'),
    priced_in_usd: boolean(
      'Whether the quote token has a USD value: by USD_MINTS, or by USD_PRICED_MINTS while its pool is deep enough. ' +
        'If not, the DAO adds nothing to USD figures.'),
    account_bytes: orNull(integer('', 1205), 'Size of the account: tells the version that made or resized it.'),
    sequence_on_chain: orNull(digits('', '4711'), 'Number of the latest event, by the account.'),
    sequence_indexed: orNull(digits('', '4711'), 'Highest number that is indexed.'),
    missing_events: digits('Numbers below the highest indexed one that have not been found.', '0'),
    first_swap: orNull(time(''), 'Time of the first indexed spot swap.')
  })

export const DaosSchema = record('Daos', 'Every discovered DAO. discovered = listed + left_out.', {
  slot: integer('Slot of the accounts.', 400123456),
  discovered: integer('Accounts of the program that begin as a DAO does; listed + left_out.', 1),
  listed: integer('DAOs that the tickers have.', 0),
  left_out: integer('DAOs that they have not.', 1),
  daos: Type.Array(DaoReportSchema, { description: 'By address.' })
})
export type Daos = Static<typeof DaosSchema>
export type DaoReport = Static<typeof DaoReportSchema>
