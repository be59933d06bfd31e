/** Candles of any length, put together from those that are kept and, where none are, from the trades themselves. */
import { ServiceError } from '../../errors.js'
import { swapVolume, type VolumeRule } from '../../market/volume.js'
import { DAY, HOUR, MINUTE } from '../../time.js'
import { candleOf, EMPTY_CANDLE, joinCandles, type Candle } from '../rules/candles.js'
import type { CandleRange, Store, TimedCandle } from '../store/store.js'

export type { TimedCandle }

/** Of which trades candles are kept; see StoreState. */
export interface RolledState {
  rolledFrom: ReadonlyMap<string, number>
  minutesFrom: number | null
}

export const INTERVALS = { '1m': MINUTE, '5m': 5 * MINUTE, '15m': 15 * MINUTE, '1h': HOUR, '4h': 4 * HOUR, '1d': DAY } as const
export type Interval = keyof typeof INTERVALS

/** Trades read at a time. */
const PAGE = 2000

export type Stretches = ReturnType<typeof createStretches>

export function createStretches (store: Store, valuation: VolumeRule) {
  /** Throws WARMING_UP where candles of the DAO from `from` on are still being made. */
  function checkRolled (dao: string, from: number, { rolledFrom }: RolledState): void {
    if ((rolledFrom.get(dao) ?? 0) > from) throw new ServiceError('WARMING_UP', 'candles are still being made of the trades')
  }

  /** Trades from `from` to before `to`, in pages, newest first; `take` says whether more are wanted. */
  async function eachTrade (dao: string, from: number, to: number, take: (at: number, candle: Candle) => void, more: () => boolean = () => true): Promise<void> {
    let before: bigint | undefined
    do {
      const page = await store.trades({ dao, since: from, until: to - 1, limit: PAGE, ...(before !== undefined && { before }) })
      for (const { at, seq, swap } of page) take(at, candleOf(swap, seq, swapVolume(swap, valuation)))
      if (page.length < PAGE) return
      before = page.at(-1)!.seq
    } while (more())
  }

  /** All trades from `from` to before `to` as one candle: whole days and hours as they are kept, the rest trade by trade. */
  async function stretch (dao: string, from: number, to: number, state: RolledState): Promise<Candle> {
    checkRolled(dao, from, state)
    let sum: Candle = EMPTY_CANDLE
    const add = (candle: Candle) => { sum = joinCandles(sum, candle) }
    const up = (at: number, size: number) => Math.ceil(at / size) * size
    const down = (at: number, size: number) => Math.floor(at / size) * size
    const [firstHour, lastHour] = [up(from, HOUR), down(to, HOUR)]
    if (firstHour >= lastHour) {
      await eachTrade(dao, from, to, (_, candle) => add(candle))
      return sum
    }
    await eachTrade(dao, from, firstHour, (_, candle) => add(candle))
    await eachTrade(dao, lastHour, to, (_, candle) => add(candle))
    const hours = async (from: number, to: number) => {
      if (from < to) for (const row of await store.hoursOf(dao, { from, to, limit: (to - from) / HOUR })) add(row)
    }
    const [firstDay, lastDay] = [up(firstHour, DAY), down(lastHour, DAY)]
    if (firstDay >= lastDay) {
      await hours(firstHour, lastHour)
      return sum
    }
    await hours(firstHour, firstDay)
    await hours(lastDay, lastHour)
    for (const row of await store.daysOf(dao, { from: firstDay / DAY, to: lastDay / DAY - 1, limit: (lastDay - firstDay) / DAY })) add(row)
    return sum
  }

  /** Kept candles of `size` seconds, grouped to `width`; the newest `limit` of those that begin from `from` to before `to`, newest first. */
  async function fromKept (dao: string, size: typeof MINUTE | typeof HOUR, width: number, { from, to, limit }: CandleRange): Promise<TimedCandle[]> {
    // As many as `limit` groups can hold: the oldest of them is then whole
    const range = { from, to, limit: limit * width / size }
    const rows = await (size === HOUR ? store.hoursOf(dao, range) : store.minutesOf(dao, range))
    return newestOf(group(rows.reverse(), width), limit)
  }

  async function fromTrades (dao: string, width: number, { from, to, limit }: { from: number, to: number, limit: number }): Promise<TimedCandle[]> {
    const candles = new Map<number, TimedCandle>()
    await eachTrade(dao, from, to, (at, candle) => put(candles, at - at % width, candle), () => candles.size <= limit)
    return newestOf([...candles.values()], limit)
  }

  return {
    stretch,
    eachTrade,
    checkRolled,
    /**
     * Candles that begin from `from` to before `to`, both multiples of the interval, oldest first: the newest `limit` that have trades. Costs
     * what they cover, never what is stored. Throws WARMING_UP, HISTORY_UNAVAILABLE.
     */
    async candles (dao: string, interval: Interval, range: { from: number, to: number, limit: number }, state: RolledState): Promise<TimedCandle[]> {
      const width = INTERVALS[interval]
      const { from, to, limit } = range
      checkRolled(dao, Math.max(from, 0), state)
      if (interval === '1d') {
        const rows = await store.daysOf(dao, { from: Math.ceil(from / DAY), to: Math.ceil(to / DAY) - 1, limit })
        return rows.filter(({ trades }) => trades > 0).map(row => ({ ...row, start: row.day * DAY }))
      }
      if (width >= HOUR) return (await fromKept(dao, HOUR, width, range)).reverse()
      // A multiple of all intervals, so that no candle is parted
      const kept = state.minutesFrom ?? to
      const recent = kept >= to ? [] : await fromKept(dao, MINUTE, width, { from: Math.max(from, kept), to, limit })
      const rest = limit - recent.length
      const older = rest === 0 || from >= kept ? [] : await fromTrades(dao, width, { from, to: Math.min(to, kept), limit: rest })
      return [...recent, ...older].reverse()
    }
  }
}

function put (candles: Map<number, TimedCandle>, start: number, candle: Candle): void {
  const known = candles.get(start)
  candles.set(start, { start, ...(known === undefined ? candle : joinCandles(known, candle)) })
}

function group (rows: ReadonlyArray<Candle & { start: number }>, width: number): TimedCandle[] {
  const candles = new Map<number, TimedCandle>()
  for (const { start, base, quote, trades, fees, unknownFees, prices } of rows) {
    put(candles, start - start % width, { base, quote, trades, fees, unknownFees, prices })
  }
  return [...candles.values()]
}

const newestOf = (candles: TimedCandle[], limit: number): TimedCandle[] => candles.sort((a, b) => b.start - a.start).slice(0, limit)
