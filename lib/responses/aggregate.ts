import { warmingUp } from '../errors.js'
import type { DailyVolume, DayVolume, HistoryStatus, OtherFees } from '../history/history.js'
import type { Kept } from '../live/fresh.js'
import { aggregateVolume, type TradedDao } from '../market/aggregate.js'
import { feesInUsd } from '../market/other-fees.js'
import { ifKnown } from '../market/pool-figures.js'
import { usdText } from '../market/ticker.js'
import { once } from '../once.js'
import { DAY } from '../time.js'
import type { AggregateFees } from '../../schemas/aggregate.js'
import { historyHeaders } from './known.js'
import { jsonResponse } from './json-response.js'
import { formOf, hasEvents, headOf, keep, type PricedState, type Sources } from './sources.js'

/** The days of all DAOs at one moment, and their sums. */
export type MarketTotals = Awaited<ReturnType<ReturnType<typeof createTotals>>>

/** The first UTC day that is stored whole, since 1970-01-01; −Infinity: all are; Infinity: none is. */
export function firstWholeDay ({ complete, oldestTime }: HistoryStatus): number {
  if (complete) return -Infinity
  // the oldest second may not be stored whole
  return oldestTime === null ? Infinity : Math.ceil((oldestTime + 2) / DAY)
}

/** From a day on. */
function since (firstDay: number, traded: DailyVolume): DailyVolume {
  if (firstDay === -Infinity) return traded
  const days = new Map(Array.from(traded.days).filter(([day]) => day >= firstDay))
  return { ...traded, launchedAt: Math.max(traded.launchedAt, firstDay * DAY), days }
}

/**
 * The days and their sums since launch, or since the first whole day while the past is read, kept. Throws the
 * ServiceError of the chain, WARMING_UP until today is whole, HISTORY_UNAVAILABLE.
 */
export function createTotals (sources: Sources) {
  const { history, settings: { excluded } } = sources

  return keep(sources, async parts => {
    const state = await sources.priced(parts)
    const walked = firstWholeDay(history.status())
    const head = headOf(sources, parts)
    const report = history.report()
    const stored = await history.daily()
    const firstDay = Math.max(walked, firstWholeDay(history.status()))
    if (firstDay * DAY > head.time) throw warmingUp('no UTC day is known from its beginning yet')
    const daily = new Map(Array.from(stored, ([dao, traded]) => [dao, since(firstDay, traded)]))
    const daos: Array<TradedDao<DayVolume>> = []
    let [missing, unknownFees, complete] = [0n, 0, firstDay === -Infinity]
    for (const [address, entry] of report) {
      if (excluded.has(address)) continue
      missing += entry.missingEvents
      // made before what nodes have, and silent since
      complete &&= daily.has(address) || entry.missingEvents === 0n
    }
    for (const [address, dao] of state.daos) complete &&= daily.has(address) || !hasEvents(dao, head.time)
    for (const [address, { launchedAt, days, complete: whole }] of daily) {
      if (excluded.has(address)) continue
      const dao = state.daos.get(address)
      complete &&= whole && dao !== undefined
      if (dao === undefined) continue
      daos.push({ baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days })
      for (const day of days.values()) unknownFees += day.unknownFees
    }
    const headers = { ...historyHeaders(complete, firstDay * DAY - 1), 'x-history-missing': missing.toString() }
    return {
      state,
      daily,
      /** Unix second up to which all is stored. */
      walkedTo: head.time,
      /** As `firstWholeDay`. */
      firstDay,
      /** Every event is stored and understood. */
      complete,
      headers: { volume: headers, fees: { ...headers, 'x-fees-unknown': String(unknownFees) } },
      volume: once(() => aggregateVolume(daos, ({ quote }) => quote, state, head.time)),
      fees: once(() => aggregateVolume(daos, ({ fees }) => fees, state, head.time)),
      /** Fees that no spot swap was charged, USD; null: not all are known. */
      outside: once(async () => {
        const others = await history.read(async reading => {
          const isPartly = (dao: string): boolean =>
            reading.wholeAfter(dao) !== -Infinity && reading.knowledge(dao, -Infinity) === 'partly'
          const isUnknown = firstDay !== -Infinity || [...state.daos.keys()].some(isPartly) || await reading.untold()
          return isUnknown ? null : await reading.otherFees()
        })
        return others === null ? { conditionalFees: null, externalPoolFees: null } : outsideTotals(others, state)
      })
    }
  })
}

/** Those of known DAOs, an external position's where it is of the DAO's own tokens. */
function outsideTotals (others: readonly OtherFees[], { daos, usdPerUnit }: PricedState) {
  const text = (isExternal: boolean) => ifKnown(feesInUsd(others.flatMap(({ dao: address, mints, ...of }) => {
    const dao = daos.get(address)
    const worth = dao && usdPerUnit(dao.quoteMint)
    const isOwn = mints === null || (mints.quote === dao?.quoteMint && mints.base === dao.baseMint)
    return worth !== undefined && isOwn && (mints !== null) === isExternal ? [{ ...of, worth }] : []
  })), usdText)
  return { conditionalFees: text(false), externalPoolFees: text(true) }
}

/** Volume and fees since launch. Headers say whether every event is there. */
export const createAggregates = (totals: Kept<MarketTotals>) => ({
  aggregate: formOf(totals, async ({ volume, headers }) => jsonResponse(await volume(), headers.volume)),
  fees: formOf(totals, async ({ fees, outside, headers }) => {
    const { totalVolume, dailyBreakdown, tokens } = await fees()
    return jsonResponse<AggregateFees>({
      totalFees: totalVolume,
      ...await outside(),
      dailyBreakdown: dailyBreakdown.map(({ volume: fees, ...day }) => ({ ...day, fees })),
      tokens: tokens.map(({ totalVolume: totalFees, ...token }) => ({ ...token, totalFees }))
    }, headers.fees)
  })
})
