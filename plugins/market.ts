import buildSerializer from 'fast-json-stringify'
import fp from 'fastify-plugin'
import { createMarket, type Market } from '../lib/answers/market.js'
import { AggregateSchema } from '../schemas/aggregate.js'
import { DaosSchema } from '../schemas/daos.js'
import { TickersSchema } from '../schemas/ticker.js'

declare module 'fastify' {
  interface FastifyInstance {
    market: Market
  }
}

export interface MarketOptions {
  /** Wall clock, ms. */
  now?: () => number
}

/** Brings the state now and the history together in the answers about the whole market. */
export default fp<MarketOptions>(async (fastify, { now = Date.now }) => {
  const { config: settings, live: { snapshot }, history } = fastify
  const serialize = { tickers: buildSerializer(TickersSchema), aggregate: buildSerializer(AggregateSchema), daos: buildSerializer(DaosSchema) }
  fastify.decorate('market', createMarket({ snapshot, history, settings, serialize, now }))
}, { name: 'market', dependencies: ['config', 'cache', 'history'] })
