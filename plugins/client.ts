import fp from 'fastify-plugin'
import { clientOf, plainAddress } from '../lib/http/client-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The plain address that a request comes from; 'unknown' where there is none. */
    address: string
    /** Whom it is counted as: an address, or a /64 of IPv6. */
    client: string
  }
}

/** Where no address is known, or a proxy names something else: all such are one client. */
const UNKNOWN = 'unknown'

/** Who a request is from, whom limits and turns are counted by: before any other hook. */
export default fp(async fastify => {
  fastify.decorateRequest('address', UNKNOWN).decorateRequest('client', UNKNOWN)
  fastify.addHook('onRequest', (request, _reply, done) => {
    // the platform gives no address for a socket that has gone, whatever the type says
    request.address = plainAddress((request.ip as string | undefined) ?? '') ?? UNKNOWN
    request.client = clientOf(request.address)
    done()
  })
}, { name: 'client' })
