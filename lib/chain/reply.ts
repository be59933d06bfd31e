/** Reading a node's answer: what JSON-RPC 2.0 must look like, whatever stands in its results, and an error for everything else. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { decodeData } from './account-data.js'
import type { Post } from './http.js'
import { type JsonSlicesOptions, parseJsonInSlices } from './json-slices.js'
import { answerError, faultOf, type FaultReason, networkError, nodeError, rpcError } from './node-errors.js'
import { type Call, failAll, isRecord, type Reply } from './rpc.js'

/** One request to one node. */
export interface CallReport {
  /** The JSON-RPC method. */
  method: string
  /** Calls in the request: 1, or the members of the batch. */
  size: number
  /** Host and port, with a number where several nodes share them. */
  node: string
  outcome: 'ok' | 'aborted' | FaultReason
  ms: number
}

export interface NodeCallsOptions {
  host: string
  /** For reports. */
  node: string
  clock: Clock
  /** What a request may take, ms. */
  timeout: (method: string) => number
  onCall: (report: CallReport) => void
  /** Told of the headers of every answer. */
  onHeaders: (method: string, headers: IncomingHttpHeaders) => void
}

/** Posts calls, one alone or several as a batch, and gives a reply for each. Never rejects. */
export type NodeCalls = (calls: readonly Call[], signal: AbortSignal) => Promise<Reply[]>

// Providers say "too many calls" by these codes, or by others (-32005, -32007) and words, which are theirs and never repeated.
const RATE_CODES = new Set([-32429, 429])
const TOO_MANY = /rate.?limit|too many|request limit|requests per|limit (exceeded|reached)|exceeded .*(limit|capacity|quota)|throttl/i

/** Accounts are mostly data in base64: decoded as they come they are no text that has to be kept until all are there. In a short answer it is not worth it. */
const PARSING = new Map<string, JsonSlicesOptions>([['getProgramAccounts', { onElement: decodeData, largeBytes: 2 ** 18 }]])

export function createNodeCalls (post: Post, { host, node, clock, timeout, onCall, onHeaders }: NodeCallsOptions): NodeCalls {
  let lastId = 0

  async function ask (calls: readonly Call[], signal: AbortSignal): Promise<Reply[]> {
    const { method } = calls[0]!
    const messages = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }))
    const batch = messages.length > 1
    const bytes = await post(JSON.stringify(batch ? messages : messages[0]), timeout(method), signal, headers => onHeaders(method, headers))
    return readAnswer(host, { batch, ids: messages.map(({ id }) => id) }, await parse(host, method, bytes, signal))
  }

  return async (calls, signal) => {
    const begun = clock.now()
    let replies: Reply[]
    try {
      replies = await ask(calls, signal)
    } catch (error) {
      replies = failAll(calls, isServiceError(error) ? error : networkError(host, error))
    }
    onCall({ method: calls[0]!.method, size: calls.length, node, outcome: signal.aborted ? 'aborted' : outcomeOf(replies), ms: clock.now() - begun })
    return replies
  }
}

/** What is told of a request: of the first member that failed, else 'ok'. */
function outcomeOf (replies: Reply[]): CallReport['outcome'] {
  for (const reply of replies) if ('error' in reply) return faultOf(reply.error)?.reason ?? 'network'
  return 'ok'
}

async function parse (host: string, method: string, bytes: Buffer, signal: AbortSignal): Promise<unknown> {
  try {
    return await parseJsonInSlices(bytes, { signal, ...PARSING.get(method) })
  } catch (error) {
    if (isServiceError(error)) throw error
    // The platform's message quotes the text.
    throw answerError(host, 'not-json', 'answered with no JSON')
  }
}

/** A parsed answer to the request with `ids`, one reply for each. Throws NODE_BAD_ANSWER for what is no answer to it, or refuses a batch as a whole. */
export function readAnswer (host: string, { batch, ids }: { batch: boolean, ids: readonly unknown[] }, answer: unknown): Reply[] {
  if (!Array.isArray(answer)) return [readSingle(host, { batch, ids }, answer)]
  if (!batch) throw answerError(host, 'wrong-shape', 'answered one call with a list')
  const byId = new Map<unknown, Reply>()
  for (const member of answer as unknown[]) {
    const reply = readReply(host, member)
    if (reply === undefined || !isRecord(member)) throw answerError(host, 'wrong-shape', 'answered a batch with a member that is neither result nor error')
    byId.set(member.id, reply)
  }
  const replies = ids.map(id => byId.get(id)).filter(reply => reply !== undefined)
  if (replies.length !== ids.length || answer.length !== ids.length) throw answerError(host, 'wrong-ids', 'answered a batch with other ids than asked for')
  return replies
}

function readSingle (host: string, { batch, ids }: { batch: boolean, ids: readonly unknown[] }, answer: unknown): Reply {
  const reply = readReply(host, answer)
  if (reply === undefined || !isRecord(answer)) throw answerError(host, 'wrong-shape', 'answered with JSON that is no JSON-RPC answer')
  // A request that the node can't read, or doesn't want as a batch, is answered under id null.
  const general = 'error' in reply && (answer.id === null || answer.id === undefined)
  if (batch) {
    if (!general) throw answerError(host, 'wrong-shape', 'answered a batch with a single answer')
    const fault = faultOf(reply.error)
    if (fault?.reason === 'refused') throw reply.error
    throw nodeError('NODE_BAD_ANSWER', `refused a batch with JSON-RPC error ${fault?.rpcCode ?? 0}`, { ...fault!, reason: 'batch' })
  }
  if (!general && answer.id !== ids[0]) throw answerError(host, 'wrong-ids', 'answered with another id than asked for')
  return reply
}

function readReply (host: string, member: unknown): Reply | undefined {
  if (!isRecord(member)) return undefined
  const { error } = member
  if (error === undefined || error === null) return 'result' in member ? { result: member.result } : undefined
  if (!isRecord(error) || typeof error.code !== 'number' || !Number.isInteger(error.code)) return undefined
  return { error: readError(host, error.code, typeof error.message === 'string' ? error.message : '') }
}

/** A JSON-RPC error by its meaning: a refusal for the rate of calls, or one about this call. */
function readError (host: string, code: number, message: string): ServiceError {
  const refused = RATE_CODES.has(code) || (!/behind/i.test(message) && TOO_MANY.test(message))
  if (refused) return nodeError('NODE_UNAVAILABLE', `refused a call for its rate (JSON-RPC error ${code})`, { host, reason: 'refused', rpcCode: code })
  return rpcError(host, code)
}
