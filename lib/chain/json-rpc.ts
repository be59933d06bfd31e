/**
 * How a call is sent, alone or in a batch, and its answer read: within a size and a deadline, and an error for
 * everything that is no answer.
 */
import { Agent, type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { Agent as SecureAgent, request as requestSecure } from 'node:https'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import type { Clock } from '../clock.js'
import { isServiceError, type ServiceError } from '../errors.js'
import { answerError, faultOf, type FaultReason, httpError, networkError, nodeError, rpcError } from './node-errors.js'
import { type Call, failAll, isRecord, type Reply } from './rpc.js'

/** Where a node is: host and port, which may be told, the URL without its user part, and what that becomes. */
export interface NodeAddress { host: string, url: string, authorization: string | undefined }

/** One request to one node. */
export interface CallReport {
  method: string
  /** Calls in it: 1, or the members of a batch. */
  size: number
  /** Host and port, with a number where several nodes share them. */
  node: string
  outcome: 'ok' | 'aborted' | FaultReason
  ms: number
}

export interface NodeCallsOptions {
  /** For reports. */
  node: string
  clock: Clock
  connections: Connections
  /** The largest answer, unpacked. */
  maxBytes: number
  onCall: (report: CallReport) => void
  /** Told of the headers of every answer. */
  onHeaders: (method: string, headers: IncomingHttpHeaders) => void
}

/** Posts calls, one alone or several as a batch, and gives a reply for each, a timeout after `ms`. Never rejects. */
export type NodeCalls = (calls: readonly Call[], ms: number, signal: AbortSignal) => Promise<Reply[]>

/** Unpacked bytes as they come; whoever leaves before the end ends the download. */
export interface Body extends AsyncIterable<Uint8Array> {
  destroy (): void
}

/** A node's answer, once its headers are there; the body is to be read or destroyed. */
export interface Answer {
  status: number
  /** Names in lower case. */
  headers: IncomingHttpHeaders
  body: Body
}

export interface Question {
  headers: Readonly<Record<string, string>>
  body: string
  /** Ends it at any time, the body included. */
  signal: AbortSignal
}

/**
 * Connections of one client, kept between requests. Redirects are answers: followed, one would carry the key to a host
 * that nobody chose.
 */
export interface Connections {
  /** Throws the platform's error where there is no answer. */
  post (url: URL, question: Question): Promise<Answer>
  close (): void
}

// Shorter than nodes and their proxies wait before they close an idle connection; where they say how long, that holds.
const IDLE_MS = 4_000
// The body of a refusal is read, so that the connection can be used again, while that is cheaper than a new one.
const DRAIN_BYTES = 65_536
const DRAIN_MS = 250
// Longer pauses are no advice any more.
const MAX_RETRY_AFTER = 86_400
// "Too many calls" by code, or by other codes (-32005, -32007) and the words of providers, which are never repeated.
const RATE_CODES = new Set([-32429, 429])
const TOO_MANY =
  /rate.?limit|too many|request limit|requests per|limit (exceeded|reached)|exceeded .*(limit|capacity|quota)|throttl/i

const UNPACKED = { gzip: createGunzip, br: createBrotliDecompress }
const isPacked = (encoding: string): encoding is keyof typeof UNPACKED => Object.hasOwn(UNPACKED, encoding)

/** The platform's own client: its `fetch` takes three times the CPU for a first list of DAOs. */
export function createConnections (): Connections {
  const kept = { keepAlive: true, timeout: IDLE_MS }
  const [plain, secure] = [new Agent(kept), new SecureAgent(kept)]
  return {
    post: (url, { headers, body, signal }) => new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        headers: { ...headers, 'accept-encoding': Object.keys(UNPACKED).join() },
        signal
      }
      const request = url.protocol === 'https:'
        ? requestSecure(url, { ...options, agent: secure })
        : requestPlain(url, { ...options, agent: plain })
      request.on('error', reject)
      request.on('response', response => {
        const { statusCode: status = 0, headers } = response
        const encoding = headers['content-encoding']?.toLowerCase() ?? ''
        // what goes wrong on the way is thrown where the body is read
        const body = isPacked(encoding) ? pipeline(response, UNPACKED[encoding](), () => {}) : response
        resolve({ status, headers, body })
      })
      request.end(body)
    }),
    close () {
      plain.destroy()
      secure.destroy()
    }
  }
}

/** Reads a node's URL; throws a TypeError, which does not repeat it, where it is none. */
export function readNodeUrl (text: string, position: number): NodeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(`node ${position + 1} has no http or https URL`)
  }
  const { host, username, password } = url
  const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  url.username = ''
  url.password = ''
  return { host, url: url.href, authorization: user.length === 1 ? undefined : `Basic ${user.toString('base64')}` }
}

/** Seconds from now (`epoch`, Unix milliseconds), of the seconds or the date that the header states. */
export function readRetryAfter (header: string | undefined, epoch: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - epoch) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(MAX_RETRY_AFTER, Math.max(0, Math.ceil(seconds)))
}

export function createNodeCalls (
  { host, url, authorization }: NodeAddress, { node, clock, connections, maxBytes, onCall, onHeaders }: NodeCallsOptions
): NodeCalls {
  const target = new URL(url)
  const sent = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }
  let lastId = 0

  async function read (body: Body, stated: number): Promise<Buffer> {
    const tooLarge = () => answerError(host, 'too-large', `answered with more than ${maxBytes} bytes`)
    if (stated > maxBytes) {
      body.destroy()
      throw tooLarge()
    }
    const parts: Uint8Array[] = []
    let size = 0
    // Leaving the loop by the error ends the download.
    for await (const part of body) {
      size += part.byteLength
      if (size > maxBytes) throw tooLarge()
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  async function drain (body: Body): Promise<void> {
    const cancel = clock.after(DRAIN_MS, () => body.destroy())
    try {
      let left = DRAIN_BYTES
      for await (const part of body) if ((left -= part.byteLength) <= 0) return
    } finally {
      cancel()
    }
  }

  async function post (method: string, text: string, signal: AbortSignal): Promise<Buffer> {
    const { status, headers, body } = await connections.post(target, { headers: sent, body: text, signal })
    onHeaders(method, headers)
    if (status === 200) return await read(body, Number(headers['content-length']))
    // Whatever happens to the body, the status has been said.
    await drain(body).catch(() => {})
    throw httpError(host, status, readRetryAfter(headers['retry-after'], clock.epoch()))
  }

  async function ask (calls: readonly Call[], signal: AbortSignal): Promise<Reply[]> {
    const { method } = calls[0]!
    const messages = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: ++lastId, method, params }))
    const batch = messages.length > 1
    const bytes = await post(method, JSON.stringify(batch ? messages : messages[0]), signal)
    return readAnswer(host, { batch, ids: messages.map(({ id }) => id) }, parse(host, bytes))
  }

  return async (calls, ms, signal) => {
    const begun = clock.now()
    // The deadline holds for everything: connecting, waiting, a body that drips.
    const late = new AbortController()
    const cancel = clock.after(ms, () =>
      late.abort(nodeError('NODE_UNAVAILABLE', `took longer than ${ms} ms`, { host, reason: 'timeout' })))
    const either = AbortSignal.any([signal, late.signal])
    let replies: Reply[]
    try {
      replies = await ask(calls, either)
    } catch (error) {
      // What the platform throws may hold the URL in its text and causes.
      const ours = either.aborted ? either.reason : isServiceError(error) ? error : networkError(host, error)
      replies = failAll(calls, ours as ServiceError)
    } finally {
      cancel()
    }
    const outcome = signal.aborted ? 'aborted' : outcomeOf(replies)
    onCall({ method: calls[0]!.method, size: calls.length, node, outcome, ms: clock.now() - begun })
    return replies
  }
}

/** What is told of a request: of the first member that failed, else 'ok'. */
function outcomeOf (replies: Reply[]): CallReport['outcome'] {
  for (const reply of replies) if ('error' in reply) return faultOf(reply.error)?.reason ?? 'network'
  return 'ok'
}

function parse (host: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    // The platform's message quotes the text.
    throw answerError(host, 'not-json', 'answered with no JSON')
  }
}

/**
 * A parsed answer to the request with `ids`, one reply for each. Throws NODE_BAD_ANSWER for what is no answer to it, or
 * refuses a batch as a whole.
 */
export function readAnswer (
  host: string, { batch, ids }: { batch: boolean, ids: readonly unknown[] }, answer: unknown
): Reply[] {
  if (!Array.isArray(answer)) return [readSingle(host, { batch, ids }, answer)]
  if (!batch) throw answerError(host, 'wrong-shape', 'answered one call with a list')
  const byId = new Map<unknown, Reply>()
  for (const member of answer as unknown[]) {
    const reply = readReply(host, member)
    if (reply === undefined || !isRecord(member)) {
      throw answerError(host, 'wrong-shape', 'answered a batch with a member that is neither result nor error')
    }
    byId.set(member.id, reply)
  }
  const replies = ids.map(id => byId.get(id)).filter(reply => reply !== undefined)
  if (replies.length !== ids.length || answer.length !== ids.length) {
    throw answerError(host, 'wrong-ids', 'answered a batch with other ids than asked for')
  }
  return replies
}

function readSingle (
  host: string, { batch, ids }: { batch: boolean, ids: readonly unknown[] }, answer: unknown
): Reply {
  const reply = readReply(host, answer)
  if (reply === undefined || !isRecord(answer)) {
    throw answerError(host, 'wrong-shape', 'answered with JSON that is no JSON-RPC answer')
  }
  // A request that the node can't read, or doesn't want as a batch, is answered under id null.
  const general = 'error' in reply && (answer.id === null || answer.id === undefined)
  if (batch) {
    if (!general) throw answerError(host, 'wrong-shape', 'answered a batch with a single answer')
    const fault = faultOf(reply.error)
    if (fault?.reason === 'refused') throw reply.error
    const what = `refused a batch with JSON-RPC error ${fault?.rpcCode ?? 0}`
    throw nodeError('NODE_BAD_ANSWER', what, { ...fault!, reason: 'batch' })
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
  if (!RATE_CODES.has(code) && (/behind/i.test(message) || !TOO_MANY.test(message))) return rpcError(host, code)
  const what = `refused a call for its rate (JSON-RPC error ${code})`
  return nodeError('NODE_UNAVAILABLE', what, { host, reason: 'refused', rpcCode: code })
}
