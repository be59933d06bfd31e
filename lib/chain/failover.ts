/**
 * All nodes behind one `Send`, and the one place where anything is tried again: each call goes to the nodes in order of
 * preference until one gives a result that is believed, and what may pass is asked once more after a pause.
 */
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { CURRENT_MS } from './moment.js'
import { faultOf, isWorthRetrying, nodeError } from './node-errors.js'
import { type Call, OPTIONAL_METHODS, type Question, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
import type { Timekeeper } from './timekeeper.js'
import type { AtMoment, Priority } from './types.js'

export interface FailoverNode {
  host: string
  send: Send
}

export interface FailoverOptions {
  clock: Clock
  /** Moments and schedules of questions; what it says of time. */
  time: Timekeeper
  /** Milliseconds of the clock by which ages are told. */
  now: () => number
  /** Told once of what is wrong with a node's answers, until they are right again. */
  onFault: (error: ServiceError) => void
  /** The most rounds over all nodes after the first. */
  retries: number
  /** The pause before the first retry is anything up to this; each further one up to twice as much. */
  backoffMs: number
}

// Beyond this a longer pause only wastes the answer's deadline.
const MAX_BACKOFF_MS = 2_000
// How long a node that does not offer a method is left in peace with it.
const UNSUPPORTED_MS = 3_600_000
// The same of a method that every node should have: some have only the accounts, or only the history.
const MISSING_MS = 60_000
const METHOD_NOT_FOUND = -32601
// JSON-RPC errors and statuses by which a node or a plan says that it does not offer a method.
const NOT_OFFERED_CODES = new Set([-32601, -32600, -32001, -32010, -32000, -32003, -32403])
const NOT_OFFERED_STATUSES = new Set([400, 401, 402, 403, 404, 405, 501])
const CURSOR_UNKNOWN = -32020
// How long a call waits for the pace of a node while another may be free; what nobody waits for keeps to the preferred
// one.
const PATIENCE_MS: Record<Priority, number | undefined> = { live: 1_000, head: 5_000, past: undefined, idle: undefined }

export interface Failover {
  send: Send
  /**
   * The youngest answer to a question, from the first node whose state is current, else of all. Throws a ServiceError.
   */
  ask<T> (question: Question<T>, options: SendOptions): Promise<AtMoment<T>>
}

const MAX_SAVED_RETRIES = 10
const RETRIES_PER_CALL = 0.2
const RETRIES_PER_MS = 0.5 / 1000

/** Whoever has shown an older state than another is asked last for so long, ms. */
const OLDER_MS = 60_000
/** Moments count whole seconds, and nodes are asked one after the other. */
const SAME_AGE_MS = 3_000

export function withFailover (
  nodes: readonly FailoverNode[], { clock, time, now, onFault, retries, backoffMs }: FailoverOptions
): Failover {
  // Until when each node asked to be left alone (Retry-After of an outage), is asked last, and is not asked for a
  // method.
  const restUntil = nodes.map(() => 0)
  const olderUntil = nodes.map(() => 0)
  const faults = nodes.map(() => new Set<string>())
  // A node in trouble must not get a multiple of the usual load: retries are at most a fifth of the calls, besides one
  // every two seconds.
  let retriesLeft = MAX_SAVED_RETRIES
  let earnedAt = clock.now()

  function earn (calls: number): void {
    const at = clock.now()
    retriesLeft = Math.min(MAX_SAVED_RETRIES, retriesLeft + calls * RETRIES_PER_CALL + (at - earnedAt) * RETRIES_PER_MS)
    earnedAt = at
  }
  const without = nodes.map(() => new Map<string, number>())

  /** The nodes in the order in which they are asked now. Those at rest come last instead of never. */
  function order (): number[] {
    const now = clock.now()
    const rank = (index: number): number => Number(restUntil[index]! > now) + 2 * Number(olderUntil[index]! > now)
    return [...nodes.keys()].map(index => ({ index, rank: nodes.length === 1 ? 0 : rank(index) }))
      .sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ index }) => index)
  }

  async function ask (index: number, calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { host, send } = nodes[index]!
    const offers = (method: string) =>
      (without[index]!.get(method) ?? 0) <= clock.now() || (nodes.length === 1 && !OPTIONAL_METHODS.has(method))
    const possible = calls.filter(({ method }) => offers(method))
    const replies = possible.length === 0 ? [] : await send(possible, options)
    const byCall = new Map(possible.map((call, i) => [call, replies[i]!]))
    return calls.map(call => {
      const { method } = call
      const unsupported = (): Reply =>
        ({ error: nodeError('NODE_BAD_ANSWER', `does not offer ${method}`, { host, reason: 'unsupported' }) })
      const reply = byCall.get(call) ?? unsupported()
      if ('result' in reply || !isNotOffered(method, reply.error)) return note(index, reply)
      without[index]!.set(method, clock.now() + (OPTIONAL_METHODS.has(method) ? UNSUPPORTED_MS : MISSING_MS))
      return unsupported()
    })
  }

  function note (index: number, reply: Reply): Reply {
    if ('error' in reply && reply.error.retryAfter !== undefined && reply.error.code === 'NODE_UNAVAILABLE') {
      restUntil[index] = clock.now() + reply.error.retryAfter * 1000
    }
    return reply
  }

  /**
   * One round: every open call to one node after the other. Gives what was believed or doubted by all; the errors of
   * the rest.
   */
  async function round (calls: readonly Call[], options: SendOptions): Promise<Array<Reply | ServiceError[]>> {
    const results = calls.map((): Reply | undefined => undefined)
    const doubted = calls.map((): Reply | undefined => undefined)
    const errors = calls.map((): ServiceError[] => [])
    const indexes = order()
    for (const [place, index] of indexes.entries()) {
      const open = [...calls.keys()].filter(at => results[at] === undefined)
      if (open.length === 0 || options.signal.aborted) break
      const replies = await ask(index, open.map(at => calls[at]!), patient(options, place < indexes.length - 1))
      for (const [i, at] of open.entries()) {
        const reply = replies[i]!
        if ('error' in reply) errors[at]!.push(reply.error)
        else if (calls[at]!.doubt?.(reply.result) === true) doubted[at] ??= reply
        else results[at] = reply
      }
    }
    return calls.map((_, at) => results[at] ?? doubted[at] ?? errors[at]!)
  }

  /** Waits before another round; false: there will be none. */
  async function mayRetry (
    retry: number, worst: ServiceError, { signal, deadline = Infinity }: SendOptions
  ): Promise<boolean> {
    const pause = (worst.retryAfter ?? 0) * 1000 + clock.random() * Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** retry)
    earn(0)
    if (signal.aborted || retry >= retries || clock.now() + pause >= deadline || retriesLeft < 1) return false
    retriesLeft--
    // only the signal ends a pause
    return await clock.sleep(pause, signal).then(() => true, () => false)
  }

  async function send (calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { signal } = options
    const replies = new Array<Reply>(calls.length)
    let open = [...calls.keys()]
    earn(1)
    for (let retry = 0; ; retry++) {
      const outcomes = await round(open.map(at => calls[at]!), options)
      const failed: number[] = []
      let worst: ServiceError | undefined
      for (const [i, at] of open.entries()) {
        const outcome = outcomes[i]!
        if (!Array.isArray(outcome)) {
          replies[at] = outcome
          continue
        }
        const before = replies[at]
        const error = mostHopeful(outcome) ?? reasonOf(signal)
        // Our own failures may have opened the last breaker: why they failed says more than that.
        const isMute = error.code === 'BREAKER_OPEN' && before !== undefined && 'error' in before
        replies[at] = { error: isMute ? before.error : error }
        if (!isWorthRetrying(error)) continue
        failed.push(at)
        if (worst === undefined || (error.retryAfter ?? 0) > (worst.retryAfter ?? 0)) worst = error
      }
      if (worst !== undefined && await mayRetry(retry, worst, options)) {
        open = failed
        continue
      }
      if (signal.aborted) for (const at of failed) replies[at] = { error: reasonOf(signal) }
      return replies
    }
  }

  /** What one node says to a question, with the state's age; or why it says nothing. */
  async function put<T> (
    index: number, question: Question<T>, options: SendOptions
  ): Promise<Candidate<T> | ServiceError> {
    const { host } = nodes[index]!
    const readAt = now()
    const replies = await ask(index, question.calls, options)
    const failed = replies.flatMap(reply => 'error' in reply ? [reply.error] : [])
    if (failed.length > 0) return mostHopeful(failed)!
    try {
      const results = replies.map(reply => (reply as { result: unknown }).result)
      const { moment, value } = question.read(results, time.of(index))
      const wrong = time.note(index, question.commitment, moment)
      if (wrong !== undefined) throw nodeError('NODE_BAD_ANSWER', wrong, { host, reason: 'moment' })
      const doubt = time.dateFault(index)
      if (doubt === undefined) faults[index]!.clear()
      else tellFault(index, nodeError('NODE_BAD_ANSWER', doubt, { host, reason: 'moment' }))
      return { index, answer: { moment, value, readAt }, age: time.age(moment.time), isDoubted: doubt !== undefined }
    } catch (error) {
      if (!isServiceError(error)) throw error
      tellFault(index, error)
      return error
    }
  }

  function tellFault (index: number, error: ServiceError): void {
    if (faults[index]!.has(error.message)) return
    faults[index]!.add(error.message)
    onFault(error)
  }

  async function youngest<T> (question: Question<T>, options: SendOptions): Promise<AtMoment<T> | ServiceError[]> {
    const current = CURRENT_MS[question.commitment]
    const errors: ServiceError[] = []
    let best: Candidate<T> | undefined
    const older: Array<Candidate<T>> = []
    const indexes = order()
    for (const [place, index] of indexes.entries()) {
      if (options.signal.aborted) break
      const outcome = await put(index, question, patient(options, place < indexes.length - 1))
      if ('code' in outcome) {
        errors.push(outcome)
        continue
      }
      older.push(outcome)
      if (best === undefined || outcome.age < best.age) best = outcome
      if (outcome.age <= current && !outcome.isDoubted) break
    }
    if (best === undefined) return errors
    for (const { index, age } of older) if (age - best.age > SAME_AGE_MS) olderUntil[index] = clock.now() + OLDER_MS
    return best.answer
  }

  return {
    send,
    async ask (question, options) {
      earn(1)
      for (let retry = 0; ; retry++) {
        const outcome = await youngest(question, options)
        if (!Array.isArray(outcome)) return outcome
        const error = mostHopeful(outcome) ?? reasonOf(options.signal)
        if (!isWorthRetrying(error) || !await mayRetry(retry, error, options)) {
          throw options.signal.aborted ? reasonOf(options.signal) : error
        }
      }
    }
  }
}

/** While another node may be free a call waits for the pace of one for so long only. */
function patient (options: SendOptions, hasOthers: boolean): SendOptions {
  const patience = hasOthers ? PATIENCE_MS[options.priority] : undefined
  return { ...options, ...(patience !== undefined && { patience }) }
}

interface Candidate<T> { index: number, answer: AtMoment<T>, age: number, isDoubted: boolean }

function isNotOffered (method: string, error: ServiceError): boolean {
  const fault = faultOf(error)
  if (!OPTIONAL_METHODS.has(method)) return fault?.rpcCode === METHOD_NOT_FOUND
  return NOT_OFFERED_CODES.has(fault?.rpcCode ?? 0) ||
    (fault?.reason === 'http' && NOT_OFFERED_STATUSES.has(fault.status ?? 0))
}

/**
 * One worth a retry, else of a node that was asked, else any; among these the shortest Retry-After, then the most
 * preferred node.
 */
function mostHopeful (errors: ServiceError[]): ServiceError | undefined {
  // That a cursor is unknown must be said by all: whoever gave another error may know it.
  const others = errors.filter(error => faultOf(error)?.rpcCode !== CURSOR_UNKNOWN)
  const said = others.length > 0 && others.length < errors.length ? others : errors
  const asked = said.filter(error => error.code !== 'BREAKER_OPEN' && faultOf(error)?.reason !== 'unsupported')
  const [from = said] = [asked.filter(isWorthRetrying), asked].filter(({ length }) => length > 0)
  return from.toSorted((a, b) => (a.retryAfter ?? 0) - (b.retryAfter ?? 0))[0]
}
