/**
 * A node's pace: calls wait by priority for their turn, go out alone or in batches as fast as the node has shown to allow, and
 * come back to the front of the queue where it refuses them for their rate. A refusal is no fault.
 */
import { setMaxListeners } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.js'
import { createBatchSize } from './batch-size.js'
import { createLimitFinder, METHOD_WINDOW_MS } from './limit-met.js'
import { countsAgainstNode, faultOf, nodeError } from './node-errors.js'
import { type Allowance, createRate, type Rate } from './rate.js'
import type { NodeCalls } from './reply.js'
import { type Call, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
import type { Priority } from './types.js'

export interface PaceOptions {
  host: string
  clock: Clock
  /** Calls a second that the operator's plan allows; undefined: learned. */
  stated: number | undefined
  /** The most calls in one batch. */
  largestBatch: number
}

export interface Pace {
  send: Send
  /** What the node's headers say about its limits. */
  readHeaders (method: string, headers: IncomingHttpHeaders): void
  /** Calls refused so far, calls that wait, and calls a second that are allowed now (Infinity: no bound known). */
  state (): { refused: number, waiting: number, perSecond: number }
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
// A node of which nothing is known.
const START_RATE = 10
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
// Nodes have a few dozen methods, of which a dozen are used here.
const MAX_METHODS = 100
// Made once: without a reason the platform makes an error, with its stack, for each timer that is put back.
const PUT_BACK = new Error('woken sooner')

export function createPace (ask: NodeCalls, { host, clock, stated, largestBatch }: PaceOptions): Pace {
  const all = createRate({ clock, startRate: START_RATE, ...(stated !== undefined && { stated: allowanceOf(stated) }) })
  const methods = new Map<string, Rate>()
  const limits = createLimitFinder(all)
  const batches = createBatchSize(largestBatch, clock.now)
  const queues = new Map<Priority, Submission[]>(ORDER.map(priority => [priority, []]))
  let requests = 0
  let batchesUnderWay = 0
  let refused = 0
  let pausedUntil = 0
  let pauseMs = FIRST_PAUSE_MS
  let wakeAt = Infinity
  let stopTimer = () => {}

  /** The rate of a method, once something is known of it. */
  function rateOf (method: string): Rate {
    const known = methods.get(method)
    if (known !== undefined) return known
    const rate = createRate({ clock })
    if (methods.size < MAX_METHODS) methods.set(method, rate)
    return rate
  }

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
          const rate = rateOf(method)
          const calls = sizeOf(submission, method, rate)
          if (background && calls > 1 && batchesUnderWay >= MAX_BACKGROUND_BATCHES) break
          const forAll = all.wait(calls)
          if (forAll > 0) return wakeIn(forAll)
          const forMethod = rate.wait(calls)
          if (forMethod > 0) {
            wakeIn(forMethod)
            break
          }
          all.spend(calls)
          rate.spend(calls)
          request(submission, submission.waiting.splice(0, calls))
        }
      }
    }
  }

  /** How many of the submission's next calls go out together: of one method. */
  function sizeOf ({ calls, waiting }: Submission, method: string, rate: Rate): number {
    const most = Math.min(batches.current(), all.batch(), rate.batch(), waiting.length)
    let size = 1
    while (size < most && calls[waiting[size]!]!.method === method) size++
    return size
  }

  function request (submission: Submission, positions: number[]): void {
    const sentAt = clock.now()
    const batch = positions.length > 1
    requests++
    if (batch) batchesUnderWay++
    ask(positions.map(at => submission.calls[at]!), submission.options.signal).then(replies => {
      requests--
      if (batch) batchesUnderWay--
      take(submission, positions, replies, sentAt)
      pump()
    }, (error: unknown) => { throw error })
  }

  function take (submission: Submission, positions: number[], replies: Reply[], sentAt: number): void {
    const back: number[] = []
    let refusals = 0
    let retryAfter: number | undefined
    let failure: Reply | undefined
    for (const [i, at] of positions.entries()) {
      const reply = replies[i]!
      if ('error' in reply) {
        if (faultOf(reply.error)?.reason === 'refused') {
          refusals++
          retryAfter ??= reply.error.retryAfter
          back.push(at)
          continue
        }
        if (positions.length > 1 && batches.refused(reply.error, positions.length)) {
          back.push(at)
          continue
        }
        if (countsAgainstNode(reply.error)) failure = reply
      }
      submission.settle(reply, at)
    }
    const { method } = submission.calls[positions[0]!]!
    // one that was given up, or never answered, tells nothing of the rate
    if (replies.some(reply => !('error' in reply) || faultOf(reply.error)?.reason === 'rpc-error')) {
      pauseMs = FIRST_PAUSE_MS
      for (const rate of [all, rateOf(method)]) rate.accept(sentAt)
      limits.accept(method, sentAt)
    }
    if (refusals > 0) refuse(method, refusals, sentAt, retryAfter)
    if (submission.open === 0) return
    submission.waiting.unshift(...back)
    // A node that fails now is not asked for the rest.
    if (failure !== undefined) for (const at of submission.waiting.splice(0)) submission.settle(failure, at)
    else giveUpIfTooLate(submission)
  }

  function refuse (method: string, calls: number, sentAt: number, retryAfter: number | undefined): void {
    refused += calls
    const now = clock.now()
    const news = sentAt >= pausedUntil || now >= pausedUntil
    const retryAfterMs = retryAfter === undefined ? undefined : Math.min(MAX_RETRY_AFTER_MS, retryAfter * 1000)
    const own = rateOf(method)
    for (const rate of [own, all]) rate.refused(sentAt, calls)
    const limit = limits.find(method, own, sentAt)
    // Where no more calls wait or are on their way, nothing shows how many would have been allowed: a pause is all there is to learn.
    const isPressed = calls > 1 || limits.acceptsNothing(sentAt) || requests > 0 || ORDER.some(priority => queues.get(priority)!.some(({ calls, waiting }) => waiting.some(at => limit === all || calls[at]!.method === method)))
    if (isPressed) {
      const isFirst = limit.known() === undefined
      limit.met(sentAt, retryAfterMs)
      if (limit === own && isFirst) limits.found(own, sentAt)
    }
    const pause = retryAfterMs ?? pauseMs
    if (retryAfterMs === undefined && news) pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)
    pausedUntil = Math.max(pausedUntil, sentAt + pause)
  }

  const queued = (): number => ORDER.reduce((sum, priority) => sum + queues.get(priority)!.reduce((sum, { waiting }) => sum + waiting.length, 0), 0)

  const busy = (): Reply => {
    const seconds = Math.max(1, Math.ceil((pausedUntil - clock.now()) / 1000))
    return { error: nodeError('NODE_UNAVAILABLE', 'allows no more calls for now', { host, reason: 'busy' }, seconds) }
  }

  /** What can't be sent in time comes back at once. */
  function giveUpIfTooLate ({ options: { deadline = Infinity, patience }, waiting, settle }: Submission): void {
    const now = clock.now()
    const late = pausedUntil > deadline || (patience !== undefined && pausedUntil > now + patience)
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
      const settled = new Set<number>()
      const submission: Submission = {
        calls,
        options,
        waiting: [...calls.keys()],
        replies: [],
        open: calls.length,
        settle (reply, at) {
          if (settled.has(at)) return
          settled.add(at)
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
        stopPatience = clock.after(patience, () => { for (const at of submission.waiting.splice(0)) submission.settle(busy(), at) })
      }
      giveUpIfTooLate(submission)
      pump()
    }),

    readHeaders (method, headers) {
      const calls = Number(headers['x-ratelimit-method-limit'])
      if (Number.isFinite(calls) && calls >= 1) rateOf(method).state({ calls, windowMs: METHOD_WINDOW_MS })
      const policy = policyOf(headers)
      if (policy !== undefined) all.state(policy)
    },

    state: () => ({ refused, waiting: queued(), perSecond: Math.min(all.perSecond(), ...[...methods.values()].map(rate => rate.perSecond())) })
  }
}

/** A plan of so many calls a second; of slow ones, whole calls within ten. */
const allowanceOf = (perSecond: number): Allowance => perSecond >= 5 ? { calls: perSecond, windowMs: 1_000 } : { calls: perSecond * 10, windowMs: 10_000 }

/** The limit of all calls, where the headers state its window too: "100;w=10" (of the IETF's drafts, and of those who follow them). */
function policyOf (headers: IncomingHttpHeaders): Allowance | undefined {
  for (const name of ['ratelimit-policy', 'x-ratelimit-policy', 'x-ratelimit-limit', 'ratelimit-limit']) {
    const text = headers[name]?.toString() ?? ''
    const seconds = /;\s*w=(\d{1,5})/.exec(text)
    const calls = /(?:^|;\s*q=|,\s*)(\d{1,9})/.exec(text)
    if (seconds !== null && calls !== null && Number(seconds[1]) > 0 && Number(seconds[1]) <= 60 && Number(calls[1]) > 0) {
      return { calls: Number(calls[1]), windowMs: Number(seconds[1]) * 1000 }
    }
  }
  return undefined
}
