import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { DEAR } from '../../../lib/http/dear-routes.js'
import { integer, oneOf, readQuery, readRange, word } from '../../../lib/query.js'
import { address } from '../../../lib/responses/parameters.js'
import { AddressSchema } from '../../../schemas/common.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { daoNotFound, INVALID_PROPOSAL, proposalNotFound } from '../../../schemas/errors.js'
import { CandlesSchema, TradesSchema } from '../../../schemas/pools.js'
import { ProposalSchema, ProposalsSchema } from '../../../schemas/proposals.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'
import { CANDLES, CANDLES_QUERY, TRADES, TRADES_QUERY } from '../pools/asked.js'

const STATES = ['draft', 'pending', 'passed', 'failed', 'removed'] as const
const MOST = 1000
const HISTORY_HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete']
const WARMING = 'Answers 503 until everything that it states is indexed.'
const ParamsSchema = Type.Object({
  proposal: Type.String({ description: 'Address of the proposal.', examples: AddressSchema.examples })
})
const NOT_FOUND = { 404: notFound('There is no such proposal of a known DAO.', proposalNotFound('<proposal>')) }
const market = word(['pass', 'fail'])
const MARKET = { market: Type.String({ description: 'pass or fail: of which market.', examples: ['pass'] }) }

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { proposals } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('', {
    schema: {
      operationId: 'getProposals',
      summary: 'Proposals of all DAOs',
      description: 'What DAOs decide, newest first, by launch or, without one, by when it was proposed. The next ' +
        'page is asked for with the last ' +
        `\`proposal\` as \`before\`. ${WARMING}`,
      tags: ['daos'],
      querystring: Type.Object({
        state: Type.Optional(
          Type.String({ description: `Only those that are one of ${STATES.join(', ')}.`, examples: ['pending'] })
        ),
        dao: Type.Optional(Type.String(
          { description: 'Only those of this DAO, by its address or its base mint.', examples: AddressSchema.examples }
        )),
        limit: Type.Optional(Type.String({ description: 'Most rows, 1 to 1,000. Default 100.', examples: ['100'] })),
        before: Type.Optional(
          Type.String({ description: 'Only those behind this proposal.', examples: AddressSchema.examples })
        )
      }),
      response: {
        200: json(ProposalsSchema, 'The proposals.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        400: badRequest(`Invalid state: one of ${STATES.join(', ')}`),
        404: notFound('There is no such DAO, or it is excluded.', daoNotFound('<dao>')),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => reply.sendCached(await proposals.list(readQuery(query, {
    state: oneOf(STATES, undefined),
    dao: address,
    limit: integer({ min: 1, max: MOST, otherwise: 100 }),
    before: address
  }))))

  fastify.get('/:proposal', {
    schema: {
      operationId: 'getProposal',
      summary: 'One proposal, a live one with its markets',
      description: 'Of a live one the pass and the fail market, their averages carried to this moment by the ' +
        'program\'s ' +
        'own arithmetic, and what it would decide now; of a decided one what the event states. No figure of these ' +
        `markets enters any other answer. ${WARMING}`,
      tags: ['daos'],
      params: ParamsSchema,
      querystring: Type.Object({}),
      response: {
        200: json(ProposalSchema, 'The proposal.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        400: badRequest(INVALID_PROPOSAL),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await proposals.one(params.proposal))
  })

  fastify.get('/:proposal/trades', {
    config: DEAR,
    schema: {
      operationId: 'getProposalTrades',
      summary: 'Trades of a market of a proposal',
      description: 'Finalized swaps of one of the two markets, newest first, paged as those of a pool are. Amounts, ' +
        'prices and reserves are of conditional tokens; `fee` is null: no event states it.',
      tags: ['daos'],
      params: ParamsSchema,
      querystring: Type.Object({ ...MARKET, ...TRADES_QUERY }),
      response: {
        200: json(TradesSchema, 'The trades.', HISTORY_HEADERS),
        304: notModified(HISTORY_HEADERS),
        400: badRequest({ parameter: 'Invalid market: one of pass, fail', proposal: INVALID_PROPOSAL }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    const { market: which, from: since, to: until, ...asked } = readRange(query, { market, ...TRADES })
    return reply.sendCached(await proposals.trades({ ...params, market: which }, { ...asked, since, until }, turn))
  })

  fastify.get('/:proposal/ohlcv', {
    config: DEAR,
    schema: {
      operationId: 'getProposalCandles',
      summary: 'Candles of a market of a proposal',
      description: 'As those of a pool, of conditional tokens.',
      tags: ['daos'],
      params: ParamsSchema,
      querystring: Type.Object({ ...MARKET, ...CANDLES_QUERY }),
      response: {
        200: json(CandlesSchema, 'The candles.', HISTORY_HEADERS),
        304: notModified(HISTORY_HEADERS),
        400: badRequest({ parameter: 'Invalid market: one of pass, fail', proposal: INVALID_PROPOSAL }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    const { market: which, ...asked } = readRange(query, { market, ...CANDLES })
    return reply.sendCached(await proposals.candles({ ...params, market: which }, asked, turn))
  })
}
export default routes
