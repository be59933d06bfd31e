import { observedBps, swapVolume, type SwapFacts, type VolumeRule } from '../../market/volume.js'
import { candleChange, candleOf, joinCandles, volumesOf, type Candle } from './candles.js'
import { DAY, dayOf, HOUR, MINUTE } from '../../time.js'
import type { DayMaker, DayRow, RollupRow, SwapRow } from './types.js'

/** Of which trades candles are kept. */
export interface Kept {
  /** Unix second from which on a DAO's candles are; 0: all. */
  rolledFrom (dao: string): number
  /** Unix second from which on those of a minute are, too. */
  minutesFrom: number
}

/** The label under which a swap that disagrees with the configured rate is counted; null where it agrees or nothing is known. */
export function disagreement ({ fee, input }: SwapFacts, agrees: boolean): string | null {
  if (agrees || fee === null) return null
  return observedBps(fee, input)?.toString() ?? 'other'
}

/** What swaps add to the sums and candles of their DAOs, and to the swaps by fee rate that disagrees with the configured one. */
export interface Tally {
  days: Map<string, DayRow>
  rollups: Map<string, RollupRow>
  rates: Map<string, number>
  makers: Map<string, DayMaker>
  count (swap: SwapRow): void
  /** The fee of a swap that was counted without it. */
  settle (swap: SwapRow, fee: bigint): void
}

export function createTally (valuation: VolumeRule, { rolledFrom, minutesFrom }: Kept): Tally {
  const days: Tally['days'] = new Map()
  const rollups: Tally['rollups'] = new Map()
  const rates: Tally['rates'] = new Map()
  const makers: Tally['makers'] = new Map()

  function put<T extends Candle> (rows: Map<string, T>, key: string, row: T): void {
    const known = rows.get(key)
    rows.set(key, known === undefined ? row : { ...row, ...joinCandles(known, row) })
  }

  function add ({ dao, at }: SwapRow, candle: Candle): void {
    const day = dayOf(at)
    const isRolled = at >= rolledFrom(dao)
    put(days, `${day} ${dao}`, { dao, day, ...(isRolled ? candle : volumesOf(candle)) })
    if (!isRolled) return
    for (const size of at >= minutesFrom ? [MINUTE, HOUR] as const : [HOUR] as const) {
      const start = at - at % size
      put(rollups, `${size} ${start} ${dao}`, { dao, size, start, ...candle })
    }
  }

  function rate (swap: SwapRow, agrees: boolean, by: 1 | -1): void {
    const bps = disagreement(swap, agrees)
    if (bps !== null) rates.set(bps, (rates.get(bps) ?? 0) + by)
  }

  return {
    days,
    rollups,
    rates,
    makers,
    count (swap) {
      const volume = swapVolume(swap, valuation)
      add(swap, candleOf(swap, swap.seq, volume))
      rate(swap, volume.agrees, 1)
      const { dao, at, maker } = swap
      if (maker !== null && at >= rolledFrom(dao)) makers.set(`${dayOf(at)} ${maker} ${dao}`, { dao, day: dayOf(at), maker })
    },
    settle (swap, fee) {
      const after = { ...swap, fee }
      const [old, now] = [swapVolume(swap, valuation), swapVolume(after, valuation)]
      add(swap, candleChange(candleOf(swap, swap.seq, old), candleOf(after, swap.seq, now)))
      rate(swap, old.agrees, -1)
      rate(after, now.agrees, 1)
    }
  }
}

/** For how long candles of a minute are kept at least, seconds: a day more than is promised. */
const MINUTES_KEPT = 3 * DAY

/** From when on candles of a minute are kept once a trade at `newest` is stored; whole hours, so that it seldom moves. */
export function minutesFromOf (before: number | null, newest: number): number {
  const from = newest - MINUTES_KEPT
  return Math.max(before ?? -Infinity, from - from % HOUR)
}
