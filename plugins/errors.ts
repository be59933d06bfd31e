import type { FastifyError } from 'fastify'
import fp from 'fastify-plugin'
import { isServiceError } from '../lib/errors.js'
import { JSON_TYPE } from '../lib/http/cached-response.js'
import { isPageRoute, pageOf } from '../lib/http/page-routes.js'
import type { ErrorBody } from '../schemas/common.js'
import { ERRORS, notFound, UNEXPECTED } from '../schemas/errors.js'

const HTML_TYPE = 'text/html; charset=utf-8'

/** Seconds after which a 429 or 503 is worth another try, where nothing better is known. */
const RETRY_AFTER = 5

/** Status and sentence for anything thrown. Errors of the framework keep their status, not their message. */
export function answerFor (error: unknown, path: string): { status: number, message: string } {
  if (isServiceError(error)) {
    const { status, sentence = error.message }: { status: number, sentence?: string } = ERRORS[error.code]
    return { status, message: sentence }
  }
  const status = (error as FastifyError | undefined)?.statusCode
  // the framework checks no body and no query: it refuses only paths that do not exist
  if (status !== undefined && status >= 400 && status < 500) return { status: 404, message: notFound('Endpoint', path) }
  return { status: 500, message: UNEXPECTED }
}

/** Refusals, perhaps of each request of a flood: the request's line in the log is enough. */
const EXPECTED = ['OVERLOADED', 'SHUTTING_DOWN', 'WARMING_UP'] as const

/**
 * An error's body. It may repeat a path, so characters that begin markup are escaped; as JSON it is the same.
 */
const bodyOf = (error: string): string => JSON.stringify({ error } satisfies ErrorBody)
  .replace(/[<>&\u2028\u2029]/g, mark => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

const pathOf = (url: string): string => url.split('?', 1)[0]!

/** Errors and unknown paths, answered in the words of the contract. */
export default fp(async fastify => {
  fastify.setErrorHandler((error, request, reply) => {
    const { status, message } = answerFor(error, pathOf(request.originalUrl))
    if (status >= 500 && !isServiceError(error, ...EXPECTED)) request.log.error({ err: error }, message)
    if (status === 503 || status === 429) {
      reply.header('retry-after', (isServiceError(error) ? error.retryAfter : undefined) ?? RETRY_AFTER)
    }
    reply.code(status).cacheControl('no-store')
    if (status === 429 && isPageRoute(request.routeOptions.url) &&
      request.headers.accept?.includes('text/html') === true) {
      return reply.type(HTML_TYPE).send(pageOf(message))
    }
    return reply.type(JSON_TYPE).send(bodyOf(message))
  })

  fastify.setNotFoundHandler((request, reply) => {
    reply.code(404).cacheControl('no-store').type(JSON_TYPE)
      .send(bodyOf(notFound('Endpoint', pathOf(request.originalUrl))))
  })

  // no body is parsed: a request that brings one is answered by its path and method alone
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}, { name: 'errors', dependencies: ['rate-limit', 'sensible'] })
