import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, decimalSchema, MINT_EXAMPLE, record } from './common.js'
import { DaoReportSchema } from './daos.js'
import { PRICE_CHANGES, startDateSchema } from './pools.js'
import { type ProposalRecord, ProposalSchema } from './proposals.js'
import { SupplySchema } from './supply.js'
import { TickerSchema } from './ticker.js'
import { nullableDecimal, spendingLimit, TreasurySchema } from './treasury.js'

const example = TickerSchema.examples[0]!
const nullableAddress = (description: string) => Type.Unsafe<string | null>(
  { ...addressSchema(description), type: ['string', 'null'] }
)
const nullableTime = (description: string) => Type.Unsafe<string | null>(
  { type: ['string', 'null'], format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] }
)
const extreme = (which: string) => Type.Unsafe<{ price: string, at: string } | null>({
  ...Type.Object({
    price: decimalSchema('Executed price.', '1.5'),
    at: Type.String({ format: 'date', description: 'Its UTC day.', examples: ['2026-01-31'] })
  }, { additionalProperties: false }),
  type: ['object', 'null'],
  description: `${which} executed price ever; null without a trade, or while not all of the DAO's history is known.`
})
const AllocationSchema = record('Allocation', 'Where a part of a supply is.', {
  kind: Type.Union([
    'team_package', 'internal_pool', 'external_pool', 'treasury', 'launch_vault', 'bid_wall'
  ].map(kind => Type.Literal(kind)) as [
    ReturnType<typeof Type.Literal<'team_package'>>, ReturnType<typeof Type.Literal<'internal_pool'>>,
    ReturnType<typeof Type.Literal<'external_pool'>>,
    ReturnType<typeof Type.Literal<'treasury'>>, ReturnType<typeof Type.Literal<'launch_vault'>>,
    ReturnType<typeof Type.Literal<'bid_wall'>>
  ], { description: 'What holds them.', examples: ['internal_pool'] }),
  address: addressSchema('The token account, or the position in the external pool.'),
  amount: decimalSchema('Whole tokens, exact.', '1834200.5'),
  circulating: Type.Boolean({ description: 'Whether they count as circulating.', examples: [true] })
}, { address: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd' })
const DaoSupplySchema = record('DaoSupply', 'The supply record with where it lies.', {
  ...SupplySchema.properties,
  max_supply: nullableDecimal('The total supply where nothing can mint more; null where something can.', '25800000'),
  mint_authority: nullableAddress('What can mint more; null: nothing.'),
  allocation: Type.Array(
    AllocationSchema, { description: 'Parts that are held for the protocol or by it; the rest is anybody\'s.' }
  )
}, { max_supply: null, mint_authority: example.pool_id })

const { dao: daoSchema, listed, reason, state } = DaoReportSchema.properties
const LAUNCH_EXAMPLE = {
  address: '9kx7UDFzFt7e2V4pFtawnupKKvRR3EhV7P1Pxmc5XCQj',
  launchpad: 'v0.7' as const,
  completed_at: '2026-01-31T12:00:00.000Z'
}

const PROPOSALS_EXAMPLE = { total: 8, draft: 1, live: 1, passed: 4, failed: 2, removed: 0 }
const DECISIONS_EXAMPLE = {
  proposals: PROPOSALS_EXAMPLE,
  live: ProposalSchema.examples[0]!,
  spending_limit: TreasurySchema.examples[0]!.spending_limit
}

export const DaoRecordSchema = record('DaoRecord', 'Everything of one DAO.', {
  dao: daoSchema,
  name: Type.String(
    { description: 'Of its base token, as its creator wrote it; empty where it has no metadata.', examples: ['Meta'] }
  ),
  symbol: Type.String(
    { description: 'Of its base token, as its creator wrote it; empty where it has no metadata.', examples: ['META'] }
  ),
  base_mint: addressSchema('Mint of the base token.', MINT_EXAMPLE),
  quote_mint: addressSchema('Mint of the quote token.'),
  state,
  listed,
  reason,
  created_at: nullableTime('When it was created; null where no node has its first event any more.'),
  startDate: startDateSchema,
  launch: Type.Unsafe<{ address: string, launchpad: 'v0.6' | 'v0.7' | 'v0.8', completed_at: string | null } | null>({
    ...Type.Object({
      address: addressSchema('The launch.'),
      launchpad: Type.Union(
        [Type.Literal('v0.6'), Type.Literal('v0.7'), Type.Literal('v0.8')], { description: 'Which launchpad.' }
      ),
      completed_at: nullableTime('When it was completed; null: not, or of v0.6, which does not say.')
    }, { additionalProperties: false }),
    type: ['object', 'null'],
    description: 'The launch that made it; null: none did.',
    examples: [LAUNCH_EXAMPLE]
  }),
  multisig: addressSchema('Its multisig.'),
  team_address: nullableAddress('Its team; null: none is set.'),
  last_price: nullableDecimal(
    'Price of one base token in quote tokens; null where it is not listed.', example.last_price
  ),
  price_usd: nullableDecimal('In USD by the settings; null without.', example.last_price),
  ...PRICE_CHANGES,
  market_cap_usd: nullableDecimal('Circulating supply × price, 2 places; null without a price in USD.', '11770000.00'),
  fdv_usd: nullableDecimal('Total supply × price, 2 places.', '23540000.00'),
  liquidity_in_usd: nullableDecimal('As in the tickers; null where it is not listed.', example.liquidity_in_usd),
  ath: extreme('Highest'),
  atl: extreme('Lowest'),
  supply: DaoSupplySchema,
  treasury: TreasurySchema,
  decisions: Type.Object({
    proposals: Type.Object({
      total: Type.Integer({ minimum: 0, description: 'All of them.', examples: [8] }),
      draft: Type.Integer({ minimum: 0, description: 'Not launched.', examples: [1] }),
      live: Type.Integer({ minimum: 0, description: 'Those whose markets are open.', examples: [1] }),
      passed: Type.Integer({ minimum: 0, description: 'Decided so.', examples: [4] }),
      failed: Type.Integer({ minimum: 0, description: 'Decided so, or cancelled.', examples: [2] }),
      removed: Type.Integer({ minimum: 0, description: 'Taken away as drafts.', examples: [0] })
    }, {
      description: 'Its proposals by what became of them.', additionalProperties: false, examples: [PROPOSALS_EXAMPLE]
    }),
    live: Type.Unsafe<ProposalRecord | null>({
      anyOf: [ProposalSchema, Type.Null()],
      description: 'The one whose markets are open; null: none, or not all of its events are known (`proposals.live` ' +
        'says how many there are).'
    }),
    ...spendingLimit
  }, { description: 'What it decides.', additionalProperties: false, examples: [DECISIONS_EXAMPLE] }),
  slot: Type.Integer({ minimum: 0, description: 'Slot of supply and treasury.', examples: [400000000] })
}, {
  state: 'spot',
  listed: true,
  reason: null,
  multisig: '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9',
  team_address: null,
  ath: { price: '1.5', at: '2026-01-31' },
  atl: null
})
export type DaoRecord = Static<typeof DaoRecordSchema>
