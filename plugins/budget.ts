import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createLine, type Line, type Turn } from '../lib/line.js'

declare module 'fastify' {
  interface FastifyInstance {
    budget: {
      /** Answers that cost work of their own, a piece at a time. */
      making: Line
      /** Answers that are sent as they are taken. */
      sending: Line
    }
  }
  interface FastifyContextConfig {
    /** Answers cost work of their own: they are made in turns, and refused under pressure. */
    isCostly?: boolean
  }
  interface FastifyRequest {
    /** Runs costly work of this request in its client's turn. Throws OVERLOADED. */
    readonly turn: Turn
  }
}

/** Two pieces of some milliseconds at once: the store has one reader, and the loop is free in between. */
const MAKING = { atOnce: 2, each: 2, waiting: 64, waitingEach: 16 }
/** An answer that its client takes slowly costs a buffer, so there may be many, but few of one client. */
const SENDING = { atOnce: 64, each: 2, waiting: 64, waitingEach: 8 }

/** Turns of costly requests: docs/security.md. */
export default fp(async fastify => {
  const budget = { making: createLine(MAKING), sending: createLine(SENDING) }
  fastify.decorate('budget', budget)
  fastify.decorateRequest('turn', {
    getter (this: FastifyRequest): Turn {
      const { client } = this
      return (work, admitted) => budget.making.run(client, work, admitted)
    }
  })
}, { name: 'budget', dependencies: ['client'] })
