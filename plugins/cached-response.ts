import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Aged } from '../lib/live/fresh.js'
import { chooseVariant, isKnown, type CachedResponse } from '../lib/http/cached-response.js'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Sends bytes made beforehand: in the encoding the client prefers, 304 where it has them, with their age where they are stale. A handler
     * returns what this gives: the reply, which the compiler takes for what the bytes hold and compares with the route's schema.
     */
    sendCached<T> (response: Aged<CachedResponse<T>>): T
    /** Says how long an answer stays fresh, and how old it is once it is stale. */
    setCacheHeaders (age: { age: number, left: number }): FastifyReply
  }
}

function sendCached (this: FastifyReply, response: Aged<CachedResponse>): unknown {
  const { value } = response
  const { headers } = this.request
  const variant = chooseVariant(value, headers['accept-encoding'])
  this.setCacheHeaders(response).header('vary', 'accept-encoding').header('etag', variant.etag)
  if (value.headers !== undefined) this.headers(value.headers)
  const isUnchanged = isKnown(value, headers['if-none-match'])
  if (isUnchanged) this.code(304)
  // Of a HEAD request the framework tells the length of what is given here, and a 304 may tell none but that of the whole body (RFC 9110, 8.6)
  if (isUnchanged && this.request.method !== 'HEAD') return this.send()
  if (variant.encoding !== 'identity' && !isUnchanged) this.header('content-encoding', variant.encoding)
  this.type(value.contentType)
  const { body } = variant
  return Buffer.isBuffer(body) ? this.send(body) : body().then(bytes => this.send(bytes))
}

function setCacheHeaders (this: FastifyReply, { age, left }: { age: number, left: number }): FastifyReply {
  this.header('cache-control', `public, max-age=${Math.floor(left / 1000)}`)
  if (left === 0 && age > 0) this.header('age', Math.floor(age / 1000))
  return this
}

export default fp(async fastify => {
  fastify.decorateReply('sendCached', sendCached as FastifyReply['sendCached'])
  fastify.decorateReply('setCacheHeaders', setCacheHeaders)
}, { name: 'cached-response' })
