/** What a node answers to the body of a request, whatever carries it: HTTP, or a simulated network in one process. */
import { type ActiveFault, type FaultRule, createFaults } from './faults.js'
import { NODE_KINDS, type NodeKindName } from './kinds.js'
import { type Ledger } from './ledger.js'
import { type Limits, createLimiter } from './limits.js'
import { type Conditions, FINALITY_SLOTS, GENESIS, type Methods, createMethods } from './methods.js'
import { type Exchange, misbehave } from './misbehave.js'
import { createPosition } from './position.js'
import { RpcError } from './rpc-error.js'
import { type Reply, errorText, reply, tooMany } from './send-reply.js'

/** What is not given is the kind's own; by default a node of one's own. */
export interface ServiceOptions extends Partial<NodeConditions> {
  kind?: NodeKindName
  /** Clock of the limits, ms; never goes back. */
  now?: () => number
}

export interface RecentCall { method: string, params: unknown }

interface Call { id?: unknown, method?: unknown, params?: unknown }

/** The `Date` of answers: so many seconds off, or, as of a cache, stopped at a moment, Unix seconds. */
export type DateShown = 'right' | 'missing' | 'garbage' | { off: number } | { standsAt: number }

export interface NodeConditions extends Conditions {
  date: DateShown
  limits: Limits | null
  /** Most calls of a batch; 0: batches are refused. */
  maxBatch: number
}

export type NodeService = ReturnType<typeof createNodeService>

const LOG_LENGTH = 1000

export function createNodeService (ledger: Ledger, options: ServiceOptions = {}) {
  const { kind = 'own', now = () => performance.now(), ...given } = options
  const conditions: NodeConditions = {
    software: 'current',
    finalityLag: FINALITY_SLOTS,
    health: 'honest',
    date: 'right',
    finalizedAt: null,
    retention: null,
    genesis: GENESIS,
    lacks: [],
    strict: null,
    ...NODE_KINDS[kind],
    ...given
  }
  ledger.states.keep()
  const position = createPosition(ledger)
  const methods = createMethods(ledger, conditions, position)
  const faults = createFaults()
  const limiter = createLimiter(now)
  const calls: Record<string, number> = Object.fromEntries(methods.names.map(name => [name, 0]))
  const log: RecentCall[] = []
  let requests = 0

  function note (call: Call): void {
    const method = String(call.method)
    calls[method] = (calls[method] ?? 0) + 1
    log.push({ method, params: call.params })
    if (log.length > LOG_LENGTH * 2) log.splice(0, LOG_LENGTH)
  }

  function dateHeader (): Record<string, string> {
    const { date } = conditions
    if (date === 'missing') return {}
    if (date === 'garbage') return { date: 'a while ago' }
    const seconds = date === 'right' ? ledger.utc : 'off' in date ? ledger.utc + date.off : date.standsAt
    return { date: new Date(seconds * 1000).toUTCString() }
  }

  function answer (body: string): Reply {
    const given = respond(body)
    return 'headers' in given ? { ...given, headers: { ...dateHeader(), ...given.headers } } : given
  }

  function respond (body: string): Reply {
    requests++
    let parsed: Call | Call[]
    try {
      parsed = JSON.parse(body)
    } catch {
      return reply(errorText(null, new RpcError(-32700, 'Parse error')))
    }
    const isBatch = Array.isArray(parsed)
    const list = [parsed].flat()
    list.forEach(note)
    if (isBatch && list.length > conditions.maxBatch) {
      return conditions.maxBatch === 0
        ? reply(errorText(null, new RpcError(-32600, 'Batch requests are not supported')), 400)
        : reply(errorText(null, new RpcError(-32600, `Batch size exceeds the maximum of ${conditions.maxBatch}`)), 413)
    }
    const names = list.map(call => String(call.method))
    const fault = faults.ofRequest(names, isBatch)
    const verdict = conditions.limits === null ? undefined : limiter.take(conditions.limits, names)
    const headers = verdict?.headers ?? {}
    // an empty batch is not refused
    if (verdict !== undefined && conditions.limits!.refusal === 'http-429' && list.length > 0 &&
      verdict.refused.every(Boolean)) {
      return tooMany(list[0]!.id, verdict.retryAfter, headers)
    }
    const texts = list.map((call, at) => verdict?.refused[at] === true
      ? refusal(conditions.limits!, call.id)
      : answerCall(methods, call, faults.ofCall(String(call.method))))
    const exchange: Exchange = { texts, isBatch, ids: list.map(call => call.id) }
    const spoilt = fault === undefined ? undefined : misbehave(fault, exchange)
    return spoilt ?? reply(isBatch ? `[${texts.join()}]` : texts[0]!, 200, headers)
  }

  return {
    ledger,
    answer,
    conditions,
    faults,
    limiter,
    methods,
    /** Calls by method, each member of a batch counted. */
    calls,
    /** The newest calls, oldest of them first. */
    get log (): RecentCall[] { return log.slice(-LOG_LENGTH) },
    /** HTTP requests; a batch is one. */
    get requests () { return requests },
    /** Zeroes counts and log. */
    reset (): void {
      for (const name of Object.keys(calls)) calls[name] = 0
      requests = 0
      log.length = 0
    },
    /** Short for `faults.set`. */
    fault: (rule: FaultRule): ActiveFault => faults.set(rule),
    /** All that it shows, its Clock too, is of then. */
    position,
    /** The node has stopped where it is, answering what was then; `thaw` ends it. */
    freeze: position.freeze,
    thaw: position.follow
  }
}

function refusal ({ refusal }: Limits, id: unknown): string {
  return errorText(id, new RpcError(refusal === 'http-429' ? 429 : refusal, 'rate limit exceeded'))
}

/** One call as JSON text. */
function answerCall (methods: Methods, call: Call, faults: ActiveFault[]): string {
  const id = faults.some(({ kind }) => kind === 'wrong-id') ? 'another-question' : call.id
  try {
    if (typeof call.method !== 'string') throw new RpcError(-32600, 'Invalid request')
    const result = methods.call(call.method, call.params, faults)
    return `{"jsonrpc":"2.0","result":${result},"id":${JSON.stringify(id ?? null)}}`
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return errorText(id, error)
  }
}
