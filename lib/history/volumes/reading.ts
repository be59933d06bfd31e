import { DAY, HOUR, MINUTE } from '../../time.js'
import { joinCandles, SIZES, type Candle, type Size } from '../rules/candles.js'
import { type Completeness, type Known, knowledgeOf, wholeAfterOf } from '../rules/completeness.js'
import type { CandleRange, Store, TimedCandle } from '../store/store.js'
import type { PoolWindow, Volumes } from './volumes.js'

/** Lengths of candles that can be asked for, in seconds. */
export const INTERVALS = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '4h': 4 * HOUR,
  '1d': DAY
} as const
export type Interval = keyof typeof INTERVALS

type StoreReads = Pick<Store, 'trades'
  | 'lastTrades'
  | 'poolEvents'
  | 'firstEvent'
  | 'feeRates'
  | 'incompleteSlots'
  | 'unnamedTrades'>

/** A day that has trades, counted from 1970-01-01, with the number of those who traded. */
export interface TradedDay extends Candle { day: number, makers: number }

/**
 * What can be asked of the history beyond its sums, all on one state of the store. It gives what is stored: whether
 * that is all is for `knowledge` to say. Throws HISTORY_UNAVAILABLE.
 */
export interface Reading extends StoreReads {
  /** Days of a DAO from `from` to `to`, both included, oldest first, the newest `limit`. */
  days (dao: string, range: CandleRange): Promise<TradedDay[]>
  /**
   * Candles that begin from `from` to before `to`, multiples of the interval, oldest first: the newest `limit` that
   * have trades.
   */
  candles (dao: string, interval: Interval, range: CandleRange): Promise<TimedCandle[]>
  /** The windows of all DAOs at the Unix second `now`. */
  windows (now: number): Promise<Map<string, PoolWindow>>
  /** What is known of a DAO after the Unix second `after`, −Infinity: from its beginning, and up to `until`. */
  knowledge (dao: string, after: number, until?: number): Known
  /** The earliest Unix second after which everything of a DAO is known; undefined: none. */
  wholeAfter (dao: string): number | undefined
  known: Completeness
}

/** The newest `limit` candles of an interval in a range, oldest first: those of the size that is kept, joined. */
async function candlesOf (
  store: Store, dao: string, interval: Interval, { from, to, limit }: CandleRange
): Promise<TimedCandle[]> {
  const width = INTERVALS[interval]
  const size: Size = width >= DAY ? 'days' : width >= HOUR ? 'hours' : 'minutes'
  // As many as `limit` candles can hold: the oldest of them is then whole
  const rows = await store.candlesOf(dao, size, { from, to, limit: limit * width / SIZES[size] })
  if (width === SIZES[size]) return rows
  const joined: TimedCandle[] = []
  for (const { start, ...candle } of rows) {
    const [begin, last] = [start - start % width, joined.at(-1)]
    if (last?.start === begin) Object.assign(last, joinCandles(last, candle))
    else joined.push({ start: begin, ...candle })
  }
  return joined.slice(-limit)
}

export function createReading (store: Store, { windows }: Volumes, known: Completeness): Reading {
  return {
    trades: store.trades,
    poolEvents: store.poolEvents,
    lastTrades: store.lastTrades,
    firstEvent: store.firstEvent,
    feeRates: store.feeRates,
    incompleteSlots: store.incompleteSlots,
    unnamedTrades: store.unnamedTrades,
    async days (dao, { from, to, limit }) {
      const seconds = { from: from * DAY, to: (to + 1) * DAY }
      const rows = await store.candlesOf(dao, 'days', { ...seconds, limit })
      const makers = await store.makers(dao, seconds.from, seconds.to)
      return rows.map(({ start, ...candle }) => ({ ...candle, day: start / DAY, makers: makers.get(start) ?? 0 }))
    },
    candles: (dao, interval, range) => candlesOf(store, dao, interval, range),
    windows: now => windows(now, known),
    knowledge: (dao, after, until) => knowledgeOf(known, after, until)(dao),
    wholeAfter: dao => wholeAfterOf(known)(dao),
    known
  }
}
