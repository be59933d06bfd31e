/** All nodes as one client: each answer has a deadline, and each node is watched for its time and health. */
import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import { clockQuestion } from './accounts.js'
import { withBreaker } from './breaker.js'
import { withFailover } from './failover.js'
import { type CallReport, type Connections, createConnections, createNodeCalls } from './json-rpc.js'
import { CURRENT_MS } from './moment.js'
import { createQueue } from './node.js'
import { faultOf, nodeError, UNWELL } from './node-errors.js'
import { createRate } from './rate.js'
import { createTimekeeper, type TimeEvent } from './timekeeper.js'
import type { Call, CallOptions, Reply, Rpc, SendOptions } from './types.js'

/** Tests set shorter ones. */
const LIMITS = {
  /** Of a request, ms: five times what a healthy node takes for the largest read. */
  callMs: 5_000,
  /** Of an answer that somebody waits for, ms: two nodes may hang, one after the other. */
  answerMs: 10_000,
  /** Of all answers of a node together, unpacked, and twice that of one: thirty times the accounts of 1,000 DAOs. */
  maxBytes: 64 * 1024 ** 2,
  /** Answers to 50 transactions stay near 1 MB, and providers commonly take as many calls. */
  batchSize: 50,
  /** Rounds over the nodes after the first. */
  retries: 4,
  /** In a row, that open a breaker. */
  failures: 5,
  /** Between questions for time and health, ms: drift is believed by what was asked within a minute. */
  watchMs: 25_000
}

export interface NodeClientOptions extends Partial<typeof LIMITS> {
  /** http or https, one at least, in order of preference. User and password become a header. */
  urls: readonly string[]
  /** Calls a second that each node's plan allows; undefined: learned. */
  rates?: ReadonlyArray<number | undefined>
  /** Told of changes of the time, and once of each fault of a node's answers. */
  onTime?: (event: TimeEvent) => void
  onFault?: (error: ServiceError) => void
  /** Told of every request once it has ended. Must not throw. */
  onCall?: (report: CallReport) => void
  connections?: Connections
  clock?: Clock
  /** For ages. */
  timeClock?: Pick<Clock, 'now' | 'epoch'>
}

export type NodeState = ReturnType<ReturnType<typeof createNodeClient>['nodes']>[number]

// Of an answer that no request waits for, ms: twice the windows by which nodes count.
const BACKGROUND_MS = 20_000
// An old state is watched closer.
const CLOSE_WATCH_MS = 8_000

/** Of a reply to getHealth, which not every node offers. */
const healthOf = ({ result, error }: Reply) =>
  result === 'ok' ? 'ok' : faultOf(error)?.rpcCode === UNWELL ? 'behind' : 'unknown'

export function createNodeClient ({
  urls, rates = [], onTime, onFault = () => {}, onCall = () => {}, connections = createConnections(),
  clock = systemClock, timeClock = clock, ...limits
}: NodeClientOptions) {
  const { callMs, answerMs, maxBytes, batchSize, retries, failures, watchMs } = { ...LIMITS, ...limits }
  let closed: ServiceError | undefined
  const running = new Set<AbortController>()
  const cluster = urls.length > 1 ? {} : undefined
  const targets = urls.map(url => new URL(url))
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
    return { host, node, rate, queue, ...withBreaker(queue.send, { host, clock, failures, cluster }) }
  })
  const failover = withFailover(nodes, { clock, time, onFault, retries })

  /** Ends `work` by the deadline, the closing of the client, or the caller. */
  async function within<T> (
    calls: readonly Call[],
    { priority = 'live', deadlineMs, signal }: CallOptions,
    work: (options: SendOptions) => Promise<T>
  ): Promise<T> {
    signal?.throwIfAborted()
    const longer = nodes.reduce((ms, { queue }) => ms + queue.limitOf(calls) - callMs, 0)
    const ms = deadlineMs ?? longer + (['state', 'live'].includes(priority) ? answerMs : BACKGROUND_MS)
    // AbortSignal.any would keep something of each call (Node 20)
    const ended = new AbortController()
    const cancel = clock.after(ms, () =>
      ended.abort(nodeError(hosts.join(', '), 'timeout', `gave no answer within ${ms} ms`)))
    const leave = () => ended.abort(new ServiceError('NODE_UNAVAILABLE', 'the caller went away'))
    if (signal !== undefined) setMaxListeners(0, signal)
    signal?.addEventListener('abort', leave, { once: true })
    running.add(ended)
    if (closed !== undefined) ended.abort(closed)
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

  const send: Rpc['send'] = (calls, options = {}) =>
    within(calls, options, sending => failover.send(calls, sending))

  async function look ({ send }: typeof nodes[number], index: number): Promise<void> {
    const { calls, read } = clockQuestion('confirmed')
    const asked = [...calls, { method: 'getHealth', params: [] }]
    const [clock, health] = await within(asked, { priority: 'head' }, sending => send(asked, sending))
    time.noteHealth(index, healthOf(health!))
    // a bad Clock is reported where it is used
    if (clock!.error === undefined) time.note(index, 'confirmed', read([clock!.result], time.of(index)).moment)
  }

  function watch (node: typeof nodes[number], index: number): void {
    if (closed !== undefined) return
    const isCurrent = (time.lag(index) ?? Infinity) <= CURRENT_MS.confirmed
    const ms = isCurrent ? watchMs : Math.min(watchMs, CLOSE_WATCH_MS)
    clock.after(ms, () => { look(node, index).catch(() => {}).finally(() => watch(node, index)) })
  }

  if (watchMs > 0) nodes.forEach(watch)

  const rpc: Rpc = {
    send,
    ask: (question, options = {}) => within(question.calls, options, sending => failover.ask(question, sending)),

    async ofEach (call, options = {}) {
      const replies = await Promise.all(nodes.map(({ send }) =>
        within([call], options, sending => send([call], sending))))
      return replies.flatMap(([reply]) => reply!.error === undefined ? [reply!.result] : [])
    },

    async call (method, params, { read, ...options } = {}) {
      const [reply] = await send([{ method, params, read }], options)
      if (reply!.error !== undefined) throw reply!.error
      return reply!.result
    }
  }
  return {
    ...rpc,
    nodes: () => nodes.map(({ node, rate, queue, state }, index) => ({
      /** Host and port, numbered where nodes share them. */
      node,
      breaker: state(),
      /** Calls refused for their rate, calls that wait, and calls a second allowed now; Infinity: no bound. */
      ...queue.state(),
      perSecond: rate.perSecond(),
      /** The last slot that it has shown, and how old its state was by UTC, ms. */
      slot: time.of(index).shown?.slot,
      lagMs: time.lag(index)
    })),
    time,
    /** Ends every call with SHUTTING_DOWN. */
    close () {
      closed = new ServiceError('SHUTTING_DOWN', 'the node client is closed')
      for (const ended of running) ended.abort(closed)
      connections.close()
    }
  }
}
