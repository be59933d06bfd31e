import { createPauses, inSlices, letGo } from '../async.js'
import { divide, powerOfTen, type Rational } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Snapshot } from '../live/snapshot.js'
import type { DailyVolume } from '../history/history.js'
import { createAggregate, type Pricing, type TradedDao } from '../market/aggregate.js'
import { missingEvents } from '../market/dao-report.js'
import type { CachedResponse } from '../http/cached-response.js'
import { type Aged, RENEW_FROM } from '../live/fresh.js'
import type { UsdValuation } from '../market/usd.js'
import { once } from '../once.js'
import { AggregateSchema, type AggregateVolume } from '../../schemas/aggregate.js'
import { type AggregateFees, FeesSchema } from '../../schemas/fees.js'
import { sameLife } from './same-life.js'
import { jsonResponse } from './json-response.js'
import { ALL, keepResponse, type Kept, type Sources, TICKER_TTL, unixSeconds, usdValuationOf } from './sources.js'

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
  /** When the state that they are valued by was read, ms. */
  readAt: number
  snapshot: Snapshot
  usd: UsdValuation
  daily: ReadonlyMap<string, DailyVolume>
  /** Unix second up to which everything that happened has been walked for certain. */
  walkedTo: number
  volume (): Promise<Totals>
  /** Throws WARMING_UP until fees are summed up. */
  fees (): Promise<Totals>
}

export const completenessHeaders = ({ complete, missing }: Totals): Record<string, string> => ({ 'x-history-complete': String(complete), 'x-history-missing': missing.toString() })

export function pricingOf (snapshot: Snapshot, usd: UsdValuation): Pricing {
  return {
    usdPerUnit (mint) {
      const [worth, token] = [usd(mint), snapshot.tokens.get(mint)]
      return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
    },
    symbolOf: mint => snapshot.tokens.get(mint)?.symbol ?? ''
  }
}

/** For so long the chain's time may be carried on beyond its newest final slot before that is looked at again, seconds. */
const CARRIED_ON = 60

/**
 * The days and their sums since launch, kept: volumes and fees of one moment, so that they agree. Throws the ServiceError of the chain, WARMING_UP until
 * the history is walked to its beginning, HISTORY_UNAVAILABLE when it is behind.
 */
export function createTotals (sources: Sources): Kept<MarketTotals> {
  const { snapshot: snapshots, history, settings, now } = sources
  const aggregates = { volume: createAggregate(), fees: createAggregate() }
  const asked = new Set<Figure>()

  return keepResponse(sources, async () => {
    const { value: snapshot, age } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const readAt = now() - age
    const { complete: walked, headAge, isBehind } = history.status()
    if (!walked) throw new ServiceError('WARMING_UP', 'the history is still being walked to its beginning')
    if (headAge === null || isBehind) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain')
    await letGo()
    const report = history.report()
    await letGo()
    const daily = await history.daily()
    const [usd, seconds] = [usdValuationOf(snapshot, settings), unixSeconds(sources)]
    await letGo()
    const known = new Map(snapshot.discovered.map(({ address, dao }) => [address, dao]))
    const daos: Array<TradedDao & { days: DailyVolume['days'] }> = []
    let [missing, unknownFees, complete, hasFees] = [0n, 0, true, true]
    const pause = createPauses()
    for (const [address, entry] of report) {
      if (settings.excluded.has(address)) continue
      missing += missingEvents(entry)
      // born in what no node offers any more, and silent since
      complete &&= daily.has(address) || entry.sequenceGaps.length === 0
      const wait = pause()
      if (wait !== undefined) await wait
    }
    for (const [address, { launchedAt, days, complete: whole, hasFees: isSummedUp }] of daily) {
      if (settings.excluded.has(address)) continue
      hasFees &&= isSummedUp
      const dao = known.get(address)
      complete &&= whole && dao !== undefined
      if (dao === undefined) continue
      daos.push({ address, baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days })
      for (const part of [days.settled, days.recent]) for (const day of part.values()) unknownFees += day.unknownFees
      const wait = pause()
      if (wait !== undefined) await wait
    }
    const totals = async (figure: Figure): Promise<Totals> => {
      asked.add(figure)
      const traded = figure === 'volume'
        ? daos
        : await inSlices(daos, ({ address, baseMint, quoteMint, launchedAt, days: { settled, recent } }) => ({ address, baseMint, quoteMint, launchedAt, days: { settled: feesOf(settled), recent: feesOf(recent) } }))
      return { record: await aggregates[figure](traded, pricingOf(snapshot, usd), seconds), complete, missing, unknownFees: figure === 'fees' ? unknownFees : 0 }
    }
    const volume = once(() => totals('volume'))
    const fees = once(async () => {
      if (!hasFees) throw new ServiceError('WARMING_UP', 'fees are still being summed up')
      return await totals('fees')
    })
    // Whoever asks next need not wait for what somebody has asked for before; why it is not to be had is told to who asks
    await Promise.allSettled(Array.from(asked, figure => ({ volume, fees })[figure]()))
    return { readAt, snapshot, usd, daily, walkedTo: seconds - headAge / 1000 - CARRIED_ON, volume, fees }
  }, ({ readAt }) => readAt)
}

type Days = ReadonlyMap<string, { quote: Rational, fees: Rational, trades: number }>
/** Days whose amounts are their fees: the same object for the same days, by which it is told whether they have changed. */
const feeDays = new WeakMap<Days, Days>()
function feesOf (days: Days): Days {
  let found = feeDays.get(days)
  if (found === undefined) feeDays.set(days, found = new Map(Array.from(days, ([date, day]) => [date, { ...day, quote: day.fees }])))
  return found
}

const toVolume = jsonResponse(AggregateSchema)
const toFees = jsonResponse(FeesSchema)

/** The bytes of the volume since launch. Headers say whether every event is there. */
export const createVolumeResponse = (totals: Kept<MarketTotals>): () => Promise<Aged<CachedResponse<AggregateVolume>>> =>
  sameLife(totals.get, async ({ volume }) => {
    const value = await volume()
    return await toVolume(value.record, completenessHeaders(value))
  })

/** The bytes of the fees since launch. */
export const createFeesResponse = (totals: Kept<MarketTotals>): () => Promise<Aged<CachedResponse<AggregateFees>>> =>
  sameLife(totals.get, async ({ fees }) => {
    const value = await fees()
    return await toFees({
      totalFees: value.record.totalVolume,
      dailyBreakdown: value.record.dailyBreakdown.map(({ date, volume, trades }) => ({ date, fees: volume, trades })),
      tokens: value.record.tokens.map(({ mint, symbol, totalVolume }) => ({ mint, symbol, totalFees: totalVolume }))
    }, { ...completenessHeaders(value), 'x-fees-unknown': String(value.unknownFees) })
  })
