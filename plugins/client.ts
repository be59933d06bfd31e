import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf, plainAddress } from '../lib/http/client-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The plain address that a request comes from; 'unknown' where there is none. */
    readonly address: string
    /** Whom it is counted as: an address, or a /64 of IPv6. */
    readonly client: string
  }
}

/**
 * Where no address is known, or a proxy names something else. All such are one client, whose key is short whatever was
 * sent.
 */
const UNKNOWN = 'unknown'

/** The platform gives no address for a socket that has gone, whatever the type says. */
const addressOf = ({ ip }: FastifyRequest): string => plainAddress((ip as string | undefined) ?? '') ?? UNKNOWN

/** Who a request is from: whom limits and turns are counted by. */
export default fp(async fastify => {
  fastify.decorateRequest('address', { getter (this: FastifyRequest) { return addressOf(this) } })
  fastify.decorateRequest('client', { getter (this: FastifyRequest) { return clientOf(addressOf(this)) } })
}, { name: 'client' })
