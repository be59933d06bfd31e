import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Aged } from '../lib/live/fresh.js'
import {
  type CachedResponse, chooseVariant, etagOf, isKnown, isStreamed, type StreamedResponse
} from '../lib/http/cached-response.js'
import { chooseEncoding } from '../lib/http/encoding.js'

/** An answer with its age; without parts where no state of the chain is in it. */
export type Sendable<V> = Omit<Aged<V>, 'parts'> & Partial<Pick<Aged<V>, 'parts'>>

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Sends bytes made beforehand, or as they are taken: in the encoding the client prefers, 304 where it has them,
     * with their age where they are stale. A handler returns what this gives: the reply, which the compiler takes for
     * what the bytes hold and compares with the route's schema. May reject with OVERLOADED.
     */
    sendCached<T> (response: Sendable<CachedResponse<T> | StreamedResponse<T>>): T
    /** Says how long an answer stays fresh, of when it is, and how old it is once it is stale. */
    setCacheHeaders (age: Age): FastifyReply
  }
}

type Age = Omit<Sendable<unknown>, 'value'>

/** A stale answer says its age. */
const isStale = ({ age, left }: Age): boolean => left === 0 && age > 0
/**
 * What an answer's entity tags begin with. One that says its age has its own: a 304 takes no header from what a client
 * keeps, so that by the same tag a browser would show the old age for good.
 */
const tagOf = ({ value: { tag }, ...age }: Sendable<{ tag: string }>): string => isStale(age) ? `${tag}.stale` : tag

/** Encodings of what is sent as it is taken: of the others a compressor takes megabytes for each client. */
const STREAMED = ['gzip', 'identity'] as const

async function sendStreamed (reply: FastifyReply, { value, ...age }: Sendable<StreamedResponse>): Promise<unknown> {
  const { headers, method, client, server: { budget } } = reply.request
  const encoding = chooseEncoding(STREAMED, headers['accept-encoding'])
  const tag = tagOf({ value, ...age })
  const isUnchanged = isKnown(tag, headers['if-none-match'])
  const isBare = isUnchanged || method === 'HEAD'
  // before anything is said: a request that is refused here has another answer
  const end = isBare ? () => {} : await budget.sending.enter(client)
  reply.setCacheHeaders(age).header('vary', 'accept-encoding').header('etag', etagOf(tag, encoding))
  if (isUnchanged) reply.code(304)
  if (isUnchanged && method !== 'HEAD') return reply.send()
  reply.type(value.contentType)
  if (encoding !== 'identity' && !isUnchanged) reply.header('content-encoding', encoding)
  // one part at a time is held beside what the connection has taken
  const parts = Readable.from(isBare ? [] : value.parts(), { objectMode: true, highWaterMark: 1 })
  // the framework ends the last stream where the client has gone, and is told of what fails by it
  const body = encoding === 'identity' || isBare ? parts : pipeline(parts, createGzip(), () => {})
  parts.once('close', end)
  return reply.send(body)
}

function sendCached (this: FastifyReply, response: Sendable<CachedResponse | StreamedResponse>): unknown {
  const { value, ...age } = response
  if (isStreamed(value)) return sendStreamed(this, { value, ...age })
  const { headers } = this.request
  const variant = chooseVariant(value, headers['accept-encoding'])
  const tag = tagOf({ value, ...age })
  this.setCacheHeaders(age).header('vary', 'accept-encoding').header('etag', etagOf(tag, variant.encoding))
  if (value.headers !== undefined) this.headers(value.headers)
  const isUnchanged = isKnown(tag, headers['if-none-match'])
  if (isUnchanged) this.code(304)
  // Of a HEAD request the framework tells the length of what is given here, and a 304 may tell none but that of the
  // whole body (RFC 9110, 8.6)
  if (isUnchanged && this.request.method !== 'HEAD') return this.send()
  if (variant.encoding !== 'identity' && !isUnchanged) this.header('content-encoding', variant.encoding)
  this.type(value.contentType)
  const { body } = variant
  return Buffer.isBuffer(body) ? this.send(body) : body().then(bytes => this.send(bytes))
}

function setCacheHeaders (this: FastifyReply, { parts = [], ...age }: Age): FastifyReply {
  this.header('cache-control', `public, max-age=${Math.floor(age.left / 1000)}`)
  if (isStale(age)) this.header('age', Math.floor(age.age / 1000))
  if (parts.length > 0) {
    this.header('x-chain-time', new Date(Math.min(...parts.map(({ time }) => time)) * 1000).toISOString())
  }
  return this
}

export default fp(async fastify => {
  fastify.decorateReply('sendCached', sendCached as FastifyReply['sendCached'])
  fastify.decorateReply('setCacheHeaders', setCacheHeaders)
}, { name: 'cached-response', dependencies: ['budget'] })
