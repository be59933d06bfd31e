import { type Static, Type } from '@sinclair/typebox'
import { addressSchema, DAO_EXAMPLE, decimalSchema, list, record } from './common.js'
import { TickerSchema } from './ticker.js'
import { nullableDecimal } from './treasury.js'

const example = TickerSchema.examples[0]!
const TIME = '2026-01-31T12:00:00.000Z'
const nullableTime = (description: string) => Type.Unsafe<string | null>(
  { type: ['string', 'null'], format: 'date-time', description, examples: [TIME] }
)
const DecisionSchema = record('ProposalDecision', 'What the event that decided a proposal states.', {
  pass_twap: decimalSchema('Average price of the pass market.', '0.957100000000'),
  fail_twap: decimalSchema('That of the fail market.', '0.912300000000'),
  threshold: decimalSchema('What the first had to exceed.', '0.939669000000'),
  outcome: Type.Union(
    [Type.Literal('pass'), Type.Literal('fail')],
    { description: 'What comparing the first with the threshold gives.', examples: ['pass'] }
  )
})

const PROPOSAL = {
  proposal: addressSchema('The proposal.'),
  dao: addressSchema('The DAO that decides it.', DAO_EXAMPLE),
  number: Type.Integer({ minimum: 0, description: 'Its number among the DAO\'s proposals, from 1.', examples: [7] }),
  state: Type.Union(
    [
      Type.Literal('draft'), Type.Literal('pending'), Type.Literal('passed'), Type.Literal('failed'),
      Type.Literal('removed')
    ],
    { description: 'pending: its markets are open.', examples: ['pending'] }
  ),
  proposer: addressSchema('Who proposed it.'),
  is_team_sponsored: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether the team sponsors it; null: of a version without sponsors.',
    examples: [false]
  }),
  pass_threshold_bps: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'By how many basis points the pass market\'s average must exceed the fail market\'s, as the DAO has ' +
      'it now; null once it is decided.',
    examples: [300]
  }),
  created_at: nullableTime(
    'When it was proposed, by the event that tells; null: not finalized yet, or lost with what no node has.'
  ),
  launched_at: nullableTime('When its markets opened; null: not yet.'),
  ends_at: nullableTime('When it can be decided; null: not launched.'),
  finalized_at: nullableTime(
    'When it was decided, cancelled or removed; null: it is not, that is not finalized yet, or it is lost.'
  ),
  staked: nullableDecimal(
    'Whole base tokens that are staked on a draft; null once it is launched, or where the token can\'t be read.',
    '1500000'
  ),
  squads_proposal: addressSchema('The multisig\'s proposal that it would execute.'),
  decision: Type.Unsafe<Static<typeof DecisionSchema> | null>({
    anyOf: [DecisionSchema, Type.Null()],
    description: 'Of one that its markets have decided; null: they have not, the event is not finalized yet, or ' +
      'lost, or the DAO\'s tokens can\'t be read.'
  })
}
const EXAMPLE = {
  proposal: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd',
  dao: example.pool_id,
  number: 7,
  state: 'pending' as const,
  proposer: 'Cnyk41TDsLLWMwyxU5t6T9sEQe1DdrnX9QQX9CzQtHu2',
  is_team_sponsored: false,
  pass_threshold_bps: 300,
  created_at: '2026-01-30T09:00:00.000Z',
  launched_at: TIME,
  ends_at: '2026-02-03T12:00:00.000Z',
  finalized_at: null,
  staked: null,
  squads_proposal: '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9',
  decision: null
}
export const ProposalRowSchema = record('ProposalRow', 'A proposal.', PROPOSAL, EXAMPLE)
export type ProposalRow = Static<typeof ProposalRowSchema>
export const ProposalsSchema = list(
  'Proposals', 'Newest first, by launch; one that is not launched by when it was proposed.', ProposalRowSchema
)
export type Proposals = Static<typeof ProposalsSchema>

const MARKET_EXAMPLE = {
  price: '0.93',
  twap: '0.912300000000',
  base_reserve: '1000000',
  quote_reserve: '930000',
  volume: '48210.5',
  trades: 112
}
const marketSchema = (which: string) => Type.Object({
  price: nullableDecimal(
    'Price by its reserves: conditional quote tokens per conditional base token; null where one is 0.', '0.930000000000'
  ),
  twap: nullableDecimal(
    'Average price since the start delay, carried to this moment as the next swap would; null before the delay has ' +
      'passed.',
    '0.912300000000'
  ),
  base_reserve: decimalSchema('Whole conditional base tokens.', '1000000'),
  quote_reserve: decimalSchema('Whole conditional quote tokens.', '930000'),
  volume: decimalSchema('Whole conditional quote tokens that its finalized trades moved.', '48210.5'),
  trades: Type.Integer({ minimum: 0, description: 'Finalized trades.', examples: [112] })
}, { description: `The market of ${which}.`, additionalProperties: false, examples: [MARKET_EXAMPLE] })
const marketOrNull = (which: string) => {
  const schema = marketSchema(which)
  return Type.Unsafe<Static<typeof schema> | null>(
    { anyOf: [schema, Type.Null()], description: `The market of ${which}; null where the proposal is not live.` }
  )
}
/** Of a live proposal; all null otherwise. */
const MARKETS = {
  pass: marketOrNull('what the token is worth if it passes'),
  fail: marketOrNull('what it is worth if it fails'),
  spot_price: nullableDecimal('Price of the spot pool at the same slot; null where not live.', example.last_price),
  leads: Type.Unsafe<'pass' | 'fail' | null>({
    type: ['string', 'null'],
    enum: ['pass', 'fail', null],
    description: 'What the program would decide now: pass where the pass market\'s twap exceeds the threshold. null ' +
      'before both have one, and where not live.',
    examples: ['fail']
  }),
  threshold: nullableDecimal(
    'What the pass market\'s twap must exceed: the fail market\'s × (1 + pass_threshold_bps ÷ 10,000).',
    '0.939669000000'
  ),
  as_of: nullableTime('The moment of these, by the chain\'s clock; null where not live.'),
  slot: Type.Unsafe<number | null>(
    { type: ['integer', 'null'], minimum: 0, description: 'Its slot.', examples: [400000000] }
  )
}

export const ProposalSchema = record('Proposal', 'A proposal with its markets.', {
  ...PROPOSAL,
  ...MARKETS
}, {
  proposal: 'DizCvM3dwAGsenh58gCU4bE7J7wn23YUF7RRKVeXRERd',
  proposer: 'Cnyk41TDsLLWMwyxU5t6T9sEQe1DdrnX9QQX9CzQtHu2',
  created_at: '2026-01-30T09:00:00.000Z',
  ends_at: '2026-02-03T12:00:00.000Z',
  finalized_at: null,
  staked: null,
  squads_proposal: '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9',
  decision: null,
  pass: MARKET_EXAMPLE,
  fail: MARKET_EXAMPLE
})
export type ProposalRecord = Static<typeof ProposalSchema>
