/**
 * Decimal text, exactly. The API writes amounts as text because a number of JavaScript holds neither 2^53 + 1 nor a
 * price of 0.000000000000000001 as written; here they are n / 10^places. What is no such text gives null.
 */

const PLAIN = /^(-?\d{1,200})(?:\.(\d{1,200}))?$/

function parse (text) {
  const match = typeof text === 'string' ? PLAIN.exec(text) : null
  if (match === null) return null
  const [, whole, fraction = ''] = match
  return { n: BigInt(whole + fraction), places: fraction.length }
}

const power = places => 10n ** BigInt(places)
const sizeOf = n => n < 0n ? -n : n

/** The text of n / 10^places, with exactly that many digits after the point. */
function write (n, places) {
  const digits = sizeOf(n).toString().padStart(places + 1, '0')
  return (n < 0n ? '-' : '') + (places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`)
}
/** Likewise, without the zeros that end a fraction. */
const short = (n, places) => places === 0 ? write(n, 0) : write(n, places).replace(/\.?0+$/, '')

/** n / d for a positive d as an integer, halves away from zero. */
const divideRounded = (n, d) => n < 0n ? -((-2n * n + d) / (2n * d)) : (2n * n + d) / (2n * d)

/** A function of two decimal texts, by what both are in units of the smaller of their last digits. */
const ofBoth = of => (a, b, more) => {
  const [first, second] = [parse(a), parse(b)]
  if (first === null || second === null) return null
  const places = Math.max(first.places, second.places)
  return of(first.n * power(places - first.places), second.n * power(places - second.places), places, more)
}

/** Negative, 0 or positive as the first is below, equal to or above the second. */
export const compare = ofBoth((a, b) => a < b ? -1 : Number(a > b))
export const add = ofBoth((a, b, places) => short(a + b, places))
export const subtract = ofBoth((a, b, places) => short(a - b, places))
export const multiply = ofBoth((a, b, places) => short(a * b, 2 * places))
/** The first by the second, to at most `digits` digits after the point; null where the second is not positive, too. */
export const divide = ofBoth((a, b, _places, digits) =>
  b > 0n ? short(divideRounded(a * power(digits), b), digits) : null)

/**
 * The sum of decimal texts; null where one is none.
 * @type {(texts: ReadonlyArray<string | null>) => string | null}
 */
export const sum = texts => texts.reduce((total, text) => add(total, text), '0')

/** a / b in per cent, as `divide`, to exactly so many digits. */
export const percent = (a, b, places = 2) => round(divide(multiply(a, '100'), b, places), places)

/**
 * The distance of the ask from the bid in per cent of the middle between them; null where the quotes are missing or
 * cross.
 */
export function spread (bid, ask, places = 30) {
  const distance = subtract(ask, bid)
  if (distance === null || distance.startsWith('-')) return null
  return percent(add(distance, distance), add(ask, bid), places)
}

/** Decimal text rounded to `places` digits after the point, halves away from zero. */
export function round (text, places) {
  const value = parse(text)
  return value && write(divideRounded(value.n * power(places), power(value.places)), places)
}

/** The exponent of a number's first digit: 0 for 1 to 9.99, 3 for 1234, −3 for 0.00123; null for zero, too. */
export function magnitude (text) {
  const value = parse(text)
  return value === null || value.n === 0n ? null : sizeOf(value.n).toString().length - 1 - value.places
}

/**
 * Decimal text moved by powers of ten: shift("1234.5", -3) is "1.2345".
 * @type {(text: string, by: number) => string}
 */
export function shift (text, by) {
  const value = parse(text)
  if (value === null) return null
  const places = Math.max(0, value.places - by)
  return short(value.n * power(places - value.places + by), places)
}

/** Digits before the point in groups of three: "1234567.891" is "1,234,567.891". */
export function group (text) {
  const [whole, fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
