import { optional, word } from '../../../lib/query.js'
import { address, CANDLES, daoOrMint, limit, TRADES } from '../../../lib/responses/parameters.js'
import { QUOTE_EXAMPLE } from '../../../schemas/common.js'
import { INVALID_PROPOSAL } from '../../../schemas/errors.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { CandlesSchema, TradesSchema } from '../../../schemas/traded.js'
import { PROPOSAL_STATES, ProposalSchema, ProposalsSchema } from '../../../schemas/proposals.js'
import { NO_DAO, NO_PROPOSAL } from '../../../schemas/responses.js'
import { answer, pathParameter, routes } from '../../endpoint.js'

const WARMING = 'Answers 503 until everything that it states is indexed.'
const PROPOSAL = {
  params: { proposal: pathParameter('Address of the proposal.', QUOTE_EXAMPLE) },
  invalid: { proposal: INVALID_PROPOSAL },
  missing: NO_PROPOSAL
}
const MARKET = { market: word('pass or fail: of which market.', ['pass', 'fail']) }

export default routes('daos', (endpoint, { proposals }) => {
  endpoint('', {
    operationId: 'getProposals',
    summary: 'Proposals of all DAOs',
    description: 'What DAOs decide, newest first, by launch or, without one, by when it was proposed. The next page ' +
      `is asked for with the last \`proposal\` as \`before\`. ${WARMING}`,
    query: {
      state: optional(word(`Only those that are one of ${PROPOSAL_STATES.join(', ')}.`, PROPOSAL_STATES, 'pending')),
      dao: optional(daoOrMint('Only those of this DAO, by its address or its base mint.')),
      limit: limit(100),
      before: optional(address('Only those behind this proposal.', 'the address of a proposal'))
    },
    answer: answer(ProposalsSchema),
    missing: NO_DAO
  }, (parts, { asked }) => proposals.list(parts, asked))

  endpoint('/:proposal', {
    operationId: 'getProposal',
    summary: 'One proposal, a live one with its markets',
    description: 'Of a live one the pass and the fail market, their averages carried to this moment by the ' +
      'program\'s own arithmetic, and what it would decide now; of a decided one what the event states. No figure of ' +
      `these markets enters any other answer. ${WARMING}`,
    ...PROPOSAL,
    answer: answer(ProposalSchema)
  }, (parts, { params }) => proposals.one(parts, params.proposal))

  endpoint('/:proposal/trades', {
    operationId: 'getProposalTrades',
    summary: 'Trades of a market of a proposal',
    description: 'Finalized swaps of one of the two markets, newest first, paged as those of a pool are. Amounts, ' +
      'prices and reserves are of conditional tokens; `fee` is null: no event states it.',
    ...PROPOSAL,
    query: { ...MARKET, ...TRADES },
    answer: answer(TradesSchema, ...HISTORY_HEADERS),
    isCostly: true
  }, (parts, { params, asked: { market, ...asked }, turn }) =>
    proposals.trades(parts, { ...params, market }, asked, turn))

  endpoint('/:proposal/ohlcv', {
    operationId: 'getProposalCandles',
    summary: 'Candles of a market of a proposal',
    description: 'As those of a pool, of conditional tokens.',
    ...PROPOSAL,
    query: { ...MARKET, ...CANDLES },
    answer: answer(CandlesSchema, ...HISTORY_HEADERS),
    isCostly: true
  }, (parts, { params, asked: { market, ...asked }, turn }) =>
    proposals.candles(parts, { ...params, market }, asked, turn))
})
