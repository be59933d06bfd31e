import { Connection } from '@solana/web3.js'
import fp from 'fastify-plugin'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Anchor's client of the configured program, and of those whose accounts supply reads. */
    program: ProgramClient
  }
}

export default fp(async fastify => {
  const { nodeUrls, factory } = fastify.config
  fastify.decorate('program', createProgramClient(factory, new Connection(nodeUrls[0]!)))
}, { name: 'program', dependencies: ['config'] })
