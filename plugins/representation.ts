import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Aged } from '../lib/live/fresh.js'
import { chooseVariant, isKnown, type Representation } from '../lib/representation.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Sends bytes made beforehand: in the encoding the client prefers, 304 where it has them, with their age where they are stale. */
    represent (answer: Aged<Representation>): FastifyReply
    /** Says how long an answer stays fresh, and how old it is once it is stale. */
    tellAge (age: { age: number, left: number }): FastifyReply
  }
}

function represent (this: FastifyReply, answer: Aged<Representation>): FastifyReply {
  const { value } = answer
  const { headers } = this.request
  const variant = chooseVariant(value, headers['accept-encoding'])
  this.tellAge(answer).header('vary', 'accept-encoding').header('etag', variant.etag)
  if (value.headers !== undefined) this.headers(value.headers)
  if (isKnown(value, headers['if-none-match'])) return this.code(304).send()
  if (variant.encoding !== 'identity') this.header('content-encoding', variant.encoding)
  return this.type(value.contentType).send(variant.body)
}

function tellAge (this: FastifyReply, { age, left }: { age: number, left: number }): FastifyReply {
  this.header('cache-control', `public, max-age=${Math.floor(left / 1000)}`)
  if (left === 0) this.header('age', Math.floor(age / 1000))
  return this
}

export default fp(async fastify => {
  fastify.decorateReply('represent', represent)
  fastify.decorateReply('tellAge', tellAge)
}, { name: 'representation' })
