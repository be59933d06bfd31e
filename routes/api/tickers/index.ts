import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CHAIN_FAILURES } from '../../../schemas/responses.js'
import { TickersSchema } from '../../../schemas/ticker.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('/', {
    schema: {
      operationId: 'getTickers',
      summary: 'All trading pairs',
      description: 'A ticker for every DAO that has reserves on both sides and is not excluded, deepest pool first. Answers live 10 seconds.',
      tags: ['market'],
      response: { 200: TickersSchema, ...CHAIN_FAILURES }
    }
  }, async (_request, reply) => reply.represent(await market.tickers()) as never)
}
export default routes
