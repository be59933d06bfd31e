/**
 * Decimal text, exactly. The API writes amounts as text because a number of JavaScript holds neither 2^53 + 1 nor a
 * price of
 * 0.000000000000000001 as written; here they are compared, added, divided and rounded without ever becoming one.
 */

/**
 * An exact decimal: n / 10^places.
 * @typedef {{ n: bigint, places: number }} Decimal
 */

const PLAIN = /^(-?)(\d{1,200})(?:\.(\d{1,200}))?$/

/**
 * Reads "0.0025", "-1" or "12"; null for anything else.
 * @param {unknown} text
 * @returns {Decimal | null}
 */
export function parse (text) {
  const match = typeof text === 'string' ? PLAIN.exec(text) : null
  if (match === null) return null
  const [, sign, whole, fraction = ''] = match
  const n = BigInt(whole + fraction)
  return { n: sign === '' ? n : -n, places: fraction.length }
}

const power = places => 10n ** BigInt(places)
const raised = ({ n, places }, to) => n * power(to - places)

/** Both numbers in units of the smaller of their last digits. */
function aligned (a, b) {
  const places = Math.max(a.places, b.places)
  return { places, left: raised(a, places), right: raised(b, places) }
}

/** The text of n / 10^places, with exactly that many digits after the point. */
function write (n, places) {
  const digits = (n < 0n ? -n : n).toString().padStart(places + 1, '0')
  const sign = n < 0n ? '-' : ''
  return sign + (places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`)
}

/** n / d for a positive d as an integer, halves away from zero. */
const divideRounded = (n, d) => n < 0n ? -((-2n * n + d) / (2n * d)) : (2n * n + d) / (2n * d)

/**
 * Negative, 0 or positive as `a` is below, equal to or above `b`; null when either is no decimal text.
 * @param {unknown} a
 * @param {unknown} b
 */
export function compare (a, b) {
  const [first, second] = [parse(a), parse(b)]
  if (first === null || second === null) return null
  const { left, right } = aligned(first, second)
  return left < right ? -1 : left > right ? 1 : 0
}

/** a + b; null when either is no decimal text. */
export function add (a, b) {
  const [first, second] = [parse(a), parse(b)]
  if (first === null || second === null) return null
  const { left, right, places } = aligned(first, second)
  return write(left + right, places)
}

/** a − b; null when either is no decimal text. */
export function subtract (a, b) {
  const [first, second] = [parse(a), parse(b)]
  if (first === null || second === null) return null
  const { left, right, places } = aligned(first, second)
  return write(left - right, places)
}

/** a × b; null when either is no decimal text. */
export function multiply (a, b) {
  const [first, second] = [parse(a), parse(b)]
  return first === null || second === null ? null : write(first.n * second.n, first.places + second.places)
}

/** a / b to `places` digits after the point; null when either is no decimal text or b is not positive. */
export function divide (a, b, places) {
  const [first, second] = [parse(a), parse(b)]
  if (first === null || second === null || second.n <= 0n) return null
  const { left, right } = aligned(first, second)
  return write(divideRounded(left * power(places), right), places)
}

/** The sum of decimal texts; null when one of them is none. */
export const sum = texts => texts.reduce((total, text) => total === null ? null : add(total, text), '0')

/**
 * a / b in per cent, to `places` digits after the point; null when either is no decimal text or b is not positive.
 * @param {unknown} a
 * @param {unknown} b
 */
export function percent (a, b, places = 2) {
  return divide(multiply(a, '100'), b, places)
}

/**
 * The distance of the ask from the bid in per cent of the middle between them; null where the quotes are missing or
 * cross.
 */
export function spread (bid, ask, places = 30) {
  const distance = subtract(ask, bid)
  const double = add(ask, bid)
  if (distance === null || distance.startsWith('-')) return null
  return percent(add(distance, distance), double, places)
}

/** Decimal text rounded to `places` digits after the point, halves away from zero; null when it is none. */
export function round (text, places) {
  const value = parse(text)
  if (value === null) return null
  if (value.places <= places) return write(raised(value, places), places)
  return write(divideRounded(value.n, power(value.places - places)), places)
}

/**
 * The exponent of a number's first digit: 0 for 1 to 9.99, 3 for 1234, −3 for 0.00123; null for zero and for what is no
 * decimal text.
 * @param {unknown} text
 */
export function magnitude (text) {
  const value = parse(text)
  if (value === null || value.n === 0n) return null
  return (value.n < 0n ? -value.n : value.n).toString().length - 1 - value.places
}

/**
 * Decimal text moved by powers of ten: shift("1234.5", -3) is "1.2345".
 * @type {(text: string, by: number) => string}
 */
export function shift (text, by) {
  const value = parse(text)
  if (value === null) return null
  const places = value.places - by
  return places >= 0 ? write(value.n, places) : write(value.n * power(-places), 0)
}

/** Digits before the point in groups of three: "1234567.891" is "1,234,567.891". */
export function group (text) {
  const [whole, fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Without the zeros that end a fraction: "1.500" is "1.5", "2.00" is "2". */
export const trim = text => text.includes('.') ? text.replace(/\.?0+$/, '') : text
