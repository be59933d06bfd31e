import { daosReport } from '../market/dao-report.js'
import { createAggregates, createTotals } from './aggregate.js'
import type { Part } from '../live/fresh.js'
import { createLiquidity } from './liquidity.js'
import { jsonResponse } from './json-response.js'
import { readiness } from './readiness.js'
import { formOf, keep, type Sources } from './sources.js'
import { createTickers, pairIn } from './tickers.js'

/** Most pools of a pair that the header names. */
const MAX_OTHERS = 20

/** Answers about the whole market; bytes are made once per refresh. */
export function createMarket (sources: Sources) {
  const tickers = createTickers(sources)
  const totals = createTotals(sources)

  const daos = keep(sources, async parts => {
    const state = await sources.priced(parts)
    return jsonResponse(daosReport(state, await tickers.incomplete(), sources.history.report()))
  })

  return {
    tickers: formOf(tickers.get, list => jsonResponse(list.tickers)),
    tickerList: tickers.get,
    /** The ticker of a pair's deepest pool. Throws what `pairIn` throws. */
    async ticker (parts: Part[], tickerId: string) {
      const { list: { byPool }, pair, others } = await pairIn(tickers.get, parts, tickerId)
      const headers = { 'x-other-pools': others.slice(0, MAX_OTHERS).join(', ') }
      return jsonResponse(byPool.get(pair.address)!, others.length > 0 ? headers : undefined)
    },
    ...createAggregates(totals),
    liquidity: createLiquidity(sources, totals),
    totals,
    daos,
    incomplete: tickers.incomplete,
    readiness: () => readiness(sources, tickers.get)
  }
}
