import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { type Aged, oldestOf } from '../lib/live/fresh.js'
import {
  type CachedResponse, chooseBody, etagOf, isKnown, isStreamed, type StreamedResponse
} from '../lib/http/cached-response.js'
import { chooseEncoding, type Encoding } from '../lib/http/encoding.js'
import { timeText } from '../lib/time.js'

/** An answer that is fresh for `left` ms; with both age and parts where states of the chain are in it. */
export type Sendable<V> = Aged<V> | Pick<Aged<V>, 'value' | 'left'> & { age?: undefined, parts?: undefined }

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Sends bytes made beforehand, or as they are taken: in the encoding the client prefers, 304 where it has them,
     * with their age where they are stale. A handler returns the result: the reply, by its type what the bytes hold,
     * for the compiler to compare with the route's schema. May reject with OVERLOADED.
     */
    sendCached<T> (response: Sendable<CachedResponse<T> | StreamedResponse<T>>): T
  }
}

const isStale = ({ age = 0, left }: Sendable<unknown>): boolean => left === 0 && age > 0
/**
 * What an answer's entity tags begin with. One that says its age has its own: after a 304 by the same tag a browser
 * would show the old age for good.
 */
const tagOf = (response: Sendable<{ tag: string }>): string =>
  `${response.value.tag}${isStale(response) ? '.stale' : ''}`

const isUnchanged = ({ request: { headers } }: FastifyReply, response: Sendable<{ tag: string }>): boolean =>
  isKnown(tagOf(response), headers['if-none-match'])

/** Sets an answer's headers, and 304 where its client has it; whether its body is to be sent. */
function begin (
  reply: FastifyReply, response: Sendable<CachedResponse | StreamedResponse>, encoding: Encoding
): boolean {
  const { value, parts = [], age = 0, left } = response
  const isKept = isUnchanged(reply, response)
  reply.header('cache-control', `public, max-age=${Math.floor(left / 1000)}`)
  if (isStale(response)) reply.header('age', Math.floor(age / 1000))
  if (parts.length > 0) reply.header('x-chain-time', timeText(oldestOf(parts)))
  reply.header('vary', 'accept-encoding').header('etag', etagOf(tagOf(response), encoding))
  if (!isStreamed(value) && value.headers !== undefined) reply.headers(value.headers)
  if (isKept) reply.code(304)
  else if (encoding !== 'identity') reply.header('content-encoding', encoding)
  // for HEAD the framework sets the length of what is sent here; a 304 may have no other (RFC 9110, 8.6)
  if (isKept && reply.request.method !== 'HEAD') return false
  reply.type(value.contentType)
  return true
}

/** Encodings of streamed answers: brotli takes megabytes for each client. */
const STREAMED = ['gzip', 'identity'] as const

/** Takes a place among the streamed answers, until this one ends; whether its client is still there. */
async function takesPlace ({ raw, request: { client, server: { budget } } }: FastifyReply): Promise<boolean> {
  const isGone = (): boolean => raw.req.socket.destroyed
  // pipelined requests wait for those before them: they have no connection to send on yet
  if (raw.socket === null && !isGone()) {
    await new Promise<void>(resolve => { raw.once('socket', () => resolve()).once('close', resolve) })
  }
  if (isGone()) return false
  const end = await budget.sending.enter(client)
  if (isGone()) end()
  else raw.once('close', end)
  return !isGone()
}

async function sendStreamed (reply: FastifyReply, response: Sendable<StreamedResponse>): Promise<unknown> {
  const { headers, method } = reply.request
  const encoding = chooseEncoding(STREAMED, headers['accept-encoding'])
  // before any header is set: a request that is refused here has another answer
  const isBare = method === 'HEAD' || isUnchanged(reply, response)
  if (!isBare && !await takesPlace(reply)) return reply.hijack()
  if (!begin(reply, response, encoding)) return reply.send()
  // one part at a time is held beside what the connection has taken
  const parts = Readable.from(isBare ? [] : response.value.parts(), { objectMode: true, highWaterMark: 1 })
  // the framework destroys the last stream where the client has gone, and takes failures from it
  return reply.send(encoding === 'identity' || isBare ? parts : pipeline(parts, createGzip(), () => {}))
}

function sendCached (this: FastifyReply, response: Sendable<CachedResponse | StreamedResponse>): unknown {
  const { value } = response
  if (isStreamed(value)) return sendStreamed(this, { ...response, value })
  const { encoding, body } = chooseBody(value, this.request.headers['accept-encoding'])
  if (!begin(this, response, encoding)) return this.send()
  return Buffer.isBuffer(body) ? this.send(body) : body().then(bytes => this.send(bytes))
}

export default fp(async fastify => {
  fastify.decorateReply('sendCached', sendCached as FastifyReply['sendCached'])
}, { name: 'cached-response', dependencies: ['budget'] })
