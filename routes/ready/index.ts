import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ReadySchema } from '../../schemas/ready.js'
import { COMMON_FAILURES } from '../../schemas/responses.js'

const { 503: _unavailable, ...FAILURES } = COMMON_FAILURES

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('', {
    schema: {
      operationId: 'getReady',
      summary: 'Whether the figures can be served',
      description: 'For load balancers: 503 while the history warms up, or the chain or the store is behind; what is wrong stands in the body either way.',
      tags: ['service'],
      response: { 200: ReadySchema, 503: ReadySchema, ...FAILURES }
    }
  }, async (_request, reply) => {
    const readiness = market.readiness()
    reply.header('cache-control', 'no-store')
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
}
export default routes
