import { formatUnits, parseDecimal, type Rational } from '../decimal.js'
import {
  lastText, type Pool, type QuoteRules, risingTexts, swapOutput, wholePrice, type WrittenPrice
} from './price.js'

/**
 * The order book of a constant-product pool: slices of its curve, each a price move of 0.1 % at the price that it
 * really executes at. Walking to any level yields what one swap of that size yields.
 */

/** Price in whole quote tokens per whole base token, amount in whole base tokens; plain decimal text. */
export type Level = readonly [price: string, amount: string]

export const MAX_LEVELS = 250
const SCALE = 10n ** 30n
/** √1.001 × SCALE. */
const STEP = 1_000_499_875_062_460_964_823_258_287_700n

/** Raw units of one slice: what is paid in, fee included, and what comes out. */
interface Slice { input: bigint, output: bigint }

/** √1.001^k × SCALE: by how much the paying side's reserve has grown once the price has moved k steps. */
const growth = [SCALE]
while (growth.length <= MAX_LEVELS) growth.push(growth.at(-1)! * STEP / SCALE)

/** Whether `a` yields less per unit paid than `b`. */
const isDearer = (a: Slice, b: Slice) => a.output * b.input < b.output * a.input

/**
 * The slices of one direction, best first, each strictly dearer than the one before: joined where whole raw units are
 * too coarse for that.
 */
function slices (reserveIn: bigint, reserveOut: bigint, feeRate: Rational, count: number): Slice[] {
  const joined: Slice[] = []
  let before: Slice = { input: 0n, output: 0n }
  for (let k = 1; k <= count; k++) {
    const net = reserveIn * growth[k]! / SCALE - reserveIn
    // the least input that leaves so much after the fee
    const input = (net * feeRate.d + feeRate.d - feeRate.n - 1n) / (feeRate.d - feeRate.n)
    const output = swapOutput(input, reserveIn, reserveOut, feeRate)
    let slice = { input: input - before.input, output: output - before.output }
    before = { input, output }
    if (slice.input === 0n) continue
    while (joined.length > 0 && !isDearer(slice, joined.at(-1)!)) {
      const last = joined.pop()!
      slice = { input: last.input + slice.input, output: last.output + slice.output }
    }
    joined.push(slice)
  }
  return joined.filter(({ output }) => output > 0n)
}

/**
 * The book of a pool with both reserves positive, both sides best first, `levels` to each at most (0 to MAX_LEVELS).
 * Best bid < last price of the tickers < best ask, as text too. A side is empty where no whole raw unit can be had.
 */
export function orderBook (pool: Pool, rules: QuoteRules, levels: { bids: number, asks: number }) {
  const { baseReserves, quoteReserves, baseDecimals, quoteDecimals } = pool
  const last = lastText(pool, rules)
  const sold = slices(baseReserves, quoteReserves, rules.feeRate, levels.bids)
    .map(({ input, output }) => ({ amount: input, price: wholePrice({ quote: output, base: input }, pool) }))
  const bought = slices(quoteReserves, baseReserves, rules.feeRate, levels.asks)
    .map(({ input, output }) => ({ amount: output, price: wholePrice({ quote: input, base: output }, pool) }))
  // enough places for price × amount to be the quote amount to less than a raw unit
  const placesOf = (amount: bigint) => quoteDecimals + (amount / 10n ** BigInt(baseDecimals)).toString().length
  const written = ({ amount, price }: typeof sold[number], rounding: 'down' | 'up'): WrittenPrice =>
    ({ price, rounding, least: placesOf(amount) })
  const texts = risingTexts([
    ...sold.toReversed().map(level => written(level, 'down')),
    { price: parseDecimal(last)!, least: last.length - last.indexOf('.') - 1 },
    ...bought.map(level => written(level, 'up'))
  ])
  const level = ({ amount }: { amount: bigint }, at: number): Level => [texts[at]!, formatUnits(amount, baseDecimals)]
  return {
    bids: sold.map((one, at) => level(one, sold.length - 1 - at)),
    asks: bought.map((one, at) => level(one, sold.length + 1 + at))
  }
}

/** Of `depth` levels of both sides together (0: all), how many each side has. */
export function levelsOf (depth: number) {
  if (depth === 0) return { bids: MAX_LEVELS, asks: MAX_LEVELS }
  return { bids: Math.ceil(depth / 2), asks: Math.floor(depth / 2) }
}
