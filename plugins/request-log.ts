import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'

/** Whether an answer came from the cache, by its headers. */
function cacheState (reply: FastifyReply): string | undefined {
  if (reply.statusCode === 304) return 'not modified'
  if (reply.hasHeader('age')) return 'stale'
  return reply.hasHeader('etag') ? 'fresh' : undefined
}

/**
 * Each response carries the id of its request, `X-Request-Id`, and has one line in the log by that id: route template,
 * status, time, cache state. Bodies, queries and headers are not logged.
 */
export default fp(async fastify => {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    request.log.info({
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      cache: cacheState(reply)
    }, 'answered')
    done()
  })
}, { name: 'request-log' })
