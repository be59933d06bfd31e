import { divide, powerOfTen, type Rational } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Snapshot } from '../live/snapshot.js'
import { createAggregate, type Pricing, type TradedDao } from '../market/aggregate.js'
import { missingEvents } from '../market/dao-report.js'
import type { CachedResponse } from '../http/cached-response.js'
import { type Aged, RENEW_FROM } from '../live/fresh.js'
import type { UsdValuation } from '../market/usd.js'
import { AggregateSchema, type AggregateVolume } from '../../schemas/aggregate.js'
import { type AggregateFees, FeesSchema } from '../../schemas/fees.js'
import { sameLife } from './same-life.js'
import { jsonResponse } from './json-response.js'
import { ALL, keepResponse, type Kept, type Sources, TICKER_TTL, unixSeconds, usdValuationOf } from './sources.js'

/** What is summed up since launch. */
type Figure = 'volume' | 'fees'

/** The sums since launch, and what of them is not known. */
export interface Totals {
  /** When the state that they are valued by was read, ms. */
  readAt: number
  record: AggregateVolume
  /** Every event is stored and understood. */
  complete: boolean
  missing: bigint
  /** Trades whose fee is not known; of volumes always 0. */
  unknownFees: number
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

/**
 * The volume, or the fees, since launch, kept. Throws the ServiceError of the chain, WARMING_UP until the history is walked to its beginning, and
 * for fees until they are summed up, HISTORY_UNAVAILABLE when it is behind.
 */
export function createTotals (sources: Sources, figure: Figure): Kept<Totals> {
  const { snapshot: snapshots, history, settings, now } = sources
  const aggregate = createAggregate()

  return keepResponse(sources, async () => {
    const { value: snapshot, age } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const readAt = now() - age
    const { complete: walked, headAt, isBehind } = history.status()
    if (!walked) throw new ServiceError('WARMING_UP', 'the history is still being walked to its beginning')
    if (headAt === null || isBehind) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain')
    const known = new Map(snapshot.discovered.map(({ address, dao }) => [address, dao]))
    const report = history.report()
    const daos: TradedDao[] = []
    let missing = 0n
    let unknownFees = 0
    let complete = true
    const daily = await history.daily()
    for (const [address, entry] of report) {
      if (settings.excluded.has(address)) continue
      missing += missingEvents(entry)
      // born in what no node offers any more, and silent since
      complete &&= daily.has(address) || entry.sequenceGaps.length === 0
    }
    for (const [address, { launchedAt, days, complete: whole, hasFees }] of daily) {
      if (settings.excluded.has(address)) continue
      if (figure === 'fees' && !hasFees) throw new ServiceError('WARMING_UP', 'fees are still being summed up')
      const dao = known.get(address)
      complete &&= whole && dao !== undefined
      if (dao === undefined) continue
      daos.push({ address, baseMint: dao.baseMint, quoteMint: dao.quoteMint, launchedAt, days: figure === 'fees' ? { settled: feesOf(days.settled), recent: feesOf(days.recent) } : days })
      if (figure === 'fees') for (const part of [days.settled, days.recent]) for (const day of part.values()) unknownFees += day.unknownFees
    }
    return { readAt, record: await aggregate(daos, pricingOf(snapshot, usdValuationOf(snapshot, settings)), unixSeconds(sources)), complete, missing, unknownFees }
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
export const createVolumeResponse = (totals: Kept<Totals>): () => Promise<Aged<CachedResponse<AggregateVolume>>> =>
  sameLife(totals.get, async value => await toVolume(value.record, completenessHeaders(value)))

/** The bytes of the fees since launch. */
export const createFeesResponse = (totals: Kept<Totals>): () => Promise<Aged<CachedResponse<AggregateFees>>> =>
  sameLife(totals.get, async value => await toFees({
    totalFees: value.record.totalVolume,
    dailyBreakdown: value.record.dailyBreakdown.map(({ date, volume, trades }) => ({ date, fees: volume, trades })),
    tokens: value.record.tokens.map(({ mint, symbol, totalVolume }) => ({ mint, symbol, totalFees: totalVolume }))
  }, { ...completenessHeaders(value), 'x-fees-unknown': String(value.unknownFees) }))
