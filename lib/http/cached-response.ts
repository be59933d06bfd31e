import { createHash } from 'node:crypto'
import { type Exact, exactJson, type ExactValue } from '../exact-json.js'
import { chooseEncoding, type Encoding, pack, QUICK } from './encoding.js'

/** `T`: what the bytes hold, for the compiler to compare with the response schema of the route that sends them. */
interface Answer<T> {
  contentType: string
  /** What its entity tags begin with: the same for the same bytes. */
  tag: string
  /** For the compiler alone: no value has it. */
  readonly holds?: T
}

export interface CachedResponse<T = unknown> extends Answer<T> {
  /** The bytes in each encoding that is offered, or how they are made at the first request for it. */
  bodies: Map<Encoding, Buffer | (() => Promise<Buffer>)>
  /** Further headers. */
  headers?: Record<string, string> | undefined
}

/** An answer too large to be held as a whole: its bytes are made as its client takes them. */
export interface StreamedResponse<T = unknown> extends Answer<T> {
  parts (): AsyncIterable<Buffer>
}

export const isStreamed = <T>(response: CachedResponse<T> | StreamedResponse<T>): response is StreamedResponse<T> =>
  'parts' in response

/** Smaller bodies aren't worth compressing: they fit a packet. */
const MIN_COMPRESSED = 1_024
const TAG_BYTES = 18

const tagOf = (bytes: Buffer | string, headers = '') =>
  createHash('sha256').update(bytes).update(headers).digest('base64url').slice(0, TAG_BYTES)
/** A tag of all that an answer's bytes depend on. */
export const tagOfAll = (...parts: ReadonlyArray<string | number>) => tagOf(JSON.stringify(parts))
/** Strong, so each encoding has its own. */
export const etagOf = (tag: string, encoding: Encoding) =>
  encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`

/**
 * An answer of `text`, compressed at the first request for an encoding; `quality`: of brotli. Other headers make
 * another entity tag.
 */
export function makeCachedResponse<T = unknown> (
  contentType: string, text: string | Buffer, headers?: Record<string, string>, quality = QUICK
): CachedResponse<T> {
  const body = typeof text === 'string' ? Buffer.from(text) : text
  const bodies: CachedResponse['bodies'] = new Map([['identity', body]])
  for (const encoding of body.length < MIN_COMPRESSED ? [] : ['gzip', 'br'] as const) {
    let packing: Promise<Buffer> | undefined
    bodies.set(encoding, async () => {
      packing ??= pack[encoding](body, quality).finally(() => { packing = undefined })
      const packed = await packing
      bodies.set(encoding, packed)
      return packed
    })
  }
  const tag = tagOf(body, headers && JSON.stringify(headers))
  return { contentType, tag, bodies, headers }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The bytes of a value, whose type the compiler compares with the schema of its route. */
export const jsonResponse = <T>(value: T, headers?: Record<string, string>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, JSON.stringify(value), headers)

/** Likewise, with numbers that keep every digit. */
export const exactResponse = <T>(value: Exact<T>): CachedResponse<T> =>
  makeCachedResponse(JSON_TYPE, exactJson(value as ExactValue))

const PREFERENCE: readonly Encoding[] = ['br', 'gzip', 'identity']

/** What a client with this Accept-Encoding header gets; one that takes a body in no encoding gets it plain. */
export function chooseBody ({ bodies }: CachedResponse, header: string | undefined) {
  const encoding = chooseEncoding(PREFERENCE.filter(encoding => bodies.has(encoding)), header)
  return { encoding, body: bodies.get(encoding)! }
}

/** Whether an If-None-Match header names this tag, in any encoding. */
export function isKnown (tag: string, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some(item => {
    const known = item.trim().replace(/^W\//, '')
    return known === `"${tag}"` || (known.startsWith(`"${tag}-`) && known.endsWith('"'))
  })
}
