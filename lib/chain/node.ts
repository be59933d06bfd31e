/**
 * The queue of a node: calls go out by priority, as fast as its rate allows; what it refuses for its rate goes back to
 * the front.
 */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../clock.js'
import type { ServiceError } from '../errors.js'
import { countsAgainstNode, failAll, faultOf, nodeError, OPTIONAL_METHODS, reasonOf, secondsOf } from './node-errors.js'
import type { NodeCalls } from './json-rpc.js'
import type { Rate } from './rate.js'
import type { Call, Priority, Reply, SendOptions } from './types.js'

interface QueueOptions {
  host: string
  clock: Clock
  rate: Rate
  callMs: number
  largestBatch: number
}

/** Calls that were given together. */
interface Submission {
  calls: readonly Call[]
  options: SendOptions
  rank: number
  /** Positions not sent yet, first to last. */
  waiting: number[]
  settle: (reply: Reply, position: number) => void
}

// In their order; after how many live requests in a row one of each goes before them: clients may ask for more than a
// slow node gives, and there would be no tickers, which need the state and the last day.
const AFTER: Record<Priority, number> = { state: 0, live: Infinity, head: 2, day: 2, past: 8 }
const ORDER = Object.keys(AFTER)
const LIVE = ORDER.indexOf('live')
// Public nodes take 40 connections from one address; the background leaves some to live reads.
const MAX_REQUESTS = 32
const MAX_BACKGROUND_REQUESTS = 24
// A node without an index scans all accounts for a list: while it answers other calls, the time limit of these doubles
// at each timeout, up to this.
const LONG_METHODS = new Set(['getProgramAccounts', 'getTransactionsForAddress', 'getBlock', 'getSignaturesForAddress'])
const LONG_MS = 30_000
// How long calls go out one by one where a batch was refused.
const SINGLES_MS = 60_000
// The longest Retry-After of a rate limit.
const RATE_SILENCE_S = 60

export function createQueue (ask: NodeCalls, { host, clock, rate, callMs, largestBatch }: QueueOptions) {
  /** By priority, then as they came. */
  const queue: Submission[] = []
  let singlesUntil = 0
  const longMs = new Map<string, number>()
  /** When the newest of the requests that were answered was sent. */
  let answeredFrom = -Infinity
  let [requests, refused] = [0, 0]
  /** Live requests sent in a row while others wait. */
  let ahead = 0
  let wakeAt = Infinity

  /** What a request of these calls may take now, ms. */
  const limitOf = (calls: readonly Call[]) =>
    Math.max(callMs, ...calls.map(({ method }) => longMs.get(method) ?? callMs))

  function wakeIn (ms: number): void {
    const at = clock.now() + Math.max(1, ms)
    if (at >= wakeAt) return
    wakeAt = at
    // not unref'd: somebody waits for what is queued
    clock.sleep(Math.max(1, ms)).then(() => {
      if (wakeAt === at) wakeAt = Infinity
      pump()
    }, () => {})
  }

  /** With calls to send: those whose turn it is before live ones, then by priority. */
  function inTurn (): Submission[] {
    const isDue = ({ options: { priority } }: Submission) => ahead >= AFTER[priority]
    return queue.filter(({ waiting }) => waiting.length > 0).sort((a, b) => Number(isDue(b)) - Number(isDue(a)))
  }

  /** Sends one request, where one may go now. */
  function sendNext (): boolean {
    const now = clock.now()
    const unsent = inTurn()
    for (const submission of unsent) {
      const { calls, rank, waiting } = submission
      if (requests >= (rank > LIVE + 1 ? MAX_BACKGROUND_REQUESTS : MAX_REQUESTS)) continue
      const { method } = calls[waiting[0]!]!
      const size = now < singlesUntil ? 1 : Math.min(largestBatch, rate.batch(method), waiting.length)
      const forAll = rate.waitForAll(size)
      if (forAll > 0) {
        wakeIn(forAll)
        return false
      }
      const forMethod = rate.waitForMethod(method, size)
      if (forMethod > 0) {
        wakeIn(forMethod)
        continue
      }
      request(submission, waiting.splice(0, size))
      if (rank >= LIVE) ahead = rank === LIVE && unsent.some(({ rank }) => rank > LIVE) ? ahead + 1 : 0
      return true
    }
    return false
  }

  function pump (): void { while (sendNext()); }

  function request (submission: Submission, positions: number[]): void {
    const sentAt = clock.now()
    const calls = positions.map(at => submission.calls[at]!)
    for (const { method } of calls) rate.spend(method)
    requests++
    const { signal, shareMs = Infinity } = submission.options
    ask(calls, Math.min(limitOf(calls), shareMs), signal).then(replies => {
      requests--
      learnLimit(calls, replies[0]!, sentAt)
      take(submission, positions, replies, sentAt)
      pump()
    }, (error: unknown) => { throw error })
  }

  function learnLimit (calls: readonly Call[], { error }: Reply, sentAt: number): void {
    const isLate = faultOf(error)?.reason === 'timeout' && answeredFrom >= sentAt
    if (error === undefined) answeredFrom = Math.max(answeredFrom, sentAt)
    else if (!isLate) return
    const ms = isLate ? 2 * limitOf(calls) : Math.max(callMs, 2 * (clock.now() - sentAt))
    for (const { method } of calls) if (LONG_METHODS.has(method)) longMs.set(method, Math.min(LONG_MS, ms))
  }

  function take (submission: Submission, positions: number[], replies: Reply[], sentAt: number): void {
    const { calls, waiting, settle } = submission
    const { method } = calls[positions[0]!]!
    const back: number[] = []
    const refusals: ServiceError[] = []
    let accepted = 0
    let failure: ServiceError | undefined
    for (const [i, at] of positions.entries()) {
      const reply = replies[i]!
      const { error } = reply
      const reason = isForRate(method, error) ? 'refused' : faultOf(error)?.reason
      // one that was never answered tells nothing of the rate
      if (error === undefined || reason === 'rpc-error') accepted++
      if (reason === 'refused') refusals.push(error!)
      if (reason === 'refused' || (error !== undefined && positions.length > 1 && isOfBatch(error))) back.push(at)
      else {
        if (countsAgainstNode(error)) failure = error
        settle(reply, at)
      }
    }
    if (accepted > 0) rate.accept(method, accepted, sentAt)
    if (refusals.length > 0) {
      const { retryAfter = 0 } = refusals.find(error => error.retryAfter !== undefined) ?? {}
      rate.refuse(method, sentAt, retryAfter * 1000)
      refused += refusals.length
    }
    waiting.unshift(...back)
    if (failure !== undefined) end(submission, failure)
    else giveUpIfTooLate(submission)
  }

  /**
   * Proxies refuse what is too fast by 503 (nginx's limit_req) or 403 (AWS WAF), which may also mean a plan without it;
   * asked slowly, or for longer, the node is down.
   */
  function isForRate (method: string, error: ServiceError | undefined): boolean {
    const { status } = faultOf(error) ?? {}
    return (status === 503 || (status === 403 && !OPTIONAL_METHODS.has(method))) &&
      (error!.retryAfter ?? 0) <= RATE_SILENCE_S && rate.isFast()
  }

  /** Whether a batch was refused as such, or is too much to answer: its calls are sent again one by one. */
  function isOfBatch (error: ServiceError): boolean {
    const { reason, status = 0 } = faultOf(error) ?? {}
    const isRefused = ['too-large', 'batch', 'wrong-shape'].includes(reason ?? '') || (status >= 400 && status < 500)
    // some nodes fail at what they should refuse: the next calls go alone
    if (isRefused || (reason !== 'rpc-error' && countsAgainstNode(error))) singlesUntil = clock.now() + SINGLES_MS
    return isRefused
  }

  /** Replies to what has not been sent. */
  function end ({ waiting, settle }: Submission, error: ServiceError): void {
    for (const at of waiting.splice(0)) settle({ error }, at)
  }

  const pausedUntil = ({ calls, waiting }: Submission) => rate.pausedUntil(calls[waiting[0] ?? 0]!.method)

  function giveUp (submission: Submission): void {
    const seconds = secondsOf(pausedUntil(submission) - clock.now())
    end(submission, nodeError(host, 'busy', 'allows no more calls for now', {}, seconds))
  }

  function giveUpIfTooLate (submission: Submission): void {
    const { deadline = Infinity, patience = Infinity } = submission.options
    if (pausedUntil(submission) > Math.min(deadline, clock.now() + patience)) giveUp(submission)
  }

  return {
    send: (calls: readonly Call[], options: SendOptions): Promise<Reply[]> => new Promise(resolve => {
      const { priority, signal, patience } = options
      if (signal.aborted) return resolve(failAll(calls, reasonOf(signal)))
      const replies: Reply[] = []
      let open = calls.length
      let stopPatience = () => {}
      // what is on its way ends by itself
      const abort = () => end(submission, reasonOf(signal))
      const submission: Submission = {
        calls,
        options,
        rank: ORDER.indexOf(priority),
        waiting: [...calls.keys()],
        settle (reply, at) {
          replies[at] = reply
          if (--open > 0) return
          queue.splice(queue.indexOf(submission), 1)
          signal.removeEventListener('abort', abort)
          stopPatience()
          resolve(replies)
        }
      }
      queue.push(submission)
      queue.sort((a, b) => a.rank - b.rank)
      setMaxListeners(0, signal)
      signal.addEventListener('abort', abort, { once: true })
      if (patience !== undefined) stopPatience = clock.after(patience, () => giveUp(submission))
      giveUpIfTooLate(submission)
      pump()
    }),
    limitOf,
    state: () => ({ refused, waiting: queue.reduce((sum, { waiting }) => sum + waiting.length, 0) })
  }
}
