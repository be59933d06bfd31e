/** One WebSocket connection from opening to its end; `reconnecting-subscription.ts` opens the next one. */
import WebSocket, { type RawData } from 'ws'
import type { ServiceError } from '../errors.js'
import { isRecord } from './rpc.js'
import type { Clock } from '../clock.js'
import { answerError, httpError, networkError, nodeError, rpcError } from './node-errors.js'

export interface SubscriptionRequest {
  method: string
  params: readonly unknown[]
  /** The `result` of a notification, unchecked. */
  onNotification: (result: unknown) => void
}

export interface SocketOptions {
  url: string
  host: string
  requests: readonly SubscriptionRequest[]
  heartbeatMs: number
  connectMs: number
  maxMessageBytes: number
  clock: Clock
  /** Every request has been confirmed. */
  onUp: () => void
  /** The socket is gone, and why: exactly once. */
  onGone: (error: ServiceError) => void
}

// How long a node may take for the closing handshake before the connection is cut.
const CLOSE_MS = 1_000

/** Opens a connection and subscribes. `close` resolves when the socket is gone. */
export function openSocket (options: SocketOptions): { close: () => Promise<void> } {
  const { url, host, requests, heartbeatMs, connectMs, clock, onUp, onGone } = options
  const socket = new WebSocket(url, {
    maxPayload: options.maxMessageBytes,
    handshakeTimeout: connectMs,
    perMessageDeflate: false   // it would cost memory for each connection and let small messages unpack to large ones
  })
  const byNumber = new Map<unknown, SubscriptionRequest>()
  let up = false
  let why: ServiceError | undefined
  const silent = () => drop(nodeError('NODE_UNAVAILABLE', 'fell silent', { host, reason: 'timeout' }))
  let stopSilence = clock.after(connectMs, silent)
  let stopPing = () => {}

  function drop (error: ServiceError): void {
    why ??= error
    socket.terminate()
  }

  function beat (): void {
    if (!up) return   // until then the deadline of connecting holds
    stopSilence()
    stopSilence = clock.after(heartbeatMs, silent)
  }

  function ping (): void {
    if (socket.readyState === WebSocket.OPEN) socket.ping()
    stopPing = clock.after(heartbeatMs / 2, ping)
  }

  function send (id: unknown, method: string, params: readonly unknown[]): void {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  function confirm (id: unknown, message: Record<string, unknown>): void {
    const request = typeof id === 'number' ? requests[id] : undefined
    if (request === undefined || byNumber.has(message.result) || [...byNumber.values()].includes(request)) {
      drop(answerError(host, 'wrong-ids', 'confirmed what was not asked for'))
    } else if (typeof message.result === 'number') {
      byNumber.set(message.result, request)
      if (byNumber.size < requests.length) return
      up = true
      beat()
      ping()
      onUp()
    } else {
      const code = isRecord(message.error) && Number.isInteger(message.error.code) ? Number(message.error.code) : 0
      drop(rpcError(host, code))
    }
  }

  function receive (data: RawData): void {
    if (why !== undefined) return   // what was on its way when the connection was given up
    const message = parse(data)
    if (!isRecord(message)) return drop(answerError(host, 'not-json', 'sent a message that is no JSON'))
    if ('id' in message) return confirm(message.id, message)
    const { params } = message
    if (!isRecord(params)) return
    beat()
    byNumber.get(params.subscription)?.onNotification(params.result)
  }

  socket.on('open', () => {
    requests.forEach(({ method, params }, id) => send(id, method, params))
  })
  socket.on('message', receive)
  // A chain that has halted sends nothing, and that is no reason to connect anew.
  socket.on('pong', beat)
  socket.on('unexpected-response', (_, response) => drop(httpError(host, response.statusCode ?? 0)))
  // Without a listener it would end the process; 'close' follows.
  socket.on('error', error => { why ??= networkError(host, error) })
  const gone = new Promise<void>(resolve => {
    socket.on('close', () => {
      stopSilence()
      stopPing()
      socket.removeAllListeners('message')
      onGone(why ?? nodeError('NODE_UNAVAILABLE', 'closed the connection', { host, reason: 'network' }))
      resolve()
    })
  })

  return {
    async close () {
      const stop = clock.after(CLOSE_MS, () => socket.terminate())
      socket.close()
      await gone
      stop()
    }
  }
}

function parse (data: RawData): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined   // no JSON value is undefined: the caller drops the connection
  }
}
