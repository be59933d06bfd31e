import fp from 'fastify-plugin'
import { createMarket, type Market } from '../lib/responses/market.js'

declare module 'fastify' {
  interface FastifyInstance {
    market: Market
  }
}

/** Brings the state now and the history together in the answers about the whole market. */
export default fp(async fastify => {
  const { config: settings, cache: { snapshot }, chain: { clock, time }, history } = fastify
  fastify.decorate('market', createMarket({ snapshot, history, settings, now: clock.now, time }))
}, { name: 'market', dependencies: ['config', 'chain', 'cache', 'history'] })
