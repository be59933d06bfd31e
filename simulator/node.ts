/** A node that serves the ledger over HTTP and WebSocket on one port. Several may serve one ledger. */
import { createServer } from 'node:http'
import { type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { type Ledger } from './ledger.js'
import { sendReply } from './send-reply.js'
import { type ServiceOptions, createNodeService } from './service.js'
import { createSubscriptions } from './websocket.js'

export interface NodeOptions extends ServiceOptions {
  /** Delay of every answer. */
  latencyMs?: number
}

export type SimulatedNode = Awaited<ReturnType<typeof startNode>>

const HOST = '127.0.0.1'

export async function startNode (ledger: Ledger, { latencyMs = 0, ...options }: NodeOptions = {}) {
  /** Any free one at first, the same after a restart. */
  let port = 0
  const service = createNodeService(ledger, options)
  const sockets = new Set<Socket>()
  const subscriptions = createSubscriptions(ledger, service.methods)

  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.url === '/health' ? 200 : 405).end(
        request.url === '/health' ? 'ok' : 'Used HTTP Method is not allowed. POST or OPTIONS is required'
      )
      return
    }
    text(request).then(async body => {
      if (node.latencyMs > 0) await setTimeout(node.latencyMs)
      sendReply(service.answer(body), request, response)
    }, () => {})   // who asked is gone
  })
  // A client's pooled connection must not be closed under it between two requests of a slow test.
  server.keepAliveTimeout = 60_000
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => subscriptions.accept(request, socket as Socket, head))

  const listen = () => new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
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
  const node = Object.assign(service, {
    url: `http://${HOST}:${port}`,
    wsUrl: `ws://${HOST}:${port}`,
    latencyMs,
    /** WebSocket faults and counts. */
    ws: subscriptions.controls,
    /** Unplugs the node: connections end, new ones are refused, until `restart`. */
    stop,
    restart: listen,
    async close (): Promise<void> {
      subscriptions.close()
      if (server.listening) await stop()
    }
  })
  return node
}
