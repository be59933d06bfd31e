import { divide, powerOfTen } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Snapshot } from '../live/snapshot.js'
import type { DailyVolume, DayVolume, HistoryStatus, OtherFees } from '../history/history.js'
import { aggregateVolume, type Pricing, type TradedDao } from '../market/aggregate.js'
import { missingEvents } from '../market/dao-report.js'
import { feesInUsd } from '../market/other-fees.js'
import { usdText } from '../market/ticker.js'
import type { UsdValuation } from '../market/usd.js'
import { once } from '../once.js'
import { DAY, dateOf } from '../time.js'
import { AggregateSchema, type AggregateVolume } from '../../schemas/aggregate.js'
import { FeesSchema } from '../../schemas/fees.js'
import { historyHeaders } from './known.js'
import { jsonResponse } from './json-response.js'
import {
  hasEvents, headPart, keepResponse, type Kept, sameLife, type Sources, stateOf, usdValuationOf
} from './sources.js'

/** The sums since launch, and what of them is not known. */
interface Totals {
  record: AggregateVolume
  /** Every event is stored and understood. */
  complete: boolean
  missing: bigint
  /** Trades whose fee is not known; of volumes always 0. */
  unknownFees: number
  /** Days since 1970-01-01: the first that is summed up, while the past is read; −Infinity: it is whole. */
  firstDay: number
}

/** The days of all DAOs as they were at one moment, and what they amount to. */
export interface MarketTotals {
  snapshot: Snapshot
  usd: UsdValuation
  daily: ReadonlyMap<string, DailyVolume>
  /** Unix second up to which everything that happened has been walked for certain. */
  walkedTo: number
  /** The first day that is told of; −Infinity: all are. */
  firstDay: number
  volume (): Promise<Totals>
  fees (): Promise<Totals>
  outside (): Promise<OutsideTotals>
}

/** What came to fees from outside of the pools' swaps, in USD; null: not all of it is known. */
interface OutsideTotals { conditional: string | null, external: string | null }

export const completenessHeaders = ({ complete, missing, firstDay }: Totals): Record<string, string> =>
  ({ ...historyHeaders(complete, firstDay * DAY - 1), 'x-history-missing': missing.toString() })

/** The first UTC day that is stored whole, counted from 1970-01-01; −Infinity: all are; Infinity: none is yet. */
export function firstWholeDay ({ complete, oldestTime }: HistoryStatus): number {
  if (complete) return -Infinity
  // a transaction of the oldest second that is covered may lie below
  return oldestTime === null ? Infinity : Math.ceil((oldestTime + 2) / DAY)
}

/** What a DAO traded from a day on. */
function since (firstDay: number, traded: DailyVolume): DailyVolume {
  if (firstDay === -Infinity) return traded
  const first = dateOf(firstDay)
  const days = new Map(Array.from(traded.days).filter(([date]) => date >= first))
  return { ...traded, launchedAt: Math.max(traded.launchedAt, firstDay * DAY), days }
}

export function pricingOf (snapshot: Snapshot, usd: UsdValuation): Pricing {
  return {
    usdPerUnit (mint) {
      const [worth, token] = [usd(mint), snapshot.tokens.get(mint)]
      return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
    },
    symbolOf: mint => snapshot.tokens.get(mint)?.symbol ?? ''
  }
}

/**
 * The days and their sums since launch, or since the first whole day while the past is read, kept; volumes and fees of
 * one moment agree. Throws the ServiceError of the chain, WARMING_UP until today is whole, HISTORY_UNAVAILABLE.
 */
export function createTotals (sources: Sources): Kept<MarketTotals> {
  const { history, settings } = sources
  const asked = new Set<'volume' | 'fees'>()

  return keepResponse(sources, async () => {
    const { value: snapshot, parts } = await stateOf(sources)
    const walked = firstWholeDay(history.status())
    const head = headPart(sources)
    const report = history.report()
    const stored = await history.daily()
    const firstDay = Math.max(walked, firstWholeDay(history.status()))
    if (firstDay * DAY > head.time) throw new ServiceError('WARMING_UP', 'no UTC day is known from its beginning yet')
    const daily = new Map(Array.from(stored, ([dao, traded]) => [dao, since(firstDay, traded)]))
    const usd = usdValuationOf(snapshot, settings)
    const daos: Array<TradedDao<DayVolume>> = []
    let [missing, unknownFees, complete] = [0n, 0, firstDay === -Infinity]
    for (const [address, entry] of report) {
      if (settings.excluded.has(address)) continue
      missing += missingEvents(entry)
      // born in what no node offers any more, and silent since
      complete &&= daily.has(address) || entry.sequenceGaps.length === 0
    }
    for (const [address, dao] of snapshot.daos) complete &&= daily.has(address) || !hasEvents(dao, head.time)
    for (const [address, { launchedAt, days, complete: whole }] of daily) {
      if (settings.excluded.has(address)) continue
      const dao = snapshot.daos.get(address)
      complete &&= whole && dao !== undefined
      if (dao === undefined) continue
      daos.push({ baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days })
      for (const day of days.values()) unknownFees += day.unknownFees
    }
    const pricing = pricingOf(snapshot, usd)
    const volume = once(async (): Promise<Totals> => {
      asked.add('volume')
      const record = await aggregateVolume(daos, ({ quote }) => quote, pricing, head.time)
      return { record, complete, missing, unknownFees: 0, firstDay }
    })
    const fees = once(async (): Promise<Totals> => {
      asked.add('fees')
      const record = await aggregateVolume(daos, ({ fees }) => fees, pricing, head.time)
      return { record, complete, missing, unknownFees, firstDay }
    })
    const outside = once(async () => {
      const others = await history.read(async reading => await reading.untold() ? null : await reading.otherFees())
      return outsideTotals(others, snapshot.daos, pricing)
    })
    // whoever asks next need not wait for what somebody has asked for before; a failure is told to who asks
    await Promise.allSettled(Array.from(asked, figure => ({ volume, fees })[figure]()))
    return {
      value: { snapshot, usd, daily, walkedTo: head.time, firstDay, volume, fees, outside },
      parts: [...parts, head]
    }
  })
}

/** Those of known DAOs that are not excluded, an external position's where it is of the DAO's own tokens. */
function outsideTotals (
  others: readonly OtherFees[] | null,
  known: ReadonlyMap<string, { baseMint: string, quoteMint: string } | undefined>,
  { usdPerUnit }: Pricing
): OutsideTotals {
  const text = (isExternal: boolean): string | null => {
    const rows = (others ?? []).flatMap(({ dao: address, mints, fees, reserves }) => {
      const dao = known.get(address)
      const worth = dao === undefined ? undefined : usdPerUnit(dao.quoteMint)
      if (dao === undefined || worth === undefined || (mints !== null) !== isExternal) return []
      const isForeign = mints !== null && (mints.quote !== dao.quoteMint || mints.base !== dao.baseMint)
      return isForeign ? [] : [{ fees, reserves, worth }]
    })
    const sum = others === null ? null : feesInUsd(rows)
    return sum === null ? null : usdText(sum)
  }
  return { conditional: text(false), external: text(true) }
}

const toVolume = jsonResponse(AggregateSchema)
const toFees = jsonResponse(FeesSchema)

/** The bytes of the volume since launch. Headers say whether every event is there. */
export const createVolumeResponse = (totals: Kept<MarketTotals>) => sameLife(totals, async ({ volume }) => {
  const value = await volume()
  return toVolume(value.record, completenessHeaders(value))
})

/** The bytes of the fees since launch. */
export const createFeesResponse = (totals: Kept<MarketTotals>) => sameLife(totals, async ({ fees, outside }) => {
  const [value, { conditional, external }] = [await fees(), await outside()]
  return toFees({
    totalFees: value.record.totalVolume,
    conditionalFees: conditional,
    externalPoolFees: external,
    dailyBreakdown: value.record.dailyBreakdown.map(({ date, volume, trades }) => ({ date, fees: volume, trades })),
    tokens: value.record.tokens.map(({ mint, symbol, totalVolume }) => ({ mint, symbol, totalFees: totalVolume }))
  }, { ...completenessHeaders(value), 'x-fees-unknown': String(value.unknownFees) })
})
