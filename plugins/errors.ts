import type { FastifyError } from 'fastify'
import fp from 'fastify-plugin'
import { type ErrorCode, isServiceError } from '../lib/errors.js'
import { isPageRoute, pageOf } from '../lib/http/page-routes.js'
import type { ErrorBody } from '../schemas/common.js'
import {
  CHAIN_UNREADABLE, endpointNotFound, INVALID_DAO, INVALID_MINT, INVALID_POOL_ID, INVALID_PROPOSAL, INVALID_TICKER_ID, MINT_NOT_FOUND, RATE_LIMITED, UNAVAILABLE, UNEXPECTED,
  UPSTREAM_UNAVAILABLE
} from '../schemas/messages.js'

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** The one place where what went wrong becomes a status and a sentence; without one here, the error's own. */
const RESPONSES: Record<ErrorCode, { status: 400 | 404 | 500 | 502 | 503, message?: string }> = {
  INVALID_MINT: { status: 400, message: INVALID_MINT },
  MINT_NOT_FOUND: { status: 404, message: MINT_NOT_FOUND },
  INVALID_TICKER_ID: { status: 400, message: INVALID_TICKER_ID },
  TICKER_NOT_FOUND: { status: 404 },
  INVALID_POOL_ID: { status: 400, message: INVALID_POOL_ID },
  POOL_NOT_FOUND: { status: 404 },
  INVALID_DAO: { status: 400, message: INVALID_DAO },
  DAO_NOT_FOUND: { status: 404 },
  INVALID_PROPOSAL: { status: 400, message: INVALID_PROPOSAL },
  PROPOSAL_NOT_FOUND: { status: 404 },
  INVALID_PARAMETER: { status: 400 },
  NODE_UNAVAILABLE: { status: 502, message: UPSTREAM_UNAVAILABLE },
  NODE_BAD_ANSWER: { status: 500, message: CHAIN_UNREADABLE },
  CURSOR_UNKNOWN: { status: 500, message: CHAIN_UNREADABLE },
  VERSION_UNSUPPORTED: { status: 500, message: CHAIN_UNREADABLE },
  // to who asks it is the same outage, whether this answer tried the node or an earlier one did; 503 is for what lies
  // with us
  BREAKER_OPEN: { status: 502, message: UPSTREAM_UNAVAILABLE },
  WARMING_UP: { status: 503, message: UNAVAILABLE },
  HISTORY_UNAVAILABLE: { status: 503, message: UNAVAILABLE },
  WRONG_NETWORK: { status: 503, message: UNAVAILABLE },
  OVERLOADED: { status: 503, message: UNAVAILABLE },
  SHUTTING_DOWN: { status: 503, message: UNAVAILABLE }
}

/** Seconds after which a 503 is worth another try, where nothing better is known. */
const RETRY_AFTER = 5

/** Status and body for anything thrown. Errors of the framework keep their status; what they say is ours. */
export function answerFor (error: unknown, path: string): { status: number, message: string } {
  if (isServiceError(error)) {
    const { status, message = error.message } = RESPONSES[error.code]
    return { status, message }
  }
  const status = (error as FastifyError | undefined)?.statusCode
  if (status === 429) return { status, message: RATE_LIMITED }
  if (status === 503) return { status, message: UNAVAILABLE }
  // No endpoint takes a body or a query: what the framework has against a request is against one to a path that does
  // not exist.
  if (status !== undefined && status >= 400 && status < 500) return { status: 404, message: endpointNotFound(path) }
  return { status: 500, message: UNEXPECTED }
}

/**
 * Failures that are our own choice: they happen once for each request of a flood, and the line of the request says
 * enough.
 */
const EXPECTED = ['OVERLOADED', 'SHUTTING_DOWN', 'WARMING_UP'] as const

/**
 * An error's body. A path is repeated in it, so nothing that markup begins with is left in the text; read as JSON it is
 * the same.
 */
const bodyOf = (error: string): string => JSON.stringify({ error } satisfies ErrorBody)
  .replace(/[<>&\u2028\u2029]/g, mark => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)

const pathOf = (url: string): string => url.split('?', 1)[0]!

/** Errors and unknown paths, answered in the words of the contract. */
export default fp(async fastify => {
  fastify.setErrorHandler((error, request, reply) => {
    const { status, message } = answerFor(error, pathOf(request.originalUrl))
    if (status >= 500 && !isServiceError(error, ...EXPECTED)) request.log.error({ err: error }, message)
    if (status === 503) {
      reply.header('retry-after', (isServiceError(error) ? error.retryAfter : undefined) ?? RETRY_AFTER)
    }
    reply.code(status).header('cache-control', 'no-store')
    if (status === 429 && isPageRoute(request.routeOptions.url) &&
      request.headers.accept?.includes('text/html') === true) {
      return reply.type(HTML_TYPE).send(pageOf(message))
    }
    return reply.type(JSON_TYPE).send(bodyOf(message))
  })

  fastify.setNotFoundHandler({ preHandler: fastify.rateLimit() }, (request, reply) => {
    reply.code(404).header('cache-control', 'no-store').type(
      JSON_TYPE
    ).send(bodyOf(endpointNotFound(pathOf(request.originalUrl))))
  })

  // Nothing here reads a body, so none is parsed: a request that brings one is answered by its path and method alone.
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
}, { name: 'errors', dependencies: ['rate-limit'] })
