/**
 * Nodes are asked in their order until a result is believed, and again after a pause where that may help. Nothing else
 * retries.
 */
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { CURRENT_MS } from './moment.js'
import { CURSOR_UNKNOWN, faultOf, isWorthRetrying, nodeError, OPTIONAL_METHODS, reasonOf } from './node-errors.js'
import type { Timekeeper } from './timekeeper.js'
import type { AtMoment, Call, Priority, Question, Reply, Send, SendOptions } from './types.js'

// A pause is random, up to this; twice as much each time.
const BACKOFF_MS = 200
const MAX_BACKOFF_MS = 2_000
// How long a node is not asked for a method that it lacks: an optional one, and one that it should have.
const UNSUPPORTED_MS = 3_600_000
const MISSING_MS = 60_000
const METHOD_NOT_FOUND = -32601
// A node or a plan does not offer an optional method.
const NOT_OFFERED_CODES = new Set([METHOD_NOT_FOUND, -32600, -32001, -32010, -32000, -32003, -32403])
const NOT_OFFERED_STATUSES = new Set([400, 401, 402, 403, 404, 405, 501])
const PATIENCE_MS: Record<Priority, number | undefined> =
  { state: 1_000, live: 1_000, head: 5_000, day: undefined, past: undefined }
// How long a node is asked last: for a method that it did not answer in time; for ALL, as it showed an older state.
const LAST_MS = 60_000
const ALL = ''
// Ages that differ by less count as the same: moments are whole seconds, and nodes are asked one after the other.
const SAME_AGE_MS = 3_000

interface FailoverOptions {
  clock: Clock
  time: Timekeeper
  onFault: (error: ServiceError) => void
  retries: number
}

/** What one node gives, and how old that is, ms; `isEnough`: no other need be asked. */
interface Taken<T> { value: T, age: number, isEnough: boolean }

/** A call, or those of a question: one node gives all of it. */
interface Unit<T> {
  calls: readonly Call[]
  take (results: unknown[], node: Node, askedAt: number): Taken<T> | ServiceError
}

/** With, by method, until when it is asked last, or not at all, and the last fault that was reported of it. */
const makeNode = (node: { host: string, send: Send }, index: number) =>
  ({ ...node, index, lastUntil: new Map<string, number>(), without: new Map<string, number>(), fault: '' })

type Node = ReturnType<typeof makeNode>

export function withFailover (
  given: ReadonlyArray<{ host: string, send: Send }>, { clock, time, onFault, retries }: FailoverOptions
) {
  const nodes = given.map(makeNode)

  const putLast = ({ lastUntil }: Node, ms: number, method = ALL) =>
    lastUntil.set(method, Math.max(lastUntil.get(method) ?? 0, clock.now() + ms))

  function orderFor (calls: readonly Call[]) {
    const now = clock.now()
    const methods = [ALL, ...calls.map(({ method }) => method)]
    const until = ({ lastUntil }: Node) => Math.max(now, ...methods.map(method => lastUntil.get(method) ?? 0))
    return nodes.toSorted((a, b) => until(a) - until(b))
  }

  async function ask (node: Node, calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { host, send } = node
    const offered = calls.map(({ method }) => (node.without.get(method) ?? 0) <= clock.now() ||
      (nodes.length === 1 && !OPTIONAL_METHODS.has(method)))
    const asked = calls.filter((_, at) => offered[at])
    const replies = asked.length === 0 ? [] : await send(asked, options)
    return calls.map(({ method }, at) => {
      const reply = offered[at] ? replies.shift()! : undefined
      const error = reply?.error
      const isRefusal = error !== undefined && isNotOffered(method, error)
      if (isRefusal) {
        node.without.set(method, clock.now() + (OPTIONAL_METHODS.has(method) ? UNSUPPORTED_MS : MISSING_MS))
      }
      if (faultOf(error)?.reason === 'timeout' && !options.signal.aborted) putLast(node, LAST_MS, method)
      else if (error?.code === 'NODE_UNAVAILABLE') putLast(node, (error.retryAfter ?? 0) * 1000)
      return reply === undefined || isRefusal
        ? { error: nodeError(host, 'unsupported', `does not offer ${method}`) }
        : reply
    })
  }

  /** Each unit from one node after the other: the youngest of what they give, else the best of the errors. */
  async function round<T> (units: ReadonlyArray<Unit<T>>, options: SendOptions): Promise<Array<T | ServiceError>> {
    const outcomes = units.map(unit =>
      ({ ...unit, errors: [] as ServiceError[], found: [] as Array<Taken<T> & { node: Node }> }))
    const { deadline = Infinity } = options
    const order = orderFor(units.flatMap(({ calls }) => calls))
    for (const [at, node] of order.entries()) {
      const open = outcomes.filter(({ found }) => found.at(-1)?.isEnough !== true)
      if (open.length === 0 || options.signal.aborted) break
      const askedAt = time.now()
      const others = order.length - 1 - at
      const patience = others === 0 ? undefined : PATIENCE_MS[options.priority]
      const shareMs = others === 0 ? Infinity : Math.round((deadline - clock.now()) / (others + 1))
      const replies = await ask(node, open.flatMap(({ calls }) => calls), { ...options, patience, shareMs })
      for (const { calls, take, found, errors } of open) {
        const own = replies.splice(0, calls.length)
        const failed = mostHopeful(own.flatMap(({ error }) => error ?? []))
        const taken = failed ?? take(own.map(({ result }) => result), node, askedAt)
        if (isServiceError(taken)) errors.push(taken)
        else found.push({ ...taken, node })
      }
    }
    return outcomes.map(({ found, errors }) => {
      const [best] = found.toSorted((a, b) => a.age - b.age)
      if (best === undefined) return mostHopeful(errors) ?? reasonOf(options.signal)
      for (const { node, age } of found) if (age - best.age > SAME_AGE_MS) putLast(node, LAST_MS)
      return best.value
    })
  }

  /** Rounds, with pauses between, while errors are worth a retry. */
  async function settle<T> (units: ReadonlyArray<Unit<T>>, options: SendOptions): Promise<Array<T | ServiceError>> {
    const { signal, deadline = Infinity } = options
    const answers = new Array<T | ServiceError>(units.length)
    let open = [...units.keys()]
    for (let retry = 0; ; retry++) {
      const given = await round(open.map(at => units[at]!), options)
      let longest = 0
      open = open.filter((at, i) => {
        const answer = given[i]!
        // why it failed before says more than that the breaker is open
        if (isServiceError(answer, 'BREAKER_OPEN')) answers[at] ??= answer
        else answers[at] = answer
        if (!isServiceError(answer) || !isWorthRetrying(answer)) return false
        longest = Math.max(longest, answer.retryAfter ?? 0)
        return true
      })
      const pause = longest * 1000 + clock.random() * Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** retry)
      if (open.length === 0 || retry >= retries || signal.aborted || clock.now() + pause >= deadline) break
      if (!await clock.sleep(pause, signal).then(() => true, () => false)) break
    }
    if (signal.aborted) for (const at of open) answers[at] = reasonOf(signal)
    return answers
  }

  function take<T> (
    { commitment, read }: Question<T>, results: unknown[], node: Node, readAt: number
  ): Taken<AtMoment<T>> | ServiceError {
    try {
      const { moment, value } = read(results, time.of(node.index))
      time.note(node.index, commitment, moment)
      node.fault = ''
      const age = time.age(moment.time)
      return { value: { moment, value, readAt }, age, isEnough: age <= CURRENT_MS[commitment] }
    } catch (error) {
      if (!isServiceError(error)) throw error
      const fault = error.message.replace(/\d+/g, '')   // a time in it changes
      if (fault !== node.fault) onFault(error)
      node.fault = fault
      return error
    }
  }

  return {
    async send<T> (calls: ReadonlyArray<Call<T>>, options: SendOptions): Promise<Array<Reply<T>>> {
      const answers = await settle<T>(calls.map(call => ({
        calls: [call],
        take ([result]) {
          const read = call.read?.(result) ?? { value: result as T, doubt: 0 }
          return isServiceError(read) ? read : { value: read.value, age: read.doubt, isEnough: read.doubt === 0 }
        }
      })), options)
      return answers.map(answer => isServiceError(answer) ? { error: answer } : { result: answer })
    },

    async ask<T> (question: Question<T>, options: SendOptions): Promise<AtMoment<T>> {
      const { calls } = question
      const [answer] = await settle([{ calls, take: (...taken) => take(question, ...taken) }], options)
      if (isServiceError(answer)) throw answer
      return answer!
    }
  }
}

function isNotOffered (method: string, error: ServiceError): boolean {
  const { rpcCode = 0, reason, status = 0 } = faultOf(error) ?? {}
  if (!OPTIONAL_METHODS.has(method)) return rpcCode === METHOD_NOT_FOUND
  return NOT_OFFERED_CODES.has(rpcCode) || (reason === 'http' && NOT_OFFERED_STATUSES.has(status))
}

/** One worth a retry, else of a node that was asked; of several the shortest Retry-After. */
const mostHopeful = (errors: ServiceError[]) =>
  errors.toSorted((a, b) => hopelessness(a) - hopelessness(b) || (a.retryAfter ?? 0) - (b.retryAfter ?? 0))[0]

function hopelessness (error: ServiceError): number {
  const { reason, rpcCode } = faultOf(error) ?? {}
  if (reason === 'unsupported') return 4
  // a node that offers the method and gave another error may know the cursor
  if (rpcCode === CURSOR_UNKNOWN) return 3
  if (error.code === 'BREAKER_OPEN') return 2
  return Number(!isWorthRetrying(error))
}
