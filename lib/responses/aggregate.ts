import { divide, powerOfTen } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Snapshot } from '../live/snapshot.js'
import type { DailyVolume, DayVolume, OtherFees } from '../history/history.js'
import { aggregateVolume, type Pricing, type TradedDao } from '../market/aggregate.js'
import { missingEvents } from '../market/dao-report.js'
import { feesInUsd } from '../market/other-fees.js'
import { usdText } from '../market/ticker.js'
import type { CachedResponse } from '../http/cached-response.js'
import { type Aged, RENEW_FROM } from '../live/fresh.js'
import type { UsdValuation } from '../market/usd.js'
import { once } from '../once.js'
import { AggregateSchema, type AggregateVolume } from '../../schemas/aggregate.js'
import { type AggregateFees, FeesSchema } from '../../schemas/fees.js'
import { sameLife } from './same-life.js'
import { jsonResponse } from './json-response.js'
import {
  ALL, hasEvents, headPart, keepResponse, type Kept, type Sources, TICKER_TTL, usdValuationOf
} from './sources.js'

/** What is summed up since launch. */
type Figure = 'volume' | 'fees'

/** The sums since launch, and what of them is not known. */
export interface Totals {
  record: AggregateVolume
  /** Every event is stored and understood. */
  complete: boolean
  missing: bigint
  /** Trades whose fee is not known; of volumes always 0. */
  unknownFees: number
}

/** The days of all DAOs as they were at one moment, and what they amount to. */
export interface MarketTotals {
  snapshot: Snapshot
  usd: UsdValuation
  daily: ReadonlyMap<string, DailyVolume>
  /** Unix second up to which everything that happened has been walked for certain. */
  walkedTo: number
  volume (): Promise<Totals>
  fees (): Promise<Totals>
  outside (): Promise<OutsideTotals>
}

/** What came to fees from outside of the pools' swaps, in USD; null: not all of it is known. */
export interface OutsideTotals { conditional: string | null, external: string | null }

export const completenessHeaders = ({ complete, missing }: Totals): Record<string, string> =>
  ({ 'x-history-complete': String(complete), 'x-history-missing': missing.toString() })

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
 * The days and their sums since launch, kept: volumes and fees of one moment, so that they agree. Throws the
 * ServiceError of the chain, WARMING_UP until the history is walked to its beginning, HISTORY_UNAVAILABLE when it is
 * behind.
 */
export function createTotals (sources: Sources): Kept<MarketTotals> {
  const { snapshot: snapshots, history, settings } = sources
  const asked = new Set<Figure>()

  return keepResponse(sources, async () => {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    if (!history.status().complete) {
      throw new ServiceError('WARMING_UP', 'the history is still being walked to its beginning')
    }
    const head = headPart(sources)
    const report = history.report()
    const daily = await history.daily()
    const usd = usdValuationOf(snapshot, settings)
    const daos: Array<TradedDao<DayVolume>> = []
    let [missing, unknownFees, complete] = [0n, 0, true]
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
    const totals = async (figure: Figure): Promise<Totals> => {
      asked.add(figure)
      const record = await aggregateVolume(daos, day => figure === 'volume'
        ? day.quote
        : day.fees, pricingOf(snapshot, usd), head.time)
      return { record, complete, missing, unknownFees: figure === 'fees' ? unknownFees : 0 }
    }
    const volume = once(() => totals('volume'))
    const fees = once(() => totals('fees'))
    const outside = once(async () => {
      const others = await history.read(async reading => await reading.untold() ? null : await reading.otherFees())
      const counted = others?.filter(({ dao }) => !settings.excluded.has(dao)) ?? null
      return outsideTotals(counted, snapshot.daos, pricingOf(snapshot, usd))
    })
    // Whoever asks next need not wait for what somebody has asked for before; why it is not to be had is told to who
    // asks
    await Promise.allSettled(Array.from(asked, figure => ({ volume, fees })[figure]()))
    return { value: { snapshot, usd, daily, walkedTo: head.time, volume, fees, outside }, parts: [...parts, head] }
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
export const createVolumeResponse = (
  totals: Kept<MarketTotals>
): () => Promise<Aged<CachedResponse<AggregateVolume>>> =>
  sameLife(totals.get, async ({ volume }) => {
    const value = await volume()
    return toVolume(value.record, completenessHeaders(value))
  })

/** The bytes of the fees since launch. */
export const createFeesResponse = (totals: Kept<MarketTotals>): () => Promise<Aged<CachedResponse<AggregateFees>>> =>
  sameLife(totals.get, async ({ fees, outside }) => {
    const [value, { conditional, external }] = [await fees(), await outside()]
    return toFees({
      totalFees: value.record.totalVolume,
      conditionalFees: conditional,
      externalPoolFees: external,
      dailyBreakdown: value.record.dailyBreakdown.map(({ date, volume, trades }) => ({ date, fees: volume, trades })),
      tokens: value.record.tokens.map(({ mint, symbol, totalVolume }) => ({ mint, symbol, totalFees: totalVolume }))
    }, { ...completenessHeaders(value), 'x-fees-unknown': String(value.unknownFees) })
  })
