import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'
import type { EventStream } from '../lib/http/event-stream.js'
import { createStream, type Stream } from '../lib/responses/stream.js'

declare module 'fastify' {
  interface FastifyInstance {
    stream: Stream & {
      /** Counts a connection of a client. Throws OVERLOADED, and 429 where the client has too many. */
      enter (client: string): { begin (events: EventStream): void, leave (): void }
      count (): number
    }
  }
}

/** Connections of one client, and of all. */
const EACH = 5
const MOST = 1_000
/** When clients come back after an end of ours, ms: this process or another answers by then. */
const BACK_MS = 2_000

export default fp(async fastify => {
  const { sources, chain: { clock }, market, proposals } = fastify
  const stopping = new AbortController()
  const byClient = new Map<string, number>()
  const open = new Set<EventStream>()
  let count = 0
  const stream = createStream({
    sources,
    clock,
    tickers: market.tickerList,
    proposals: proposals.all,
    signal: stopping.signal,
    onError: error => fastify.log.error({ err: error }, 'the stream could not tell what happened')
  })

  fastify.decorate('stream', {
    ...stream,
    count: () => count,
    enter (client: string) {
      const own = byClient.get(client) ?? 0
      if (own >= EACH) throw fastify.httpErrors.tooManyRequests()
      if (count >= MOST) throw new ServiceError('OVERLOADED', 'as many streams as there may be')
      byClient.set(client, own + 1)
      count++
      let events: EventStream | undefined
      return {
        begin (of) {
          events = of
          open.add(of)
        },
        leave () {
          if (events !== undefined) open.delete(events)
          count--
          const left = byClient.get(client)! - 1
          if (left === 0) byClient.delete(client)
          else byClient.set(client, left)
        }
      }
    }
  } satisfies typeof fastify.stream)

  fastify.addHook('preClose', async () => {
    stopping.abort()
    for (const events of open) events.end('the service is shutting down', BACK_MS)
  })
}, { name: 'stream', dependencies: ['chain', 'answers', 'sensible'] })
