import fp from 'fastify-plugin'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The configured program, and Anchor's client of those whose accounts supply reads: its coder. */
    program: ProgramClient
  }
}

export default fp(async fastify => {
  fastify.decorate('program', createProgramClient(fastify.config.factory))
}, { name: 'program', dependencies: ['config'] })
