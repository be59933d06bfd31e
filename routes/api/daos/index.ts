import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { readQuery } from '../../../lib/query.js'
import { DAO_EXAMPLE } from '../../../schemas/common.js'
import { DaoRecordSchema } from '../../../schemas/dao.js'
import { INVALID_DAO, daoNotFound } from '../../../schemas/errors.js'
import { ProposalsSchema } from '../../../schemas/proposals.js'
import { TreasurySchema } from '../../../schemas/treasury.js'
import { DaosSchema } from '../../../schemas/daos.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'

const DaoParamsSchema = Type.Object({
  dao: Type.String({
    description: 'Address of the DAO, or the mint of its base token where one listed DAO trades it.',
    examples: [DAO_EXAMPLE]
  })
})
const FAILURES = {
  400: badRequest(INVALID_DAO),
  404: notFound('There is no such DAO, or it is excluded.', daoNotFound('<dao>')),
  ...CHAIN_FAILURES
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market, daos, proposals } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('/', {
    schema: {
      operationId: 'getDaos',
      summary: 'Every discovered DAO, listed or not',
      description: 'The completeness report: why a DAO is not among the tickers, and how much of its history is ' +
        'indexed. discovered = listed + left_out.',
      tags: ['service'],
      response: {
        200: json(DaosSchema, 'The DAOs, by address.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        ...CHAIN_FAILURES
      }
    }
  }, async (_request, reply) => reply.sendCached(await market.daos()))

  fastify.get('/:dao', {
    schema: {
      operationId: 'getDao',
      summary: 'Everything of one DAO',
      description: 'The DAO with its market, its supply and where that lies, and its treasury: each a fact of the ' +
        'chain or what follows from facts. ' +
        'What would count trades that are not read yet is null.',
      tags: ['daos'],
      params: DaoParamsSchema,
      querystring: Type.Object({}),
      response: { 200: json(DaoRecordSchema, 'The DAO.', BYTES_HEADERS), 304: notModified(BYTES_HEADERS), ...FAILURES }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await daos.one(params.dao))
  })

  fastify.get('/:dao/treasury', {
    schema: {
      operationId: 'getTreasury',
      summary: 'The treasury of a DAO',
      description: 'What its vault holds by token account, what its own positions in the pools would withdraw, and ' +
        'what that makes of each circulating token. All of one slot.',
      tags: ['daos'],
      params: DaoParamsSchema,
      querystring: Type.Object({}),
      response: {
        200: json(TreasurySchema, 'The treasury.', BYTES_HEADERS), 304: notModified(BYTES_HEADERS), ...FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await daos.treasury(params.dao))
  })

  fastify.get('/:dao/proposals', {
    schema: {
      operationId: 'getDaoProposals',
      summary: 'Proposals of a DAO',
      description: 'As `/api/proposals?dao=`: newest first, 1,000 at most.',
      tags: ['daos'],
      params: DaoParamsSchema,
      querystring: Type.Object({}),
      response: {
        200: json(ProposalsSchema, 'The proposals.', BYTES_HEADERS), 304: notModified(BYTES_HEADERS), ...FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await proposals.list({ dao: params.dao, state: undefined, limit: 1000, before: undefined }))
  })
}
export default routes
