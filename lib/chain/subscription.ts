/** Tells of a program's transactions, across connections. It only wakes a reader: its faults are never thrown. */
import WebSocket from 'ws'
import { backoff } from '../backoff.js'
import { systemClock, type Clock } from '../clock.js'
import type { ServiceError } from '../errors.js'
import { httpError, networkError, nodeError, rpcError } from './node-errors.js'
import { isRecord, parseJson } from './checks.js'
import { ADDRESS_LIMITS } from './json-rpc.js'

export interface SubscriptionOptions {
  /** ws or wss; may hold a key. */
  url: string
  program: string
  onTransaction: () => void
  /** Each change, from the first 'up' on. What was missed while it was down must be read by other means. */
  onState: (state: 'up' | 'down') => void
  /** Why a connection ended, or was none. */
  onFault: (error: ServiceError) => void
  /** Silence that ends a connection, ms, at most half of it later: no confirmation, then no notification or pong. */
  silenceMs?: number
  clock?: Clock
}

export type Subscription = ReturnType<typeof subscribe>

const SILENCE_MS = 10_000
// Log notifications are cut at 10 kB by the node.
const MAX_MESSAGE_BYTES = 1024 ** 2
// Public nodes count new connections.
const MAX_PAUSE_MS = 30_000
// Of the closing handshake.
const CLOSE_MS = 1_000

/** Subscribed until closed. Callbacks must not throw. */
export function subscribe ({
  url: text, program, onTransaction, onState, onFault, silenceMs = SILENCE_MS, clock = systemClock
}: SubscriptionOptions) {
  const url = new URL(text)
  const { host } = url
  url.hash = ''   // ws refuses one, and repeats the URL in doing so
  const request = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params: [{ mentions: [program] }, { commitment: 'finalized' }]
  })
  let end = async () => {}
  let failures = 0
  let closed: Promise<void> | undefined

  function connect (): void {
    const socket = new WebSocket(url, {
      maxPayload: MAX_MESSAGE_BYTES,
      handshakeTimeout: silenceMs,
      ...ADDRESS_LIMITS,
      perMessageDeflate: false   // it would cost memory, and let small messages unpack to large ones
    })
    let upSince = Infinity
    let heardAt = clock.now()
    let why: ServiceError | undefined
    let stopWatch = () => {}

    function drop (error: ServiceError): void {
      why ??= error
      socket.terminate()
    }

    function watch (): void {
      if (clock.now() - heardAt >= silenceMs) return drop(nodeError(host, 'timeout', 'fell silent'))
      // a chain that has halted sends nothing
      if (upSince !== Infinity) socket.ping()
      stopWatch = clock.after(silenceMs / 2, watch)
    }

    function confirm ({ result, error }: Record<string, unknown>): void {
      if (typeof result !== 'number') return drop(rpcError(host, isRecord(error) ? Number(error.code) : 0))
      upSince = heardAt = clock.now()
      onState('up')
    }

    watch()
    socket.on('open', () => socket.send(request))
    socket.on('message', data => {
      if (why !== undefined) return   // it was on its way when the connection was given up
      const message = parseJson(String(data))
      if (!isRecord(message)) return drop(nodeError(host, 'not-json', 'sent a message that is no JSON'))
      if (upSince === Infinity) return 'id' in message ? confirm(message) : undefined
      heardAt = clock.now()
      if (closed === undefined) onTransaction()
    })
    socket.on('pong', () => { if (upSince !== Infinity) heardAt = clock.now() })
    socket.on('unexpected-response', (_, response) => drop(httpError(host, response.statusCode ?? 0)))
    // 'close' follows
    socket.on('error', error => { why ??= networkError(host, error) })
    const gone = new Promise<void>(resolve => {
      socket.on('close', () => {
        stopWatch()
        socket.removeAllListeners('message')
        again(upSince, why ?? nodeError(host, 'network', 'closed the connection'))
        resolve()
      })
    })
    end = async () => {
      const stop = clock.after(CLOSE_MS, () => socket.terminate())
      socket.close()
      await gone
      stop()
    }
  }

  function again (upSince: number, error: ServiceError): void {
    // one that drops at once must not be opened again at once
    failures = clock.now() - upSince >= silenceMs ? 0 : failures + 1
    if (upSince !== Infinity) onState('down')
    if (closed !== undefined) return
    onFault(error)
    const pause = backoff(Math.max(1, failures), clock, MAX_PAUSE_MS)
    const stop = clock.after(pause, connect)
    end = async () => stop()
  }

  connect()
  return {
    /** Resolves when the socket is gone; no callback comes after that. */
    close: () => (closed ??= end())
  }
}
