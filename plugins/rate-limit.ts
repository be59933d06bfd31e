import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'
import { clientOf } from '../lib/http/client-address.js'
import { isPageRoute } from '../lib/http/page-routes.js'
import { type Count, createWindowCounter, WINDOW } from '../lib/rate-limit/minute-window.js'

export interface RateLimitOptions {
  /** Wall clock, ms. */
  now?: () => number
}

/** What keys of the page's budget begin with; no address does. */
const PAGE = 'page '

/**
 * Whether a request is of the page's budget: a file of it, or what its scripts ask for. Who states falsely that he is
 * such a script has no more than one who loads pages; what is dear stands in line by address all the same.
 */
const isOfPage = ({ routeOptions: { url }, headers }: FastifyRequest): boolean =>
  isPageRoute(url) || (headers['sec-fetch-site'] === 'same-origin' && url?.startsWith('/api/') === true)

/**
 * The counts of both budgets over all processes, or in this one. Local counts know no limit, so one counter holds both.
 */
function countersOf (
  { sharedLimit }: FastifyInstance, now: (() => number) | undefined
): (key: string) => Count | Promise<Count> {
  if (sharedLimit === undefined) return createWindowCounter(now).count
  return key => key.startsWith(PAGE) ? sharedLimit.countPage(key) : sharedLimit.count(key)
}

/**
 * The limit of the contract: one count for each client and clock minute over all paths, unknown ones included. IPv6
 * clients count per /64. The pages, their files and what they ask for have a count of their own, so that a visit leaves
 * the client its requests.
 */
export default fp<RateLimitOptions>(async (fastify, { now }) => {
  const { rateLimitMax, rateLimitPage, isExempt } = fastify.config
  const count = countersOf(fastify, now)

  fastify.addHook('onRequest', (request, reply, done) => {
    const { address } = request
    if (isExempt(address)) return done()
    const isPage = isOfPage(request)
    const [max, policy] = isPage ? [rateLimitPage, '"page"'] : [rateLimitMax, '"minute"']

    function answer ({ current, ttl }: Count): void {
      const [left, reset] = [Math.max(0, max - current), Math.ceil(ttl / 1000)]
      // the usual form, and that of the IETF (draft-ietf-httpapi-ratelimit-headers)
      reply.headers({
        'x-ratelimit-limit': max,
        'x-ratelimit-remaining': left,
        'x-ratelimit-reset': reset,
        'ratelimit-policy': `${policy};q=${max};w=${WINDOW / 1000}`,
        ratelimit: `${policy};r=${left};t=${reset}`
      })
      done(current > max
        ? new ServiceError('RATE_LIMITED', 'more requests than a minute allows', { retryAfter: reset })
        : undefined)
    }

    const counted = count(isPage ? PAGE + clientOf(address) : clientOf(address))
    if (counted instanceof Promise) counted.then(answer, done)
    else answer(counted)
  })
}, {
  name: 'rate-limit',
  // its answers carry the headers that those set, and what is refused by them is not counted
  dependencies: [
    'client', 'config', 'connections', 'graceful-shutdown', 'overload', 'rate-limit-redis', 'request-log', 'security'
  ]
})
