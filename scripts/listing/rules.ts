/** What reviewers of every aggregator look at. Each rule tells its problems; none throws. */
import {
  add, compare, divide, multiply, parseDecimal, powerOfTen, type Rational, subtract, ZERO
} from '../../lib/decimal.js'
import { namesOf } from '../../lib/responses/forms/token-texts.js'

/** Told of each thing that a reviewer would refuse. */
export type Refuse = (problem: string) => undefined

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Row = { [key: string]: Json }

export const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
export const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/
/** Not empty. */
export const SOME = /\S/
/** Seconds by which clocks may differ. */
export const CLOCKS = 600

export const isRow = (value: Json | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A decimal of an answer, as text or as a number; undefined for anything else, a sign included. */
export const decimal = (value: Json | undefined): Rational | undefined =>
  typeof value === 'string' || typeof value === 'number' ? parseDecimal(String(value)) : undefined

export const isExactly = (value: Json | undefined, exact: Rational): boolean => {
  const given = decimal(value)
  return given !== undefined && compare(given, exact) === 0
}

/** As `decimal`, of what may be below 0; no −0. */
export function signed (value: Json | undefined): Rational | undefined {
  const [, digits] = /^-(?![0.]*$)(.*)$/.exec(String(value)) ?? []
  const size = decimal(digits)
  return digits === undefined ? decimal(value) : size && subtract(ZERO, size)
}

/** Digits that a number of JSON keeps once it is read. */
const FLOAT = 10n ** 14n

/**
 * Whether two answers say the same: texts and flags as they are, decimals by their value, as far as a number tells it.
 */
export function same (a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  const [one, other] = [signed(a), signed(b)]
  if (one === undefined || other === undefined) return false
  return typeof a === 'number' || typeof b === 'number' ? near(one, other, FLOAT) : compare(one, other) === 0
}

export const listOf = (value: Json | undefined): Row[] => Array.isArray(value) ? value.filter(isRow) : []
export const rowOf = (value: Json | undefined): Row => isRow(value) ? value : {}
export const number = (value: Json | undefined): Rational => decimal(value) ?? ZERO
export const sumOf = (list: Row[], key: string): Rational => list.reduce((all, row) => add(all, number(row[key])), ZERO)

export const shown = (value: Json | undefined): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing'

/** A field that two answers have: its name, or [name here, name there]. */
export type Shared = string | readonly [string, string]

/** Tells each field that one answer does not have as another does, by default of all of the other's. */
export function compareFields (
  where: string, row: Row, source: string, other: Record<string, Json | undefined>, tell: Refuse,
  fields: readonly Shared[] = Object.keys(other), areSame = same
): void {
  for (const field of fields) {
    const [here, there] = typeof field === 'string' ? [field, field] : field
    if (!areSame(row[here], other[there])) {
      tell(`${where}: ${here} is ${shown(row[here])}, ${source} has ${shown(other[there])}`)
    }
  }
}

/** Tells where a list has not the rows of `/api/tickers` in their order, by the fields that both have. */
export function compareRows (
  where: string, list: Row[], tickers: Row[], tell: Refuse, fields: readonly Shared[]
): void {
  if (list.length !== tickers.length) {
    tell(`${where}: ${list.length} pools, /api/tickers has ${tickers.length}`)
  }
  for (const [at, row] of list.slice(0, tickers.length).entries()) {
    compareFields(`${where} ${at}`, row, '/api/tickers', tickers[at]!, tell, fields)
  }
}

/** The rows of a list; undefined, and told, where it is none; each member that is no object is told. */
export function rows (list: Json | undefined, where: string, refuse: Refuse): Row[] | undefined {
  if (!Array.isArray(list)) return refuse(`${where}: no list`)
  return list.filter((row, at): row is Row => isRow(row) || refuse(`${where} ${at}: no object`) !== undefined)
}

/** Digits after the point that readers take; what comes behind them is cut off. */
const MAX_PLACES = 50

/** How an amount is to be written: as a text, as a number, or as either. */
interface AmountRule { form?: 'text' | 'number', isPositive?: boolean }

/** An amount as text or number; undefined, and told, where it is neither or not plain. */
function amount (
  row: Row, key: string, where: string, refuse: Refuse, { form, isPositive = false }: AmountRule
): Rational | undefined {
  const value = row[key]
  const isOfForm = form === 'text' ? typeof value === 'string' : typeof value === 'number'
  if (form !== undefined && !isOfForm) return refuse(`${where}: ${key} is no ${form}: ${shown(value)}`)
  const parsed = typeof value === 'string' && /e/i.test(value) ? undefined : decimal(value)
  if (parsed === undefined) return refuse(`${where}: ${key} is no plain number: ${shown(value)}`)
  if (typeof value === 'string' && (value.split('.')[1]?.length ?? 0) > MAX_PLACES) {
    refuse(`${where}: ${key} has more than ${MAX_PLACES} places`)
  }
  if (isPositive && parsed.n <= 0n) refuse(`${where}: ${key} is 0`)
  return parsed
}

function text (row: Row, key: string, where: string, refuse: Refuse, pattern: RegExp): string {
  const value = row[key]
  if (typeof value === 'string' && pattern.test(value)) return value
  refuse(`${where}: ${key} is not as it should be: ${shown(value)}`)
  return ''
}

type Rule = RegExp | AmountRule

/** Fields by their rules: a text's pattern, or how an amount is written. What is not so is told, '' or undefined. */
export const fields = <const R extends Record<string, Rule>>(row: Row, where: string, refuse: Refuse, rules: R) =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [
    key, rule instanceof RegExp ? text(row, key, where, refuse, rule) : amount(row, key, where, refuse, rule)
  ])) as { [K in keyof R]: R[K] extends RegExp ? string : Rational | undefined }

export const PRICE = { form: 'text', isPositive: true } as const
const VOLUME = { form: 'text' } as const
const TICKER = {
  pool_id: ADDRESS,
  base_currency: ADDRESS,
  target_currency: ADDRESS,
  bid: PRICE,
  last_price: PRICE,
  ask: PRICE,
  base_volume: VOLUME,
  target_volume: VOLUME,
  liquidity_in_usd: VOLUME
}

/** A row of tickers in itself, in the specified form and in CoinGecko's. */
export function checkTicker (ticker: Row, where: string, refuse: Refuse): void {
  const { base_currency: base, target_currency: target, bid, last_price: last, ask } =
    fields(ticker, where, refuse, TICKER)
  if (ticker.ticker_id !== `${base}_${target}`) refuse(`${where}: ticker_id is not base_target`)
  if (!below(bid, last) || !below(last, ask)) refuse(`${where}: bid, last_price and ask do not rise`)
}

/** Whether both are known, and a is less. */
export const isLess = (a: Rational | undefined, b: Rational | undefined): boolean =>
  a !== undefined && b !== undefined && compare(a, b) < 0
/** Whether a is less, as far as both are known. */
export const below = (a: Rational | undefined, b: Rational | undefined): boolean =>
  a === undefined || b === undefined || compare(a, b) < 0

/** Whether two numbers are the same to one of so many parts. */
export const near = (a: Rational, b: Rational, parts: bigint): boolean =>
  isWithin(a, b, { n: b.n < 0n ? -b.n : b.n, d: b.d * parts })

/** Whether two figures are no further apart. */
export const isWithin = (a: Rational, b: Rational, by: Rational): boolean =>
  compare(subtract(a, b), by) <= 0 && compare(subtract(b, a), by) <= 0

/** Whether neither is known, or both are the same to a cent and to so many digits. */
export const isAbout = (a: Rational | undefined, b: Rational | undefined, digits: number): boolean =>
  a === undefined || b === undefined
    ? a === b
    : isWithin(a, b, add(powerOfTen(-2), multiply(b, powerOfTen(-digits))))

/** A window's average price lies between its lowest and highest, as far as eight digits of the volumes tell. */
export function checkRange (
  where: string, refuse: Refuse, { base, target, low, high }: Record<string, Rational | undefined>
): void {
  if (isLess(high, low)) refuse(`${where}: the highest price is below the lowest`)
  if (base === undefined || target === undefined || base.n === 0n) return
  const digit = powerOfTen(-8)
  const [less, under] = [subtract(base, digit), subtract(target, digit)]
  if ((under.n > 0n && isLess(high, divide(under, add(base, digit)))) ||
    (less.n > 0n && isLess(divide(add(target, digit), less), low))) {
    refuse(`${where}: the average price lies outside of lowest and highest`)
  }
}

export function milliseconds (row: Row, key: string, where: string, refuse: Refuse, now: number): number {
  const value = row[key]
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 10 ** 12 || value > now + CLOCKS * 1000) {
    refuse(`${where}: ${key} is no time in milliseconds: ${shown(value)}`)
    return 0
  }
  return value
}

/** What a form that may leave neither empty says of a token. */
export function tokenTexts ({ mint, symbol, name }: Row): { symbol: string, name: string } {
  return namesOf({ mint: String(mint), symbol: String(symbol), name: String(name) })
}
