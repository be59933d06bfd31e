import buildSerializer from 'fast-json-stringify'
import fp from 'fastify-plugin'
import { divide, ratio } from '../lib/decimal.js'
import { type Aged, createFreshCache } from '../lib/live/fresh.js'
import { type Representation, represent } from '../lib/representation.js'
import { tickers, type Volumes } from '../lib/market/ticker.js'
import { createValuation } from '../lib/market/usd.js'
import { TickersSchema } from '../schemas/ticker.js'
import { ALL, TICKER_TTL } from './cache.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers about the whole market, as bytes made once per refresh. */
    market: {
      tickers (): Promise<Aged<Representation>>
    }
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface MarketOptions {
  /** Wall clock, ms. */
  now?: () => number
}

export default fp<MarketOptions>(async (fastify, { now = Date.now }) => {
  const { config, live } = fastify
  const serializeTickers = buildSerializer(TickersSchema)
  const rules = { notional: config.quoteNotional, feeRate: config.takerFeeRate }

  async function loadTickers (): Promise<Representation> {
    const { value: snapshot } = await live.snapshot.renew(ALL)
    const volumes = new Map<string, Volumes>(snapshot.discovered.flatMap(({ address, dao }) => dao === undefined
      ? []
      : [[address, { base: divide(ratio(dao.baseFees), config.feeRate), quote: divide(ratio(dao.quoteFees), config.feeRate) }]]))
    const usd = createValuation(snapshot.pairs, config.dollars)
    return await represent(JSON_TYPE, serializeTickers(tickers(snapshot.pairs, volumes, usd, rules)))
  }

  const cache = createFreshCache({ load: loadTickers, ttl: TICKER_TTL, staleIfError: config.staleIfError, max: 1, now })
  fastify.decorate('market', {
    tickers: () => cache.get(ALL)
  })
}, { name: 'market', dependencies: ['config', 'cache'] })
