import {
  formatUnits, ONE, placesFor, type Rational, ratio, shortText, signedText, subtract, wholeTokens
} from '../decimal.js'
import type { Sides } from '../protocol/amm.js'
import { type Decimals, PRICE_DIGITS, wholePrice } from './price.js'

/** 12 significant digits and at least 12 places; with its sign, as of a threshold below 0. */
export const priceText = (price: Rational) => signedText(price, placesFor(price, PRICE_DIGITS))

export const executedPriceText = (...price: Parameters<typeof wholePrice>) => priceText(wholePrice(...price))

/** Texts of one pool: raw units in whole tokens, exact, and executed prices. */
export const textsOf = (pool: Decimals) => ({
  base: (raw: bigint) => formatUnits(raw, pool.baseDecimals),
  quote: (raw: bigint) => formatUnits(raw, pool.quoteDecimals),
  price: (paid: Sides) => executedPriceText(paid, pool)
})

/** What `make` gives of what is known; null of what is not. */
export const ifKnown = <T, R>(value: T | null | undefined, make: (value: T) => R): R | null =>
  value == null ? null : make(value)

/**
 * A sum of raw units in whole tokens, exact, trailing zeros trimmed. Throws a RangeError where it is no decimal
 * fraction.
 */
export function exactUnits ({ n, d }: Rational, decimals: number): string {
  const places = d.toString().length - 1
  if (d !== 10n ** BigInt(places)) throw new RangeError('not a decimal fraction')
  return formatUnits(n, decimals + places)
}

const AMOUNT_PLACES = 8

/** An amount of raw units in whole tokens, at most 8 places, trailing zeros trimmed. */
export const amountText = (raw: Rational, decimals: number) =>
  shortText(wholeTokens(raw, decimals), AMOUNT_PLACES)

/** Percent from one executed price to another, 2 places, with its sign. */
export function changeText (from: Sides, to: Sides): string {
  const change = subtract(ratio(to.quote * from.base, to.base * from.quote), ONE)
  return signedText({ n: change.n * 100n, d: change.d }, 2)
}
