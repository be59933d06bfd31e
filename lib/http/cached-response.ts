import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import negotiate from '@fastify/accept-negotiator'
import { createPauses, letGo } from '../async.js'

/** An answer's bytes, made once for each value and sent as they are: body, compressed bodies, entity tags. */

export type Encoding = 'identity' | 'gzip' | 'br'

export interface Variant {
  encoding: Encoding
  /** Or how it is made, while nobody has taken it so. */
  body: Buffer | (() => Promise<Buffer>)
  /** Strong, so each variant has its own. */
  etag: string
}

/** `T` is what the bytes hold: the compiler compares it with the response schema of the route that sends them. */
export interface CachedResponse<T = unknown> {
  contentType: string
  /** Hash that the variants' entity tags begin with. */
  tag: string
  variants: Map<Encoding, Variant>
  /** What else the answer says in headers. */
  headers?: Record<string, string>
  /** For the compiler alone: no value has it. */
  readonly holds?: T
}

/** Smaller bodies aren't worth compressing: they fit a packet. */
const MIN_COMPRESSED = 1_024
/** Quality 5 of brotli takes about as long as gzip and packs better. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const TAG_BYTES = 18
/**
 * Bytes hashed in one piece of work: about a millisecond. What is longer is a piece by itself wherever it is taken as a
 * whole.
 */
const LARGE = 1 << 20

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

const pack = {
  gzip: async (body: Buffer) => await gzipAsync(body),
  br: async (body: Buffer) => await brotliAsync(body, BROTLI)
}

export const etagOf = (tag: string, encoding: Encoding): string =>
  encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
const bytesOf = (text: string | Buffer): Buffer => typeof text === 'string' ? Buffer.from(text) : text
const tagOf = (body: Buffer): string => createHash('sha256').update(body).digest('base64url').slice(0, TAG_BYTES)

/** As `tagOf`, with the event loop let go between the parts of a large body. */
async function tagOfLarge (body: Buffer): Promise<string> {
  const [hash, pause] = [createHash('sha256'), createPauses()]
  for (let at = 0; at < body.length; at += LARGE) {
    hash.update(body.subarray(at, at + LARGE))
    const wait = pause()
    if (wait !== undefined) await wait
  }
  return hash.digest('base64url').slice(0, TAG_BYTES)
}

/**
 * The plain body, and others packed off the event loop when a client first takes them so: most answers are never asked
 * for in all forms before the next is made.
 */
function variantsOf (body: Buffer, tag: string): Map<Encoding, Variant> {
  const variants = new Map<Encoding, Variant>([
    ['identity', { encoding: 'identity', body, etag: etagOf(tag, 'identity') }]
  ])
  if (body.length < MIN_COMPRESSED) return variants
  for (const encoding of ['gzip', 'br'] as const) {
    let packing: Promise<Buffer> | undefined
    async function packed (): Promise<Buffer> {
      packing ??= pack[encoding](body).finally(() => { packing = undefined })
      return (variant.body = await packing)
    }
    const variant: Variant = { encoding, body: packed, etag: etagOf(tag, encoding) }
    variants.set(encoding, variant)
  }
  return variants
}

/** Hashes `text`, in pieces where it is large. */
export async function makeCachedResponse<T = unknown> (
  contentType: string, text: string | Buffer, headers?: Record<string, string>
): Promise<CachedResponse<T>> {
  if (text.length > LARGE) await letGo()
  const body = bytesOf(text)
  if (text.length > LARGE) await letGo()
  const tag = await tagOfLarge(body)
  return { contentType, tag, variants: variantsOf(body, tag), ...(headers !== undefined && { headers }) }
}

/** As `makeCachedResponse`, at once: for answers that are asked for once. */
export function makeSingleResponse<T = unknown> (contentType: string, body: Buffer): CachedResponse<T> {
  const tag = tagOf(body)
  return { contentType, tag, variants: variantsOf(body, tag) }
}

/**
 * As `makeCachedResponse`, at once and without compressed bodies: for answers that few ask for, whose packing would
 * cost more than their making.
 */
export function makePlainResponse<T = unknown> (
  contentType: string, text: string, headers?: Record<string, string>
): CachedResponse<T> {
  const body = Buffer.from(text)
  const tag = tagOf(body)
  return {
    contentType,
    tag,
    variants: new Map([['identity', { encoding: 'identity', body, etag: `"${tag}"` }]]),
    ...(headers !== undefined && { headers })
  }
}

const PREFERENCE: readonly Encoding[] = ['br', 'gzip', 'identity']
/** An encoding that a header refuses by name stays refused where it admits any other. */
const REFUSED = /\b(br|gzip)\s*;\s*q\s*=\s*0(?:\.0*)?\s*(?=,|$)/g

/**
 * Which of `offered` a client with this Accept-Encoding header gets, in our order of preference; plain where it wants
 * none.
 */
export function chooseEncoding (offered: readonly Encoding[], header: string | undefined): Encoding {
  const accepted = header?.toLowerCase() ?? ''
  const refused = new Set(Array.from(accepted.matchAll(REFUSED), ([, name]) => name))
  return negotiate(accepted, offered.filter(encoding => !refused.has(encoding))) as Encoding | null ?? 'identity'
}

/**
 * The variant to send to a client with this Accept-Encoding header; a body that can't be packed to its taste goes as it
 * is.
 */
export function chooseVariant ({ variants }: CachedResponse, header: string | undefined): Variant {
  const variant = variants.get(chooseEncoding(PREFERENCE.filter(encoding => variants.has(encoding)), header))
  if (variant === undefined) throw new Error('a response without its plain body')
  return variant
}

/** Whether an If-None-Match header names this representation, in whatever encoding the client has it. */
export function isKnown ({ tag }: Pick<CachedResponse, 'tag'>, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some(item => {
    const known = item.trim().replace(/^W\//, '')
    return known === `"${tag}"` || (known.startsWith(`"${tag}-`) && known.endsWith('"'))
  })
}
