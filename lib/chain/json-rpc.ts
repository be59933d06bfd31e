/** JSON-RPC over HTTP, within a size and a deadline: everything that is no answer is an error. */
import { Agent, type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { failAll, faultOf, type FaultReason, httpError, networkError, nodeError, rpcError } from './node-errors.js'
import { isRecord, parseJson } from './checks.js'
import type { Call, Reply } from './types.js'

export interface CallReport {
  method: string
  /** Calls in it. */
  size: number
  /** As in `NodeState`. */
  node: string
  outcome: 'ok' | 'aborted' | FaultReason
  ms: number
}

interface NodeCallsOptions {
  node: string
  clock: Clock
  connections: Connections
  maxBytes: number
  onCall: (report: CallReport) => void
  onHeaders: (method: string, headers: IncomingHttpHeaders) => void
}

export type NodeCalls = ReturnType<typeof createNodeCalls>

/** Unpacked bytes; leaving the iteration ends the download. */
export interface Body extends AsyncIterable<Uint8Array> { destroy (): void }

/** The body is to be read or destroyed. */
export interface Answer { status: number, headers: IncomingHttpHeaders, body: Body }

/** Kept between requests. Redirects are not followed: one would carry the key to another host. */
export interface Connections {
  /** `signal` ends the answer's body too. Throws the platform's error where there is no answer. */
  post (url: URL, text: string, signal: AbortSignal): Promise<Answer>
  close (): void
}

// Shorter than nodes and proxies keep an idle connection; where they say how long, that holds.
const IDLE_MS = 4_000
/**
 * How long an address of a host is tried before the next one. The platform's 250 ms give up one that is a continent
 * away, for an IPv6 address to which this machine has no route.
 */
export const ADDRESS_LIMITS = { autoSelectFamilyAttemptTimeout: 1_000 }
// The body of a refusal is read to keep its connection: public nodes count new ones.
const REFUSAL_BYTES = 65_536
const REFUSAL_MS = 250
// Longer pauses are cut to this, s.
const MAX_RETRY_AFTER = 600
// "Too many calls" by code, or by other codes (-32005, -32007) and the words of providers. In errors about a request
// the same words are about its size: invalid, of an owner without an index, of a scan that finds too much.
const RATE_CODES = new Set([-32429, 429])
const ABOUT_THE_REQUEST = new Set([-32600, -32602, -32010, -32012])
const TOO_MANY =
  /rate.?limit|too many|request limit|requests per|limit (exceeded|reached)|exceeded .*(limit|capacity|quota)|throttl/i

/** The platform's own client: its `fetch` takes three times the CPU for a first list of DAOs. */
export function createConnections (): Connections {
  const kept = { keepAlive: true, timeout: IDLE_MS, ...ADDRESS_LIMITS }
  const [plain, secure] = [new Agent(kept), new SecureAgent(kept)]
  return {
    post: (url, text, signal) => new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:'
      const request = (isSecure ? requestSecure : requestPlain)(url, {
        method: 'POST',
        agent: isSecure ? secure : plain,
        headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
        signal
      })
      request.on('error', reject)
      request.on('response', response => {
        const { statusCode: status = 0, headers } = response
        const isPacked = headers['content-encoding']?.toLowerCase() === 'gzip'
        // what goes wrong on the way is thrown where the body is read
        const body = isPacked ? pipeline(response, createGunzip(), () => {}) : response
        resolve({ status, headers, body })
      })
      request.end(text)
    }),
    close () {
      plain.destroy()
      secure.destroy()
    }
  }
}

/** Seconds of a Retry-After; a date counts from the answer's own, else from `epoch`, Unix ms. undefined: none. */
export function readRetryAfter (
  { 'retry-after': header = '', date = '' }: IncomingHttpHeaders, epoch: number
): number | undefined {
  const text = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - (Date.parse(date) || epoch)) / 1000
  return seconds > 0 ? Math.min(MAX_RETRY_AFTER, Math.ceil(seconds)) : undefined
}

/** Posts one call, or several as a batch; a reply for each, a timeout after `ms`. Never rejects. */
export function createNodeCalls (
  url: URL, { node, clock, connections, maxBytes, onCall, onHeaders }: NodeCallsOptions
) {
  const { host } = url
  let lastId = 0
  // What has come of all bodies under way.
  let held = 0

  /** One that holds more than it leaves to the others is refused: so a small one never is. */
  async function read (body: Body, most = maxBytes): Promise<Buffer> {
    const parts: Uint8Array[] = []
    let size = 0
    try {
      for await (const part of body) {
        parts.push(part)
        size += part.byteLength
        held += part.byteLength
        if (size > Math.min(most, maxBytes - held)) {
          throw nodeError(host, 'too-large', 'answered with more than can be held')
        }
      }
    } finally {
      held -= size
    }
    return Buffer.concat(parts)
  }

  async function ask (calls: readonly Call[], signal: AbortSignal): Promise<Reply[]> {
    const messages = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }))
    const batch = messages.length > 1
    const text = JSON.stringify(batch ? messages : messages[0])
    const { status, headers, body } = await connections.post(url, text, signal)
    onHeaders(calls[0]!.method, headers)
    if (status !== 200) {
      // the status counts, whatever becomes of the body
      const cancel = clock.after(REFUSAL_MS, () => body.destroy())
      await read(body, REFUSAL_BYTES).catch(() => {}).finally(cancel)
      throw httpError(host, status, readRetryAfter(headers, clock.epoch()))
    }
    const answer = parseJson((await read(body)).toString())
    if (answer === undefined) throw nodeError(host, 'not-json', 'answered with no JSON')
    return readAnswer(host, messages.map(({ id }) => id), answer)
  }

  return async (calls: readonly Call[], ms: number, signal: AbortSignal): Promise<Reply[]> => {
    const begun = clock.now()
    // includes connecting, and a body that drips
    const late = new AbortController()
    const cancel = clock.after(ms, () => late.abort(nodeError(host, 'timeout', `took longer than ${ms} ms`)))
    const either = AbortSignal.any([signal, late.signal])
    const replies = await ask(calls, either).catch((error: unknown) => {
      const ours = either.aborted ? either.reason : isServiceError(error) ? error : networkError(host, error)
      return failAll(calls, ours as ServiceError)
    }).finally(cancel)
    const failure = replies.find(({ error }) => error !== undefined)?.error
    const outcome = signal.aborted ? 'aborted' : failure === undefined ? 'ok' : faultOf(failure)!.reason
    onCall({ method: calls[0]!.method, size: calls.length, node, outcome, ms: clock.now() - begun })
    return replies
  }
}

/** One reply for each of `ids`. Throws NODE_BAD_ANSWER for what is no answer to them, or refuses a batch as a whole. */
export function readAnswer (host: string, ids: readonly unknown[], answer: unknown): Reply[] {
  const batch = ids.length > 1
  const isList = Array.isArray(answer)
  const members: unknown[] = isList ? answer : [answer]
  const byId = new Map(members.map(member => readMember(host, member)))
  // What it can't read a node answers under id null; a batch that it does not want, under any, or member by member.
  const [only] = byId.values()
  const isOfAll = batch && (!isList || [...byId.values()].every(isAboutTheRequest))
  const general = isOfAll ? only : isList ? undefined : byId.get(null) ?? byId.get(undefined)
  if (general?.error !== undefined) {
    if (!batch) return [general]
    const { reason, rpcCode } = faultOf(general.error)!
    if (reason === 'refused') throw general.error
    throw nodeError(host, 'batch', `refused a batch with JSON-RPC error ${rpcCode}`)
  }
  if (batch !== isList) {
    const what = batch ? 'answered a batch with a single answer' : 'answered one call with a list'
    throw nodeError(host, 'wrong-shape', what)
  }
  const replies = ids.flatMap(id => byId.get(id) ?? [])
  if (replies.length !== ids.length || members.length !== ids.length) {
    throw nodeError(host, 'wrong-ids', 'answered with other ids than asked for')
  }
  return replies
}

function readMember (host: string, member: unknown): [id: unknown, reply: Reply] {
  const { id, error = null } = isRecord(member) ? member : {}
  if (isRecord(member) && error === null && 'result' in member) return [id, { result: member.result }]
  if (isRecord(error) && Number.isInteger(error.code)) {
    return [id, { error: readError(host, Number(error.code), String(error.message)) }]
  }
  throw nodeError(host, 'wrong-shape', 'answered with JSON that is neither result nor error')
}

const isAboutTheRequest = ({ error }: Reply) => ABOUT_THE_REQUEST.has(faultOf(error)?.rpcCode ?? 0)

/** A refusal for the rate of calls, or an error about this call. */
function readError (host: string, code: number, message: string): ServiceError {
  const isOther = ABOUT_THE_REQUEST.has(code) || /behind/i.test(message) || !TOO_MANY.test(message)
  if (!RATE_CODES.has(code) && isOther) return rpcError(host, code)
  return nodeError(host, 'refused', `refused a call for its rate (JSON-RPC error ${code})`, { rpcCode: code })
}
