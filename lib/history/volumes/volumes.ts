import { inSlices } from '../../async.js'
import type { VolumeRule } from '../../market/volume.js'
import { DAY, HOUR, MINUTE } from '../../time.js'
import { type Candle, EMPTY_CANDLE, executedPrice, type ExecutedPrice } from '../rules/candles.js'
import { sumOf } from '../rules/fixed-point.js'
import { type Completeness, wholeAfterOf } from '../rules/completeness.js'
import { daosOf } from '../rules/sequence-gaps.js'
import type { Store } from '../store/create-store.js'
import type { Traders } from '../store/types.js'
import { createAggregate } from './aggregate.js'
import { createCloses, createDaily, type Days, volumeOf } from './daily.js'
import { createWindow } from './window.js'

type ValueOf<M> = M extends Map<string, infer V> ? V : never
type Answered<K extends 'last24h' | 'windows'> = ValueOf<Awaited<ReturnType<Volumes[K]>>>

export type Volume24h = Answered<'last24h'>
/** 24 hours to the second, 7 and 30 days by whole minutes. Raw units; prices are raw quote ÷ raw base. */
export type PoolWindow = Answered<'windows'>

const [WEEK, MONTH] = [7 * DAY, 30 * DAY]
/** How long ago a last price is told, seconds. */
const AGES = { now: 0, '5m': 5 * MINUTE, '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': WEEK, '30d': MONTH } as const
type Age = keyof typeof AGES
const NO_TRADERS: Traders = { makers: 0, buyers: 0, sellers: 0, buys: 0, sells: 0, buyQuote: 0n, sellQuote: 0n }
const NO_DAYS: Days = new Map()

export type Volumes = ReturnType<typeof createVolumes>

export function createVolumes (store: Store, valuation: VolumeRule) {
  const daily = createDaily(store)
  const closes = createCloses(store)
  const sums = createAggregate(store, valuation)
  const sumsOf = (span: number) => createWindow(store, span, sums)
  const [lastDay, lastWeek, lastMonth] = [sumsOf(DAY), sumsOf(WEEK), sumsOf(MONTH)]
  const traders = createWindow(store, DAY, store.traders)
  const lastPrices = Object.entries(AGES).map(([name, age]) => {
    const read = createWindow(store, Infinity, async (daos, _, to) => (await store.lastTrades(to - 1, daos))
      .map(({ dao, at, swap }) => [dao, { ...executedPrice(swap)!, at }]))
    return async (now: number, daos: string[]) => [name, await read(now - age + 1, daos)] as const
  })

  /** Whether its volume is known: by the basis 'fees' each fee has to be. */
  const isTold = ({ unknownFees }: Candle): boolean => valuation.basis !== 'fees' || unknownFees === 0

  /** By DAO that has an event or an account its last 24 hours at the Unix second `now`. */
  async function day (now: number, known: Completeness) {
    const wholeAfterOne = wholeAfterOf(known)
    const candles = await lastDay(now + 1, known.sequenceRanges.keys())
    return new Map(Array.from(daosOf(known), dao => {
      const [candle, wholeAfter] = [candles.get(dao) ?? EMPTY_CANDLE, wholeAfterOne(dao)]
      const covers = (time: number): boolean => wholeAfter !== undefined && wholeAfter <= time
      return [dao, { candle, wholeAfter, covers, complete: covers(now - DAY) && isTold(candle) }] as const
    }))
  }

  return {
    /** By DAO, of the 24 hours up to the Unix second `now`. Throws HISTORY_UNAVAILABLE. */
    async last24h (now: number, known: Completeness) {
      return new Map(Array.from(await day(now, known), ([dao, { candle, complete }]) =>
        [dao, { ...volumeOf(candle), complete }]))
    },

    /** Likewise, all that is told of a pool. */
    async windows (now: number, known: Completeness) {
      const stored = [...known.sequenceRanges.keys()]
      const minute = now - now % MINUTE
      const [days, who, week, month, ...prices] = await Promise.all([
        day(now, known), traders(now + 1, stored), lastWeek(minute, stored), lastMonth(minute, stored),
        ...lastPrices.map(read => read(now, stored))
      ])
      return new Map(await inSlices(days, ([dao, { candle, wholeAfter, covers, complete }]) => {
        const quoteOf = (sums: typeof week, from: number) => {
          const candle = sums.get(dao) ?? EMPTY_CANDLE
          return covers(from) && isTold(candle) ? volumeOf(candle).quote : null
        }
        // it is the newest of its time only where all since is known
        const past = Object.fromEntries(prices.map(([age, byDao]) => {
          const price = byDao.get(dao)
          return [age, price !== undefined && covers(price.at - 1) ? price : null]
        })) as Record<Age, ExecutedPrice | null>
        const { high = null, low = null, average = null } = candle.prices ?? {}
        return [dao, {
          ...volumeOf(candle),
          high,
          low,
          /** The average of all trades that have a price. */
          priced: average,
          /** The newest price as of so long ago; null: none is known to be. */
          prices: past,
          ...who.get(dao) ?? NO_TRADERS,
          /** Quote units, each fee at its trade's price; null: one is not known. */
          fees: candle.unknownFees > 0 ? null : sumOf(candle.fees, candle.trades),
          /** Quote units; null: not all is known. */
          quote7d: quoteOf(week, minute - WEEK - 1),
          quote30d: quoteOf(month, minute - MONTH - 1),
          /** All after this Unix second is known; −Infinity: from the beginning; undefined: nothing. */
          wholeAfter,
          complete
        }] as const
      }))
    },

    /** Likewise, by UTC day. */
    async daily (known: Completeness) {
      const days = await daily()
      const wholeAfter = wholeAfterOf(known)
      return new Map(Array.from(known.sequenceRanges, ([dao, [first]]) => [dao, {
        /** Unix seconds of its earliest event that is known. */
        launchedAt: first?.firstAt ?? 0,
        days: days.get(dao) ?? NO_DAYS,
        /** Every event of it is stored and understood. */
        complete: wholeAfter(dao) === -Infinity
      }] as const))
    },

    closes
  }
}
