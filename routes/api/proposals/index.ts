import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { integer, oneOf, readQuery } from '../../../lib/query.js'
import { address } from '../../../lib/responses/parameters.js'
import { AddressSchema } from '../../../schemas/common.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { daoNotFound, INVALID_PROPOSAL, proposalNotFound } from '../../../schemas/errors.js'
import { ProposalSchema, ProposalsSchema } from '../../../schemas/proposals.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'

const STATES = ['draft', 'pending', 'passed', 'failed', 'removed'] as const
const MOST = 1000

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { proposals } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('', {
    schema: {
      operationId: 'getProposals',
      summary: 'Proposals of all DAOs',
      description: 'What DAOs decide, newest first: drafts, then by launch. The next page is asked for with the last `proposal` as `before`.',
      tags: ['daos'],
      querystring: Type.Object({
        state: Type.Optional(Type.String({ description: `Only those that are one of ${STATES.join(', ')}.`, examples: ['pending'] })),
        dao: Type.Optional(Type.String({ description: 'Only those of this DAO.', examples: AddressSchema.examples })),
        limit: Type.Optional(Type.String({ description: 'Most rows, 1 to 1,000. Default 100.', examples: ['100'] })),
        before: Type.Optional(Type.String({ description: 'Only those behind this proposal.', examples: AddressSchema.examples }))
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
    state: oneOf(STATES, undefined), dao: address, limit: integer({ min: 1, max: MOST, otherwise: 100 }), before: address
  }))))

  fastify.get('/:proposal', {
    schema: {
      operationId: 'getProposal',
      summary: 'One proposal, a live one with its markets',
      description: 'Of a live one the pass and the fail market, their averages carried to this moment by the program\'s own arithmetic, and what it would decide now. No figure of these ' +
        'markets enters any other answer.',
      tags: ['daos'],
      params: Type.Object({ proposal: Type.String({ description: 'Address of the proposal.', examples: AddressSchema.examples }) }),
      querystring: Type.Object({}),
      response: {
        200: json(ProposalSchema, 'The proposal.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        400: badRequest(INVALID_PROPOSAL),
        404: notFound('There is no such proposal of a known DAO.', proposalNotFound('<proposal>')),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await proposals.one(params.proposal))
  })
}
export default routes
