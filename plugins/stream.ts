import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'
import { createEventStream, type EventStream } from '../lib/http/event-stream.js'
import { createStream } from '../lib/responses/stream.js'

declare module 'fastify' {
  interface FastifyInstance {
    stream: ReturnType<typeof createStream> & {
      /** Gives what begins a stream of events to a client. Throws OVERLOADED, and RATE_LIMITED if it has too many. */
      enter (client: string): typeof createEventStream
      count (): number
    }
  }
}

/** Connections of one client, and of all. */
const EACH = 5
const MOST = 1_000
/** After which clients reconnect at shutdown, ms: this process or another answers by then. */
const BACK_MS = 2_000

export default fp(async fastify => {
  const { answers: { sources, market, proposals }, chain: { clock } } = fastify
  /** Open streams, by client. */
  const open = new Map<EventStream, string>()
  const stream = createStream({
    sources,
    clock,
    tickers: market.tickerList,
    proposals: proposals.all,
    onError: error => fastify.log.error({ err: error }, 'the stream could not tell what happened')
  })

  fastify.decorate('stream', {
    ...stream,
    count: () => open.size,
    enter (client) {
      if ([...open.values()].filter(one => one === client).length >= EACH) {
        throw new ServiceError('RATE_LIMITED', 'as many streams as a client may have')
      }
      if (open.size >= MOST) throw new ServiceError('OVERLOADED', 'as many streams as there may be')
      return response => {
        const events = createEventStream(response)
        // the client has left meanwhile: no 'close' will follow
        if (!events.isOpen) return events
        open.set(events, client)
        response.once('close', () => open.delete(events))
        return events
      }
    }
  } satisfies typeof fastify.stream)

  fastify.addHook('preClose', async () => {
    for (const events of open.keys()) events.end('the service is shutting down', BACK_MS)
  })
}, { name: 'stream', dependencies: ['chain', 'answers'] })
