import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { noteRequests, refusalOf } from '../lib/http/client-errors.js'
import {
  type Connections, connectionsWithin, mostOpenFiles, type Pace, watchConnections
} from '../lib/http/connections.js'

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections
  }
}

export interface EdgeOptions {
  mostConnections?: number
  pace?: Pace
}

/** About 60 MB of sockets and parsers. */
const MAX_CONNECTIONS = 5_000
/** Every answer is made within 10 s; one that takes longer has a client who does not read. */
const PATIENCE = 15_000
/** A link of 0.2 Mbit/s is that fast; an answer that takes a minute at any pace holds too much for too long. */
const PACE: Pace = { grace: 10_000, rate: 20_000, most: 60_000 }
/** The largest body that is drained, bytes: with a larger one the connection ends. No endpoint reads any. */
const MAX_BODY = 16_384

/** Sent past the application: no route declares this answer. */
const BAD_REQUEST = refusalOf(400)

/** Whether a request has a large body, or one of unknown size, which is not worth reading. */
function bringsTooMuch ({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY
}

/** RFC 9112, 3.2: one host, which HTTP/1.0 need not name; `*` is what OPTIONS alone may ask for. */
function isWellFormed ({ httpVersion, rawHeaders, method, url }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts <= 1 && (hosts === 1 || httpVersion !== '1.1') && (url !== '*' || method === 'OPTIONS')
}

/** Limits of connections that are no options of the server: their number, their pace, bodies, malformed requests. */
export default fp<EdgeOptions>(async (fastify, { mostConnections = MAX_CONNECTIONS, pace = PACE }) => {
  const { server } = fastify
  const openFiles = mostOpenFiles()
  const most = connectionsWithin(openFiles, mostConnections)
  if (most < mostConnections) {
    fastify.log.warn(
      { openFiles, connections: most }, 'the process may open few files: it takes fewer connections at once'
    )
  }
  const connections = watchConnections(server, { most, patience: PATIENCE, pace })
  fastify.decorate('connections', connections)
  fastify.addHook('onClose', async () => connections.stop())
  noteRequests(server)
  // their size is limited; a limit of their number would silently drop the last ones, X-Forwarded-For perhaps
  server.maxHeadersCount = 0
  // a client that waits for 100 Continue is answered at once, without its body; other expectations are ignored
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (request, response) => {
      response.shouldKeepAlive = false
      server.emit('request', request, response)
    })
  }

  fastify.addHook('onRequest', (request, reply, done) => {
    if (bringsTooMuch(request)) reply.header('connection', 'close')
    done()
  })

  // after the limiter, which counts this request like any other
  fastify.addHook('preHandler', ({ raw }, reply, done) => {
    if (!isWellFormed(raw)) {
      reply.hijack()
      reply.raw.writeHead(400, BAD_REQUEST.headers).end(BAD_REQUEST.body)
      return
    }
    done()
  })
}, { name: 'connections' })
