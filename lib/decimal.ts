/** Exact rationals of bigint, and the decimal text that leaves the service. No amount ever passes through a float. */

/** An exact number n / d, d positive, not necessarily in lowest terms. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

export const ZERO: Rational = { n: 0n, d: 1n }
export const ONE: Rational = { n: 1n, d: 1n }

/** n / d as a Rational; throws a RangeError when d is 0. */
export function ratio (n: bigint, d: bigint = 1n): Rational {
  if (d === 0n) throw new RangeError('a ratio with denominator 0')
  return d < 0n ? { n: -n, d: -d } : { n, d }
}

export const add = (a: Rational, b: Rational): Rational =>
  a.d === b.d ? { n: a.n + b.n, d: a.d } : { n: a.n * b.d + b.n * a.d, d: a.d * b.d }
export const subtract = (a: Rational, b: Rational): Rational => add(a, { n: -b.n, d: b.d })
export const multiply = (a: Rational, b: Rational): Rational => ({ n: a.n * b.n, d: a.d * b.d })
/** a / b; throws a RangeError when b is 0. */
export const divide = (a: Rational, b: Rational): Rational => ratio(a.n * b.d, a.d * b.n)

/** Negative, 0 or positive as a is below, equal to or above b. */
export function compare (a: Rational, b: Rational): number {
  if (a.d === b.d) return a.n < b.n ? -1 : a.n > b.n ? 1 : 0
  const left = a.n * b.d
  const right = b.n * a.d
  return left < right ? -1 : left > right ? 1 : 0
}

const tenTo = (exponent: number) => 10n ** BigInt(exponent)

/** 10^exponent, for a negative exponent too. */
export function powerOfTen (exponent: number): Rational {
  return exponent >= 0 ? { n: tenTo(exponent), d: 1n } : { n: 1n, d: tenTo(-exponent) }
}

/** An amount of raw units as whole tokens. */
export const wholeTokens = (raw: Rational, decimals: number): Rational => multiply(raw, powerOfTen(-decimals))

const DECIMAL_TEXT = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/

/** Reads "0.0025", "1" or "2.5e-3" exactly; undefined for anything else, a sign included. */
export function parseDecimal (text: string): Rational | undefined {
  const [, whole, fraction = '', exponent = '0'] = DECIMAL_TEXT.exec(text) ?? []
  if (whole === undefined) return undefined
  return multiply(ratio(BigInt(whole + fraction)), powerOfTen(Number(exponent) - fraction.length))
}

type Rounding = 'down' | 'nearest' | 'up'

/** n / d as an integer; halves go up. Non-negative numbers only. */
export function roundToInteger ({ n, d }: Rational, rounding: Rounding): bigint {
  if (rounding === 'down') return n / d
  if (rounding === 'up') return (n + d - 1n) / d
  return (2n * n + d) / (2n * d)
}

/** A number of exactly `places` digits after the point. */
interface Fixed {
  /** Itself times 10^places. */
  readonly digits: bigint
  readonly places: number
}

/** `value` with `places` digits after the point. Throws a RangeError for a negative number. */
export function fix (value: Rational, places: number, rounding: Rounding = 'nearest'): Fixed {
  if (value.n < 0n) throw new RangeError('decimal text of a negative number')
  return { digits: roundToInteger({ n: value.n * tenTo(places), d: value.d }, rounding), places }
}

export function fixedText ({ digits, places }: Fixed): string {
  const text = digits.toString().padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Whether a is less than b, whatever their places. */
export const isBelow = (a: Fixed, b: Fixed) => a.digits * tenTo(b.places) < b.digits * tenTo(a.places)

/** Decimal text with exactly `places` digits after the point, rounded. Throws a RangeError for a negative number. */
export const toFixed = (value: Rational, places: number) => fixedText(fix(value, places))

/** In one pass from the end: a token may have 255 decimals, for each of whose zeros a pattern would look again. */
function trimZeros (text: string): string {
  if (!text.includes('.')) return text
  let end = text.length
  while (text[end - 1] === '0') end--
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end)
}

/** As `toFixed`, without trailing zeros. */
export const shortText = (value: Rational, places: number) => trimZeros(toFixed(value, places))

/** As `toFixed` of any number, with its sign. */
export function signedText (value: Rational, places: number): string {
  const text = toFixed(value.n < 0n ? { n: -value.n, d: value.d } : value, places)
  return value.n < 0n && /[1-9]/.test(text) ? `-${text}` : text
}

/** An amount of raw units in whole tokens, exact, trailing zeros trimmed: 1500000n with 6 decimals is "1.5". */
export const formatUnits = (raw: bigint, decimals: number) =>
  trimZeros(fixedText({ digits: raw, places: decimals }))

/** Places after the point that a price needs for `digits` significant digits, and at least as many. */
export function placesFor ({ n, d }: Rational, digits: number): number {
  let places = digits
  for (let scaled = (n < 0n ? -n : n) * 10n; scaled > 0n && scaled < d; scaled *= 10n) places++
  return places
}
