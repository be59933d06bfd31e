/**
 * All nodes behind one `Send`, and the one place where anything is tried again: each call goes to the nodes in order of preference
 * until one gives a result that is believed, and what may pass is asked once more after a pause.
 */
import type { Clock } from '../clock.js'
import type { ServiceError } from '../errors.js'
import { faultOf, isWorthRetrying, nodeError } from './node-errors.js'
import type { RetryBudget } from './retry-budget.js'
import { type Call, failAll, OPTIONAL_METHODS, reasonOf, type Reply, type Send, type SendOptions } from './rpc.js'
import type { Priority } from './types.js'

export interface FailoverNode {
  host: string
  send: Send
  /** Whether others should be asked first now. */
  passedOver: () => boolean
}

export interface FailoverOptions {
  clock: Clock
  budget: RetryBudget
  /** The most rounds over all nodes after the first. */
  retries: number
  /** The pause before the first retry is anything up to this; each further one up to twice as much. */
  backoffMs: number
}

// Beyond this a longer pause only wastes the answer's deadline.
const MAX_BACKOFF_MS = 2_000
// How long a node that does not offer a method is left in peace with it.
const UNSUPPORTED_MS = 3_600_000
// JSON-RPC errors and statuses by which a node or a plan says that it does not offer a method.
const NOT_OFFERED_CODES = new Set([-32601, -32600, -32001, -32010, -32000, -32003, -32403])
const NOT_OFFERED_STATUSES = new Set([400, 401, 402, 403, 404, 405, 501])
const CURSOR_UNKNOWN = -32020
// How long a call waits for the pace of a node while another may be free; what nobody waits for keeps to the preferred one.
const PATIENCE_MS: Record<Priority, number | undefined> = { live: 1_000, head: 5_000, past: undefined, idle: undefined }

export function withFailover (nodes: readonly FailoverNode[], { clock, budget, retries, backoffMs }: FailoverOptions): Send {
  // Until when each node asked to be left alone (Retry-After of an outage), and until when it is not asked for a method.
  const restUntil = nodes.map(() => 0)
  const without = nodes.map(() => new Map<string, number>())

  /** The nodes in the order in which they are asked now. Those at rest come last instead of never. */
  function order (): number[] {
    const now = clock.now()
    const rank = (index: number): number => Number(restUntil[index]! > now) + 2 * Number(nodes[index]!.passedOver())
    return [...nodes.keys()].map(index => ({ index, rank: nodes.length === 1 ? 0 : rank(index) }))
      .sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ index }) => index)
  }

  async function ask (index: number, calls: readonly Call[], options: SendOptions): Promise<Reply[]> {
    const { host, send } = nodes[index]!
    const offers = (method: string) => (without[index]!.get(method) ?? 0) <= clock.now()
    const possible = calls.filter(({ method }) => offers(method))
    const replies = possible.length === 0 ? [] : await send(possible, options)
    const byCall = new Map(possible.map((call, i) => [call, replies[i]!]))
    return calls.map(call => {
      const reply = byCall.get(call) ?? { error: nodeError('NODE_BAD_ANSWER', `does not offer ${call.method}`, { host, reason: 'unsupported' }) }
      if ('result' in reply || !OPTIONAL_METHODS.has(call.method) || !saysNotOffered(reply.error)) return note(index, reply)
      without[index]!.set(call.method, clock.now() + UNSUPPORTED_MS)
      return { error: nodeError('NODE_BAD_ANSWER', `does not offer ${call.method}`, { host, reason: 'unsupported' }) }
    })
  }

  function note (index: number, reply: Reply): Reply {
    if ('error' in reply && reply.error.retryAfter !== undefined && reply.error.code === 'NODE_UNAVAILABLE') {
      restUntil[index] = clock.now() + reply.error.retryAfter * 1000
    }
    return reply
  }

  /** One round: every open call to one node after the other. Gives what was believed or doubted by all; the errors of the rest. */
  async function round (calls: readonly Call[], options: SendOptions): Promise<Array<Reply | ServiceError[]>> {
    const results = calls.map((): Reply | undefined => undefined)
    const doubted = calls.map((): Reply | undefined => undefined)
    const errors = calls.map((): ServiceError[] => [])
    const indexes = order()
    for (const [place, index] of indexes.entries()) {
      const open = [...calls.keys()].filter(at => results[at] === undefined)
      if (open.length === 0 || options.signal.aborted) break
      const patience = place < indexes.length - 1 ? PATIENCE_MS[options.priority] : undefined
      const replies = await ask(index, open.map(at => calls[at]!), { ...options, ...(patience !== undefined && { patience }) })
      for (const [i, at] of open.entries()) {
        const reply = replies[i]!
        if ('error' in reply) errors[at]!.push(reply.error)
        else if (calls[at]!.doubt?.(reply.result) === true) doubted[at] ??= reply
        else results[at] = reply
      }
    }
    return calls.map((_, at) => results[at] ?? doubted[at] ?? errors[at]!)
  }

  return async (calls, options) => {
    const { signal, deadline = Infinity } = options
    const replies = new Array<Reply>(calls.length)
    let open = [...calls.keys()]
    budget.earn()
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
        replies[at] = { error: error.code === 'BREAKER_OPEN' && before !== undefined && 'error' in before ? before.error : error }
        if (!isWorthRetrying(error)) continue
        failed.push(at)
        if (worst === undefined || (error.retryAfter ?? 0) > (worst.retryAfter ?? 0)) worst = error
      }
      if (signal.aborted) {
        for (const at of failed) replies[at] = { error: reasonOf(signal) }
        return replies
      }
      if (worst === undefined) return replies
      const pause = (worst.retryAfter ?? 0) * 1000 + clock.random() * Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** retry)
      if (retry >= retries || clock.now() + pause >= deadline || !budget.spend()) return replies
      try {
        await clock.sleep(pause, signal)
      } catch {
        // only the signal ends a pause
        for (const [i, reply] of failAll(failed.map(at => calls[at]!), reasonOf(signal)).entries()) replies[failed[i]!] = reply
        return replies
      }
      open = failed
    }
  }
}

function saysNotOffered (error: ServiceError): boolean {
  const fault = faultOf(error)
  return NOT_OFFERED_CODES.has(fault?.rpcCode ?? 0) || (fault?.reason === 'http' && NOT_OFFERED_STATUSES.has(fault.status ?? 0))
}

/** One worth a retry, else of a node that was asked, else any; among these the shortest Retry-After, then the most preferred node. */
function mostHopeful (errors: ServiceError[]): ServiceError | undefined {
  // That a cursor is unknown must be said by all: whoever gave another error may know it.
  const others = errors.filter(error => faultOf(error)?.rpcCode !== CURSOR_UNKNOWN)
  const said = others.length > 0 && others.length < errors.length ? others : errors
  const asked = said.filter(error => error.code !== 'BREAKER_OPEN' && faultOf(error)?.reason !== 'unsupported')
  const [from = said] = [asked.filter(isWorthRetrying), asked].filter(({ length }) => length > 0)
  return from.length === 0 ? undefined : from.reduce((best, error) => (error.retryAfter ?? 0) < (best.retryAfter ?? 0) ? error : best)
}
