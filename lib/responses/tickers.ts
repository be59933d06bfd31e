import { inSlices } from '../async.js'
import { ZERO } from '../decimal.js'
import { orUnknown, ServiceError, unusable } from '../errors.js'
import { jsonResponse } from '../http/cached-response.js'
import { type Kept, type Part, within } from '../live/fresh.js'
import { daosReport, type Incomplete } from '../market/dao-report.js'
import { ticker, type Volumes } from '../market/ticker.js'
import { TickerSchema } from '../../schemas/ticker.js'
import { notFound } from '../../schemas/errors.js'
import { checkLeft, hasEvents, headOf } from './known-history.js'
import { checkAddress, formOf, keep, noPool, type PricedState, type Sources } from './sources.js'

export type TickerList = Awaited<ReturnType<ReturnType<typeof createTickers>['tickerList']>>

const TICKER_ID = new RegExp(TickerSchema.properties.ticker_id.pattern!)

/**
 * The deepest pool of a pair, or the one `asked` for, and the others. Throws INVALID_TICKER_ID, INVALID_POOL_ID,
 * TICKER_NOT_FOUND, POOL_NOT_FOUND, what `get` throws, and HISTORY_UNAVAILABLE where it has no ticker: the next one,
 * which may be a stranger's, would pass for the deepest.
 */
export async function pairIn (get: Kept<TickerList>, parts: Part[], tickerId: string, asked?: string) {
  if (!TICKER_ID.test(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
  if (asked !== undefined) checkAddress(asked, 'INVALID_POOL_ID')
  const list = await get(parts)
  const all = list.state.byPair.get(tickerId)
  if (all === undefined) throw new ServiceError('TICKER_NOT_FOUND', notFound('Ticker', tickerId))
  const pool = asked ?? all[0]!
  if (!all.includes(pool)) throw noPool(pool)
  const isKnown = (one: string) => list.byPool.has(one)
  if (!isKnown(pool)) throw unusable(`events of ${pool} are missing`)
  return { list, pair: list.state.pairs.get(pool)!, others: all.filter(other => other !== pool && isKnown(other)) }
}

const NO_VOLUME: Volumes = { base: ZERO, quote: ZERO }

/** While there is no list. */
const ANY: Incomplete = { has: () => true }
/** How long an answer about the accounts waits for the list, ms: half of the time that it may take. */
const LIST_MS = 5_000
/** Pools that the header names. */
const MAX_OTHERS = 20

export function createTickers (sources: Sources) {
  const { history, settings } = sources
  const tickerList = keep(sources, async parts => {
    const state = await sources.priced(parts)
    const isMissing = () => history.status().missingTransactions > 0
    const wasMissing = isMissing()
    const { head, volumes: traded } = await history.last24h()
    headOf(sources, parts, head)
    // also what was missing in the sums and has been found since
    const mayOwn = wasMissing || isMissing()
    const unknown = new Set<string>()
    for (const [dao, { complete }] of traded) if (!complete) unknown.add(dao)
    // a DAO unknown to the history may own what is missing, or has events that are not stored: unknown is not zero
    for (const { address, dao } of state.discovered) {
      if (dao !== undefined && !traded.has(address) && (mayOwn || hasEvents(dao, head.time))) unknown.add(address)
    }
    const pairs = state.deepest.filter(({ address }) => !unknown.has(address))
    checkLeft(pairs.length, state.pairs.size)
    // the last day is covered: a DAO without an entry has not traded
    const tickers = await inSlices(pairs, pair =>
      ticker(pair, traded.get(pair.address) ?? NO_VOLUME, state.usd, settings.quoteRules))
    const byPool = new Map(tickers.map(one => [one.pool_id, one]))
    /** DAOs that the list lacks, though their accounts may do. */
    const incomplete: Incomplete = { has: dao => !byPool.has(dao) }
    // `state`: also with pools without a ticker
    return { state, tickers, byPool, incomplete }
  })

  const incomplete = async () => (await orUnknown(within(tickerList([]), LIST_MS)))?.incomplete ?? ANY

  let made: { state: PricedState, unlisted: Incomplete, response: ReturnType<typeof jsonResponse> } | undefined
  async function report (parts: Part[]) {
    const unlisted = await incomplete()   // first: the state may not grow old meanwhile
    const state = await sources.priced(parts)
    if (made?.state !== state || made.unlisted !== unlisted) {
      made = { state, unlisted, response: jsonResponse(daosReport(state, unlisted, history.report())) }
    }
    return made.response
  }

  return {
    tickerList,
    tickers: formOf(tickerList, list => jsonResponse(list.tickers)),
    /** The ticker of a pair's deepest pool. Throws what `pairIn` throws. */
    async ticker (parts: Part[], tickerId: string) {
      const { list: { byPool }, pair, others } = await pairIn(tickerList, parts, tickerId)
      const headers = { 'x-other-pools': others.slice(0, MAX_OTHERS).join(', ') }
      return jsonResponse(byPool.get(pair.address)!, others.length > 0 ? headers : undefined)
    },
    /** Every DAO, and whether the list of now has it; without one none is listed. */
    daos: (parts: Part[]) => within(report(parts)),
    /** DAOs that the list of now lacks, though their accounts may do; without one any. */
    incomplete
  }
}
