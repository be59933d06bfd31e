import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** An answer's bytes, made once for each value and sent as they are: body, compressed bodies, entity tags. */

export type Encoding = 'identity' | 'gzip' | 'br'

export interface Variant {
  encoding: Encoding
  body: Buffer
  /** Strong, so each variant has its own. */
  etag: string
}

export interface Representation {
  contentType: string
  /** Hash that the variants' entity tags begin with. */
  tag: string
  variants: Map<Encoding, Variant>
  /** What else the answer says in headers. */
  headers?: Record<string, string>
}

/** Smaller bodies aren't worth compressing: they fit a packet. */
const LEAST_COMPRESSED = 1_024
/** Quality 5 of brotli takes about as long as gzip and packs better; it runs off the event loop, once per value. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const TAG_BYTES = 18

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

export async function represent (contentType: string, text: string, headers?: Record<string, string>): Promise<Representation> {
  const body = Buffer.from(text)
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, TAG_BYTES)
  const variants = new Map<Encoding, Variant>()
  const add = (encoding: Encoding, bytes: Buffer): void => {
    variants.set(encoding, { encoding, body: bytes, etag: encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"` })
  }
  add('identity', body)
  if (body.length >= LEAST_COMPRESSED) {
    const [packed, brotli] = await Promise.all([gzipAsync(body), brotliAsync(body, BROTLI)])
    add('gzip', packed)
    add('br', brotli)
  }
  return { contentType, tag, variants, ...(headers !== undefined && { headers }) }
}

const PREFERENCE: readonly Encoding[] = ['br', 'gzip', 'identity']
/** Headers are remembered: crawlers send the same few. */
const MOST_REMEMBERED = 64
const remembered = new Map<string, Encoding[]>()

/** The encodings that an Accept-Encoding header allows, best first. Never empty: a body we can't pack to a client's taste goes as it is. */
export function acceptedEncodings (header: string | undefined): readonly Encoding[] {
  if (header === undefined) return ['identity']
  const known = remembered.get(header)
  if (known !== undefined) return known
  const weights = new Map<string, number>()
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0
  const accepted: Encoding[] = PREFERENCE.filter(encoding => encoding !== 'identity' && weightOf(encoding) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a))
  accepted.push('identity')
  if (remembered.size < MOST_REMEMBERED) remembered.set(header, accepted)
  return accepted
}

/** The variant to send to a client with this Accept-Encoding header. */
export function chooseVariant ({ variants }: Representation, header: string | undefined): Variant {
  for (const encoding of acceptedEncodings(header)) {
    const variant = variants.get(encoding)
    if (variant !== undefined) return variant
  }
  throw new Error('a representation without its plain body')
}

/** Whether an If-None-Match header names this representation, in whatever encoding the client has it. */
export function isKnown ({ tag }: Representation, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some(item => {
    const known = item.trim().replace(/^W\//, '')
    return known === `"${tag}"` || (known.startsWith(`"${tag}-`) && known.endsWith('"'))
  })
}
