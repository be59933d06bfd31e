/** With the connections below it the lowest layer, and the only one that knows HTTP: a text is posted to a node, and the bytes of its answer come back whole. */
import type { IncomingHttpHeaders } from 'node:http'
import { eachInSlices } from '../async.js'
import type { Clock } from '../clock.js'
import { ServiceError } from '../errors.js'
import type { Answer, Body, Connections } from './connections.js'
import { answerError, httpError, networkError, nodeError } from './node-errors.js'
import { underSignals } from './signals.js'

/** Where a node is, taken apart so that only `host` need ever be told. */
export interface NodeAddress {
  /** Host and port. */
  host: string
  /** Without the user part. */
  url: string
  /** What the user part becomes. */
  authorization: string | undefined
}

export interface HttpOptions {
  connections: Connections
  clock: Clock
  /** The largest answer, unpacked. */
  maxBytes: number
}

/** Posts `body`; the bytes of the answer. `onHeaders` is told of the headers of any answer. Throws a ServiceError: timed out after `ms`, unreachable, another status than 200, too large. */
export type Post = (body: string, ms: number, signal: AbortSignal, onHeaders: (headers: IncomingHttpHeaders) => void) => Promise<Buffer>

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

export function createPost ({ host, url, authorization }: NodeAddress, { connections, clock, maxBytes }: HttpOptions): Post {
  const target = new URL(url)
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }

  async function post (body: string, signal: AbortSignal, onHeaders: (headers: IncomingHttpHeaders) => void): Promise<Buffer> {
    const answer = await connections.post(target, { headers, body, signal })
    onHeaders(answer.headers)
    if (answer.status !== 200) {
      // Whatever happens to the body, the status has been said.
      await drain(answer.body, clock).catch(() => {})
      throw httpError(host, answer.status, readRetryAfter(answer.headers['retry-after'], clock.epoch()))
    }
    return await readBody(answer)
  }

  async function readBody ({ headers, body: source }: Answer): Promise<Buffer> {
    const tooLarge = () => answerError(host, 'too-large', `answered with more than ${maxBytes} bytes`)
    if (Number(headers['content-length']) > maxBytes) {
      source.destroy()
      throw tooLarge()
    }
    const parts: Uint8Array[] = []
    let size = 0
    // Leaving the loop by the error ends the download.
    for await (const part of source) {
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
export function readRetryAfter (header: string | undefined, epoch: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - epoch) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(MAX_RETRY_AFTER, Math.max(0, Math.ceil(seconds)))
}

async function drain (body: Body, clock: Clock): Promise<void> {
  const cancel = clock.after(DRAIN_MS, () => body.destroy())
  try {
    let left = DRAIN_BYTES
    for await (const part of body) {
      left -= part.byteLength
      if (left <= 0) return
    }
  } finally {
    cancel()
  }
}
