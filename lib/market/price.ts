import {
  compare, divide, fix, fixedText, isBelow, multiply, ONE, placesFor, powerOfTen, type Rational, ratio, subtract
} from '../decimal.js'
import type { Sides } from '../protocol/amm.js'
import { feeAt } from './volume.js'

/** Price and quotes of a constant-product pool: reserves in raw units, prices in whole quote per whole base token. */

export interface Pool {
  baseReserves: bigint
  quoteReserves: bigint
  baseDecimals: number
  quoteDecimals: number
}
export type Decimals = Pick<Pool, 'baseDecimals' | 'quoteDecimals'>

/** Digits after the point of a price, and its least significant digits (docs/methodology.md, "Price"). */
export const PRICE_DIGITS = 12

/** Quote amount ÷ base amount, both raw, in whole tokens. The base amount is positive. */
export const wholePrice = ({ quote, base }: Sides, { baseDecimals, quoteDecimals }: Decimals) =>
  multiply(ratio(quote, base), powerOfTen(baseDecimals - quoteDecimals))

/** Both reserves positive. */
export const spotPrice = (pool: Pool) =>
  wholePrice({ quote: pool.quoteReserves, base: pool.baseReserves }, pool)

/** Output of a swap of `input`, rounded down (programs/futarchy/src/state/futarchy_amm.rs). */
export function swapOutput (input: bigint, reserveIn: bigint, reserveOut: bigint, feeRate: Rational): bigint {
  const net = input - feeAt(input, feeRate)
  return net * reserveOut / (reserveIn + net)
}

/** How quotes are made: `notional` in whole quote tokens, `feeRate` the whole fee of a taker, above 0 and below 1. */
export interface QuoteRules { notional: Rational, feeRate: Rational }

type Quotes = Record<'bid' | 'last' | 'ask', Rational>

/**
 * What buying and selling base tokens for `notional` (at most 1 % of the reserve) really yields per base token; where
 * whole raw units can't trade so little, the price less, or plus, the fee. Always bid < last < ask.
 */
export function quotes (pool: Pool, { notional, feeRate }: QuoteRules): Quotes {
  const { baseReserves, quoteReserves, quoteDecimals } = pool
  const last = spotPrice(pool)
  const wanted = notional.n * 10n ** BigInt(quoteDecimals) / notional.d
  const most = quoteReserves / 100n
  const quoteIn = wanted < most ? wanted : most
  const baseIn = quoteIn * baseReserves / quoteReserves
  const bought = swapOutput(quoteIn, quoteReserves, baseReserves, feeRate)
  const sold = swapOutput(baseIn, baseReserves, quoteReserves, feeRate)
  const kept = subtract(ONE, feeRate)
  return {
    bid: sold > 0n ? wholePrice({ quote: sold, base: baseIn }, pool) : multiply(last, kept),
    last,
    ask: bought > 0n ? wholePrice({ quote: quoteIn, base: bought }, pool) : divide(last, kept)
  }
}

/** A price as it is to be written; `least`: places after the point that it has at least. */
export interface WrittenPrice { price: Rational, rounding?: 'down' | 'up', least?: number }

/**
 * Decimal text of prices that rise: 12 digits after the point, more where 12 significant ones, or their order as text,
 * need them.
 */
export function risingTexts (prices: readonly WrittenPrice[]): string[] {
  for (let digits = PRICE_DIGITS; ; digits += PRICE_DIGITS) {
    const fixed = prices.map(({ price, rounding, least = 0 }) =>
      fix(price, Math.max(placesFor(price, digits), least), rounding))
    if (fixed.every((one, at) => at === 0 || isBelow(fixed[at - 1]!, one))) return fixed.map(fixedText)
  }
}

/** Decimal text of quotes. The bid rounds down, the ask up. */
export function quoteTexts ({ bid, last, ask }: Quotes) {
  if (compare(bid, last) >= 0 || compare(last, ask) >= 0) throw new RangeError('quotes that cross')
  const texts = risingTexts([{ price: bid, rounding: 'down' }, { price: last }, { price: ask, rounding: 'up' }])
  return { bid: texts[0]!, last: texts[1]!, ask: texts[2]! }
}

/** The last price as the tickers write it. */
export const lastText = (pool: Pool, rules: QuoteRules) => quoteTexts(quotes(pool, rules)).last
