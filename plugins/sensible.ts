import sensible from '@fastify/sensible'
import fp from 'fastify-plugin'

/** Errors by their HTTP names, and `reply.cacheControl`. */
export default fp(async fastify => { await fastify.register(sensible) }, { name: 'sensible' })
