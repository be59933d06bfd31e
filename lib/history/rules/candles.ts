/** A price is two amounts: nothing is rounded. */
import type { SwapFacts, SwapVolume } from '../../market/volume.js'
import { compare, ratio, type Rational } from '../../decimal.js'
import type { SpotSwap } from '../../protocol/events.js'
import { DAY, HOUR, MINUTE } from '../../time.js'
import { scaled } from './fixed-point.js'

/** Lengths of stored candles, seconds, narrowest first. */
export const SIZES = { minutes: MINUTE, hours: HOUR, days: DAY } as const
export type Size = keyof typeof SIZES
export const ALL_SIZES = Object.keys(SIZES) as Size[]

/** Raw quote units ÷ raw base units, neither of them 0. */
export interface ExecutedPrice { quote: bigint, base: bigint }

export interface TradePrice extends ExecutedPrice { seq: bigint }

export interface CandlePrices {
  open: TradePrice
  high: ExecutedPrice
  low: ExecutedPrice
  close: TradePrice
  /** Of all trades that have a price. */
  average: ExecutedPrice
}

/** Sums are in raw units × SCALE of fixed-point.ts. */
export interface Candle {
  base: bigint
  quote: bigint
  trades: number
  /** In the quote token, a fee in base tokens at its trade's price. */
  fees: bigint
  /** Trades whose fee is not known. */
  unknownFees: number
  /** null: no trade that has a price. */
  prices: CandlePrices | null
}

/** `start`: Unix seconds. */
export interface TimedCandle extends Candle { start: number }
export interface CandleRow extends TimedCandle { dao: string, size: Size }

export const EMPTY_CANDLE: Candle = { base: 0n, quote: 0n, trades: 0, fees: 0n, unknownFees: 0, prices: null }

/** undefined where either amount is 0. */
export function executedPrice ({ side, input, output }: SpotSwap): ExecutedPrice | undefined {
  if (input === 0n || output === 0n) return undefined
  return side === 'buy' ? { quote: input, base: output } : { quote: output, base: input }
}

export const comparePrices = (a: ExecutedPrice, b: ExecutedPrice): number =>
  compare({ n: a.quote, d: a.base }, { n: b.quote, d: b.base })

/** Raw quote units, at the swap's own price; null: not known. */
export function feeInQuote ({ side, input, output, fee }: SwapFacts): Rational | null {
  if (fee === null) return null
  if (side === 'buy') return ratio(fee)
  return input === 0n ? ratio(0n) : ratio(fee * output, input)
}

/** The candle of one trade, by its `swapVolume`. */
export function candleOf (swap: SwapFacts, seq: bigint, { base, quote }: Pick<SwapVolume, 'base' | 'quote'>): Candle {
  const executed = executedPrice(swap)
  const price = executed && { seq, ...executed }
  const fee = feeInQuote(swap)
  return {
    base: scaled(base),
    quote: scaled(quote),
    trades: 1,
    fees: fee === null ? 0n : scaled(fee),
    unknownFees: fee === null ? 1 : 0,
    prices: price === undefined ? null : { open: price, high: price, low: price, close: price, average: price }
  }
}

function joinPrices (a: CandlePrices | null, b: CandlePrices | null): CandlePrices | null {
  if (a === null || b === null) return a ?? b
  return {
    open: a.open.seq < b.open.seq ? a.open : b.open,
    high: comparePrices(a.high, b.high) >= 0 ? a.high : b.high,
    low: comparePrices(a.low, b.low) <= 0 ? a.low : b.low,
    close: a.close.seq > b.close.seq ? a.close : b.close,
    average: { quote: a.average.quote + b.average.quote, base: a.average.base + b.average.base }
  }
}

/** In any order: a late trade finds its place by its number. */
export const joinCandles = (a: Candle, b: Candle): Candle => ({
  base: a.base + b.base,
  quote: a.quote + b.quote,
  trades: a.trades + b.trades,
  fees: a.fees + b.fees,
  unknownFees: a.unknownFees + b.unknownFees,
  prices: joinPrices(a.prices, b.prices)
})

/** What joining adds to a trade's candle once its fee is known. */
export const candleChange = (before: Candle, after: Candle): Candle => ({
  base: after.base - before.base,
  quote: after.quote - before.quote,
  trades: 0,
  fees: after.fees - before.fees,
  unknownFees: after.unknownFees - before.unknownFees,
  prices: null
})
