import fp from 'fastify-plugin'
import { createPoolResponses, type PoolResponses } from '../lib/responses/pools/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What is told of single pools and days. */
    pools: PoolResponses
  }
}

export default fp(async fastify => {
  const { config: settings, cache: { snapshot }, chain: { clock, time, standing }, history, market } = fastify
  fastify.decorate('pools', createPoolResponses({ snapshot, history, settings, now: clock.now, chainTime: time, standing }, market.totals))
}, { name: 'pools', dependencies: ['config', 'chain', 'cache', 'history', 'market'] })
