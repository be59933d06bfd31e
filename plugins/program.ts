import { Connection } from '@solana/web3.js'
import fp from 'fastify-plugin'
import { ServiceError } from '../lib/errors.js'
import { createProgramClient, type ProgramClient } from '../lib/protocol/client.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Anchor's client of the configured program, and of those whose accounts supply reads: its coder. */
    program: ProgramClient
  }
}

/** Nodes are asked through `chain` alone, which paces calls and keeps their keys to itself; Anchor's own connection reaches none. */
const refuse = async (): Promise<never> => { throw new ServiceError('NODE_UNAVAILABLE', 'nodes are asked through the node client') }

export default fp(async fastify => {
  fastify.decorate('program', createProgramClient(fastify.config.factory, new Connection('http://localhost', { fetch: refuse })))
}, { name: 'program', dependencies: ['config'] })
