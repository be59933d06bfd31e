import { observedBps, swapVolume, type SwapFacts, type VolumeRule } from '../../market/volume.js'
import { dayOf } from '../../time.js'
import {
  ALL_SIZES, candleChange, candleOf, EMPTY_CANDLE, joinCandles, SIZES, type Candle, type CandleRow
} from './candles.js'
import type { DayMaker, FeeRate, PendingSwap, StoreState, Trade } from './rows.js'

export interface AddedRows { candles: CandleRow[], makers: DayMaker[] }

/** Counts swaps: candles, makers, and, with the known ones, fee rates that disagree with the configured one. */
export function createTally (valuation: VolumeRule, knownRates: StoreState['rates'] = new Map()) {
  const candles = new Map<string, CandleRow>()
  const makers = new Map<string, DayMaker>()
  const rates = new Map(knownRates)

  function put (dao: string, at: number, candle: Candle): void {
    for (const size of ALL_SIZES) {
      const start = at - at % SIZES[size]
      const key = `${size} ${start} ${dao}`
      candles.set(key, { dao, size, start, ...joinCandles(candles.get(key) ?? EMPTY_CANDLE, candle) })
    }
  }

  function rate ({ fee, input }: SwapFacts, agrees: boolean): void {
    if (agrees || fee === null) return
    const bps = observedBps(fee, input)?.toString() ?? 'other'
    rates.set(bps, (rates.get(bps) ?? 0) + 1)
  }

  return {
    rates,
    count ({ dao, seq, at, maker, swap }: Pick<Trade, 'dao' | 'seq' | 'at' | 'maker' | 'swap'>): void {
      const volume = swapVolume(swap, valuation)
      put(dao, at, candleOf(swap, seq, volume))
      rate(swap, volume.agrees)
      const day = dayOf(at)
      if (maker !== null) makers.set(`${day} ${dao} ${maker}`, { dao, day, maker })
    },
    /** The fee of a swap that was counted without it. */
    settle (dao: string, { seq, at, ...swap }: PendingSwap, fee: bigint): void {
      const [before, after] = [{ ...swap, fee: null }, { ...swap, fee }]
      const [old, now] = [swapVolume(before, valuation), swapVolume(after, valuation)]
      put(dao, at, candleChange(candleOf(before, seq, old), candleOf(after, seq, now)))
      rate(after, now.agrees)
    },
    rows: (): AddedRows => ({ candles: [...candles.values()], makers: [...makers.values()] })
  }
}

/** The fee rates that swaps show; a small one, or one without a known fee, shows none. */
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
