import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { HealthSchema } from '../../schemas/ready.js'
import { NO_STORE } from '../../schemas/headers.js'
import { COMMON_FAILURES, json } from '../../schemas/responses.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  fastify.get('', {
    schema: {
      operationId: 'getHealth',
      summary: 'The process answers',
      description: 'For process supervisors: healthy whenever it answers, whatever the chain and the history do. ' +
        'Whether figures can be served says /ready.',
      tags: ['service'],
      response: { 200: json(HealthSchema, NO_STORE), ...COMMON_FAILURES }
    }
  }, (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'healthy' as const, timestamp: new Date().toISOString(), uptime: process.uptime() }
  })
}
export default routes
