/**
 * One node: calls wait by priority for their turn, go out alone or in batches as fast as its rate allows, and come back
 * to the front of the queue where it refuses them for their rate, which is no fault. It is used while it serves the
 * network of the others, and left alone for a while when it fails.
 */
import { setMaxListeners } from 'node:events'
import { backoff } from '../backoff.js'
import type { Clock } from '../clock.js'
import type { ServiceError } from '../errors.js'
import { answerError, countsAgainstNode, faultOf, nodeError } from './node-errors.js'
import type { NodeCalls } from './json-rpc.js'
import { isHash } from './parse-transaction.js'
import type { Rate } from './rate.js'
import { type Call, failAll, OPTIONAL_METHODS, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
import type { Priority } from './types.js'

export interface QueueOptions {
  host: string
  clock: Clock
  rate: Rate
  /** What a request may take, ms. */
  callMs: number
  /** The most calls in one batch. */
  largestBatch: number
}

export interface Queue {
  send: Send
  /** What a request of these calls may take now, ms. */
  limitOf (calls: readonly Call[]): number
  /** Calls refused so far, and calls that wait. */
  state (): { refused: number, waiting: number }
}

interface Submission {
  calls: readonly Call[]
  options: SendOptions
  /** Positions not sent yet, first to last. */
  waiting: number[]
  settle: (reply: Reply, position: number) => void
}

const ORDER: readonly Priority[] = ['live', 'head', 'past', 'idle']
// Public nodes take 40 connections from one address; what nobody waits for leaves some to live reads.
const MAX_REQUESTS = 32
const MAX_BACKGROUND_REQUESTS = 24
// Answers to batches are large: a few keep the line busy while one is read.
const MAX_BACKGROUND_BATCHES = 4
// Where a node refuses without saying for how long; a longer Retry-After than the last is not waited for in full.
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
const MAX_RETRY_AFTER_MS = 600_000
// Without a secondary index a node walks all accounts for a list, and blocks are large: where a node answers other
// calls meanwhile these are waited for twice as long each time, up to this.
const LONG_METHODS = new Set(['getProgramAccounts', 'getTransactionsForAddress', 'getBlock'])
const LONG_MS = 30_000
// Content Too Large: a smaller batch may pass. A batch size that was learned is forgotten after a while.
const TOO_LARGE = 413
const FORGET_BATCH_MS = 600_000
// Made once: without a reason the platform makes an error, with its stack, for each timer that is put back.
const PUT_BACK = new Error('woken sooner')

const rankOf = ({ options }: Submission): number => ORDER.indexOf(options.priority)
/** Of a Retry-After. */
const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

export function createQueue (ask: NodeCalls, { host, clock, rate, callMs, largestBatch }: QueueOptions): Queue {
  /** By priority, then as they came. */
  const queue: Submission[] = []
  let batch = { most: largestBatch, at: 0 }
  let longMs = callMs
  let answeredAt = -Infinity
  let [requests, batches, refused] = [0, 0, 0]
  let pausedUntil = 0
  let pauseMs = FIRST_PAUSE_MS
  let wakeAt = Infinity
  let stopTimer = () => {}

  const queued = (): number => queue.reduce((sum, { waiting }) => sum + waiting.length, 0)
  const isLong = (calls: readonly Call[]): boolean => calls.some(({ method }) => LONG_METHODS.has(method))
  const limitOf = (calls: readonly Call[]): number => isLong(calls) ? longMs : callMs

  function wakeIn (ms: number): void {
    const at = clock.now() + ms
    if (at >= wakeAt) return
    stopTimer()
    wakeAt = at
    const stop = new AbortController()
    stopTimer = () => stop.abort(PUT_BACK)
    // Somebody waits for what is queued: the process must stay alive.
    clock.sleep(Math.max(1, ms), stop.signal).then(() => { wakeAt = Infinity; pump() }, () => {})
  }

  /** Sends what may be sent now. What a lower priority sends never takes a turn from a higher one. */
  function pump (): void {
    const now = clock.now()
    if (now < pausedUntil) {
      if (queued() > 0) wakeIn(pausedUntil - now)
      return
    }
    if (now - batch.at > FORGET_BATCH_MS) batch = { most: largestBatch, at: now }
    for (const submission of [...queue]) {
      const { calls, waiting } = submission
      const background = rankOf(submission) > 1
      while (waiting.length > 0) {
        if (requests >= (background ? MAX_BACKGROUND_REQUESTS : MAX_REQUESTS)) return
        const { method } = calls[waiting[0]!]!
        const size = Math.min(batch.most, rate.batch(method), waiting.length)
        if (background && size > 1 && batches >= MAX_BACKGROUND_BATCHES) break
        const forAll = rate.waitForAll(size)
        if (forAll > 0) return wakeIn(forAll)
        const forMethod = rate.waitForMethod(method, size)
        if (forMethod > 0) {
          wakeIn(forMethod)
          break
        }
        request(submission, waiting.splice(0, size))
      }
    }
  }

  function request (submission: Submission, positions: number[]): void {
    const sentAt = clock.now()
    const calls = positions.map(at => submission.calls[at]!)
    const isBatch = Number(calls.length > 1)
    for (const { method } of calls) rate.spend(method)
    requests++
    batches += isBatch
    ask(calls, limitOf(calls), submission.options.signal).then(replies => {
      learnLimit(calls, replies[0]!, sentAt)
      requests--
      batches -= isBatch
      take(submission, positions, replies, sentAt)
      pump()
    }, (error: unknown) => { throw error })
  }

  function learnLimit (calls: readonly Call[], reply: Reply, sentAt: number): void {
    const now = clock.now()
    if ('result' in reply) {
      answeredAt = now
      if (isLong(calls)) longMs = Math.max(callMs, Math.min(LONG_MS, 2 * (now - sentAt)))
    } else if (faultOf(reply.error)?.reason === 'timeout' && isLong(calls) && answeredAt > sentAt) {
      longMs = Math.min(Math.max(LONG_MS, callMs), longMs * 2)
    }
  }

  function take (submission: Submission, positions: number[], replies: Reply[], sentAt: number): void {
    const { calls, waiting, settle } = submission
    const { method } = calls[positions[0]!]!
    const back: number[] = []
    let failure: Reply | undefined
    let retryAfterMs: number | undefined
    let [accepted, refusals] = [0, 0]
    for (const [i, at] of positions.entries()) {
      const reply = replies[i]!
      const error = 'error' in reply ? reply.error : undefined
      const reason = faultOf(error)?.reason
      // one that was given up, or never answered, tells nothing of the rate
      if (error === undefined || reason === 'rpc-error') accepted++
      if (reason === 'refused') {
        refusals++
        const seconds = error?.retryAfter
        if (seconds !== undefined) retryAfterMs ??= Math.min(MAX_RETRY_AFTER_MS, seconds * 1000)
      }
      if (reason === 'refused' || (error !== undefined && positions.length > 1 && isTooMuch(error, positions.length))) {
        back.push(at)
        continue
      }
      if (countsAgainstNode(error)) failure = reply
      settle(reply, at)
    }
    if (accepted > 0) {
      pauseMs = FIRST_PAUSE_MS
      rate.accept(method, accepted)
    }
    if (refusals > 0) {
      refused += refusals
      rate.refuse(method, sentAt, retryAfterMs)
      const isNews = sentAt >= pausedUntil
      pausedUntil = Math.max(pausedUntil, sentAt + (retryAfterMs ?? pauseMs))
      if (retryAfterMs === undefined && isNews) pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
    }
    waiting.unshift(...back)
    // A node that fails now is not asked for the rest.
    if (failure !== undefined) for (const at of waiting.splice(0)) settle(failure, at)
    else giveUpIfTooLate(submission)
  }

  /** Whether a batch was refused as such: the same calls are worth asking at once in smaller pieces. */
  function isTooMuch (error: ServiceError, size: number): boolean {
    const { reason, status = 0 } = faultOf(error) ?? {}
    const isLarge = reason === 'too-large' || status === TOO_LARGE
    const isRefused = reason === 'batch' || reason === 'wrong-shape' || (status >= 400 && status < 500)
    // after a timeout the deadline has been used up: the next page tries less, this one has failed
    if (isLarge || isRefused || reason === 'timeout') {
      const most = isRefused && !isLarge ? 1 : Math.floor(size / 2)
      batch = { most: Math.max(1, Math.min(batch.most, most)), at: clock.now() }
    }
    return isLarge || isRefused
  }

  function giveUp ({ waiting, settle }: Submission): void {
    const seconds = secondsOf(pausedUntil - clock.now())
    const error = nodeError('NODE_UNAVAILABLE', 'allows no more calls for now', { host, reason: 'busy' }, seconds)
    for (const at of waiting.splice(0)) settle({ error }, at)
  }

  /** What can't be sent in time comes back at once. */
  function giveUpIfTooLate (submission: Submission): void {
    const { deadline = Infinity, patience = Infinity } = submission.options
    if (pausedUntil > Math.min(deadline, clock.now() + patience)) giveUp(submission)
  }

  return {
    send: (calls, options) => new Promise(resolve => {
      const { signal, patience } = options
      if (calls.length === 0) return resolve([])
      if (signal.aborted) return resolve(failAll(calls, reasonOf(signal)))
      const replies: Reply[] = []
      let open = calls.length
      const abort = () => { for (const at of calls.keys()) submission.settle({ error: reasonOf(signal) }, at) }
      let stopPatience = () => {}
      const submission: Submission = {
        calls,
        options,
        waiting: [...calls.keys()],
        settle (reply, at) {
          if (replies[at] !== undefined) return
          replies[at] = reply
          if (--open > 0) return
          submission.waiting.length = 0
          queue.splice(queue.indexOf(submission), 1)
          signal.removeEventListener('abort', abort)
          stopPatience()
          resolve(replies)
        }
      }
      queue.push(submission)
      queue.sort((a, b) => rankOf(a) - rankOf(b))
      setMaxListeners(0, signal)
      signal.addEventListener('abort', abort, { once: true })
      if (patience !== undefined) stopPatience = clock.after(patience, () => giveUp(submission))
      giveUpIfTooLate(submission)
      pump()
    }),
    limitOf,
    state: () => ({ refused, waiting: queued() })
  }
}

export interface GenesisOptions {
  host: string
  index: number
  /** The genesis hashes that the nodes have told, by their order of preference; shared by them. */
  hashes: Map<number, string>
  /** Ends a question that is under way, which belongs to all callers and so to none. */
  closing: AbortSignal
}

/**
 * Asks a node for its genesis hash before its first use and after `forget`, and refuses it with NODE_BAD_ANSWER while
 * that is another one than the most preferred node's: its accounts would be plausible and wrong.
 */
export function withGenesisCheck (
  send: Send, { host, index, hashes, closing }: GenesisOptions
): { send: Send, forget: () => void } {
  let asked: Promise<ServiceError | undefined> | undefined

  async function ask (): Promise<ServiceError | undefined> {
    const [reply] = await send([{ method: 'getGenesisHash', params: [] }], { priority: 'live', signal: closing })
    if ('result' in reply! && isHash(reply.result)) {
      hashes.set(index, reply.result)
      return undefined
    }
    asked = undefined
    const none = 'answered getGenesisHash with no hash'
    return 'error' in reply! ? reply.error : answerError(host, 'wrong-shape', none)
  }

  return {
    forget: () => { asked = undefined },
    async send (calls, options) {
      const error = await underSignal(options.signal, asked ??= ask())
      if (error !== undefined) return failAll(calls, error)
      if (hashes.get(index) === hashes.get(Math.min(...hashes.keys()))) return await send(calls, options)
      asked = undefined
      return failAll(calls, answerError(host, 'genesis', 'serves another cluster than the node before it'))
    }
  }
}

/** What `work` gives, or the signal's reason as soon as that aborts. */
function underSignal<T> (signal: AbortSignal, work: Promise<T>): Promise<T | ServiceError> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve(reasonOf(signal))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

export type BreakerState = 'closed' | 'open' | 'half-open'

export interface BreakerOptions {
  host: string
  clock: Clock
  /** Failures in a row that open it. */
  failures: number
  /** Called when it opens. */
  onOpen?: () => void
}

// A fault that ends must be noticed within one cache lifetime of 10 s.
const [OPEN_MS, MAX_OPEN_MS] = [1_000, 5_000]

/**
 * Counts failures in a row; open, it answers BREAKER_OPEN for a while, then lets a single call through, which decides.
 */
export function withBreaker (
  send: Send, { host, clock, failures, onOpen }: BreakerOptions
): { send: Send, state: () => BreakerState } {
  let inRow = 0
  let openings = 0
  let openUntil = 0
  let probing = false
  // What began in an earlier state comes too late to mean anything.
  let era = 0

  async function guarded (calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const isProbe = openings > 0
    const leftMs = openUntil - clock.now()
    if (isProbe && (probing || leftMs > 0)) {
      const what = 'has been failing and is not asked for now'
      return failAll(calls, nodeError('BREAKER_OPEN', what, { host, reason: 'open' }, secondsOf(leftMs)))
    }
    probing = isProbe
    const own = era
    const replies = await send(calls, options)
    if (own === era) settle(isProbe, options.signal.aborted ? undefined : isGood(calls, replies))
    return replies
  }

  function settle (isProbe: boolean, good: boolean | undefined): void {
    probing = false
    if (good === true) {
      if (isProbe) era++
      inRow = openings = 0
    } else if (good === false && (isProbe || ++inRow >= failures)) {
      openUntil = clock.now() + backoff(++openings, { random: clock.random, firstMs: OPEN_MS, maxMs: MAX_OPEN_MS })
      era++
      onOpen?.()
    }
  }

  return {
    state: () => openings === 0 ? 'closed' : clock.now() < openUntil ? 'open' : 'half-open',
    async send (calls, options) {
      if (openings === 0 || calls.length === 1) return await guarded(calls, options)
      const [probe] = await guarded(calls.slice(0, 1), options)
      const rest = calls.slice(1)
      if ('error' in probe! && countsAgainstNode(probe.error)) return [probe, ...failAll(rest, probe.error)]
      return [probe!, ...await guarded(rest, options)]
    }
  }
}

/** False where nothing speaks for the node; undefined: what it did not do (a full queue, a refusal) says nothing. */
function isGood (calls: readonly Call[], replies: Reply[]): boolean | undefined {
  if (replies.some(reply => 'result' in reply)) return true
  const errors = replies.flatMap(reply => 'error' in reply ? [reply.error] : [])
  const optional = calls.every(({ method }) => OPTIONAL_METHODS.has(method))
  if (errors.some(error => countsAgainstNode(error) && !(optional && faultOf(error)?.reason === 'http'))) return false
  return errors.every(error => ['busy', 'refused'].includes(faultOf(error)?.reason ?? '')) ? undefined : true
}
