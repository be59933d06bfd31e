import { type Static, Type } from '@sinclair/typebox'
import {
  ACCOUNT_EXAMPLE, address, boolean, DAO_EXAMPLE, date, decimal, integer, MINT_EXAMPLE, name, nullable,
  object, oneOf, orNull, record, slot, symbol, time
} from './common.js'
import { DaoReportSchema } from './daos.js'
import { PRICE_CHANGES, START_DATE } from './pools.js'
import { ProposalSchema } from './proposals.js'
import { SupplySchema } from './supply.js'
import { TickerSchema } from './ticker.js'
import { SPENDING_LIMIT, TreasurySchema } from './treasury.js'

const [{ last_price: price, liquidity_in_usd: liquidity }] = TickerSchema.examples
const extreme = (which: string, examples?: [null]) => nullable(object({
  price: decimal('Executed price.', '1.5'), at: date('Its UTC day.')
}, `${which} executed price ever; null without a trade, or while not all of the DAO's history is known.`), examples)

const AllocationSchema = record('Allocation', 'Where a part of a supply is.', {
  kind: oneOf(
    ['team_package', 'internal_pool', 'external_pool', 'treasury', 'launch_vault', 'bid_wall'], 'What holds them.',
    'internal_pool'
  ),
  address: address('The token account, or the position in the external pool.', ACCOUNT_EXAMPLE),
  amount: decimal('Whole tokens, exact.', '1834200.5'),
  circulating: boolean('Whether they count as circulating.')
})
const DaoSupplySchema = record('DaoSupply', 'The supply record with where it lies.', {
  ...SupplySchema.properties,
  max_supply: nullable(
    decimal('The total supply where nothing can mint more; null where something can.', '25800000'), [null]
  ),
  mint_authority: nullable(address('What can mint more; null: nothing.', DAO_EXAMPLE)),
  allocation: Type.Array(
    AllocationSchema, { description: 'Parts that are held for the protocol or by it; the rest is anybody\'s.' }
  )
})

const { dao, listed, reason, state } = DaoReportSchema.properties

export const DaoRecordSchema = record('DaoRecord', 'Everything of one DAO.', {
  dao,
  name: name('base token', 'Meta'),
  symbol: symbol('base token', 'META'),
  base_mint: address('Mint of the base token.', MINT_EXAMPLE),
  quote_mint: address('Mint of the quote token.'),
  state,
  listed,
  reason,
  created_at: nullable(time('When it was created; null where no node has its first event any more.')),
  startDate: START_DATE,
  launch: nullable(object({
    address: address('The launch.', '9kx7UDFzFt7e2V4pFtawnupKKvRR3EhV7P1Pxmc5XCQj'),
    launchpad: oneOf(['v0.6', 'v0.7', 'v0.8'], 'Which launchpad.', 'v0.7'),
    completed_at: nullable(time('When it was completed; null: not, or of v0.6, which does not say.'))
  }, 'The launch that made it; null: none did.')),
  multisig: address('Its multisig.', '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9'),
  team_address: nullable(address('Its team; null: none is set.'), [null]),
  last_price: nullable(decimal('Price of one base token in quote tokens; null without reserves.', price)),
  price_usd: nullable(decimal('In USD by the settings; null without.', price)),
  ...PRICE_CHANGES,
  market_cap_usd: nullable(
    decimal('Circulating supply × price, 2 places; null without a price in USD.', '11770000.00')
  ),
  fdv_usd: nullable(decimal('Total supply × price, 2 places.', '23540000.00')),
  liquidity_in_usd: nullable(decimal('As in the tickers; null without reserves.', liquidity)),
  ath: extreme('Highest'),
  atl: extreme('Lowest', [null]),
  supply: DaoSupplySchema,
  treasury: TreasurySchema,
  decisions: object({
    proposals: object({
      total: integer('All of them, also those that can\'t be read.', 8),
      draft: integer('Not launched.', 1),
      live: integer('Those whose markets are open.', 1),
      passed: integer('Decided so.', 4),
      failed: integer('Decided so, or cancelled.', 2),
      removed: integer('Taken away as drafts.', 0)
    }, 'Its proposals by what became of them.'),
    live: orNull(
      ProposalSchema, 'The one whose markets are open; null: none, or not all of its events are known ' +
        '(`proposals.live` says how many there are).'),
    ...SPENDING_LIMIT
  }, 'What it decides.'),
  slot: slot('Slot of price, liquidity, supply and treasury.')
}, { listed: true, reason: null })
export type DaoRecord = Static<typeof DaoRecordSchema>
