/**
 * Which node is asked, and the one place where anything is tried again: each call goes to the nodes in their order
 * until a result is believed, then, where that may help, once more after a pause.
 */
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { CURRENT_MS } from './moment.js'
import { answerError, faultOf, isWorthRetrying } from './node-errors.js'
import { type Call, OPTIONAL_METHODS, type Question, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
import type { Timekeeper } from './timekeeper.js'
import type { AtMoment, Priority } from './types.js'

interface FailoverOptions {
  clock: Clock
  time: Timekeeper
  /** By which ages are told, ms. */
  now: () => number
  /** Told once of what is wrong with a node's answers, until they are right again. */
  onFault: (error: ServiceError) => void
  /** Rounds over all nodes after the first. */
  retries: number
}

// A pause is anything up to this, twice as much each time.
const BACKOFF_MS = 200
const MAX_BACKOFF_MS = 2_000
// How long a node is not asked for an optional method it has not, and for one that it should have.
const UNSUPPORTED_MS = 3_600_000
const MISSING_MS = 60_000
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const CURSOR_UNKNOWN = -32020
// JSON-RPC errors and statuses by which a node or a plan says that it does not offer an optional method.
const NOT_OFFERED_CODES = new Set([METHOD_NOT_FOUND, -32600, -32001, -32010, -32000, -32003, -32403])
const NOT_OFFERED_STATUSES = new Set([400, 401, 402, 403, 404, 405, 501])
// How long a call waits for a node's rate while another may be free.
const PATIENCE_MS: Record<Priority, number | undefined> = { live: 1_000, head: 5_000, past: undefined, idle: undefined }
// Who has shown an older state than another is asked last for so long.
const OLDER_MS = 60_000
// Moments count whole seconds, and nodes are asked one after the other.
const SAME_AGE_MS = 3_000

interface Candidate<T> { index: number, answer: AtMoment<T>, age: number, isCurrent: boolean }

export function withFailover (
  nodes: ReadonlyArray<{ host: string, send: Send }>, { clock, time, now, onFault, retries }: FailoverOptions
) {
  // until when each node wants no calls, is asked last, and is not asked for a method; what is wrong with it
  const known = nodes.map(() =>
    ({ restUntil: 0, olderUntil: 0, without: new Map<string, number>(), faults: new Set<string>() }))

  /** The nodes in the order of now; each but the last with patience. */
  function * turns (options: SendOptions): Generator<[index: number, options: SendOptions]> {
    const now = clock.now()
    const rank = (index: number): number =>
      Number(known[index]!.restUntil > now) + 2 * Number(known[index]!.olderUntil > now)
    const order = [...nodes.keys()].sort((a, b) => rank(a) - rank(b))
    for (const index of order) {
      if (options.signal.aborted) return
      const patience = index === order.at(-1) ? undefined : PATIENCE_MS[options.priority]
      yield [index, { ...options, ...(patience !== undefined && { patience }) }]
    }
  }

  async function ask (index: number, calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { host, send } = nodes[index]!
    const node = known[index]!
    const offered = calls.map(({ method }) => (node.without.get(method) ?? 0) <= clock.now() ||
      (nodes.length === 1 && !OPTIONAL_METHODS.has(method)))
    const asked = calls.filter((_, at) => offered[at])
    const replies = asked.length === 0 ? [] : await send(asked, options)
    for (const [at, { method, plain }] of asked.entries()) {
      const reply = replies[at]!
      if (plain === undefined || !('error' in reply) || faultOf(reply.error)?.rpcCode !== INVALID_PARAMS) continue
      replies[at] = (await send([{ method, params: plain }], options))[0]!
    }
    return calls.map(({ method }, at) => {
      const reply = offered[at] ? replies.shift() : undefined
      const isRefusal = reply !== undefined && 'error' in reply && isNotOffered(method, reply.error)
      if (reply === undefined || isRefusal) {
        const ms = OPTIONAL_METHODS.has(method) ? UNSUPPORTED_MS : MISSING_MS
        if (isRefusal) node.without.set(method, clock.now() + ms)
        return { error: answerError(host, 'unsupported', `does not offer ${method}`) }
      }
      if ('error' in reply && reply.error.retryAfter !== undefined && reply.error.code === 'NODE_UNAVAILABLE') {
        node.restUntil = clock.now() + reply.error.retryAfter * 1000
      }
      return reply
    })
  }

  /** Each call to one node after the other: what is believed, or was doubted by all, else the errors. */
  async function round (calls: readonly Call[], options: SendOptions): Promise<Array<Reply | ServiceError[]>> {
    const outcomes = calls.map((call): Outcome => ({ call, errors: [] }))
    for (const [index, patient] of turns(options)) {
      const open = outcomes.filter(({ result }) => result === undefined)
      if (open.length === 0) break
      const replies = await ask(index, open.map(({ call }) => call), patient)
      for (const [at, outcome] of open.entries()) {
        const reply = replies[at]!
        if ('error' in reply) outcome.errors.push(reply.error)
        else if (outcome.call.doubt?.(reply.result) === true) outcome.doubted ??= reply
        else outcome.result = reply
      }
    }
    return outcomes.map(({ result, doubted, errors }) => result ?? doubted ?? errors)
  }

  /** Waits before another round; false: there will be none. */
  async function mayRetry (
    retry: number, { retryAfter = 0 }: ServiceError, { signal, deadline = Infinity }: SendOptions
  ): Promise<boolean> {
    const pause = retryAfter * 1000 + clock.random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** retry)
    if (signal.aborted || retry >= retries || clock.now() + pause >= deadline) return false
    return await clock.sleep(pause, signal).then(() => true, () => false)
  }

  async function send (calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { signal } = options
    const replies = new Array<Reply>(calls.length)
    let open = [...calls.keys()]
    for (let retry = 0; ; retry++) {
      const outcomes = await round(open.map(at => calls[at]!), options)
      let worst: ServiceError | undefined
      const failed = open.filter((at, i) => {
        const outcome = outcomes[i]!
        const before = replies[at]
        const error = Array.isArray(outcome) ? mostHopeful(outcome) ?? reasonOf(signal) : undefined
        replies[at] = error === undefined ? outcome as Reply : { error }
        // why it failed before says more than that our own failures have opened the breaker
        if (error?.code === 'BREAKER_OPEN' && before !== undefined) replies[at] = before
        if (error === undefined || !isWorthRetrying(error)) return false
        if (worst === undefined || (error.retryAfter ?? 0) > (worst.retryAfter ?? 0)) worst = error
        return true
      })
      if (worst === undefined || !await mayRetry(retry, worst, options)) {
        if (signal.aborted) for (const at of failed) replies[at] = { error: reasonOf(signal) }
        return replies
      }
      open = failed
    }
  }

  function tellFault (index: number, error: ServiceError): ServiceError {
    const { faults } = known[index]!
    const kind = error.message.replace(/\d+/g, '')   // a moment of the future goes on
    if (!faults.has(kind)) onFault(error)
    faults.add(kind)
    return error
  }

  async function put<T> (
    index: number, { calls, commitment, read }: Question<T>, options: SendOptions
  ): Promise<Candidate<T> | ServiceError> {
    const wrong = (what: string): ServiceError => tellFault(index, answerError(nodes[index]!.host, 'moment', what))
    const readAt = now()
    const replies = await ask(index, calls, options)
    const failed = replies.flatMap(reply => 'error' in reply ? [reply.error] : [])
    if (failed.length > 0) return mostHopeful(failed)!
    try {
      const results = replies.map(reply => (reply as { result: unknown }).result)
      const { moment, value } = read(results, time.of(index))
      const lie = time.note(index, commitment, moment)
      if (lie !== undefined) return wrong(lie)
      const doubt = time.dateFault(index)
      if (doubt === undefined) known[index]!.faults.clear()
      else wrong(doubt)
      const age = time.age(moment.time)
      const isCurrent = age <= CURRENT_MS[commitment] && doubt === undefined
      return { index, answer: { moment, value, readAt }, age, isCurrent }
    } catch (error) {
      if (!isServiceError(error)) throw error
      return tellFault(index, error)
    }
  }

  async function youngest<T> (question: Question<T>, options: SendOptions): Promise<AtMoment<T> | ServiceError[]> {
    const errors: ServiceError[] = []
    const found: Array<Candidate<T>> = []
    for (const [index, patient] of turns(options)) {
      const outcome = await put(index, question, patient)
      if ('code' in outcome) errors.push(outcome)
      else if (found.push(outcome) && outcome.isCurrent) break
    }
    const [best] = found.toSorted((a, b) => a.age - b.age)
    if (best === undefined) return errors
    for (const { index, age } of found) {
      if (age - best.age > SAME_AGE_MS) known[index]!.olderUntil = clock.now() + OLDER_MS
    }
    return best.answer
  }

  return {
    send,
    /** The youngest answer: of the first node whose state is current, else of all. Throws a ServiceError. */
    async ask<T> (question: Question<T>, options: SendOptions): Promise<AtMoment<T>> {
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

interface Outcome { call: Call, errors: ServiceError[], result?: Reply, doubted?: Reply }

function isNotOffered (method: string, error: ServiceError): boolean {
  const { rpcCode = 0, reason, status = 0 } = faultOf(error) ?? {}
  if (!OPTIONAL_METHODS.has(method)) return rpcCode === METHOD_NOT_FOUND
  return NOT_OFFERED_CODES.has(rpcCode) || (reason === 'http' && NOT_OFFERED_STATUSES.has(status))
}

/** One worth a retry, else of a node that was asked; of these the shortest Retry-After. */
function mostHopeful (errors: ServiceError[]): ServiceError | undefined {
  // whoever gave another error may know the cursor
  const others = errors.filter(error => faultOf(error)?.rpcCode !== CURSOR_UNKNOWN)
  const asked = others.filter(error => error.code !== 'BREAKER_OPEN' && faultOf(error)?.reason !== 'unsupported')
  const from = [asked.filter(isWorthRetrying), asked, others].find(({ length }) => length > 0) ?? errors
  return from.toSorted((a, b) => (a.retryAfter ?? 0) - (b.retryAfter ?? 0))[0]
}
