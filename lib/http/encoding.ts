import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import negotiate from '@fastify/accept-negotiator'

export type Encoding = 'identity' | 'gzip' | 'br'

/** Quality of brotli: this takes about as long as gzip and packs better. */
export const QUICK = 5
/** A tenth less again, in fifty times the time: for what is packed once and sent for good. */
export const BEST = constants.BROTLI_MAX_QUALITY
const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

/** Compresses off the event loop. */
export const pack = {
  gzip: async (body: Buffer, _quality: number) => await gzipAsync(body),
  br: async (body: Buffer, quality: number) =>
    await brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
}

/** An encoding that a header refuses by name stays refused where it admits any other. */
const REFUSED = /\b(br|gzip)\s*;\s*q\s*=\s*0(?:\.0*)?\s*(?=,|$)/g

/** Which of `offered`, in our order of preference, a client with this Accept-Encoding header gets; plain: none. */
export function chooseEncoding (offered: readonly Encoding[], header: string | undefined): Encoding {
  const accepted = header?.toLowerCase() ?? ''
  const refused = new Set(Array.from(accepted.matchAll(REFUSED), ([, name]) => name))
  return negotiate(accepted, offered.filter(encoding => !refused.has(encoding))) as Encoding | null ?? 'identity'
}
