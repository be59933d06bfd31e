/** The lowest layer, and the only one that knows HTTP: a text is posted to a node, and the bytes of its answer come back whole. */
import { eachInSlices } from '../async.js'
import type { Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import { answerError, httpError, networkError, nodeError } from './node-errors.js'
import type { Fetch } from './rpc.js'
import { underSignals } from './signals.js'

/** Where a node is, taken apart so that only `host` need ever be told. */
export interface NodeAddress {
  /** Host and port. */
  host: string
  /** Without the user part, which fetch refuses. */
  url: string
  /** What the user part becomes. */
  authorization: string | undefined
}

export interface HttpOptions {
  fetch: Fetch
  clock: Clock
  /** The largest answer, unpacked. */
  maxBytes: number
}

/** Posts `body`; the bytes of the answer. `onHeaders` is told of the headers of any answer. Throws a ServiceError: timed out after `ms`, unreachable, another status than 200, too large. */
export type Post = (body: string, ms: number, signal: AbortSignal, onHeaders: (headers: Headers) => void) => Promise<Buffer>

// The body of a refusal is read so that the connection can be used again (public nodes count new ones), but only as long as
// that is cheaper than a new connection.
const DRAIN_BYTES = 65_536
const DRAIN_MS = 250
// Longer pauses are no advice any more.
const MAX_RETRY_AFTER = 86_400

/** Reads a node's URL; throws a TypeError, which does not repeat it, where it is none. */
export function readNodeUrl (text: string, position: number): NodeAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new TypeError(`node ${position + 1} has no http or https URL`)
  const { host, username, password } = url
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  url.username = ''
  url.password = ''
  return { host, url: url.href, authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}` }
}

export function createPost ({ host, url, authorization }: NodeAddress, { fetch, clock, maxBytes }: HttpOptions): Post {
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }

  async function post (body: string, signal: AbortSignal, onHeaders: (headers: Headers) => void): Promise<Buffer> {
    // A redirect would carry the key and the request to a host that nobody chose.
    const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal })
    onHeaders(response.headers)
    if (response.status !== 200) {
      // Whatever happens to the body, the status has been said.
      await drain(response.body, clock).catch(() => {})
      throw httpError(host, response.status, readRetryAfter(response.headers.get('retry-after'), clock.epoch()))
    }
    return await readBody(response)
  }

  async function readBody (response: Response): Promise<Buffer> {
    const tooLarge = () => answerError(host, 'too-large', `answered with more than ${maxBytes} bytes`)
    if (Number(response.headers.get('content-length')) > maxBytes) {
      await response.body?.cancel()
      throw tooLarge()
    }
    const parts: Uint8Array[] = []
    let size = 0
    // Leaving the loop by the error cancels the stream, and with it the download.
    for await (const part of response.body ?? []) {
      size += part.byteLength
      if (size > maxBytes) throw tooLarge()
      parts.push(part)
    }
    // many megabytes at times
    const body = Buffer.allocUnsafe(size)
    let at = 0
    await eachInSlices(parts, part => {
      body.set(part, at)
      at += part.byteLength
    })
    return body
  }

  return async (body, ms, signal, onHeaders) => {
    let cancel = () => {}
    try {
      return await underSignals([signal], controller => {
        // The deadline holds for everything: connecting, waiting, a body that drips.
        cancel = clock.after(ms, () => controller.abort(nodeError('NODE_UNAVAILABLE', `took longer than ${ms} ms`, { host, reason: 'timeout' })))
        return post(body, controller.signal, onHeaders)
      })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // What the platform throws may hold the URL in its text and causes.
      throw error instanceof ServiceError ? error : networkError(host, error)
    } finally {
      cancel()
    }
  }
}

/** Seconds from now (`epoch`, Unix milliseconds), of the seconds or the date that the header states. */
export function readRetryAfter (header: string | null, epoch: number): number | undefined {
  if (header === null) return undefined
  const text = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - epoch) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(MAX_RETRY_AFTER, Math.max(0, Math.ceil(seconds)))
}

async function drain (body: ReadableStream<Uint8Array> | null, clock: Clock): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  const stop = () => { reader.cancel().catch(() => {}) }
  const cancel = clock.after(DRAIN_MS, stop)
  try {
    for (let left = DRAIN_BYTES; left > 0;) {
      const { done, value } = await reader.read()
      if (done) return
      left -= value.byteLength
    }
    stop()
  } finally {
    cancel()
  }
}
