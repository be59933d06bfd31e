/**
 * The way to the nodes: layers that take calls and give replies. From the inside out, for each node JSON-RPC, queue,
 * genesis check, breaker; over all of them failover with its retries, and the deadline of the answer.
 */
import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import { clockQuestion } from './accounts.js'
import { createBreaker, withBreaker, type BreakerState } from './breaker.js'
import { type CallReport, type Connections, createConnections, createNodeCalls, readNodeUrl } from './json-rpc.js'
import { withFailover } from './failover.js'
import { createGenesisBook, withGenesisCheck } from './genesis.js'
import { faultOf, nodeError } from './node-errors.js'
import { createQueue } from './node.js'
import { createRate } from './rate.js'
import type { Call, Reply, Rpc, SendOptions } from './rpc.js'
import { CURRENT_MS, type Health } from './moment.js'
import { type ChainTime, createTimekeeper, type TimeEvent } from './timekeeper.js'
import type { CallOptions, Priority } from './types.js'

export { faultOf, type FaultReason, type NodeFault } from './node-errors.js'
export type { CallReport } from './json-rpc.js'

export interface NodeClientOptions {
  /** The nodes in order of preference; at least one. User and password become a header. */
  urls: readonly string[]
  /** Calls a second that a plan allows, one for each node; undefined: learned. */
  rates?: ReadonlyArray<number | undefined>
  /** Of one request to one node, its body included, ms; getProgramAccounts and the bulk method may take longer. */
  callMs?: number
  /** Of an answer somebody waits for, all retries and failovers included, ms. */
  answerMs?: number
  /** The largest answer, unpacked. */
  maxBytes?: number
  /** Calls in one batch at most; 1: single calls only. */
  batchSize?: number
  /** Rounds over the nodes after the first. */
  retries?: number
  /** Failures in a row that open a node's breaker. */
  failures?: number
  /** How often a node that has shown no moment of late is asked for one, and each for its health, ms; 0: never. */
  watchMs?: number
  /** Told of what changes about the time, and once of each fault of a node's answers while it lasts. */
  onTime?: (event: TimeEvent) => void
  onFault?: (error: ServiceError) => void
  /** By which ages are told; the other one's by default. */
  timeClock?: Pick<Clock, 'now' | 'epoch'>
  /** Told of every request that was sent, when it has ended. Must not throw. */
  onCall?: (report: CallReport) => void
  connections?: Connections
  clock?: Clock
}

const DEFAULTS = {
  // A healthy node answers the largest read in about a second; five times that is failure.
  callMs: 5_000,
  // Long enough for two nodes that hang, one after the other.
  answerMs: 10_000,
  // Sixty times the accounts of 2,000 DAOs; four copies of it still fit the heap.
  maxBytes: 256 * 1024 ** 2,
  // Answers to 50 transactions stay near 1 MB, and providers commonly take at least that many calls in one request.
  batchSize: 50,
  retries: 4,
  // One failure is chance, five in a row are not.
  failures: 5,
  // Drift of the chain's clock is believed by what was asked within the last minute.
  watchMs: 25_000,
  clock: systemClock,
  rates: [],
  onCall: () => {},
  onFault: () => {}
}

/** What is known of a node. */
export interface NodeState {
  /** Host and port, with a number where several nodes share them. */
  node: string
  breaker: BreakerState
  /**
   * Calls that were refused for their rate; calls that wait for their turn; calls a second allowed now, Infinity where
   * no bound is known.
   */
  refused: number
  waiting: number
  perSecond: number
  /** The last slot that it has shown, and how old its state was by UTC, ms; undefined where it has shown none. */
  slot: number | undefined
  lagMs: number | undefined
}

export interface NodeClient extends Rpc {
  nodes (): NodeState[]
  time: ChainTime
  /** Ends every call with SHUTTING_DOWN. */
  close (): void
}

// Where nobody waits for an answer a slow pace is no failure.
const BACKGROUND_ANSWER_MS: Partial<Record<Priority, number>> = { head: 30_000, past: 60_000, idle: 60_000 }
const BACKOFF_MS = 200
// A fault that ends must be noticed within one cache lifetime of 10 s.
const [OPEN_MS, MAX_OPEN_MS] = [1_000, 5_000]
// While a node's state is old it is watched closer.
const CLOSE_WATCH_MS = 8_000
// Of a slow node's calls at most one in twenty is spent on watching it.
const WATCH_SHARE = 20
// JSON-RPC errors by which getHealth says that a node is behind, and by which it is not offered.
const BEHIND = -32005
// Every layer may send a call twice, so only what changes nothing on the chain may pass.
const WRITES = new Set(['sendTransaction', 'requestAirdrop'])

/** Composes the client; throws a TypeError where a URL is none (it is not repeated). */
export function createNodeClient (options: NodeClientOptions): NodeClient {
  const all = { ...DEFAULTS, ...options }
  const { urls, rates, callMs, answerMs, maxBytes, batchSize, retries, failures, watchMs } = all
  const { onTime, onFault, onCall, clock } = all
  const { connections = createConnections(), timeClock = clock } = options
  if (urls.length === 0) throw new TypeError('no node')
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const book = createGenesisBook()
  const addresses = urls.map(readNodeUrl)
  const time = createTimekeeper(addresses.map(({ host }) => host), { ...clock, ...timeClock }, onTime)

  const nodes = addresses.map((address, index) => {
    const { host } = address
    const node = addresses.filter(other => other.host === host).length > 1 ? `${host}#${index + 1}` : host
    const rate = createRate(clock, rates[index])
    const ask = createNodeCalls(address, {
      node,
      clock,
      connections,
      maxBytes,
      onCall,
      onHeaders (method, headers) {
        time.noteDate(index, headers.date)
        rate.readHeaders(method, headers)
      }
    })
    const queue = createQueue(ask, { host, clock, rate, callMs, largestBatch: batchSize })
    const checked = urls.length === 1
      ? { send: queue.send, forget: () => {} }   // there is nothing to compare it with
      : withGenesisCheck(queue.send, { host, index, book, closing: closing.signal })
    const breaker = createBreaker({ clock, failures, openMs: OPEN_MS, maxOpenMs: MAX_OPEN_MS, onOpen: checked.forget })
    return { host, node, rate, queue, breaker, send: withBreaker(checked.send, { breaker, host }) }
  })

  const hosts = nodes.map(({ host }) => host).join(', ')
  const failover = withFailover(nodes, {
    clock, time, now: () => timeClock.now(), onFault, retries, backoffMs: BACKOFF_MS
  })
  /** The outermost layer: an end for everything, by the deadline, the closing of the client, or the caller. */
  async function within<T> (
    calls: readonly Call[],
    { priority = 'live', deadlineMs, signal }: CallOptions,
    work: (options: SendOptions) => Promise<T>
  ): Promise<T> {
    signal?.throwIfAborted()
    if (calls.some(({ method }) => WRITES.has(method))) throw new TypeError('the node client takes reads only')
    const longer = Math.max(0, ...nodes.map(({ queue }) => queue.limitOf(calls) - callMs))
    const ms = deadlineMs ?? BACKGROUND_ANSWER_MS[priority] ?? answerMs + longer
    const ended = new AbortController()
    const cancel = clock.after(ms, () => ended.abort(
      nodeError('NODE_UNAVAILABLE', `gave no answer within ${ms} ms`, { host: hosts, reason: 'timeout' })))
    const close = (): void => ended.abort(closing.signal.reason)
    const leave = (): void => ended.abort(new ServiceError('NODE_UNAVAILABLE', 'the caller went away'))
    // AbortSignal.any would keep something of each call for as long as the client lives (Node 20)
    if (signal !== undefined) setMaxListeners(0, signal)
    closing.signal.addEventListener('abort', close, { once: true })
    signal?.addEventListener('abort', leave, { once: true })
    if (closing.signal.aborted) close()
    try {
      const result = await work({ priority, signal: ended.signal, deadline: clock.now() + ms })
      signal?.throwIfAborted()
      return result
    } finally {
      cancel()
      closing.signal.removeEventListener('abort', close)
      signal?.removeEventListener('abort', leave)
    }
  }

  const answer = (calls: readonly Call[], options: CallOptions = {}): Promise<Reply[]> =>
    within(calls, options, sending => failover.send(calls, sending))

  /**
   * Asks each node for what the others' answers don't bring: a moment where it has shown none of late, and its health.
   */
  function watchNode ({ send, rate }: typeof nodes[number], index: number): void {
    const question = clockQuestion('confirmed')
    let stop = () => {}
    async function look (): Promise<void> {
      const { shown } = time.of(index)
      const asksClock = shown === undefined || timeClock.now() - shown.at >= CLOSE_WATCH_MS
      const calls: Call[] = [...(asksClock ? question.calls : []), { method: 'getHealth', params: [] }]
      const replies = await within(calls, { priority: 'head', deadlineMs: answerMs }, sending => send(calls, sending))
      const [clockReply, health] = asksClock ? replies : [undefined, replies[0]]
      time.noteHealth(index, healthOf(health!))
      if (clockReply !== undefined && 'result' in clockReply) {
        try {
          time.note(index, 'confirmed', question.read([clockReply.result], time.of(index)).moment)
        } catch {
          // told where such an answer is used
        }
      }
      if (!closing.signal.aborted) again()
    }
    function again (): void {
      const lag = time.lag(index)
      const ms = lag !== undefined && lag <= CURRENT_MS.confirmed ? watchMs : Math.min(watchMs, CLOSE_WATCH_MS)
      stop = clock.after(Math.max(ms, WATCH_SHARE * 1000 / rate.perSecond()), () => { look().catch(() => {}) })
    }
    again()
    closing.signal.addEventListener('abort', () => stop())
  }

  if (watchMs > 0) nodes.forEach(watchNode)

  return {
    send: answer,
    ask: (question, options = {}) => within(question.calls, options, sending => failover.ask(question, sending)),

    async ofEach (call, options = {}) {
      const replies = await Promise.all(nodes.map(async ({ send }) =>
        await within([call], options, sending => send([call], sending))))
      return replies.flatMap(([reply]) => 'result' in reply! ? [reply.result] : [])
    },

    async call (method, params, { doubt, ...options } = {}) {
      const [reply] = await answer([{ method, params, ...(doubt && { doubt }) }], options)
      if ('error' in reply!) throw reply.error
      return reply!.result
    },

    nodes: () => nodes.map(({ node, rate, queue, breaker }, index) => ({
      node,
      breaker: breaker.state(),
      ...queue.state(),
      perSecond: rate.perSecond(),
      slot: time.of(index).shown?.slot,
      lagMs: time.lag(index)
    })),
    time,
    close () {
      closing.abort(new ServiceError('SHUTTING_DOWN', 'the node client is closed'))
      connections.close()
    }
  }
}

/** What a reply to getHealth says of its node; a node that fails says nothing. */
function healthOf (reply: Reply): Health {
  if ('result' in reply) return reply.result === 'ok' ? 'ok' : 'unknown'
  return faultOf(reply.error)?.rpcCode === BEHIND ? 'behind' : 'unknown'
}
