/**
 * The way to the nodes: wrappers around one `fetch`, each doing one thing. From the outside in:
 * closing, deadline of the answer, retry, failover; then for each node breaker, genesis check, meter, slot limit, validation,
 * deadline of the call, safe errors, size limit, status, address.
 */
import { ServiceError } from '../../errors.js'
import type { Fetch } from '../types.js'
import { withWholeBody } from './body.js'
import { createBreaker, withBreaker, type BreakerState } from './breaker.js'
import { createRetryBudget } from './budget.js'
import { systemClock, type Clock } from './clock.js'
import { withClosing } from './closing.js'
import { withDeadline } from './deadline.js'
import { withFailover } from './failover.js'
import { nodeError } from './fault.js'
import { createGenesisBook, withGenesisCheck } from './genesis.js'
import { withMeter, type CallReport } from './meter.js'
import { readNodeUrl, withNode } from './node.js'
import { withRetry } from './retry.js'
import { withSafeErrors } from './safe-errors.js'
import { createSlotWatch, withSlotLimit } from './slots.js'
import { withStatus } from './status.js'
import { withValidation } from './validation.js'

export type { BreakerState } from './breaker.js'
export type { Clock } from './clock.js'
export { faultOf, type FaultReason, type NodeFault } from './fault.js'
export type { CallReport } from './meter.js'

export interface TransportOptions {
  /** The nodes in order of preference; at least one. User and password become a header. */
  urls: readonly string[]
  /** Of one request to one node, its body included. */
  callMs?: number
  /** Of one answer, all retries and failovers included. */
  answerMs?: number
  /** The largest answer, unpacked. */
  maxBytes?: number
  /** Tries of one answer after the first. */
  retries?: number
  /** Failures in a row that open a node's breaker. */
  failures?: number
  /** Slots by which a node may be behind the others. */
  maxLag?: number
  /** Told of every request that was sent, when it has ended. Must not throw. */
  onCall?: (report: CallReport) => void
  /** The platform's. */
  fetch?: Fetch
  clock?: Clock
}

export interface Transport {
  /**
   * For a `Connection` of web3.js (with `disableRetryOnRateLimit`) and for `createRpc`; the URL it is given is ignored. Gives
   * valid JSON-RPC answers of status 200, JSON-RPC errors included, of which `text()` and `json()` cost nothing. Throws
   * NODE_UNAVAILABLE, NODE_BAD_ANSWER, BREAKER_OPEN (no node may be asked now), SHUTTING_DOWN, or the reason of the caller's signal.
   */
  fetch: Fetch
  /** The nodes in order, by host and port. */
  nodes (): Array<{ node: string, state: BreakerState }>
  /** Ends every call with SHUTTING_DOWN. */
  close (): void
}

// A healthy node answers the largest read in about a second; five times that is failure.
const CALL_MS = 5_000
// Long enough for two nodes that hang, one after the other.
const ANSWER_MS = 10_000
// Sixty times the accounts of 2,000 DAOs; four copies of it still fit the heap.
const MAX_BYTES = 256 * 1024 ** 2
const RETRIES = 4
const BACKOFF_MS = 200
// One failure is chance, five in a row are not.
const FAILURES = 5
const OPEN_MS = 1_000
// A fault that ends must be noticed within one cache lifetime of 10 s.
const MAX_OPEN_MS = 5_000
// One minute of slots of 400 ms.
const MAX_LAG = 150
// Retries are at most a fifth of the calls, besides one every two seconds.
const BUDGET = { ratio: 0.2, perSecond: 0.5, most: 10 }

/** Composes the transport; throws a TypeError where a URL is none (it is not repeated). */
export function createTransport (options: TransportOptions): Transport {
  const { urls, callMs = CALL_MS, answerMs = ANSWER_MS, maxBytes = MAX_BYTES, retries = RETRIES, failures = FAILURES, maxLag = MAX_LAG } = options
  const { onCall = () => {}, fetch = globalThis.fetch, clock = systemClock } = options
  if (urls.length === 0) throw new TypeError('no node')
  const closing = new AbortController()
  const watch = createSlotWatch(clock)
  const book = createGenesisBook()

  const nodes = urls.map((text, index) => {
    const address = readNodeUrl(text, index)
    const { host } = address
    const expired = () => nodeError('NODE_UNAVAILABLE', `took longer than ${callMs} ms`, { host, reason: 'timeout' })
    const raw = withSafeErrors(withWholeBody(withStatus(withNode(fetch, address), { host, clock }), { host, maxBytes }), { host })
    const valid = withValidation(withDeadline(raw, { ms: callMs, clock, expired }), { host })
    const metered = withMeter(withSlotLimit(valid, { host, index, watch, maxLag }), { host, clock, onCall })
    const checked = urls.length === 1
      ? { fetch: metered, forget: () => {} }   // there is nothing to compare it with
      : withGenesisCheck(metered, { host, index, book, closing: closing.signal })
    const breaker = createBreaker({ clock, failures, openMs: OPEN_MS, maxOpenMs: MAX_OPEN_MS, onOpen: checked.forget })
    return { host, breaker, fetch: withBreaker(checked.fetch, { breaker, host }) }
  })

  const host = nodes.map(node => node.host).join(', ')
  const expired = () => nodeError('NODE_UNAVAILABLE', `gave no answer within ${answerMs} ms`, { host, reason: 'timeout' })
  const budget = createRetryBudget({ clock, ...BUDGET })
  const retried = withRetry(withFailover(nodes.map(node => node.fetch), { clock }), { clock, budget, retries, answerMs, backoffMs: BACKOFF_MS })

  return {
    fetch: withClosing(withDeadline(retried, { ms: answerMs, clock, expired }), closing.signal),
    nodes: () => nodes.map(({ host, breaker }) => ({ node: host, state: breaker.state() })),
    close: () => closing.abort(new ServiceError('SHUTTING_DOWN', 'the transport is closed'))
  }
}
