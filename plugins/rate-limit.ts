import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { createWindowCounter, WINDOW } from '../lib/limiter.js'
import { RATE_LIMITED } from './errors.js'

export interface RateLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
}

/** The limit of the contract: one count for each client and clock minute over all paths, unknown ones included. IPv6 clients count per /64. */
export default fp<RateLimitOptions>(async (fastify, { now }) => {
  const { rateLimitMax, isExempt } = fastify.config
  const counter = createWindowCounter(now)
  class ClockMinuteStore implements FastifyRateLimitStore {
    incr (key: string, callback: (error: Error | null, result?: { current: number, ttl: number }) => void): void {
      callback(null, counter.count(key))
    }

    child (): this {
      return this
    }
  }

  await fastify.register(rateLimit, {
    max: rateLimitMax,
    timeWindow: WINDOW,
    store: ClockMinuteStore,
    allowList: request => isExempt(request.ip),
    errorResponseBuilder: () => Object.assign(new Error(RATE_LIMITED), { statusCode: 429 })
  })
}, { name: 'rate-limit', dependencies: ['config'] })
