import { observedBps, swapVolume, type SwapFacts, type VolumeRule } from '../../market/volume.js'
import { dayOf } from '../../time.js'
import { candleChange, candleOf, joinCandles, SIZES, type Candle, type CandleRow, type Size } from './candles.js'
import type { DayMaker, FeeRate, PendingSwap, StoredSwap, Trade } from './types.js'

/** The label of a swap that disagrees with the configured rate; null: it does not. */
export function disagreement ({ fee, input }: SwapFacts, agrees: boolean): string | null {
  if (agrees || fee === null) return null
  return observedBps(fee, input)?.toString() ?? 'other'
}

/** What is to be added to the stored candles, and who has traded. */
export interface AddedRows extends Record<Size, CandleRow[]> { makers: DayMaker[] }

interface DaoSums {
  /** By the Unix second that each begins at. */
  minutes: Map<number, Candle>
  /** By the day since 1970-01-01. */
  makers: Map<number, Set<string>>
}

function put (candles: Map<number, Candle>, width: number, at: number, candle: Candle): void {
  const start = at - at % width
  const known = candles.get(start)
  candles.set(start, known === undefined ? candle : joinCandles(known, candle))
}

function widened (candles: ReadonlyMap<number, Candle>, width: number): Map<number, Candle> {
  const wider = new Map<number, Candle>()
  for (const [start, candle] of candles) put(wider, width, start, candle)
  return wider
}

/** What swaps add to candles, and to the counts of fee rates that disagree with the configured one. */
export function createTally (valuation: VolumeRule) {
  const daos = new Map<string, DaoSums>()
  const rates = new Map<string, number>()

  function sumsOf (dao: string): DaoSums {
    let sums = daos.get(dao)
    if (sums === undefined) daos.set(dao, sums = { minutes: new Map(), makers: new Map() })
    return sums
  }

  function rate (swap: StoredSwap, agrees: boolean): void {
    const bps = disagreement(swap, agrees)
    if (bps !== null) rates.set(bps, (rates.get(bps) ?? 0) + 1)
  }

  return {
    rates,
    count ({ dao, seq, at, maker, swap }: Pick<Trade, 'dao' | 'seq' | 'at' | 'maker' | 'swap'>): void {
      const volume = swapVolume(swap, valuation)
      const { minutes, makers } = sumsOf(dao)
      put(minutes, SIZES.minutes, at, candleOf(swap, seq, volume))
      rate(swap, volume.agrees)
      if (maker !== null) makers.set(dayOf(at), (makers.get(dayOf(at)) ?? new Set()).add(maker))
    },
    /** The fee of a swap that was counted without it. */
    settle (dao: string, { seq, at, ...swap }: PendingSwap, fee: bigint): void {
      const [before, after] = [{ ...swap, fee: null }, { ...swap, fee }]
      const [old, now] = [swapVolume(before, valuation), swapVolume(after, valuation)]
      const change = candleChange(candleOf(before, seq, old), candleOf(after, seq, now))
      put(sumsOf(dao).minutes, SIZES.minutes, at, change)
      rate(after, now.agrees)
    },
    rows (): AddedRows {
      const found: AddedRows = { minutes: [], hours: [], days: [], makers: [] }
      for (const [dao, { minutes, makers }] of daos) {
        const hours = widened(minutes, SIZES.hours)
        const candles = { minutes, hours, days: widened(hours, SIZES.days) }
        for (const size of ['minutes', 'hours', 'days'] as const) {
          for (const [start, candle] of candles[size]) found[size].push({ dao, start, ...candle })
        }
        for (const [day, who] of makers) for (const maker of who) found.makers.push({ dao, day, maker })
      }
      return found
    }
  }
}

/** The fee rates that swaps show; one too small to tell, or without a known fee, shows none. */
export function feeRatesOf (trades: Iterable<Pick<Trade, 'dao' | 'slot' | 'swap'>>): FeeRate[] {
  const rates = new Map<string, FeeRate>()
  for (const { dao, slot, swap: { input, fee } } of trades) {
    const bps = fee === null ? undefined : observedBps(fee, input)?.toString()
    if (bps === undefined) continue
    const { fromSlot, toSlot } = rates.get(`${bps} ${dao}`) ?? { fromSlot: slot, toSlot: slot }
    rates.set(`${bps} ${dao}`, { dao, bps, fromSlot: Math.min(fromSlot, slot), toSlot: Math.max(toSlot, slot) })
  }
  return [...rates.values()]
}
