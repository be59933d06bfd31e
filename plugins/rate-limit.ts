import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'
import { type Count, createWindowCounter, WINDOW } from '../lib/rate-limit/minute-window.js'
import type { RedisLink, RedisLinkOptions } from '../lib/rate-limit/redis.js'
import { createSharedCounter } from '../lib/rate-limit/shared.js'
import { isPageRoute } from '../lib/http/page-routes.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The link to the counts of all replicas; undefined where REDIS_URL is not set. */
    sharedLimit: RedisLink | undefined
  }
}

export interface RateLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
  /** In place of the link's defaults. */
  redisLink?: Partial<Omit<RedisLinkOptions, 'url' | 'onChange'>>
}

/** Prefix of keys of the page's budget; no address has it. */
const PAGE = 'page '
/** Deployments that share a Redis and are not replicas of one another take a database each. */
const PREFIX = 'dao-market-data:limit:'

/**
 * Whether a request is of the page's budget: for a file of it, or by its scripts. Anyone can pose as such a script, and
 * gains no more than by loading pages: costly requests are queued by address all the same.
 */
const isOfPage = ({ routeOptions: { url }, headers }: FastifyRequest): boolean =>
  isPageRoute(url) || (url?.startsWith('/api/') === true && headers['sec-fetch-site'] === 'same-origin')

/** Connects to the Redis at `url` and counts over all processes. Without an answer the service starts all the same. */
async function shareCounts (
  fastify: FastifyInstance, url: string, max: (key: string) => number, { now, redisLink }: RateLimitOptions
) {
  // loaded only if it is used: the client takes a tenth of the start
  const { createRedisLink } = await import('../lib/rate-limit/redis.js')
  let wasAway = false
  const link = createRedisLink({
    url,
    prefix: PREFIX,
    // two windows, so that processes whose clocks differ share counts
    expiry: 2 * WINDOW,
    ...redisLink,
    onChange (change) {
      if (change.up) fastify.log.info({ replicas: change.replicas }, 'the rate limit is shared through Redis')
      else {
        fastify.log.warn(
          { trouble: change.trouble, reason: change.reason },
          'the rate limit is not shared: Redis is away, each replica keeps to its share'
        )
      }
      if (!change.up || wasAway) counter.tear()
      wasAway = !change.up
    }
  })
  const counter = createSharedCounter({ counts: link, max, now })
  fastify.addHook('onClose', () => link.close())
  await link.start()
  return { link, count: counter.count }
}

/**
 * The limit of the contract: one count for each client and clock minute over all paths, unknown ones included; another
 * for the pages, their files and what they ask for, so that a visit leaves the client its requests.
 */
export default fp<RateLimitOptions>(async (fastify, options) => {
  const { isExempt, rateLimitMax, rateLimitPage, redisUrl } = fastify.config
  const max = (key: string): number => key.startsWith(PAGE) ? rateLimitPage : rateLimitMax
  const shared = redisUrl === undefined ? undefined : await shareCounts(fastify, redisUrl, max, options)
  fastify.decorate('sharedLimit', shared?.link)
  const count: (key: string) => Count | Promise<Count> = shared?.count ?? createWindowCounter(options.now).count
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
    // one hook for all paths, as unknown ones count, too
    global: false,
    timeWindow: WINDOW,
    store: ClockMinuteStore,
    max: (_request, key) => max(key),
    keyGenerator: request => `${isOfPage(request) ? PAGE : ''}${request.client}`,
    allowList: ({ address }) => isExempt(address)
  })
  const limit = fastify.createRateLimit()

  // before the framework refuses a type of body, or the lack of one
  fastify.addHook('onRequest', async (request, reply) => {
    const counted = await limit(request)
    if (counted.isAllowed) return
    const { max, remaining, ttlInSeconds: reset, isExceeded } = counted
    const name = isOfPage(request) ? 'page' : 'minute'
    reply.headers({
      'x-ratelimit-limit': max,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': reset,
      // the same in the form of the IETF (draft-ietf-httpapi-ratelimit-headers)
      'ratelimit-policy': `"${name}";q=${max};w=${WINDOW / 1000}`,
      ratelimit: `"${name}";r=${remaining};t=${reset}`
    })
    if (isExceeded) throw new ServiceError('RATE_LIMITED', 'no request of the minute is left', { retryAfter: reset })
  })
}, {
  name: 'rate-limit',
  dependencies: ['client', 'config', 'security']
})
