/** A node that serves the ledger over HTTP and WebSocket on one port. Several may serve one ledger. */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket } from 'node:net'
import { type ActiveFault, type FaultRule } from './faults.js'
import { type Ledger } from './ledger.js'
import { sendReply } from './send-reply.js'
import { type RecentCall, type ServiceOptions, createNodeService } from './service.js'
import { createSubscriptions } from './websocket.js'

export interface NodeOptions extends ServiceOptions {
  /** 0: any free port. */
  port?: number
  host?: string
  /** Delay of every answer. */
  latencyMs?: number
}

export type SimulatedNode = Awaited<ReturnType<typeof startNode>>

export async function startNode (ledger: Ledger, options: NodeOptions = {}) {
  const host = options.host ?? '127.0.0.1'
  const service = createNodeService(ledger, options)
  const { conditions, faults, limiter, calls } = service
  const sockets = new Set<Socket>()
  const subscriptions = createSubscriptions(ledger, service.methods)
  let latencyMs = options.latencyMs ?? 0
  let port = options.port ?? 0

  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.url === '/health' ? 200 : 405).end(
        request.url === '/health' ? 'ok' : 'Used HTTP Method is not allowed. POST or OPTIONS is required'
      )
      return
    }
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (latencyMs > 0) setTimeout(() => answer(body, request, response), latencyMs)
      else answer(body, request, response)
    })
  })
  // A client's pooled connection must not be closed under it between two requests of a slow test.
  server.keepAliveTimeout = 60_000
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => subscriptions.accept(request, socket as Socket, head))

  const answer = (
    body: string, request: IncomingMessage, response: ServerResponse
  ): void => sendReply(service.answer(body), request, response)

  const listen = () => new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      port = (server.address() as AddressInfo).port
      resolve()
    })
  })
  const stop = () => new Promise<void>(resolve => {
    subscriptions.drop()
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })

  await listen()
  return {
    url: `http://${host}:${port}`,
    wsUrl: `ws://${host}:${port}`,
    port,
    ledger,
    /** What answers behind the port. */
    service,
    /** What the node is like: software, bulk method, limits, batches, lag, retention; changed at any time. */
    conditions,
    faults,
    /** Calls let through and refused by the limits. */
    limiter,
    /** Calls by method, each member of a batch counted. */
    calls,
    /** The newest calls, oldest of them first. */
    get log (): RecentCall[] { return service.log() },
    /** HTTP requests; a batch is one. */
    get requests () { return service.requests() },
    get latencyMs () { return latencyMs },
    set latencyMs (value) { latencyMs = value },
    /** WebSocket faults and counts. */
    ws: subscriptions.controls,
    /** Short for `faults.set`. */
    fault: (rule: FaultRule): ActiveFault => faults.set(rule),
    /** Zeroes counts and log. */
    reset: service.reset,
    /** How far it has come. */
    position: service.position,
    /** The node has stopped where it is, answering what was then, until `thaw`. */
    freeze: service.freeze,
    thaw: service.thaw,
    /** Unplugs the node: connections end, new ones are refused, until `restart`. */
    stop,
    restart: listen,
    async close (): Promise<void> {
      service.close()
      subscriptions.close()
      if (server.listening) await stop()
    }
  }
}
