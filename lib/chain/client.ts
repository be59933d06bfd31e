/**
 * The way to the nodes: of each JSON-RPC, queue, genesis check and breaker, over all of them failover with its retries,
 * and the deadline of the answer.
 */
import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import { clockQuestion } from './accounts.js'
import { withFailover } from './failover.js'
import { type CallReport, type Connections, createConnections, createNodeCalls, readUrl } from './json-rpc.js'
import { CURRENT_MS, type Health } from './moment.js'
import { type BreakerState, createQueue, withBreaker, withGenesisCheck } from './node.js'
import { faultOf, nodeError } from './node-errors.js'
import { createRate } from './rate.js'
import type { Call, Reply, Rpc, SendOptions } from './rpc.js'
import { type ChainTime, createTimekeeper, type TimeEvent } from './timekeeper.js'
import type { CallOptions, Priority } from './types.js'

export interface NodeClientOptions {
  /** In order of preference. User and password become a header. */
  urls: readonly string[]
  /** Calls a second that each node's plan allows; undefined: learned. */
  rates?: ReadonlyArray<number | undefined>
  /** What one request may take, and an answer somebody waits for with its retries, ms. */
  callMs?: number
  answerMs?: number
  /** The largest answer, unpacked. */
  maxBytes?: number
  /** Calls in one batch, rounds over the nodes after the first, and failures in a row that open a breaker. */
  batchSize?: number
  retries?: number
  failures?: number
  /** How often nodes are asked for their health, and a moment where they have shown none of late, ms; 0: never. */
  watchMs?: number
  /** Told of what changes about the time, and once of each fault of a node's answers. */
  onTime?: (event: TimeEvent) => void
  onFault?: (error: ServiceError) => void
  /** By which ages are told. */
  timeClock?: Pick<Clock, 'now' | 'epoch'>
  /** Told of every request once it has ended. Must not throw. */
  onCall?: (report: CallReport) => void
  connections?: Connections
  clock?: Clock
}

export interface NodeState {
  /** Host and port, numbered where nodes share them. */
  node: string
  breaker: BreakerState
  /** Calls refused for their rate, calls that wait, and calls a second allowed now, Infinity: no bound. */
  refused: number
  waiting: number
  perSecond: number
  /** The last slot that it has shown, and how old its state was by UTC, ms. */
  slot: number | undefined
  lagMs: number | undefined
}

export interface NodeClient extends Rpc {
  nodes (): NodeState[]
  time: ChainTime
  /** Ends every call with SHUTTING_DOWN. */
  close (): void
}

// Five times what a healthy node takes for the largest read.
const CALL_MS = 5_000
// Two nodes may hang, one after the other; where nobody waits, slow is no failure.
const ANSWER_MS = 10_000
const BACKGROUND_ANSWER_MS: Partial<Record<Priority, number>> = { head: 30_000, past: 60_000, idle: 60_000 }
// Sixty times the accounts of 2,000 DAOs; four copies fit the heap.
const MAX_BYTES = 256 * 1024 ** 2
// Answers to 50 transactions stay near 1 MB, and providers commonly take as many calls.
const BATCH_SIZE = 50
const RETRIES = 4
const FAILURES = 5
// Drift is believed by what was asked within a minute; an old state is watched closer. Neither takes more than one of
// twenty of a node's calls.
const WATCH_MS = 25_000
const CLOSE_WATCH_MS = 8_000
const WATCH_SHARE = 20
// By which getHealth says that a node is behind.
const BEHIND = -32005

/** Throws a TypeError where a URL is none (it is not repeated). */
export function createNodeClient ({
  urls, rates = [], callMs = CALL_MS, answerMs = ANSWER_MS, maxBytes = MAX_BYTES, batchSize = BATCH_SIZE,
  retries = RETRIES, failures = FAILURES, watchMs = WATCH_MS, onTime, onFault = () => {}, onCall = () => {},
  connections = createConnections(), clock = systemClock, timeClock = clock
}: NodeClientOptions): NodeClient {
  if (urls.length === 0) throw new TypeError('no node')
  const closing = new AbortController()
  const running = new Set<AbortController>()
  const hashes = new Map<number, string>()
  const targets = urls.map((text, index) => readUrl(text, 'http', `node ${index + 1}`))
  const hosts = targets.map(({ host }) => host)
  const time = createTimekeeper(hosts, { ...clock, ...timeClock }, onTime)

  const nodes = targets.map((url, index) => {
    const { host } = url
    const node = hosts.indexOf(host) !== hosts.lastIndexOf(host) ? `${host}#${index + 1}` : host
    const rate = createRate(clock, rates[index])
    const ask = createNodeCalls(url, {
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
    const { send, forget } = urls.length === 1
      ? { send: queue.send, forget: () => {} }   // there is nothing to compare it with
      : withGenesisCheck(queue.send, { host, index, hashes })
    return { host, node, rate, queue, ...withBreaker(send, { host, clock, failures, onOpen: forget }) }
  })
  const failover = withFailover(nodes, { clock, time, now: () => timeClock.now(), onFault, retries })

  /** An end for everything: by the deadline, the closing of the client, or the caller. */
  async function within<T> (
    calls: readonly Call[],
    { priority = 'live', deadlineMs, signal }: CallOptions,
    work: (options: SendOptions) => Promise<T>
  ): Promise<T> {
    signal?.throwIfAborted()
    const longer = Math.max(0, ...nodes.map(({ queue }) => queue.limitOf(calls) - callMs))
    const ms = deadlineMs ?? BACKGROUND_ANSWER_MS[priority] ?? answerMs + longer
    // AbortSignal.any would keep something of each call (Node 20)
    const ended = new AbortController()
    const cancel = clock.after(ms, () => ended.abort(nodeError(
      'NODE_UNAVAILABLE', `gave no answer within ${ms} ms`, { host: hosts.join(', '), reason: 'timeout' })))
    const leave = (): void => ended.abort(new ServiceError('NODE_UNAVAILABLE', 'the caller went away'))
    if (signal !== undefined) setMaxListeners(0, signal)
    signal?.addEventListener('abort', leave, { once: true })
    running.add(ended)
    if (closing.signal.aborted) ended.abort(closing.signal.reason)
    try {
      const result = await work({ priority, signal: ended.signal, deadline: clock.now() + ms })
      signal?.throwIfAborted()
      return result
    } finally {
      cancel()
      running.delete(ended)
      signal?.removeEventListener('abort', leave)
    }
  }

  const send = (calls: readonly Call[], options: CallOptions = {}): Promise<Reply[]> =>
    within(calls, options, sending => failover.send(calls, sending))

  /** Asks a node for what other answers don't bring. */
  function watchNode ({ send, rate }: typeof nodes[number], index: number): void {
    const question = clockQuestion('confirmed')
    let stop = () => {}
    async function look (): Promise<void> {
      const { shown } = time.of(index)
      const asksClock = shown === undefined || timeClock.now() - shown.at >= CLOSE_WATCH_MS
      const calls: Call[] = [...(asksClock ? question.calls : []), { method: 'getHealth', params: [] }]
      const replies = await within(calls, { priority: 'head', deadlineMs: answerMs }, sending => send(calls, sending))
      time.noteHealth(index, healthOf(replies.at(-1)!))
      const [answer] = replies
      if (!asksClock || 'error' in answer!) return
      time.note(index, 'confirmed', question.read([answer!.result], time.of(index)).moment)
    }
    function again (): void {
      if (closing.signal.aborted) return
      const isCurrent = (time.lag(index) ?? Infinity) <= CURRENT_MS.confirmed
      const closest = isCurrent ? watchMs : Math.min(watchMs, CLOSE_WATCH_MS)
      const ms = Math.max(closest, WATCH_SHARE * 1000 / rate.perSecond())
      // a Clock that is none is told where it is used
      stop = clock.after(ms, () => { look().catch(() => {}).finally(again) })
    }
    again()
    closing.signal.addEventListener('abort', () => stop())
  }

  if (watchMs > 0) nodes.forEach(watchNode)

  return {
    send,
    ask: (question, options = {}) => within(question.calls, options, sending => failover.ask(question, sending)),

    async ofEach (call, options = {}) {
      const replies = await Promise.all(nodes.map(({ send }) =>
        within([call], options, sending => send([call], sending))))
      return replies.flatMap(([reply]) => 'result' in reply! ? [reply.result] : [])
    },

    async call (method, params, { doubt, plain, ...options } = {}) {
      const [reply] = await send([{ method, params, ...(doubt && { doubt }), ...(plain && { plain }) }], options)
      if ('error' in reply!) throw reply.error
      return reply!.result
    },

    nodes: () => nodes.map(({ node, rate, queue, state }, index) => ({
      node,
      breaker: state(),
      ...queue.state(),
      perSecond: rate.perSecond(),
      slot: time.of(index).shown?.slot,
      lagMs: time.lag(index)
    })),
    time,
    close () {
      closing.abort(new ServiceError('SHUTTING_DOWN', 'the node client is closed'))
      for (const ended of running) ended.abort(closing.signal.reason)
      connections.close()
    }
  }
}

/** Of a reply to getHealth; a node that fails, or does not offer it, says nothing. */
function healthOf (reply: Reply): Health {
  if ('result' in reply) return reply.result === 'ok' ? 'ok' : 'unknown'
  return faultOf(reply.error)?.rpcCode === BEHIND ? 'behind' : 'unknown'
}
