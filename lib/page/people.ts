import {
  compare, divide, parseDecimal, placesFor, powerOfTen, type Rational, shortText, toFixed
} from '../decimal.js'

/** Figures as people read them, made of decimal text, where the server itself writes them. */

const PRICE_DIGITS = 5
const AMOUNT_DIGITS = 4
const CENTS = 2
const LETTERS = [[15, 'Q'], [12, 'T'], [9, 'B'], [6, 'M'], [3, 'K']] as const

const group = (text: string): string => text.replace(/^\d+/, digits => digits.replace(/\B(?=(\d{3})+$)/g, ','))
const wholeDigits = ({ n, d }: Rational): number => n < d ? 0 : (n / d).toString().length

/** A price of five significant digits, and at least cents from 1 on. */
export function priceText (text: string): string {
  const price = parseDecimal(text)!
  const digits = wholeDigits(price)
  return group(toFixed(price, digits > 0 ? Math.max(CENTS, PRICE_DIGITS - digits) : placesFor(price, PRICE_DIGITS)))
}

/** An amount in short: "12.40", "1.283 M". */
export function amountText (text: string): string {
  const amount = parseDecimal(text)!
  const [exponent, letter] = LETTERS.find(([least]) => compare(amount, powerOfTen(least)) >= 0) ?? [0, '']
  const scaled = divide(amount, powerOfTen(exponent))
  if (letter === '') return toFixed(scaled, CENTS)
  return `${shortText(scaled, Math.max(0, AMOUNT_DIGITS - wholeDigits(scaled)))} ${letter}`
}

/** A change in per cent with its sign. */
export function changeText (percent: string): string {
  const size = percent.replace('-', '')
  if (percent.startsWith('-')) return `−${group(size)} %`
  return `${/^0\.?0*$/.test(size) ? '' : '+'}${group(size)} %`
}
