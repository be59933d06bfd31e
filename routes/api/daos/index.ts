import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DaosSchema } from '../../../schemas/daos.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('/', {
    schema: {
      operationId: 'getDaos',
      summary: 'Every discovered DAO, listed or not',
      description: 'The completeness report: why a DAO is not among the tickers, and how much of its history is indexed. discovered = listed + left_out.',
      tags: ['service'],
      response: {
        200: json(DaosSchema, 'The DAOs, by address.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        ...CHAIN_FAILURES
      }
    }
  }, async (_request, reply) => reply.sendCached(await market.daos()))
}
export default routes
