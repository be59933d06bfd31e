import fp from 'fastify-plugin'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured program, and Anchor's decoders of its accounts and those that supply reads. */
    program: ProgramClient
  }
}

export default fp(async fastify => {
  const program = createProgramClient(fastify.config.factory)
  fastify.decorate('program', program)
  // before the first request, and not before the service listens
  fastify.addHook('onListen', () => program.load())
}, { name: 'program', dependencies: ['config'] })
