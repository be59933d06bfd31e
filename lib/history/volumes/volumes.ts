import { inSlices } from '../../async.js'
import { ZERO, type Rational } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import type { VolumeRule } from '../../market/volume.js'
import { DAY, HOUR, MINUTE } from '../../time.js'
import { executedPrice, type Candle, type ExecutedPrice } from '../rules/candles.js'
import { sumOf } from '../rules/fixed-point.js'
import { reachesBeyond } from '../rules/losses.js'
import { mayOwnOf, type NamedOwners } from '../rules/missing-owners.js'
import { mayReach, sizeOf, type SequenceGap } from '../rules/sequence-gaps.js'
import type { SequenceRange, Loss, MissingTransaction } from '../rules/types.js'
import type { Store } from '../store/store.js'
import { createAggregate, inParts, type Aggregate } from './aggregate.js'
import { createDaily, type Days } from './daily.js'
import { createWindow } from './window.js'

/** The last 24 hours of one DAO: both legs of buys and sells together, in raw units. */
export interface Volume24h {
  base: Rational
  quote: Rational
  trades: number
  /** Nothing is missing that may belong in here. */
  complete: boolean
}

export interface DailyVolume {
  /** Unix seconds of InitializeDao, or of the earliest event known. */
  launchedAt: number
  days: Days
  /** Every event since the DAO's first is stored and understood. */
  complete: boolean
  /** Sequence numbers known to be missing. */
  missingEvents: number
}

/** What the volumes need to know of the completeness of what is stored. */
export interface Completeness {
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  /** Unix second of the newest event that could not be read, by DAO. */
  unreadable: ReadonlyMap<string, number>
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
  /** Sequence numbers by account; a DAO may be here without any event. */
  accounts: ReadonlyMap<string, bigint>
  /** The slot of those numbers. */
  verifiedSlot: number
  /** Whose the transactions are that are missing beyond it. */
  named: NamedOwners
  /** Transactions that the node lists and does not give. */
  missing: readonly MissingTransaction[]
  /** Unix second at which the past begins that the node offers; null: not walked to it yet. */
  lostBefore: number | null
  /** Parts of the past inside what is indexed that no node offers any more. */
  losses: readonly Loss[]
  /** Whether a sequence gap has been looked for in the DAO's own signatures. */
  searched: (gap: SequenceGap) => boolean
  /** Whether everything after this Unix second is covered, as far as the walk goes. */
  covers: (after: number) => boolean
}

/**
 * The last 24 hours of one DAO, to the second, and the last 7 and 30 days by whole minutes. Raw units; prices are raw
 * quote ÷ raw base.
 */
export interface PoolWindow extends Volume24h {
  high: ExecutedPrice | null
  low: ExecutedPrice | null
  /** What was paid and received by all trades that have a price: their quotient is the average price. */
  priced: ExecutedPrice | null
  /** The newest price in the window, or else from before it; null: never traded. */
  last: ExecutedPrice | null
  /** The newest price from before the window; null: there is none. */
  before: ExecutedPrice | null
  /** The newest price of a trade at or before so long ago; null: there is none that is known to be. */
  past: Record<ChangePeriod, ExecutedPrice | null>
  /** Who traded; null while that is not known of each trade. */
  makers: number | null
  /** In quote units, each fee at the price of its own trade; null where one of them is not known. */
  fees: Rational | null
  /** Quote units of the last 7 and 30 days; `complete` covers 30 days. */
  quote7d: Rational
  quote30d: Rational
}

/** 7 and 30 days. */
const [WEEK, MONTH] = [7 * DAY, 30 * DAY]
/** Periods over which a change of price is told beside 24 hours, seconds. */
const CHANGE_PERIODS = { '5m': 5 * MINUTE, '1h': HOUR, '6h': 6 * HOUR, '7d': WEEK, '30d': MONTH } as const
type ChangePeriod = keyof typeof CHANGE_PERIODS
const PERIODS = Object.entries(CHANGE_PERIODS) as Array<[ChangePeriod, number]>
const NO_VOLUME = { base: ZERO, quote: ZERO, trades: 0 }
const NO_DAYS: Days = new Map()

export type Volumes = ReturnType<typeof createVolumes>

/** Whether nothing is missing of a DAO after the Unix second `after`. */
function createIsComplete (after: number, known: Completeness): (dao: string) => boolean {
  const { sequenceRanges, unreadable, sequenceGaps, verifiedSlot, lostBefore, losses, searched } = known
  const missing = known.missing.filter(({ at }) => at === null || at > after)
  const mayOwn = mayOwnOf(missing, known)
  return dao => {
    if ((unreadable.get(dao) ?? -Infinity) > after) return false
    // Whose it is shows as a sequence gap, once the accounts have been compared; a DAO without any event shows none
    if (mayOwn(dao)) return false
    // So it is with what is lost
    if (losses.some(loss => reachesBeyond(loss, after) && (loss.toSlot > verifiedSlot || !sequenceRanges.has(dao)))) {
      return false
    }
    return !sequenceGaps.get(dao)?.some(gap =>
      mayReach(gap, after, searched(gap) ? { lostBefore, losses, missing } : null))
  }
}

/** Volumes out of a store, for the process that writes it or one that only reads. */
export function createVolumes (store: Store, valuation: VolumeRule) {
  const daily = createDaily(store)
  const sums = createAggregate(store, valuation, false)
  const summed = <T>(make: (candle: Candle) => T) => async (...asked: Parameters<Aggregate>): Promise<Map<string, T>> =>
    new Map(Array.from(await sums(...asked), ([dao, candle]) => [dao, make(candle)]))
  const lastDay = createWindow(
    store,
    DAY,
    summed(({ base, quote, trades }) => ({ base: sumOf(base, trades), quote: sumOf(quote, trades), trades }))
  )
  const quoteOf = summed(({ quote, trades }) => sumOf(quote, trades))
  const [lastWeek, lastMonth] = [createWindow(store, WEEK, quoteOf), createWindow(store, MONTH, quoteOf)]
  const lastCandles = createWindow(store, DAY, createAggregate(store, valuation, true))
  const traders = createWindow(store, DAY, (daos, from, to) => inParts(daos, some => store.traders(some, from, to)))
  /** The newest price of each DAO. */
  const createLastPrices = () => createWindow(store, Infinity, async (daos, _, to) =>
    new Map((await store.lastTrades(to - 1, daos)).map(({ dao, at, swap }) => [dao, { ...executedPrice(swap)!, at }])))
  const lastPrices = createLastPrices()
  const pastPrices = PERIODS.map(([name, seconds]) => ({ name, seconds, read: createLastPrices() }))

  const daosOf = ({ accounts, sequenceRanges }: Completeness) => new Set([...accounts.keys(), ...sequenceRanges.keys()])

  return {
    /**
     * Per DAO, those without a swap included, at the Unix second `now`. A DAO that is not in the map has neither shown
     * an event nor an account. Throws HISTORY_UNAVAILABLE.
     */
    async last24h (now: number, known: Completeness): Promise<Map<string, Volume24h>> {
      const isComplete = createIsComplete(now - DAY, known)
      const volumes = await lastDay(now + 1, known.sequenceRanges.keys())
      return new Map(Array.from(daosOf(known), dao =>
        [dao, { ...volumes.get(dao) ?? NO_VOLUME, complete: isComplete(dao) }]))
    },

    /**
     * As `last24h`, with all that is told of a pool, and `complete` for 30 days. Throws WARMING_UP while those are not
     * covered, HISTORY_UNAVAILABLE.
     */
    async windows (now: number, known: Completeness): Promise<Map<string, PoolWindow>> {
      if (!known.covers(now - MONTH)) throw new ServiceError('WARMING_UP', 'the last 30 days are not covered yet')
      const daos = [...daosOf(known)]
      const stored = [...known.sequenceRanges.keys()]
      // all at once: steps that are written meanwhile change what is known
      const isComplete = createIsComplete(now - MONTH, known)
      const complete = new Set(daos.filter(isComplete))
      const minute = now - now % MINUTE
      const [volumes, candles] = [await lastDay(now + 1, stored), await lastCandles(now + 1, stored)]
      const makers = await traders(now + 1, stored)
      const before = await lastPrices(now - DAY + 1, stored)
      const past = new Map<ChangePeriod, typeof before>()
      for (const { name, seconds, read } of pastPrices) past.set(name, await read(now - seconds + 1, stored))
      // one from before all that is complete is the last before its period only where all since is known
      const doubtful = new Set<ExecutedPrice>()
      for (const prices of [before, ...past.values()]) {
        for (const [dao, price] of prices) {
          if (price.at <= now - MONTH && !(known.covers(price.at - 1) && createIsComplete(price.at - 1, known)(dao))) doubtful.add(price)
        }
      }
      const sure = (price: ExecutedPrice | undefined): ExecutedPrice | null => price === undefined || doubtful.has(price) ? null : price
      const [week, month] = [await lastWeek(minute, stored), await lastMonth(minute, stored)]
      return new Map(await inSlices(daos, (dao): [string, PoolWindow] => {
        const candle = candles.get(dao)
        const { unnamed, makers: named } = makers.get(dao) ?? { unnamed: 0, makers: 0 }
        const { high = null, low = null, close = null, average = null } = candle?.prices ?? {}
        return [dao, {
          ...volumes.get(dao) ?? NO_VOLUME,
          high,
          low,
          priced: average,
          last: close ?? before.get(dao) ?? null,
          before: sure(before.get(dao)),
          past: Object.fromEntries(PERIODS.map(([name]) => [name, sure(past.get(name)!.get(dao))])) as PoolWindow['past'],
          makers: unnamed > 0 ? null : named,
          fees: candle === undefined ? ZERO : candle.unknownFees > 0 ? null : sumOf(candle.fees, candle.trades),
          quote7d: week.get(dao) ?? ZERO,
          quote30d: month.get(dao) ?? ZERO,
          complete: complete.has(dao)
        }]
      }))
    },

    /** Per DAO that has an event. Throws HISTORY_UNAVAILABLE. */
    async daily (known: Completeness): Promise<Map<string, DailyVolume>> {
      const { sequenceRanges, unreadable, sequenceGaps, losses, verifiedSlot } = known
      const days = await daily.read()
      // As of the last 24 hours: until the accounts have been compared, what is listed and not given may be anybody's
      const mayOwn = mayOwnOf(known.missing, known)
      const isVerified = losses.every(({ toSlot }) => toSlot <= verifiedSlot)
      return new Map(await inSlices([...sequenceRanges], ([dao, ranges]): [string, DailyVolume] => {
        const [first] = ranges
        const missing = sequenceGaps.get(dao) ?? []
        const isWhole = first?.first === 1n && ranges.length === 1 && missing.length === 0
        return [dao, {
          launchedAt: first?.firstAt ?? 0,
          days: days.get(dao) ?? NO_DAYS,
          complete: isWhole && !unreadable.has(dao) && !mayOwn(dao) && isVerified,
          missingEvents: sizeOf(missing)
        }]
      }))
    }
  }
}
