import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf, createWindowCounter, plainAddress, WINDOW } from '../lib/limiter.js'
import { RATE_LIMITED } from './errors.js'

export interface RateLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
}

/** Where no address is known, or a proxy names something else. All such share one count, whose key is short whatever was sent. */
const UNKNOWN = 'unknown'

/** The platform gives no address for a socket that has gone, whatever the type says. */
const addressOf = ({ ip }: FastifyRequest): string | undefined => plainAddress((ip as string | undefined) ?? '')

/** The limit of the contract: one count for each client and clock minute over all paths, unknown ones included. IPv6 clients count per /64. */
export default fp<RateLimitOptions>(async (fastify, { now }) => {
  const { rateLimitMax, isExempt } = fastify.config
  const { sharedLimit } = fastify
  const counter = sharedLimit ?? createWindowCounter(now)
  class ClockMinuteStore implements FastifyRateLimitStore {
    incr (key: string, callback: (error: Error | null, result?: { current: number, ttl: number }) => void): void {
      const counted = counter.count(key)
      if (counted instanceof Promise) counted.then(count => callback(null, count), callback)
      else callback(null, counted)
    }

    child (): this {
      return this
    }
  }

  await fastify.register(rateLimit, {
    max: rateLimitMax,
    timeWindow: WINDOW,
    store: ClockMinuteStore,
    keyGenerator: request => clientOf(addressOf(request) ?? UNKNOWN),
    allowList: request => isExempt(addressOf(request) ?? UNKNOWN),
    errorResponseBuilder: () => Object.assign(new Error(RATE_LIMITED), { statusCode: 429 })
  })
}, { name: 'rate-limit', dependencies: ['config', 'shared-limit'] })
