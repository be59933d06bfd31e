/** The node client's errors, safe to log: the platform's repeat a node's URL, which carries a key. */
import { ServiceError } from '../errors.js'
import { isRecord } from './checks.js'
import type { Call, Reply } from './types.js'

/** Why a call gave nothing usable, in words that name no node; also the `outcome` that is metered. */
export const FAULTS = {
  network: 'none can be reached',
  timeout: 'none answers in time',
  /** No fault. */
  refused: 'they refuse for the rate of calls',
  busy: 'the rate that they allow is used up',
  behind: 'they are behind what was seen already',
  http: 'they answer with an HTTP error',
  'not-json': 'what they answer is no JSON',
  'wrong-shape': 'what they answer is no JSON-RPC',
  'wrong-ids': 'they answer other questions than were asked',
  'too-large': 'their answer is too large',
  /** Or none of this size. */
  batch: 'they take no batches',
  'rpc-error': 'they answer with a JSON-RPC error',
  genesis: 'they are of another network',
  moment: 'their answer is without a time, or of the future',
  unsupported: 'none offers the method',
  /** Of the breaker. */
  open: 'none has answered of late, they are asked again in a moment'
}
export type FaultReason = keyof typeof FAULTS

interface FaultDetails { status?: number, rpcCode?: number }

/** The `cause` of the ServiceError. */
interface NodeFault extends FaultDetails { host: string, reason: FaultReason }

// JSON-RPC errors that pass: behind, block not available, slot skipped or missing, scan aborted, no status yet,
// minContextSlot or long-term storage not reached, internal error.
const TRANSIENT_CODES = new Set([-32005, -32004, -32007, -32009, -32012, -32014, -32016, -32019, -32603])
// The node is unwell, or behind by getHealth; other codes concern one request.
export const UNWELL = -32005
const INVALID_PARAMS = -32602
export const CURSOR_UNKNOWN = -32020
// Statuses about the request; by any other the node is unavailable, as for a key that has expired (401, 402, 403).
const ABOUT_THE_REQUEST = new Set([400, 413, 422])
const UNAVAILABLE = new Set<FaultReason>(['network', 'timeout', 'refused', 'busy', 'behind'])
// Not the node's fault, nor better a moment later.
const NEUTRAL = new Set<FaultReason>(['open', 'too-large', 'refused', 'busy', 'batch', 'moment', 'unsupported'])
// As ECONNREFUSED; anything else might be text from outside.
const SAFE_CODE = /^[A-Z][A-Z0-9_]{1,39}$/

/** `what` completes the sentence "node <host> …" and holds nothing from outside; `retryAfter` in seconds. */
export function nodeError (
  host: string, reason: FaultReason, what: string, details: FaultDetails = {}, retryAfter?: number
): ServiceError {
  const isAway = UNAVAILABLE.has(reason) || (reason === 'http' && !ABOUT_THE_REQUEST.has(details.status!))
  const code = reason === 'open' ? 'BREAKER_OPEN' : isAway ? 'NODE_UNAVAILABLE' : 'NODE_BAD_ANSWER'
  return new ServiceError(code, `node ${host} ${what}`, { cause: { host, reason, ...details }, retryAfter })
}

/** The facts of a `nodeError`. */
export function faultOf (error: unknown): NodeFault | undefined {
  const { cause } = error instanceof ServiceError ? error : {}
  return isRecord(cause) && 'reason' in cause && 'host' in cause ? cause as object as NodeFault : undefined
}

/** For a Retry-After. */
export const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** `retryAfter` in seconds. */
export const httpError = (host: string, status: number, retryAfter?: number): ServiceError =>
  nodeError(host, status === 429 ? 'refused' : 'http', `answered HTTP ${status}`, { status }, retryAfter)

/** Only the code is kept: the node's own message may repeat what it was sent. */
export const rpcError = (host: string, rpcCode: number): ServiceError =>
  nodeError(host, 'rpc-error', `answered JSON-RPC error ${rpcCode}`, { rpcCode })

/** Of what the platform threw only a code like ECONNRESET is kept. */
export function networkError (host: string, thrown: unknown): ServiceError {
  const { code = '' } = thrown as NodeJS.ErrnoException
  return nodeError(host, 'network', `was not reached${SAFE_CODE.test(code) ? ` (${code})` : ''}`)
}

/** Whether a breaker counts it. */
export function countsAgainstNode (error: unknown): boolean {
  const fault = faultOf(error)
  if (fault === undefined || NEUTRAL.has(fault.reason)) return false
  if (fault.reason === 'http') return !ABOUT_THE_REQUEST.has(fault.status ?? 0)
  return fault.reason !== 'rpc-error' || fault.rpcCode === UNWELL
}

/** Whether a call was refused for what it asks for, as for too many accounts: by code, or by the status alone. */
export function isRefusedAsAsked (error: unknown): boolean {
  const { rpcCode, status = 0 } = faultOf(error) ?? {}
  return rpcCode === INVALID_PARAMS || ABOUT_THE_REQUEST.has(status)
}

/** Whether asking the same nodes again, a little later, may help. */
export function isWorthRetrying (error: unknown): boolean {
  const fault = faultOf(error)
  if (fault === undefined || NEUTRAL.has(fault.reason) || fault.reason === 'genesis') return false
  // a block or a used-up plan outlasts any answer's deadline
  if (fault.reason === 'http') return fault.status === 408 || fault.status! >= 500
  return fault.reason !== 'rpc-error' || TRANSIENT_CODES.has(fault.rpcCode ?? 0)
}

/** Methods that not every node offers: being refused one says nothing of the node. */
export const OPTIONAL_METHODS: ReadonlySet<string> = new Set(['getTransactionsForAddress', 'getTokenAccountsByOwner'])

export const failAll = (calls: readonly Call[], error: ServiceError): Reply[] => calls.map(() => ({ error }))

/** The reason of a signal whose reasons are ours. */
export const reasonOf = (signal: AbortSignal): ServiceError => signal.reason as ServiceError
