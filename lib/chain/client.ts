/**
 * The way to the nodes: layers that take calls and give replies, each doing one thing. From the inside out, for each node HTTP with its
 * size limit and deadline, reading the reply, pace, slot watch, genesis check, breaker; over all of them failover with its
 * retries, and the deadline of the answer.
 */
import { setMaxListeners } from 'node:events'
import { systemClock, type Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import { createBreaker, withBreaker, type BreakerState } from './breaker.js'
import { type Connections, createConnections } from './connections.js'
import { createTimeouts } from './timeouts.js'
import { withFailover } from './failover.js'
import { createGenesisBook, withGenesisCheck } from './genesis.js'
import { createPost, readNodeUrl } from './http.js'
import { nodeError } from './node-errors.js'
import { createPace } from './pace.js'
import { createNodeCalls, type CallReport } from './reply.js'
import { createRetryBudget } from './retry-budget.js'
import type { Call, Reply, Rpc, Send } from './rpc.js'
import { createSlotWatch, withSlotWatch, type SlotWatch } from './slots.js'
import type { CallOptions, Priority } from './types.js'

export { faultOf, type FaultReason, type NodeFault } from './node-errors.js'
export type { CallReport } from './reply.js'

export interface NodeClientOptions {
  /** The nodes in order of preference; at least one. User and password become a header. */
  urls: readonly string[]
  /** Calls a second that a plan allows, one for each node; undefined: learned. */
  rates?: ReadonlyArray<number | undefined>
  /** Of one request to one node, its body included; getProgramAccounts and the bulk method may take longer. */
  callMs?: number
  /** Of an answer somebody waits for, all retries and failovers included. */
  answerMs?: number
  /** The largest answer, unpacked. */
  maxBytes?: number
  /** Calls in one batch at most; 1: single calls only. */
  batchSize?: number
  /** Rounds over the nodes after the first. */
  retries?: number
  /** Failures in a row that open a node's breaker. */
  failures?: number
  /** How often every node is asked for its slot, so that one that stands still is known; 0: never. */
  watchMs?: number
  /** Told of every request that was sent, when it has ended. Must not throw. */
  onCall?: (report: CallReport) => void
  /** Its own by default. */
  connections?: Connections
  clock?: Clock
}

/** What is known of a node. */
export interface NodeState {
  /** Host and port, with a number where several nodes share them. */
  node: string
  breaker: BreakerState
  /** Calls that were refused for their rate; calls that wait for their turn; calls a second allowed now, Infinity where no bound is known. */
  refused: number
  waiting: number
  perSecond: number
  /** Newest slot, by how much it is behind the furthest, and how long it has not moved; undefined where it has shown none. */
  slot: number | undefined
  lagMs: number | undefined
  unmovedMs: number | undefined
}

export interface NodeClient extends Rpc {
  nodes (): NodeState[]
  /** Since when the nodes stand still. */
  standing: SlotWatch['standing']
  /** For how long at least the chain has been past a slot, ms. */
  pastMs: SlotWatch['pastMs']
  /** Whether the chain may have reached a slot, by what the nodes have shown; it is not held as a mark. */
  canBe (slot: number): boolean
  /** Ends every call with SHUTTING_DOWN. */
  close (): void
}

// A healthy node answers the largest read in about a second; five times that is failure.
const CALL_MS = 5_000
// Long enough for two nodes that hang, one after the other. Where nobody waits, a slow pace is no failure.
const ANSWER_MS = 10_000
const BACKGROUND_ANSWER_MS: Record<Priority, number | undefined> = { live: undefined, head: 30_000, past: 60_000, idle: 60_000 }
// Sixty times the accounts of 2,000 DAOs; four copies of it still fit the heap.
const MAX_BYTES = 256 * 1024 ** 2
// Answers to 50 transactions stay near 1 MB, and providers commonly take at least that many calls in one request.
const BATCH_SIZE = 50
const RETRIES = 4
const BACKOFF_MS = 200
// One failure is chance, five in a row are not.
const FAILURES = 5
const OPEN_MS = 1_000
// A fault that ends must be noticed within one cache lifetime of 10 s.
const MAX_OPEN_MS = 5_000
// Retries are at most a fifth of the calls, besides one every two seconds.
const BUDGET = { ratio: 0.2, perSecond: 0.5, most: 10 }
// Twice within the time after which a slot that does not move makes a state stale.
const WATCH_MS = 4_000
// How long the first answer waits for every node to say where it is: a slow one is not worth more.
const FIRST_LOOK_MS = 2_000
// Of a slow node's calls at most one in twenty is spent on watching it.
const WATCH_SHARE = 20
// Every layer may send a call twice, so only what changes nothing on the chain may pass.
const WRITES = new Set(['sendTransaction', 'requestAirdrop'])

/** Composes the client; throws a TypeError where a URL is none (it is not repeated). */
export function createNodeClient (options: NodeClientOptions): NodeClient {
  const { urls, rates = [], callMs = CALL_MS, answerMs = ANSWER_MS, maxBytes = MAX_BYTES, batchSize = BATCH_SIZE } = options
  const { retries = RETRIES, failures = FAILURES, watchMs = WATCH_MS, onCall = () => {}, connections = createConnections(), clock = systemClock } = options
  if (urls.length === 0) throw new TypeError('no node')
  const closing = new AbortController()
  const watch = createSlotWatch(clock)
  const book = createGenesisBook()
  const addresses = urls.map(readNodeUrl)

  const nodes = addresses.map((address, index) => {
    const { host } = address
    const node = addresses.filter(other => other.host === host).length > 1 ? `${host}#${index + 1}` : host
    const timeouts = createTimeouts(clock, callMs)
    const ask = createNodeCalls(createPost(address, { connections, clock, maxBytes }), {
      host,
      node,
      clock,
      timeout: timeouts.of,
      onCall: report => { timeouts.note(report); onCall(report) },
      onHeaders: (method, headers) => pace.readHeaders(method, headers)
    })
    const pace = createPace(ask, { host, clock, stated: rates[index], largestBatch: batchSize })
    const watched = withSlotWatch(pace.send, { host, index, watch })
    const checked = urls.length === 1
      ? { send: watched, forget: () => {} }   // there is nothing to compare it with
      : withGenesisCheck(watched, { host, index, book, closing: closing.signal })
    const breaker = createBreaker({ clock, failures, openMs: OPEN_MS, maxOpenMs: MAX_OPEN_MS, onOpen: checked.forget })
    return { host, node, pace, breaker, timeouts, send: withBreaker(checked.send, { breaker, host }), passedOver: () => watch.passedOver(index) }
  })

  const hosts = nodes.map(({ host }) => host).join(', ')
  const failover = withFailover(nodes, { clock, budget: createRetryBudget({ clock, ...BUDGET }), retries, backoffMs: BACKOFF_MS })
  const longest = (calls: readonly Call[]): number => Math.max(...nodes.flatMap(({ timeouts }) => calls.map(({ method }) => timeouts.of(method))))

  /** The outermost layer: an end for everything, by the deadline, the closing of the client, or the caller. */
  async function answer (send: Send, calls: readonly Call[], { priority = 'live', deadlineMs, signal }: CallOptions): Promise<Reply[]> {
    signal?.throwIfAborted()
    if (calls.some(({ method }) => WRITES.has(method))) throw new TypeError('the node client takes reads only')
    const ms = deadlineMs ?? BACKGROUND_ANSWER_MS[priority] ?? answerMs + Math.max(0, longest(calls) - callMs)
    const controller = new AbortController()
    const close = () => controller.abort(closing.signal.reason)
    const leave = () => controller.abort(new ServiceError('NODE_UNAVAILABLE', 'the caller went away'))
    const cancel = clock.after(ms, () => controller.abort(nodeError('NODE_UNAVAILABLE', `gave no answer within ${ms} ms`, { host: hosts, reason: 'timeout' })))
    // Any number of calls may share a signal; each takes its listener away again, so no number of them is a leak.
    for (const shared of [closing.signal, signal]) if (shared !== undefined) setMaxListeners(0, shared)
    closing.signal.addEventListener('abort', close, { once: true })
    signal?.addEventListener('abort', leave, { once: true })
    if (closing.signal.aborted) close()
    try {
      const replies = await send(calls, { priority, signal: controller.signal, deadline: clock.now() + ms })
      signal?.throwIfAborted()
      return replies
    } finally {
      cancel()
      closing.signal.removeEventListener('abort', close)
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Asks a node for its slot, which the slot watch notes. */
  const askSlot = async ({ send }: typeof nodes[number], deadlineMs: number, priority: Priority) =>
    await answer(send, [{ method: 'getSlot', params: [{ commitment: 'confirmed' }] }], { priority, deadlineMs })

  /**
   * Before anything is believed: a preferred node that is far behind, and moves, would pass for the chain until another is asked; and
   * a finalized slot for a recent one where finality stands.
   */
  let looked: Promise<unknown> | undefined
  const firstLook = async () => await (looked ??= Promise.all(nodes.map(async node => await askSlot(node, FIRST_LOOK_MS, 'live'))))
  const ask: Send = watchMs === 0
    ? failover
    : async (calls, sending) => {
      await firstLook()
      return await failover(calls, sending)
    }

  /** Asks a node for its slot now and then, unless what it is asked for anyway shows that it moves. */
  function watchNode (node: typeof nodes[number], index: number): void {
    const again = () => clock.after(Math.max(watchMs, WATCH_SHARE * 1000 / node.pace.state().perSecond), look)
    let stop = again()
    async function look (): Promise<void> {
      const known = watch.of(index)
      if (known === undefined || clock.now() - known.movedAt >= watchMs / 2) await askSlot(node, answerMs, 'idle')
      if (!closing.signal.aborted) stop = again()
    }
    closing.signal.addEventListener('abort', () => stop())
  }

  if (watchMs > 0) nodes.forEach(watchNode)

  return {
    send: (calls, options = {}) => answer(ask, calls, options),

    async call (method, params, { doubt, ...options } = {}) {
      const [reply] = await answer(ask, [{ method, params, ...(doubt && { doubt }) }], options)
      if ('error' in reply!) throw reply.error
      return reply!.result
    },

    nodes: () => nodes.map(({ node, pace, breaker }, index) => {
      const mark = watch.of(index)
      return { node, breaker: breaker.state(), ...pace.state(), slot: mark?.slot, lagMs: mark && watch.behindMs(mark.slot), unmovedMs: mark && clock.now() - mark.movedAt }
    }),
    standing: () => watch.standing(),
    pastMs: slot => watch.pastMs(slot),
    canBe: slot => watch.judge(slot) !== 'impossible',
    close () {
      closing.abort(new ServiceError('SHUTTING_DOWN', 'the node client is closed'))
      connections.close()
    }
  }
}
