import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { readQuery } from '../../../lib/query.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { badRequest, CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'
import { TreasuriesSchema } from '../../../schemas/treasury.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { daos } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('', {
    schema: {
      operationId: 'getTreasuries',
      summary: 'Treasuries, largest first',
      description: 'Of the 300 DAOs with the deepest pools, those in a token with a USD value first: what their ' +
        'vaults hold in the token accounts associated with known mints, and what their ' +
        'own positions would withdraw. The token accounts one by one, others too, are at each DAO\'s own path.',
      tags: ['daos'],
      querystring: Type.Object({}),
      response: {
        200: json(TreasuriesSchema, 'The treasuries.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        400: badRequest('Invalid limit: no parameters here'),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await daos.treasuries())
  })
}
export default routes
