import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ReadySchema } from '../../schemas/ready.js'
import { ErrorSchema } from '../../schemas/common.js'
import { NO_STORE } from '../../schemas/headers.js'
import { COMMON_FAILURES, json } from '../../schemas/responses.js'

/** An overloaded process answers as on every other path. */
const NOT_READY = {
  ...COMMON_FAILURES[503],
  description: 'Not ready, with what is wrong; or overloaded or shutting down.',
  content: { 'application/json': { schema: Type.Union([ReadySchema, ErrorSchema]) } }
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify.answers

  fastify.get('', {
    schema: {
      operationId: 'getReady',
      summary: 'Whether the figures can be served',
      description: 'For load balancers: 503 while the history warms up, or the chain or the store is behind; what is ' +
        'wrong stands in the body either way.',
      tags: ['service'],
      response: { 200: json(ReadySchema, NO_STORE), ...COMMON_FAILURES, 503: NOT_READY }
    }
  }, async (_request, reply) => {
    const readiness = await market.readiness()
    reply.cacheControl('no-store')
    return reply.code(readiness.ready ? 200 : 503).send(readiness)
  })
}
export default routes
