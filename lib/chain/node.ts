/**
 * One node: calls wait by priority for their turn, go out alone or in batches as fast as its rate allows, and come back
 * to the front of the queue where it refuses them for their rate. A refusal is no fault.
 */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../clock.js'
import { countsAgainstNode, faultOf, nodeError } from './node-errors.js'
import type { NodeCalls } from './json-rpc.js'
import type { Rate } from './rate.js'
import { type Call, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
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
  replies: Reply[]
  open: number
  settle: (reply: Reply, position: number) => void
}

const ORDER: readonly Priority[] = ['live', 'head', 'past', 'idle']
// Public nodes take 40 connections from one address; what nobody waits for leaves some to live reads.
const MAX_REQUESTS = 32
const MAX_BACKGROUND_REQUESTS = 24
// Answers to batches are large: a few keep the line busy while one is read.
const MAX_BACKGROUND_BATCHES = 4
// Where a node refuses without saying for how long.
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 10_000
// A longer Retry-After is not waited for in full: a quota may be given back sooner.
const MAX_RETRY_AFTER_MS = 600_000
// A node without a secondary index walks all accounts for getProgramAccounts, and blocks or a thousand transactions are
// large: where a node answers other calls meanwhile they are waited for twice as long each time, up to this. A node
// that hangs altogether is known within the usual deadline.
const LONG_METHODS = new Set(['getProgramAccounts', 'getTransactionsForAddress', 'getBlock'])
const LONG_MS = 30_000
// Content Too Large: a smaller batch may pass. A batch size that was learned is forgotten after a while.
const TOO_LARGE = 413
const FORGET_BATCH_MS = 600_000
// Made once: without a reason the platform makes an error, with its stack, for each timer that is put back.
const PUT_BACK = new Error('woken sooner')

export function createQueue (ask: NodeCalls, { host, clock, rate, callMs, largestBatch }: QueueOptions): Queue {
  const queues = new Map<Priority, Submission[]>(ORDER.map(priority => [priority, []]))
  let batch = { most: largestBatch, at: 0 }
  let longMs = callMs
  let answeredAt = -Infinity
  let requests = 0
  let batches = 0
  let refused = 0
  let pausedUntil = 0
  let pauseMs = FIRST_PAUSE_MS
  let wakeAt = Infinity
  let stopTimer = () => {}

  const queued = (): number =>
    ORDER.reduce((sum, priority) =>
      sum + queues.get(priority)!.reduce((sum, { waiting }) => sum + waiting.length, 0), 0)

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
    for (const priority of ORDER) {
      const background = priority === 'past' || priority === 'idle'
      for (const submission of [...queues.get(priority)!]) {
        while (submission.waiting.length > 0) {
          if (requests >= (background ? MAX_BACKGROUND_REQUESTS : MAX_REQUESTS)) return
          const { method } = submission.calls[submission.waiting[0]!]!
          const calls = sizeOf(submission, method)
          if (background && calls > 1 && batches >= MAX_BACKGROUND_BATCHES) break
          const forAll = rate.waitForAll(calls)
          if (forAll > 0) return wakeIn(forAll)
          const forMethod = rate.waitForMethod(method, calls)
          if (forMethod > 0) {
            wakeIn(forMethod)
            break
          }
          request(submission, submission.waiting.splice(0, calls))
        }
      }
    }
  }

  /** How many of the submission's next calls go out together. */
  function sizeOf ({ waiting }: Submission, method: string): number {
    if (clock.now() - batch.at > FORGET_BATCH_MS) batch = { most: largestBatch, at: clock.now() }
    return Math.min(batch.most, rate.batch(method), waiting.length)
  }

  function request (submission: Submission, positions: number[]): void {
    const sentAt = clock.now()
    const calls = positions.map(at => submission.calls[at]!)
    for (const { method } of calls) rate.spend(method)
    requests++
    if (calls.length > 1) batches++
    ask(calls, limitOf(calls), submission.options.signal).then(replies => {
      learnLimit(calls, replies, sentAt)
      requests--
      if (calls.length > 1) batches--
      take(submission, positions, replies, sentAt)
      pump()
    }, (error: unknown) => { throw error })
  }

  const isLong = (calls: readonly Call[]): boolean => calls.some(({ method }) => LONG_METHODS.has(method))
  const limitOf = (calls: readonly Call[]): number => isLong(calls) ? longMs : callMs

  function learnLimit (calls: readonly Call[], [reply]: Reply[], sentAt: number): void {
    const now = clock.now()
    const isTimeout = 'error' in reply! && faultOf(reply.error)?.reason === 'timeout'
    if (isTimeout && isLong(calls) && answeredAt > sentAt) longMs = Math.min(Math.max(LONG_MS, callMs), longMs * 2)
    if ('error' in reply!) return
    answeredAt = now
    if (isLong(calls)) longMs = Math.max(callMs, Math.min(LONG_MS, 2 * (now - sentAt)))
  }

  function take (submission: Submission, positions: number[], replies: Reply[], sentAt: number): void {
    const back: number[] = []
    let failure: Reply | undefined
    let retryAfterMs: number | undefined
    let [accepted, refusals] = [0, 0]
    for (const [i, at] of positions.entries()) {
      const reply = replies[i]!
      const fault = 'error' in reply ? faultOf(reply.error) : undefined
      // one that was given up, or never answered, tells nothing of the rate
      if (!('error' in reply) || fault?.reason === 'rpc-error') accepted++
      if ('error' in reply) {
        if (fault?.reason === 'refused') {
          refusals++
          if (reply.error.retryAfter !== undefined) {
            retryAfterMs ??= Math.min(MAX_RETRY_AFTER_MS, reply.error.retryAfter * 1000)
          }
          back.push(at)
          continue
        }
        if (positions.length > 1 && isTooMuch(reply.error, positions.length)) {
          back.push(at)
          continue
        }
        if (countsAgainstNode(reply.error)) failure = reply
      }
      submission.settle(reply, at)
    }
    const { method } = submission.calls[positions[0]!]!
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
    if (submission.open === 0) return
    submission.waiting.unshift(...back)
    // A node that fails now is not asked for the rest.
    if (failure !== undefined) for (const at of submission.waiting.splice(0)) submission.settle(failure, at)
    else giveUpIfTooLate(submission)
  }

  /** Whether a batch was refused as such: the same calls are worth asking at once in smaller pieces. */
  function isTooMuch (error: unknown, size: number): boolean {
    const fault = faultOf(error)
    if (fault === undefined) return false
    const isLarge = fault.reason === 'too-large' || fault.status === TOO_LARGE
    const isRefused = fault.reason === 'batch' || fault.reason === 'wrong-shape' ||
      (fault.status !== undefined && fault.status >= 400 && fault.status < 500)
    // after a timeout the deadline has been used up: the next page tries less, this one has failed
    if (isLarge || isRefused || fault.reason === 'timeout') {
      batch = {
        most: Math.max(1, Math.min(batch.most, isRefused && !isLarge
          ? 1
          : Math.floor(size / 2))),
        at: clock.now()
      }
    }
    return isLarge || isRefused
  }

  const busy = (): Reply => {
    const seconds = Math.max(1, Math.ceil((pausedUntil - clock.now()) / 1000))
    return { error: nodeError('NODE_UNAVAILABLE', 'allows no more calls for now', { host, reason: 'busy' }, seconds) }
  }

  /** What can't be sent in time comes back at once. */
  function giveUpIfTooLate ({ options: { deadline = Infinity, patience }, waiting, settle }: Submission): void {
    const late = pausedUntil > deadline || (patience !== undefined && pausedUntil > clock.now() + patience)
    if (late) for (const at of waiting.splice(0)) settle(busy(), at)
  }

  return {
    send: (calls, options) => new Promise(resolve => {
      const { signal, priority, patience } = options
      if (calls.length === 0) return resolve([])
      if (signal.aborted) return resolve(calls.map(() => ({ error: reasonOf(signal) })))
      const queue = queues.get(priority)!
      const abort = () => { for (const at of calls.keys()) submission.settle({ error: reasonOf(signal) }, at) }
      let stopPatience = () => {}
      const submission: Submission = {
        calls,
        options,
        waiting: [...calls.keys()],
        replies: [],
        open: calls.length,
        settle (reply, at) {
          if (submission.replies[at] !== undefined) return
          submission.replies[at] = reply
          if (--submission.open > 0) return
          submission.waiting = []
          queue.splice(queue.indexOf(submission), 1)
          signal.removeEventListener('abort', abort)
          stopPatience()
          resolve(submission.replies)
        }
      }
      queue.push(submission)
      setMaxListeners(0, signal)
      signal.addEventListener('abort', abort, { once: true })
      if (patience !== undefined) {
        stopPatience = clock.after(
          patience,
          () => { for (const at of submission.waiting.splice(0)) submission.settle(busy(), at) }
        )
      }
      giveUpIfTooLate(submission)
      pump()
    }),
    limitOf,
    state: () => ({ refused, waiting: queued() })
  }
}
