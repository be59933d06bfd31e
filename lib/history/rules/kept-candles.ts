/** Candles as they are kept: many in one row, each as a short text, so that a trade costs the indexer little and one of them can be replaced alone. */
import { HOUR } from '../../time.js'
import { joinCandles, type Candle } from './candles.js'

/** How much time one row of minutes holds, seconds: long enough for few rows, short enough for a busy row to be written again with each trade. */
export const MINUTE_SPAN = 4 * HOUR

/** Candles by the Unix second that each begins at, as `candleText` writes them. */
export type KeptCandles = ReadonlyMap<number, string>

export const NO_CANDLES: KeptCandles = new Map()

/** Sums, then the first, last, highest and lowest price. Of a single priced trade, which is all four of them, once. */
export function candleText ({ base, quote, trades, fees, unknownFees, prices }: Candle): string {
  const sums = `${base} ${quote} ${trades} ${fees} ${unknownFees}`
  if (prices === null) return sums
  const { open, close, high, low } = prices
  const first = `${sums} ${open.seq} ${open.quote} ${open.base}`
  return open.seq === close.seq ? first : `${first} ${close.seq} ${close.quote} ${close.base} ${high.quote} ${high.base} ${low.quote} ${low.base}`
}

/** The candle that `candleText` wrote. */
export function parseCandle (text: string): Candle {
  const fields = text.split(' ')
  const amount = (at: number) => BigInt(fields[at]!)
  const traded = (at: number) => ({ seq: amount(at), quote: amount(at + 1), base: amount(at + 2) })
  const price = (at: number) => ({ quote: amount(at), base: amount(at + 1) })
  const sums = { base: amount(0), quote: amount(1), trades: Number(fields[2]), fees: amount(3), unknownFees: Number(fields[4]) }
  if (fields.length === 5) return { ...sums, prices: null }
  const open = traded(5)
  if (fields.length === 8) return { ...sums, prices: { open, high: price(6), low: price(6), close: open } }
  return { ...sums, prices: { open, close: traded(8), high: price(11), low: price(13) } }
}

/** Of a candle that stands for a minute and an hour alike: most do, and writing numbers down is what costs. */
const texts = new WeakMap<Candle, string>()

function keptText (candle: Candle): string {
  let text = texts.get(candle)
  if (text === undefined) texts.set(candle, text = candleText(candle))
  return text
}

/** What is kept once `added` has come to what was. Only the candles that change are read. */
export function addCandles (kept: KeptCandles, added: ReadonlyMap<number, Candle>): KeptCandles {
  if (added.size === 0) return kept
  const candles = new Map(kept)
  for (const [at, candle] of added) {
    const known = candles.get(at)
    candles.set(at, known === undefined ? keptText(candle) : candleText(joinCandles(parseCandle(known), candle)))
  }
  return candles
}

/** Which part of a row's time each candle has: the row begins at the Unix second `start`, a candle takes `size` seconds. */
export interface RowTime { start: number, size: number }

/** Candles as one text, in the order of time: equal candles have equal text. null: there is none. */
export function rowText (candles: KeptCandles, { start, size }: RowTime): string | null {
  if (candles.size === 0) return null
  const inOrder = candles.size === 1 ? candles : [...candles].sort(([a], [b]) => a - b)
  return Array.from(inOrder, ([at, text]) => `${(at - start) / size} ${text}`).join(';')
}

/** The candles that `rowText` wrote, oldest first. */
export function parseRow (text: string | null, { start, size }: RowTime): KeptCandles {
  if (text === null) return NO_CANDLES
  return new Map(text.split(';').map(line => {
    const end = line.indexOf(' ')
    return [start + Number(line.slice(0, end)) * size, line.slice(end + 1)]
  }))
}
