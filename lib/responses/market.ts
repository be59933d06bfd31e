import { daosReport } from '../market/dao-report.js'
import { DaosSchema } from '../../schemas/daos.js'
import { TickerSchema, TickersSchema } from '../../schemas/ticker.js'
import { createFeesResponse, createTotals, createVolumeResponse } from './aggregate.js'
import { createLiquidity } from './liquidity.js'
import { jsonResponse } from './json-response.js'
import { readiness } from './readiness.js'
import { keepResponse, pricedStateOf, sameLife, type Sources } from './sources.js'
import { createTickers, pairIn } from './tickers.js'

const toDaos = jsonResponse(DaosSchema)
const toTickers = jsonResponse(TickersSchema)
const toTicker = jsonResponse(TickerSchema)
/** Most pools of a pair that the header names. */
const MAX_OTHERS = 20

/** Answers about the whole market; bytes are made once per refresh. */
export function createMarket (sources: Sources) {
  const { history } = sources
  const tickers = createTickers(sources)
  const totals = createTotals(sources)

  const daos = keepResponse(sources, async () => {
    const { value: { slot, discovered: found, usd, tokens }, parts } = await pricedStateOf(sources)
    const report = daosReport({
      slot,
      found,
      incomplete: await tickers.incomplete(),
      indexed: history.report(),
      usd,
      symbolOf: mint => tokens.get(mint)?.symbol ?? ''
    })
    return { value: toDaos(report), parts }
  })

  return {
    tickers: sameLife(tickers.get, list => toTickers(list.tickers)),
    tickerList: tickers.get,
    /** The ticker of a pair's deepest pool. Throws INVALID_TICKER_ID and TICKER_NOT_FOUND. */
    async ticker (tickerId: string) {
      const { list: { byPool }, pools: [deepest, ...others], age } = await pairIn(tickers.get, tickerId)
      const headers = { 'x-other-pools': others.slice(0, MAX_OTHERS).join(', ') }
      return { value: toTicker(byPool.get(deepest!)!, others.length > 0 ? headers : undefined), ...age }
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
