import fp from 'fastify-plugin'
import { systemClock } from '../lib/clock.js'
import { ServiceError } from '../lib/errors.js'

/** For requests in work, ms: an answer may take 10 s, and so may the whole end. */
const DRAIN = 4_000
/** For answers on their way after that, ms. */
const LAST_BYTES = 1_000

/**
 * At shutdown requests in work are answered, new ones on open connections get 503, connections without a request end at
 * once (lib/http/connections.ts). Requests that still wait for a node after DRAIN get 503 too; clients that do not read
 * their answer are cut off.
 */
export default fp(async fastify => {
  const { chain, server } = fastify
  const timers: Array<() => void> = []
  let closing = false

  fastify.addHook('preClose', async () => {
    closing = true
    timers.push(
      systemClock.after(DRAIN, () => chain.close()),
      systemClock.after(DRAIN + LAST_BYTES, () => server.closeAllConnections())
    )
  })
  fastify.addHook('onClose', async () => { for (const cancel of timers) cancel() })

  fastify.addHook('onRequest', (_request, _reply, done) => {
    done(closing ? new ServiceError('SHUTTING_DOWN', 'the service is shutting down') : undefined)
  })
}, { name: 'graceful-shutdown', dependencies: ['chain', 'connections', 'security'] })
