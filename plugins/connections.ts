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
/** Every answer is there within 10 s; what takes longer is a client who does not read. */
const PATIENCE = 15_000
/** A line of 0.2 Mbit/s takes an answer so fast; what takes a minute at any pace holds too much for too long. */
const PACE: Pace = { grace: 10_000, rate: 20_000, most: 60_000 }
/** A body that is drained rather than answered by the end of the connection, bytes. No endpoint reads any. */
const MAX_BODY = 16_384

/** Not sent through the application: no route promises this answer. */
const BAD_REQUEST = refusalOf(400)

/** Whether the rest of the request is not worth reading: a body that is large, or that does not say how large it is. */
function bringsTooMuch ({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY
}

/** RFC 9112, 3.2: one host, which HTTP/1.0 need not name; `*` is what OPTIONS alone may ask for. */
function isWellFormed ({ httpVersion, rawHeaders, method, url }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length
  return hosts <= 1 && (hosts === 1 || httpVersion !== '1.1') && (url !== '*' || method === 'OPTIONS')
}

/** The limits of a connection that are no options of the server: how many, what a body costs, what a request has. */
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
  // who asks before sending a body is answered at once, and need not send it; what else is expected counts for nothing
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
