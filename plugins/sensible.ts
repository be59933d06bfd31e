import sensible from '@fastify/sensible'
import fp from 'fastify-plugin'

/** `reply.cacheControl`, and errors by their HTTP names. */
export default fp(async fastify => { await fastify.register(sensible) }, { name: 'sensible' })
