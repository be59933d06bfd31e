import { ServiceError } from '../errors.js'
import { type Aged, RENEW_FROM } from '../live/fresh.js'
import { daosReport } from '../market/dao-report.js'
import { isTickerId } from '../market/ticker.js'
import type { CachedResponse } from '../http/cached-response.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { AggregateFees } from '../../schemas/fees.js'
import { type Daos, DaosSchema } from '../../schemas/daos.js'
import { tickerNotFound } from '../../schemas/errors.js'
import type { AggregateLiquidity } from '../../schemas/liquidity.js'
import type { Ready } from '../../schemas/ready.js'
import type { Ticker } from '../../schemas/ticker.js'
import { createFeesResponse, createTotals, createVolumeResponse, type MarketTotals } from './aggregate.js'
import { createLiquidity } from './liquidity.js'
import { jsonResponse } from './json-response.js'
import { readiness } from './readiness.js'
import { ALL, keepResponse, type Sources, TICKER_TTL, usdValuationOf } from './sources.js'
import { createTickers, type TickerList, type Tickers } from './tickers.js'

/** Answers about the whole market; bytes are made once per refresh. */
export interface Market {
  tickers (): Promise<Aged<CachedResponse<Ticker[]>>>
  /** What they are made of: for the same figures in other forms. */
  tickerList (): Promise<Aged<TickerList>>
  /** The tickers of a pair, deepest first, at least one. Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
  tickersOf (tickerId: string): Promise<Aged<Ticker[]>>
  aggregate (): Promise<Aged<CachedResponse<AggregateVolume>>>
  fees (): Promise<Aged<CachedResponse<AggregateFees>>>
  /** At the end of each day, of all DAOs or of one. */
  liquidity (dao: string | undefined): Promise<Aged<CachedResponse<AggregateLiquidity>>>
  /** What volumes and fees are made of. */
  totals (): Promise<Aged<MarketTotals>>
  daos (): Promise<Aged<CachedResponse<Daos>>>
  /** DAOs whose last 24 hours are not fully known. */
  incomplete: Tickers['incomplete']
  readiness (): Promise<Ready>
}

const toResponse = jsonResponse(DaosSchema)

export function createMarket (sources: Sources): Market {
  const { snapshot: snapshots, history, settings } = sources
  const tickers = createTickers(sources)
  const totals = createTotals(sources)

  const daos = keepResponse(sources, async () => {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const incomplete = await tickers.incomplete()
    const report = daosReport({
      slot: snapshot.slot,
      found: snapshot.discovered,
      incomplete,
      indexed: history.report(),
      usd: usdValuationOf(snapshot, settings),
      symbolOf: mint => snapshot.tokens.get(mint)?.symbol ?? ''
    })
    return { value: toResponse(report), parts }
  })

  return {
    async tickers () {
      const { value, ...age } = await tickers.get()
      return { value: value.response, ...age }
    },
    tickerList: () => tickers.get(),
    async tickersOf (tickerId) {
      if (!isTickerId(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
      const { value, ...age } = await tickers.get()
      const pools = value.pools.get(tickerId)
      if (pools === undefined) throw new ServiceError('TICKER_NOT_FOUND', tickerNotFound(tickerId))
      return { value: pools.map(pool => value.byPool.get(pool)!), ...age }
    },
    aggregate: createVolumeResponse(totals),
    fees: createFeesResponse(totals),
    liquidity: createLiquidity(sources, totals),
    totals: totals.get,
    daos: daos.get,
    incomplete: tickers.incomplete,
    readiness: () => readiness(sources, tickers)
  }
}
