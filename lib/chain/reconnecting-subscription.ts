/**
 * Subscriptions that survive the connection: they only wake readers earlier, so whatever happens to them is told and
 * never thrown.
 */
import type { ServiceError } from '../errors.js'
import { openSocket, type SubscriptionRequest } from './websocket.js'
import { systemClock, type Clock } from '../clock.js'

export type { SubscriptionRequest } from './websocket.js'

export interface SubscriptionOptions {
  /** ws or wss; may hold a key. */
  url: string
  /** At least one; asked for anew on each connection. */
  requests: readonly SubscriptionRequest[]
  /** Silence that ends a connection: neither a notification nor a pong, which is asked for twice within it. */
  heartbeatMs?: number
  /** What a connection may take until every request is confirmed. */
  connectMs?: number
  maxMessageBytes?: number
  /** Each change, beginning with the first 'up'. What was missed while it was down must be read by other means. */
  onState?: (state: 'up' | 'down') => void
  /** Why a connection ended or was not made (a ServiceError), or what a callback threw. */
  onFault?: (error: unknown) => void
  clock?: Clock
}

export interface Subscription {
  /** Ends it; resolves when the socket is gone. No callback comes after that. */
  close (): Promise<void>
}

// Two pongs missing.
const HEARTBEAT_MS = 10_000
const CONNECT_MS = 10_000
// Log notifications are cut at 10 kB by the node.
const MAX_MESSAGE_BYTES = 1024 ** 2
const FIRST_PAUSE_MS = 500
// Public nodes count new connections; readers poll meanwhile.
const MAX_PAUSE_MS = 30_000

/** Keeps `requests` subscribed until closed. Throws a TypeError, which does not repeat it, where `url` is none. */
export function subscribe (options: SubscriptionOptions): Subscription {
  const { requests, heartbeatMs = HEARTBEAT_MS, connectMs = CONNECT_MS, maxMessageBytes = MAX_MESSAGE_BYTES } = options
  const { onState = () => {}, onFault = () => {}, clock = systemClock } = options
  const { url, host } = readUrl(options.url)
  let socket: ReturnType<typeof openSocket> | undefined
  let upSince: number | undefined
  let failures = 0
  let stopPause = () => {}
  let closed: Promise<void> | undefined

  /** Runs a callback that is not ours: what it throws must not end the process from within a socket's event. */
  function tell (callback: () => void): void {
    try {
      callback()
    } catch (error) {
      try { onFault(error) } catch { /* the last resort has failed: nobody is left to be told */ }
    }
  }

  function connect (): void {
    socket = openSocket({
      url,
      host,
      heartbeatMs,
      connectMs,
      maxMessageBytes,
      clock,
      requests: requests.map(({ method, params, onNotification }) => ({
        method,
        params,
        onNotification: result => { if (closed === undefined) tell(() => onNotification(result)) }
      })),
      onUp () {
        upSince = clock.now()
        tell(() => onState('up'))
      },
      onGone
    })
  }

  function onGone (error: ServiceError): void {
    socket = undefined
    const wasUp = upSince !== undefined
    // Only a connection that has held proves the node well: one that falls at once must not be made again at once.
    failures = wasUp && clock.now() - upSince! >= heartbeatMs ? 0 : failures + 1
    upSince = undefined
    if (wasUp) tell(() => onState('down'))
    if (closed !== undefined) return
    tell(() => onFault(error))
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1))
    stopPause = clock.after(pause * (0.5 + clock.random() / 2), connect)
  }

  async function end (): Promise<void> {
    stopPause()
    await socket?.close()
  }

  connect()
  return {
    close () {
      closed ??= end()
      return closed
    }
  }
}

function readUrl (text: string): { url: string, host: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['ws:', 'wss:'].includes(url.protocol)) {
    throw new TypeError('the subscription has no ws or wss URL')
  }
  url.hash = ''   // ws refuses one, and repeats the URL in doing so
  return { url: url.href, host: url.host }
}
