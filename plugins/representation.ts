import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Aged } from '../lib/live/fresh.js'
import { chooseVariant, isKnown, type Representation } from '../lib/representation.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Sends bytes made beforehand: in the encoding the client prefers, 304 where it has them, with their age where they are stale. */
    represent (answer: Aged<Representation>): FastifyReply
  }
}

function represent (this: FastifyReply, { value, age, left }: Aged<Representation>): FastifyReply {
  const { headers } = this.request
  const variant = chooseVariant(value, headers['accept-encoding'])
  this.header('cache-control', `public, max-age=${Math.floor(left / 1000)}`)
  this.header('vary', 'accept-encoding')
  this.header('etag', variant.etag)
  if (left === 0) this.header('age', Math.floor(age / 1000))
  if (isKnown(value, headers['if-none-match'])) return this.code(304).send()
  if (variant.encoding !== 'identity') this.header('content-encoding', variant.encoding)
  return this.type(value.contentType).send(variant.body)
}

export default fp(async fastify => {
  fastify.decorateReply('represent', represent)
}, { name: 'representation' })
