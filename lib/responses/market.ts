import { RENEW_FROM } from '../live/fresh.js'
import { daosReport } from '../market/dao-report.js'
import { DaosSchema } from '../../schemas/daos.js'
import { createFeesResponse, createTotals, createVolumeResponse } from './aggregate.js'
import { createLiquidity } from './liquidity.js'
import { jsonResponse } from './json-response.js'
import { readiness } from './readiness.js'
import { ALL, keepResponse, type Sources, TICKER_TTL, usdValuationOf } from './sources.js'
import { createTickers, pairIn } from './tickers.js'

const toResponse = jsonResponse(DaosSchema)

export type Market = ReturnType<typeof createMarket>

/** Answers about the whole market; bytes are made once per refresh. */
export function createMarket (sources: Sources) {
  const { snapshot: snapshots, history, settings } = sources
  const tickers = createTickers(sources)
  const totals = createTotals(sources)

  const daos = keepResponse(sources, async () => {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const report = daosReport({
      slot: snapshot.slot,
      found: snapshot.discovered,
      incomplete: await tickers.incomplete(),
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
    tickerList: tickers.get,
    /** The tickers of a pair, deepest first, at least one. Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
    async tickersOf (tickerId: string) {
      const { list: { byPool }, pools, age } = await pairIn(tickers.get, tickerId)
      return { value: pools.map(pool => byPool.get(pool)!), ...age }
    },
    aggregate: createVolumeResponse(totals),
    fees: createFeesResponse(totals),
    liquidity: createLiquidity(sources, totals),
    totals,
    daos,
    incomplete: tickers.incomplete,
    readiness: () => readiness(sources, tickers.get)
  }
}
