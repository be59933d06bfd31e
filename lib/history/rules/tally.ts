import { observedBps, swapVolume, type SwapFacts, type VolumeRule } from '../../market/volume.js'
import { candleChange, candleOf, EMPTY_CANDLE, joinCandles, volumesOf, type Candle } from './candles.js'
import { DAY, dayOf, HOUR, MINUTE } from '../../time.js'
import { MINUTE_SPAN } from './kept-candles.js'
import type { DayMaker, DayRow, SwapRow } from './types.js'

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
  rates: Map<string, number>
  count (swap: SwapRow): void
  /** The fee of a swap that was counted without it. */
  settle (swap: SwapRow, fee: bigint): void
  /** What is to be added to the stored rows. */
  rows (): AddedRows
}

/** Candles by the Unix second that each begins at. */
type Candles = Map<number, Candle>

export interface AddedRows {
  days: Array<DayRow & { hours: Candles }>
  minutes: Array<{ dao: string, start: number, candles: Candles }>
  makers: DayMaker[]
}

interface DaoSums {
  /** Volumes of those swaps alone of which no candles are kept. */
  days: Candles
  /** By the day, then by the hour's begin. */
  hours: Map<number, Candles>
  /** By the begin of the row, then by the minute's. */
  minutes: Map<number, Candles>
  makers: Map<number, Set<string>>
}

function entry<K, V> (map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) map.set(key, value = make())
  return value
}

function put (candles: Candles, at: number, candle: Candle): void {
  const known = candles.get(at)
  candles.set(at, known === undefined ? candle : joinCandles(known, candle))
}

/** A day is what its hours are: they are fewer than its trades. */
function joined (first: Candle | undefined, others: Iterable<Candle>): Candle {
  let sum = first
  for (const candle of others) sum = sum === undefined ? candle : joinCandles(sum, candle)
  return sum ?? EMPTY_CANDLE
}

export function createTally (valuation: VolumeRule, { rolledFrom, minutesFrom }: Kept): Tally {
  const daos = new Map<string, DaoSums>()
  const rates: Tally['rates'] = new Map()
  const sumsOf = (dao: string) => entry(daos, dao, () => ({ days: new Map(), hours: new Map(), minutes: new Map(), makers: new Map() }))

  function add ({ dao, at }: SwapRow, candle: Candle): void {
    const { days, hours, minutes } = sumsOf(dao)
    if (at < rolledFrom(dao)) {
      put(days, dayOf(at), volumesOf(candle))
      return
    }
    put(entry(hours, dayOf(at), () => new Map()), at - at % HOUR, candle)
    if (at >= minutesFrom) put(entry(minutes, at - at % MINUTE_SPAN, () => new Map()), at - at % MINUTE, candle)
  }

  function rate (swap: SwapRow, agrees: boolean, by: 1 | -1): void {
    const bps = disagreement(swap, agrees)
    if (bps !== null) rates.set(bps, (rates.get(bps) ?? 0) + by)
  }

  return {
    rates,
    count (swap) {
      const volume = swapVolume(swap, valuation)
      add(swap, candleOf(swap, swap.seq, volume))
      rate(swap, volume.agrees, 1)
      const { dao, at, maker } = swap
      if (maker !== null && at >= rolledFrom(dao)) entry(sumsOf(dao).makers, dayOf(at), () => new Set()).add(maker)
    },
    settle (swap, fee) {
      const after = { ...swap, fee }
      const [old, now] = [swapVolume(swap, valuation), swapVolume(after, valuation)]
      add(swap, candleChange(candleOf(swap, swap.seq, old), candleOf(after, swap.seq, now)))
      rate(swap, old.agrees, -1)
      rate(after, now.agrees, 1)
    },
    rows () {
      const found: AddedRows = { days: [], minutes: [], makers: [] }
      for (const [dao, { days, hours, minutes, makers }] of daos) {
        for (const day of new Set([...days.keys(), ...hours.keys()])) {
          const ofDay = hours.get(day) ?? new Map<number, Candle>()
          found.days.push({ dao, day, ...joined(days.get(day), ofDay.values()), hours: ofDay })
        }
        for (const [start, candles] of minutes) found.minutes.push({ dao, start, candles })
        for (const [day, who] of makers) for (const maker of who) found.makers.push({ dao, day, maker })
      }
      return found
    }
  }
}

/** For how long candles of a minute are kept at least, seconds: a day more than is promised. */
const MINUTES_KEPT = 3 * DAY

/** From when on candles of a minute are kept once a trade at `newest` is stored: whole rows of them. */
export function minutesFromOf (before: number | null, newest: number): number {
  const from = newest - MINUTES_KEPT
  return Math.max(before ?? -Infinity, from - from % MINUTE_SPAN)
}
