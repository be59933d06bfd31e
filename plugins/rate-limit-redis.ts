import fp from 'fastify-plugin'
import type { RedisLink, RedisLinkOptions } from '../lib/rate-limit/redis.js'
import { createSharedCounter } from '../lib/rate-limit/shared.js'
import { type Count, WINDOW } from '../lib/rate-limit/minute-window.js'
import type { Settings } from '../lib/settings.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counting requests together with the other replicas; undefined where REDIS_URL is not set. */
    sharedLimit: {
      count (key: string): Promise<Count>
      counts: Pick<RedisLink, 'up' | 'replicas'>
    } | undefined
  }
}

export interface SharedLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
  /** Replaces what the link to Redis does by default. */
  redisLink?: Partial<Omit<RedisLinkOptions, 'url' | 'onChange'>>
}

/** What keys of the page's budget begin with; no address does. */
export const PAGE = 'page '
/** Requests that a key has in a clock minute. */
export const mostOf = (key: string, { rateLimitMax, rateLimitPage }: Settings): number =>
  key.startsWith(PAGE) ? rateLimitPage : rateLimitMax
/** Deployments that share a Redis and are not replicas of one another take a database each. */
const PREFIX = 'dao-market-data:limit:'

/** Connects to REDIS_URL. Without an answer the service starts, and stops, all the same. */
export default fp<SharedLimitOptions>(async (fastify, { now, redisLink }) => {
  const { config, config: { redisUrl } } = fastify
  if (redisUrl === undefined) {
    fastify.decorate('sharedLimit', undefined)
    return
  }

  // loaded where it is used: the client is a tenth of the start
  const { createRedisLink } = await import('../lib/rate-limit/redis.js')
  let wasAway = false
  const link = createRedisLink({
    url: redisUrl,
    prefix: PREFIX,
    // twice, so that processes whose clocks differ count the same
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
  const counter = createSharedCounter({ counts: link, max: key => mostOf(key, config), now })
  fastify.decorate('sharedLimit', { count: counter.count, counts: link })
  fastify.addHook('onClose', () => link.close())
  await link.start()
}, { name: 'rate-limit-redis', dependencies: ['config'] })
