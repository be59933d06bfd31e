import buildSerializer from 'fast-json-stringify'
import fp from 'fastify-plugin'
import { divide, powerOfTen } from '../lib/decimal.js'
import { ServiceError } from '../lib/errors.js'
import { type Aged, createFreshCache, RENEW_FROM } from '../lib/live/fresh.js'
import type { Snapshot } from '../lib/live/snapshot.js'
import { createAggregate, type TradedDao } from '../lib/market/aggregate.js'
import { daosReport, missingEvents } from '../lib/market/dao-report.js'
import { isTickerId, tickers, type Volumes } from '../lib/market/ticker.js'
import { createValuation, type Valuation } from '../lib/market/usd.js'
import { type Representation, represent } from '../lib/representation.js'
import { AggregateSchema } from '../schemas/aggregate.js'
import { DaosSchema } from '../schemas/daos.js'
import type { Ready } from '../schemas/ready.js'
import { type Ticker, TickersSchema } from '../schemas/ticker.js'
import { ALL, TICKER_TTL } from './cache.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers about the whole market: where the state now and the history meet. Bytes are made once per refresh. */
    market: {
      tickers (): Promise<Aged<Representation>>
      /** The tickers of a pair, deepest first, at least one. Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
      tickersOf (tickerId: string): Promise<Aged<Ticker[]>>
      aggregate (): Promise<Aged<Representation>>
      daos (): Promise<Aged<Representation>>
      readiness (): Ready
    }
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'
const NO_VOLUME: Volumes = { base: { n: 0n, d: 1n }, quote: { n: 0n, d: 1n } }

export interface MarketOptions {
  /** Wall clock, ms. */
  now?: () => number
}

interface TickerList {
  /** When the state that they show was read, ms. */
  readAt: number
  tickers: Ticker[]
  /** DAOs left out because their last 24 hours are not fully known. */
  incomplete: ReadonlySet<string>
  representation: Representation
}

export default fp<MarketOptions>(async (fastify, { now = Date.now }) => {
  const { config, live, history } = fastify
  const aggregate = createAggregate()
  const serializeTickers = buildSerializer(TickersSchema)
  const serializeAggregate = buildSerializer(AggregateSchema)
  const serializeDaos = buildSerializer(DaosSchema)
  const rules = { notional: config.quoteNotional, feeRate: config.takerFeeRate }
  const common = { ttl: TICKER_TTL, staleIfError: config.staleIfError, max: 1, now }
  const seconds = (): number => Math.floor(now() / 1000)
  const valuation = (snapshot: Snapshot): Valuation => createValuation(snapshot.pairs, config.dollars)

  async function loadTickers (): Promise<TickerList> {
    const { value: snapshot, age } = await live.snapshot.get(ALL, TICKER_TTL * RENEW_FROM)
    const readAt = now() - age
    const traded = await history.last24h(seconds())
    const incomplete = new Set([...traded].filter(([, { complete }]) => !complete).map(([dao]) => dao))
    const pairs = snapshot.pairs.filter(({ address }) => !incomplete.has(address))
    // a transaction is missing of which nobody knows yet whose it is: an empty list would look like a market without pools
    if (pairs.length === 0 && snapshot.pairs.length > 0) throw new ServiceError('HISTORY_UNAVAILABLE', 'events of the last 24 hours are missing')
    // the last day is covered: a DAO that it does not know has not traded
    const volumes = new Map(pairs.map(({ address }) => [address, traded.get(address) ?? NO_VOLUME]))
    const list = tickers(pairs, volumes, valuation(snapshot), rules)
    return { readAt, tickers: list, incomplete, representation: await represent(JSON_TYPE, serializeTickers(list)) }
  }

  async function loadAggregate (): Promise<Representation> {
    const { value: snapshot } = await live.snapshot.get(ALL)
    const { complete: walked, headAt } = history.status()
    if (!walked) throw new ServiceError('WARMING_UP', 'the history is still being walked to its beginning')
    if (headAt === null || now() - headAt > TICKER_TTL + config.staleIfError) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain')
    const usd = valuation(snapshot)
    const known = new Map(snapshot.discovered.map(({ address, dao }) => [address, dao]))
    const daos: TradedDao[] = []
    let missing = 0n
    let complete = true
    const report = history.report()
    for (const [address, { launchedAt, days, complete: whole }] of await history.daily()) {
      if (config.excluded.has(address)) continue
      missing += missingEvents(report.get(address))
      const dao = known.get(address)
      complete &&= whole && dao !== undefined
      if (dao !== undefined) daos.push({ address, baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days })
    }
    const record = aggregate(daos, {
      usdPerUnit (mint) {
        const [worth, token] = [usd(mint), snapshot.tokens.get(mint)]
        return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
      },
      symbolOf: mint => snapshot.tokens.get(mint)?.symbol ?? ''
    }, seconds())
    return await represent(JSON_TYPE, serializeAggregate(record), {
      'x-history-complete': String(complete),
      'x-history-missing': missing.toString()
    })
  }

  async function loadDaos (): Promise<Representation> {
    const { value: snapshot } = await live.snapshot.get(ALL)
    const incomplete = tickerCache.peek(ALL)?.value.incomplete ?? new Set<string>()
    const report = daosReport({ slot: snapshot.slot, found: snapshot.discovered, incomplete, indexed: history.report(), usd: valuation(snapshot) })
    return await represent(JSON_TYPE, serializeDaos(report))
  }

  const tickerCache = createFreshCache({ ...common, load: loadTickers, readAt: list => list.readAt })
  const aggregateCache = createFreshCache({ ...common, load: loadAggregate })
  const daosCache = createFreshCache({ ...common, load: loadDaos })

  fastify.decorate('market', {
    async tickers () {
      const { value, ...age } = await tickerCache.get(ALL)
      return { value: value.representation, ...age }
    },
    async tickersOf (tickerId) {
      if (!isTickerId(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
      const { value, ...age } = await tickerCache.get(ALL)
      const found = value.tickers.filter(({ ticker_id: id }) => id === tickerId)
      if (found.length === 0) throw new ServiceError('TICKER_NOT_FOUND', `Ticker not found: ${tickerId}`)
      return { value: found, ...age }
    },
    aggregate: () => aggregateCache.get(ALL),
    daos: () => daosCache.get(ALL),

    readiness () {
      const snapshot = live.snapshot.peek(ALL)
      const { phase, last24h, complete, headAt, missing } = history.status()
      const problems: string[] = []
      if (!last24h) problems.push('the last 24 hours are not indexed yet')
      if (snapshot === undefined) problems.push('the chain has not been read yet')
      else if (snapshot.age > TICKER_TTL + config.staleIfError) problems.push('the chain has not been read for a while')
      if (headAt !== null && now() - headAt > config.staleIfError + TICKER_TTL) problems.push('the history has fallen behind')
      return {
        ready: problems.length === 0,
        problems,
        snapshot: { slot: snapshot?.value.slot ?? null, age_seconds: snapshot === undefined ? null : snapshot.age / 1000 },
        history: {
          phase,
          last_day_covered: last24h,
          complete,
          head_age_seconds: headAt === null ? null : Math.max(0, now() - headAt) / 1000,
          missing_events: missing
        }
      }
    }
  })
}, { name: 'market', dependencies: ['config', 'cache', 'history'] })
