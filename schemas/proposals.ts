import { type Static, Type } from '@sinclair/typebox'
import {
  ACCOUNT_EXAMPLE, address, boolean, DAO_EXAMPLE, decimal, integer, list, nullable, object, oneOf, orNull, record, slot,
  time
} from './common.js'
import { TickerSchema } from './ticker.js'

export const PROPOSAL_STATES = ['draft', 'pending', 'passed', 'failed', 'removed'] as const

const DecisionSchema = record('ProposalDecision', 'What the event that decided a proposal states.', {
  pass_twap: decimal('Average price of the pass market.', '0.957100000000'),
  fail_twap: decimal('That of the fail market.', '0.912300000000'),
  threshold: decimal('What the first had to exceed.', '0.939669000000'),
  outcome: oneOf(['pass', 'fail'], 'What comparing the first with the threshold gives.')
})

const PROPOSAL = {
  proposal: address('The proposal.', ACCOUNT_EXAMPLE),
  dao: address('The DAO that decides it.', DAO_EXAMPLE),
  number: integer('Its number among the DAO\'s proposals, from 1.', 7),
  state: oneOf(PROPOSAL_STATES, 'pending: its markets are open.', 'pending'),
  proposer: address('Who proposed it.', 'Cnyk41TDsLLWMwyxU5t6T9sEQe1DdrnX9QQX9CzQtHu2'),
  is_team_sponsored: nullable(
    boolean('Whether the team sponsors it; null: of a version without sponsors.', false)
  ),
  // a team's may be below 0
  pass_threshold_bps: nullable(Type.Integer({
    description: 'By how many basis points the pass market\'s average must exceed the fail market\'s, as the DAO has ' +
      'it now; null once it is decided.',
    examples: [300]
  })),
  created_at: nullable(time(
    'When it was proposed, by the event that tells; null: not finalized yet, missing for now (in lists), or lost.',
    '2026-01-30T09:00:00.000Z'
  )),
  launched_at: nullable(time('When its markets opened; null: not yet.')),
  ends_at: nullable(time('When it can be decided; null: not launched.', '2026-02-03T12:00:00.000Z')),
  finalized_at: nullable(time(
    'When it was decided, cancelled or removed; null: it is not, or the event is not there, as with `created_at`.'
  ), [null]),
  staked: nullable(decimal(
    'Whole base tokens that are staked on a draft; null once it is launched, or where the token can\'t be read.',
    '1500000'
  ), [null]),
  squads_proposal: address(
    'The multisig\'s proposal that it would execute.', '3ED6NpBuvkbp2x8VME9P718jpyzKeafpKZgMn2LbXeP9'
  ),
  decision: orNull(
    DecisionSchema, 'Of one that its markets have decided; null: they have not, the event is not there, as with ' +
      '`created_at`, or the DAO\'s tokens can\'t be read.')
}
const UNDECIDED = { decision: null }
export const ProposalRowSchema = record('ProposalRow', 'A proposal.', PROPOSAL, UNDECIDED)
export type ProposalRow = Static<typeof ProposalRowSchema>
export const ProposalsSchema = list(
  'Proposals', 'Newest first, by launch; one that is not launched by when it was proposed.', ProposalRowSchema
)
export type Proposals = Static<typeof ProposalsSchema>

const market = (which: string) => orNull(object({
  price: nullable(decimal(
    'Price by its reserves: conditional quote tokens per conditional base token; null where one is 0.', '0.930000000000'
  )),
  twap: nullable(decimal(
    'Average price since the start delay, carried to this moment as the next swap would; null before the delay has ' +
      'passed.', '0.912300000000')),
  base_reserve: decimal('Whole conditional base tokens.', '1000000'),
  quote_reserve: decimal('Whole conditional quote tokens.', '930000'),
  volume: decimal('Whole conditional quote tokens that its finalized trades moved.', '48210.5'),
  trades: integer('Finalized trades.', 112)
}, `The market of ${which}.`), `The market of ${which}; null where the proposal is not live.`)

export const ProposalSchema = record('Proposal', 'A proposal with its markets.', {
  ...PROPOSAL,
  // of a live one; all null otherwise
  pass: market('what the token is worth if it passes'),
  fail: market('what it is worth if it fails'),
  spot_price: nullable(decimal(
    'Price of the spot pool at the same slot; null where not live.', TickerSchema.examples[0].last_price
  )),
  leads: nullable(oneOf(
    ['pass', 'fail'], 'What the program would decide now: pass where the pass market\'s twap exceeds the threshold. ' +
      'null before both have one, and where not live.', 'fail')),
  threshold: nullable(Type.String({
    pattern: '^-?\\d+\\.\\d+$',
    description: 'What the pass market\'s twap must exceed: the fail market\'s × (1 + pass_threshold_bps ÷ 10,000).',
    examples: ['0.939669000000']
  })),
  as_of: nullable(time('The moment of these, by the chain\'s clock; null where not live.')),
  slot: nullable(slot('Its slot.'))
}, UNDECIDED)
export type ProposalRecord = Static<typeof ProposalSchema>
