import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HealthSchema } from '../../schemas/health.js'
import { COMMON_FAILURES } from '../../schemas/responses.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  fastify.get('', {
    schema: {
      operationId: 'getHealth',
      summary: 'The process answers',
      tags: ['service'],
      response: { 200: HealthSchema, ...COMMON_FAILURES }
    }
  }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'healthy' as const, timestamp: new Date().toISOString(), uptime: process.uptime() }
  })
}
export default routes
