/** A node that serves the ledger over HTTP and WebSocket on one port. */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket } from 'node:net'
import { type ActiveFault, type FaultRule, createFaults } from './faults.js'
import { type Ledger } from './ledger.js'
import { type Methods, createMethods } from './methods.js'
import { misbehave } from './misbehave.js'
import { RpcError } from './rpc-error.js'
import { createSubscriptions } from './websocket.js'

export interface NodeOptions {
  /** 0: any free port. */
  port?: number
  host?: string
  /** Slots between confirmed and finalized. */
  finalityLag?: number
  /** Delay of every answer. */
  latencyMs?: number
}

export interface RecentCall { method: string, params: unknown }

interface Call { id?: unknown, method?: unknown, params?: unknown }

export type SimulatedNode = Awaited<ReturnType<typeof startNode>>

const LOG_LENGTH = 1000

export async function startNode (ledger: Ledger, options: NodeOptions = {}) {
  const host = options.host ?? '127.0.0.1'
  const methods = createMethods(ledger, options.finalityLag ?? 0)
  const faults = createFaults()
  const calls: Record<string, number> = Object.fromEntries(methods.names.map(name => [name, 0]))
  const log: RecentCall[] = []
  const sockets = new Set<Socket>()
  const subscriptions = createSubscriptions(ledger, methods)
  let requests = 0
  let latencyMs = options.latencyMs ?? 0
  let port = options.port ?? 0

  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.url === '/health' ? 200 : 405).end(request.url === '/health' ? 'ok' : 'Used HTTP Method is not allowed. POST or OPTIONS is required')
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

  function note (call: Call): void {
    const method = String(call.method)
    calls[method] = (calls[method] ?? 0) + 1
    log.push({ method, params: call.params })
    if (log.length > LOG_LENGTH * 2) log.splice(0, LOG_LENGTH)
  }

  function answer (body: string, request: IncomingMessage, response: ServerResponse): void {
    requests++
    let parsed: Call | Call[]
    try {
      parsed = JSON.parse(body)
    } catch {
      send(response, errorText(null, new RpcError(-32700, 'Parse error')))
      return
    }
    const list = Array.isArray(parsed) ? parsed : [parsed]
    list.forEach(note)
    const fault = faults.ofRequest(list.map(call => String(call.method)), Array.isArray(parsed))
    const texts = list.map(call => answerCall(methods, call, faults.ofCall(String(call.method))))
    if (fault !== undefined && misbehave(fault, { texts, isBatch: Array.isArray(parsed), ids: list.map(call => call.id), request, response })) return
    send(response, Array.isArray(parsed) ? `[${texts.join()}]` : texts[0]!)
  }

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
    faults,
    /** Calls by method, each member of a batch counted. */
    calls,
    /** The newest calls, oldest of them first. */
    get log (): RecentCall[] { return log.slice(-LOG_LENGTH) },
    /** HTTP requests; a batch is one. */
    get requests () { return requests },
    get latencyMs () { return latencyMs },
    set latencyMs (value) { latencyMs = value },
    /** WebSocket faults and counts. */
    ws: subscriptions.controls,
    /** Short for `faults.set`. */
    fault: (rule: FaultRule): ActiveFault => faults.set(rule),
    /** Zeroes counts and log. */
    reset (): void {
      for (const name of Object.keys(calls)) calls[name] = 0
      requests = 0
      log.length = 0
    },
    /** Unplugs the node: connections end, new ones are refused, until `restart`. */
    stop,
    restart: listen,
    async close (): Promise<void> {
      subscriptions.close()
      if (server.listening) await stop()
    }
  }
}

function send (response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
}

const errorText = (id: unknown, { code, message, data }: RpcError): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id: id ?? null })

/** One call as JSON text. */
function answerCall (methods: Methods, call: Call, faults: ActiveFault[]): string {
  const id = faults.some(({ kind }) => kind === 'wrong-id') ? 'another-question' : call.id
  try {
    if (typeof call.method !== 'string') throw new RpcError(-32600, 'Invalid request')
    return `{"jsonrpc":"2.0","result":${methods.call(call.method, call.params, faults)},"id":${JSON.stringify(id ?? null)}}`
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return errorText(id, error)
  }
}
