import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
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

/**
 * A client asks more than once: the addresses of so many are kept in their plain form, of texts as long as an address
 * can be.
 */
const KNOWN_ADDRESSES = 1_000
const LONGEST_ADDRESS = 64
const plainAddresses = new LRUCache<string, string>({ max: KNOWN_ADDRESSES })

function addressOf ({ ip }: FastifyRequest): string {
  // The platform gives no address for a socket that has gone, whatever the type says
  const text = (ip as string | undefined) ?? ''
  const known = plainAddresses.get(text)
  if (known !== undefined) return known
  const address = plainAddress(text) ?? UNKNOWN
  if (text.length <= LONGEST_ADDRESS) plainAddresses.set(text, address)
  return address
}

/** Who a request is from: whom limits and turns are counted by. */
export default fp(async fastify => {
  fastify.decorateRequest('address', { getter (this: FastifyRequest) { return addressOf(this) } })
  fastify.decorateRequest('client', { getter (this: FastifyRequest) { return clientOf(addressOf(this)) } })
}, { name: 'client' })
