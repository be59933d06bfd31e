import { compare, group, magnitude, round, shift } from './decimal.js'

/** How figures are written for people. What can't be read as a figure is written as a dash, never as a zero. */

export const NONE = '–'

/** Digits of a price that are worth reading. */
const PRICE_DIGITS = 5
/** Below 10 to this power a price is written with a power of ten: nobody counts more zeros. */
const SMALLEST_PLAIN = -9
/** From 10 to this power on, prices are written short. */
const LARGEST_PRICE = 9
/** From 10 to this power on, amounts are written short. */
const LARGEST_PLAIN = 12
const SUFFIXES = [[15, 'Q'], [12, 'T'], [9, 'B'], [6, 'M'], [3, 'K']]
const LARGEST_SUFFIXED = 18

const superscript = exponent => String(exponent).replace('-', '⁻').replace(/\d/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit])

/**
 * A number other than zero, rounded to so many significant digits: 9.9996 becomes 10, so its size is only known
 * afterwards.
 */
const significant = (text, digits) => {
  const size = magnitude(text)
  return shift(round(shift(text, -size), digits - 1), size)
}
const scientific = text => {
  const exponent = magnitude(text)
  return `${shift(text, -exponent)} × 10${superscript(exponent)}`
}

const zeroOrNone = text => compare(text, '0') === 0 ? '0' : NONE

/**
 * A price, to five significant digits, and at least to the cent.
 * @type {(text: string | undefined) => string}
 */
export function formatPrice (text) {
  if (magnitude(text) === null) return zeroOrNone(text)
  const rounded = significant(text, PRICE_DIGITS)
  const size = magnitude(rounded)
  if (size < SMALLEST_PLAIN) return scientific(rounded)
  if (size >= LARGEST_PRICE) return formatShort(text, PRICE_DIGITS)
  return group(round(text, Math.max(2, PRICE_DIGITS - 1 - size)))
}

/** An amount of tokens or dollars: cents below 10,000, whole ones up to a trillion, then short. */
export function formatAmount (text) {
  const size = magnitude(text)
  if (size === null) return zeroOrNone(text)
  if (size >= LARGEST_PLAIN) return formatShort(text)
  if (compare(text, '0.01') < 0) return '< 0.01'
  return group(size < 4 ? round(text, 2) : round(text, 0))
}

export const formatUsd = text => {
  const amount = formatAmount(text)
  if (amount === NONE) return NONE
  return amount.startsWith('< ') ? `< $${amount.slice(2)}` : `$${amount}`
}

/** Three significant digits and a letter: 1.23 M. */
export function formatShort (text, digits = 3) {
  if (magnitude(text) === null) return zeroOrNone(text)
  const rounded = significant(text, digits)
  const size = magnitude(rounded)
  if (size >= LARGEST_SUFFIXED) return scientific(rounded)
  const [exponent, letter] = SUFFIXES.find(([least]) => size >= least) ?? [0, '']
  const short = shift(rounded, -exponent)
  return letter === '' ? short : `${short}\u202f${letter}`
}

/**
 * An amount for a list: in full below 10,000, with four significant digits and a letter from there on.
 * @type {(text: string) => string}
 */
export const formatCompact = text => (magnitude(text) ?? 0) < 4 ? formatAmount(text) : formatShort(text, 4)

/** Every digit that the service gave, grouped. */
export const formatExact = text => compare(text, '0') === null ? NONE : group(text)

/** A share in per cent: two digits, and never 0.00 for what is not nothing. */
export function formatPercent (text) {
  if (text === null || compare(text, '0') === null) return NONE
  if (compare(text, '0') > 0 && compare(text, '0.01') < 0) return '< 0.01 %'
  return `${group(round(text, 2))} %`
}

/**
 * A change in per cent, with its sign, short from 10,000 on; a dash where there is nothing to compare with.
 * @type {(text: string | null) => string}
 */
export function formatChange (text) {
  if (text === null || compare(text, '0') === null) return NONE
  const rounded = round(text, 2)
  const size = rounded.replace('-', '')
  const sign = rounded.startsWith('-') ? '−' : compare(rounded, '0') > 0 ? '+' : ''
  return `${sign}${(magnitude(size) ?? 0) < 4 ? group(size) : formatShort(size, 4)} %`
}

/** Of a change: "1", "0" or "-1", which its colour goes by; empty where there is none. */
export const signOf = text => text === null ? '' : String(Math.sign(compare(text, '0')))

/**
 * "EPjF…Dt1v" for an address.
 * @type {(address: string) => string}
 */
export const abbreviate = address => address.length > 11 ? `${address.slice(0, 4)}…${address.slice(-4)}` : address

/** Characters of a symbol and of a name, as people see them. */
export const MAX_SYMBOL = 32
export const MAX_NAME = 64
/** Code units that a character may have on average: heaps of combining marks have more. */
const UNITS = 4
/** What is not seen, some of it turning the direction in which what comes next is written: figures, too. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/gu
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Where a text of more than `most` characters is cut; undefined: it has no more.
 * @type {(text: string, most: number) => number | undefined}
 */
export function endOf (text, most) {
  if (text.length <= most) return undefined
  let [end, count] = [0, 0]
  for (const { segment, index } of segmenter.segment(text)) {
    if (count++ === most || index + segment.length > most * UNITS) return end
    end = index + segment.length
  }
  return undefined
}

/**
 * A stranger's text as people see it, cut, with an ellipsis, where it is longer than `most` characters.
 * @type {(text: string, most: number) => string}
 */
export function cutText (text, most) {
  const seen = text.replace(UNSEEN, '').trim()
  const end = endOf(seen, most)
  return end === undefined ? seen : `${seen.slice(0, end)}…`
}

/**
 * The symbol of a token, or its address in short where nobody gave it one.
 * @type {(token: { symbol: string, mint: string }) => string}
 */
export const symbolOf = ({ symbol, mint }) => cutText(symbol, MAX_SYMBOL) || abbreviate(mint)

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(
  'en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }
)
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Time of day where the reader is. */
export const formatTime = time => clock.format(time)
/** Day and minute in UTC, of Unix ms. */
export const formatMoment = time => `${moment.format(time)} UTC`
export const formatDay = date => day.format(Date.parse(date))
export const formatShortDay = date => shortDay.format(Date.parse(date))
export const formatMonth = date => month.format(Date.parse(date))
/**
 * An integer; a dash for what is none.
 * @type {(value: number | null) => string}
 */
export const formatNumber = value => Number.isInteger(value) ? group(String(value)) : NONE
export const formatCount = (count, one) => `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`

/** A length of time in words: 45 seconds, 3 minutes. */
export function formatSeconds (seconds) {
  return seconds < 120 ? formatCount(Math.round(seconds), 'second') : formatCount(Math.round(seconds / 60), 'minute')
}

/** How long ago a moment was, as short as it can be said: 12 s, 5 min, 3 h, 2 d. */
export function formatAgo (ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
