import fp from 'fastify-plugin'
import { systemClock } from '../lib/clock.js'
import { ServiceError } from '../lib/errors.js'

export interface DrainOptions {
  /** How long requests in work may take to end once the application closes, ms. */
  drainMs?: number
}

/** An answer may take 10 s, and the whole end may too: the node is not waited for to the last. */
const DRAIN = 4_000
/** For answers on their way after that, ms. */
const LAST_BYTES = 1_000

/**
 * Closing: requests in work are answered, new ones on open connections get 503, connections without a request end at
 * once (lib/http/connections.ts). What still waits for the node after a while gets 503 too, and a client who does not
 * read its answer is cut off.
 */
export default fp<DrainOptions>(async (fastify, { drainMs = DRAIN }) => {
  const { chain, server } = fastify
  const timers: Array<() => void> = []
  let closing = false

  fastify.addHook('preClose', async () => {
    closing = true
    timers.push(
      systemClock.after(drainMs, () => chain.close()),
      systemClock.after(drainMs + LAST_BYTES, () => server.closeAllConnections())
    )
  })
  fastify.addHook('onClose', async () => { for (const cancel of timers) cancel() })

  fastify.addHook('onRequest', (_request, _reply, done) => {
    done(closing ? new ServiceError('SHUTTING_DOWN', 'the service is shutting down') : undefined)
  })
  // otherwise the connection of the last answer stays open for the next request
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
}, { name: 'graceful-shutdown', dependencies: ['chain', 'connections', 'security'] })
