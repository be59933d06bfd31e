import fp from 'fastify-plugin'
import { clientOf, plainAddress } from '../lib/http/client-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The plain address that a request comes from; 'unknown' where there is none. */
    address: string
    /** The client that it is counted as: an address, or a /64 of IPv6. */
    client: string
  }
}

/** All requests without an address, or whose proxy names none, are one client. */
const UNKNOWN = 'unknown'

/** The client of a request, by whom limits and turns are counted: before any other hook. */
export default fp(async fastify => {
  fastify.decorateRequest('address', UNKNOWN).decorateRequest('client', UNKNOWN)
  fastify.addHook('onRequest', (request, _reply, done) => {
    // undefined for a socket that has gone, whatever the type says
    request.address = plainAddress((request.ip as string | undefined) ?? '') ?? UNKNOWN
    request.client = clientOf(request.address)
    done()
  })
}, { name: 'client' })
