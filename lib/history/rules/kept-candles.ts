/**
 * Candles as they are kept: many in one row, each as a short text, so that a trade costs the indexer little and one of them can be replaced
 * alone, without reading the others.
 */
import { DAY, HOUR, MINUTE } from '../../time.js'
import { joinCandles, type Candle, type CandlePrices, type ExecutedPrice, type TradePrice } from './candles.js'
import { SCALE } from './fixed-point.js'

/** How much time one row of minutes holds, seconds: long enough for few rows, short enough for a busy row to be written again with each trade. */
export const MINUTE_SPAN = 4 * HOUR

/** The candles of a row, oldest first, parted by semicolons: of each its place in the row and its text. Equal candles have equal text. null: there is none. */
export type KeptCandles = string | null

/** Which part of a row's time each candle has: the row begins at the Unix second `start`, a candle takes `size` seconds. */
export interface RowTime { start: number, size: number }

/** The times of the candles in a day's row, and in a row of minutes. */
export const hoursIn = (day: number): RowTime => ({ start: day * DAY, size: HOUR })
export const minutesIn = (start: number): RowTime => ({ start, size: MINUTE })

/** A sum in raw units where it is whole ones, as sums of amounts are, else in units of the scale. */
function sumText (sum: bigint): string {
  const whole = sum / SCALE
  return whole * SCALE === sum ? String(whole) : `${sum}u`
}
const parseSum = (text: string): bigint => text.endsWith('u') ? BigInt(text.slice(0, -1)) : BigInt(text) * SCALE

/**
 * Sums, then the first, last, highest and lowest price. Of a single priced trade, which is all four of them, its price once; where it is also the sums, only
 * the fee before it. Highest and lowest are those of the first or the last where they are equal.
 */
export function candleText ({ base, quote, trades, fees, unknownFees, prices }: Candle): string {
  if (prices === null) return `${sumText(base)} ${sumText(quote)} ${trades} ${sumText(fees)} ${unknownFees}`
  const { open, close, high, low } = prices
  const first = `${open.seq} ${open.quote} ${open.base}`
  if (trades === 1 && unknownFees === 0 && quote === open.quote * SCALE && base === open.base * SCALE) return `${sumText(fees)} ${first}`
  const sums = `${sumText(base)} ${sumText(quote)} ${trades} ${sumText(fees)} ${unknownFees}`
  if (open.seq === close.seq) return `${sums} ${first}`
  const extreme = (price: ExecutedPrice) => isSame(price, open) ? 'o' : isSame(price, close) ? 'c' : `${price.quote}/${price.base}`
  return `${sums} ${first} ${close.seq} ${close.quote} ${close.base} ${extreme(high)} ${extreme(low)}`
}

const isSame = (a: ExecutedPrice, b: ExecutedPrice): boolean => a.quote === b.quote && a.base === b.base

/** The candle that `candleText` wrote. */
export function parseCandle (text: string): Candle {
  const fields = text.split(' ')
  if (fields.length === 4) {
    const only = priceAt(fields, 1)
    return { base: only.base * SCALE, quote: only.quote * SCALE, trades: 1, fees: parseSum(fields[0]!), unknownFees: 0, prices: { open: only, high: only, low: only, close: only } }
  }
  return {
    base: parseSum(fields[0]!),
    quote: parseSum(fields[1]!),
    trades: Number(fields[2]),
    fees: parseSum(fields[3]!),
    unknownFees: Number(fields[4]),
    prices: fields.length === 5 ? null : pricesOf(fields)
  }
}

function pricesOf (fields: readonly string[]): CandlePrices {
  const open = priceAt(fields, 5)
  if (fields.length === 8) return { open, high: open, low: open, close: open }
  const close = priceAt(fields, 8)
  return { open, high: extremeOf(fields[11]!, open, close), low: extremeOf(fields[12]!, open, close), close }
}

function extremeOf (text: string, open: ExecutedPrice, close: ExecutedPrice): ExecutedPrice {
  if (text === 'o') return open
  if (text === 'c') return close
  const slash = text.indexOf('/')
  return { quote: BigInt(text.slice(0, slash)), base: BigInt(text.slice(slash + 1)) }
}

function priceAt (fields: readonly string[], at: number): TradePrice {
  return { seq: BigInt(fields[at]!), quote: BigInt(fields[at + 1]!), base: BigInt(fields[at + 2]!) }
}

const [SPACE, ZERO] = [' '.charCodeAt(0), '0'.charCodeAt(0)]

/** The place in the row of the candle whose line begins at `from`. */
function placeAt (row: string, from: number): number {
  let place = 0
  for (let at = from, code; (code = row.charCodeAt(at)) !== SPACE; at++) place = place * 10 + code - ZERO
  return place
}

/** The row with a candle of a place before its last one's. */
function addInside (row: string, place: number, candle: Candle): string {
  let at = 0
  while (placeAt(row, at) < place) at = row.indexOf(';', at) + 1
  if (placeAt(row, at) !== place) return `${row.slice(0, at)}${place} ${candleText(candle)};${row.slice(at)}`
  return joinAt(row, at, candle)
}

/** The row with a candle joined to the one whose line begins at `at`. */
function joinAt (row: string, at: number, candle: Candle): string {
  const text = row.indexOf(' ', at) + 1
  const next = row.indexOf(';', text)
  const end = next === -1 ? row.length : next
  return `${row.slice(0, text)}${candleText(joinCandles(parseCandle(row.slice(text, end)), candle))}${row.slice(end)}`
}

/**
 * What is kept once `added`, by the Unix second that each begins at, has come to what was. Only the candles that change are read; mostly they are the last of
 * the row or come behind it, or else before it.
 */
export function addCandles (kept: KeptCandles, added: ReadonlyMap<number, Candle>, { start, size }: RowTime): KeptCandles {
  let row = kept
  let [oldest, newest] = kept === null ? [0, 0] : [placeAt(kept, 0), placeAt(kept, kept.lastIndexOf(';') + 1)]
  for (const [at, candle] of added) {
    const place = (at - start) / size
    if (row === null) {
      row = `${place} ${candleText(candle)}`
      oldest = newest = place
    } else if (place > newest) {
      row = `${row};${place} ${candleText(candle)}`
      newest = place
    } else if (place < oldest) {
      row = `${place} ${candleText(candle)};${row}`
      oldest = place
    } else row = place === newest ? joinAt(row, row.lastIndexOf(';') + 1, candle) : addInside(row, place, candle)
  }
  return row
}

/** The candles of a row that begin from the Unix second `from` to before `to`, newest first, at most `limit`: the second of each and its text. */
export function newestOf (kept: KeptCandles, { start, size }: RowTime, { from, to, limit }: { from: number, to: number, limit: number }): Array<[start: number, text: string]> {
  const found: Array<[number, string]> = []
  if (kept === null) return found
  for (let end = kept.length; end > 0 && found.length < limit;) {
    const line = kept.lastIndexOf(';', end - 1) + 1
    const at = start + placeAt(kept, line) * size
    if (at < from) break
    if (at < to) found.push([at, kept.slice(kept.indexOf(' ', line) + 1, end)])
    end = line - 1
  }
  return found
}
