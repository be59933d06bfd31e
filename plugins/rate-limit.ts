import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type {} from '@fastify/sensible'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Count, createWindowCounter, WINDOW } from '../lib/rate-limit/minute-window.js'
import { isPageRoute } from '../lib/http/page-routes.js'
import { RATE_LIMITED } from '../schemas/errors.js'
import { mostOf, PAGE } from './rate-limit-redis.js'

export interface RateLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
}

/**
 * Whether a request is of the page's budget: a file of it, or what its scripts ask for. Who poses as such a script has
 * no more than one who loads pages; what is dear waits in line by address all the same.
 */
const isOfPage = ({ routeOptions: { url }, headers }: FastifyRequest): boolean =>
  isPageRoute(url) || (url?.startsWith('/api/') === true && headers['sec-fetch-site'] === 'same-origin')

/**
 * The limit of the contract: one count for each client and clock minute over all paths, unknown ones included; another
 * for the pages, their files and what they ask for, so that a visit leaves the client its requests.
 */
export default fp<RateLimitOptions>(async (fastify, { now }) => {
  const { config } = fastify
  // of both budgets, over all processes or in this one
  const count: (key: string) => Count | Promise<Count> = fastify.sharedLimit?.count ?? createWindowCounter(now).count
  class ClockMinuteStore implements FastifyRateLimitStore {
    incr (key: string, callback: (error: Error | null, result?: { current: number, ttl: number }) => void): void {
      const counted = count(key)
      if (counted instanceof Promise) counted.then(count => callback(null, count), callback)
      else callback(null, counted)
    }

    child (): this {
      return this
    }
  }

  await fastify.register(rateLimit, {
    max: (_request, key) => mostOf(key, config),
    timeWindow: WINDOW,
    store: ClockMinuteStore,
    keyGenerator: request => `${isOfPage(request) ? PAGE : ''}${request.client}`,
    allowList: request => config.isExempt(request.address),
    errorResponseBuilder: () => fastify.httpErrors.tooManyRequests(RATE_LIMITED)
  })

  const limit = fastify.rateLimit()
  // of unknown paths as of those that exist: before the framework refuses a type of body, or the lack of one
  fastify.addHook('onRequest', function (request, reply, done) {
    if (!request.is404) return done()
    limit.call(this, request, reply).then(() => done(), done)
  })

  // The same in the form of the IETF (draft-ietf-httpapi-ratelimit-headers), beside the X- headers that the plugin sets
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    const limit = reply.getHeader('x-ratelimit-limit')
    if (limit !== undefined) {
      const policy = isOfPage(request) ? '"page"' : '"minute"'
      const [left, reset] = [reply.getHeader('x-ratelimit-remaining'), reply.getHeader('x-ratelimit-reset')]
      reply.header('ratelimit-policy', `${policy};q=${String(limit)};w=${WINDOW / 1000}`)
        .header('ratelimit', `${policy};r=${String(left)};t=${String(reset)}`)
    }
    done()
  })
}, {
  name: 'rate-limit',
  dependencies: ['client', 'config', 'rate-limit-redis', 'request-log', 'security', 'sensible']
})
