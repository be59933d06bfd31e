import { parseDecimal, type Rational } from './decimal.js'
import { ServiceError } from './errors.js'
import { DAY, dateOf, MAX_TIME } from './time.js'

/**
 * Query parameters: read strictly, so that a misspelt or malformed one is told instead of giving another answer than
 * was asked for.
 */

export interface Parameter<T> {
  /** What is expected, for the message: "Invalid <name>: <expects>". */
  expects: string
  /** The value of a text, undefined where it is malformed. */
  read: (text: string) => T | undefined
  /** What holds where the parameter is not given; throws INVALID_PARAMETER then where this is undefined. */
  otherwise?: { value: T }
}

/** INVALID_PARAMETER with the sentence that the client reads. */
export const invalidParameter = (name: string, expects: string): ServiceError =>
  new ServiceError('INVALID_PARAMETER', `Invalid ${name.slice(0, MAX_NAME)}: ${expects}`)

const MAX_NAME = 64
const MAX_DIGITS = 16

/** A whole number without sign from `min` to `max`. */
export function integer (options: { min?: number, max?: number, otherwise?: number }): Parameter<number>
export function integer (options: { min?: number, max?: number, otherwise: undefined }): Parameter<number | undefined>
export function integer (
  options: { min?: number, max?: number, otherwise?: number | undefined }
): Parameter<number | undefined> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options
  return {
    expects: max === Number.MAX_SAFE_INTEGER
      ? `a whole number, ${min} or more`
      : `a whole number from ${min} to ${max}`,
    read (text) {
      const value = /^\d+$/.test(text) && text.length <= MAX_DIGITS ? Number(text) : NaN
      return value >= min && value <= max ? value : undefined
    },
    ...('otherwise' in options && { otherwise: { value: options.otherwise } })
  }
}

/** A UTC day as it is written, by days since 1970-01-01. */
export const utcDay: Parameter<number> = {
  expects: 'a UTC day, YYYY-MM-DD, as 2026-01-31',
  read (text) {
    const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / 1000 / DAY : NaN
    // A date that does not exist is moved to the next month: told by its text
    return day >= 0 && dateOf(day) === text ? day : undefined
  }
}

const ISO = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

/** Unix seconds of a time as it is written; of a date its first second, or its last one where it ends a range. */
const readTime = (isEnd: boolean) => (text: string): number | undefined => {
  if (/^\d{1,12}$/.test(text)) return Number(text) <= MAX_TIME ? Number(text) : undefined
  const [, date, time] = ISO.exec(text) ?? []
  const day = date === undefined ? undefined : utcDay.read(date)
  if (day === undefined) return undefined
  if (time === undefined) return (isEnd ? day + 1 : day) * DAY - Number(isEnd)
  const at = Math.floor(Date.parse(text) / 1000)
  return at >= 0 ? at : undefined
}

export const TIME = 'Unix seconds, or ISO 8601: 1769860800, 2026-01-31 or 2026-01-31T12:00:00Z'
/** A moment, Unix seconds; a date stands for its first second. */
export const time: Parameter<number> = { expects: TIME, read: readTime(false) }

/** The same parameter where it need not be given. */
export const optional = <T>(parameter: Parameter<T>): Parameter<T | undefined> =>
  ({ ...parameter, otherwise: { value: undefined } })

/** The bounds of a range by their names, and by the synonyms `since` and `until`: times, both included. */
const RANGE = { from: 'since', to: 'until' } as const
const [FROM, TO] = [optional(time), optional({ expects: TIME, read: readTime(true) })]
const BOUNDS = { from: FROM, to: TO, since: FROM, until: TO }

/**
 * As `readQuery`, with a range of time in Unix seconds: `from` and `to`, or `since` and `until`; a date as its end
 * includes that day. Throws INVALID_PARAMETER also for a bound that is given twice, and for an end that comes first.
 */
export function readRange<P extends Record<string, Parameter<unknown>>> (
  query: unknown, parameters: P
): Values<P> & { from: number | undefined, to: number | undefined } {
  const asked = readQuery(query, { ...parameters, ...BOUNDS })
  const bounds = asked as Record<keyof typeof RANGE | 'since' | 'until', number | undefined>
  for (const [name, synonym] of Object.entries(RANGE) as Array<['from' | 'to', 'since' | 'until']>) {
    if (bounds[name] !== undefined && bounds[synonym] !== undefined) {
      throw invalidParameter(synonym, `another name of ${name}, which is given too`)
    }
  }
  const [first, last] = [bounds.from ?? bounds.since, bounds.to ?? bounds.until]
  if (first !== undefined && last !== undefined && first > last) {
    const [later, earlier] =
      [bounds.until === undefined ? 'to' : 'until', bounds.since === undefined ? 'from' : 'since']
    throw invalidParameter(later, `not before ${earlier}`)
  }
  const own = Object.fromEntries(Object.entries(asked).filter(([name]) => Object.hasOwn(parameters, name)))
  return { ...own as Values<P>, from: first, to: last }
}

/** One of a few words. */
export function oneOf<const W extends string, D extends W | undefined> (
  words: readonly W[], otherwise: D
): Parameter<W | D> {
  return { ...word(words), otherwise: { value: otherwise } }
}

/** One of a few words, which must be given. */
export const word = <const W extends string>(words: readonly W[]): Parameter<W> =>
  ({ expects: `one of ${words.join(', ')}`, read: text => words.find(word => word === text) })

const MAX_DECIMAL = 64
/** Plain decimal text above 0. */
export const positiveDecimal: Parameter<Rational> = {
  expects: 'whole tokens as plain decimal text above 0: 12.5',
  read (text) {
    const value = text.length <= MAX_DECIMAL && /^[\d.]+$/.test(text) ? parseDecimal(text) : undefined
    return value !== undefined && value.n > 0n ? value : undefined
  }
}

type Values<P> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }

/**
 * The values of a query's parameters. Throws INVALID_PARAMETER for one that is malformed, missing, repeated or not
 * among `parameters`.
 */
export function readQuery<P extends Record<string, Parameter<unknown>>> (query: unknown, parameters: P): Values<P> {
  const given = Object.entries(query as Record<string, unknown>)
  for (const [name] of given) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters)
      throw invalidParameter(name, known.length === 0 ? 'no parameters here' : `only ${known.join(', ')} here`)
    }
  }
  const texts = new Map(given)
  return Object.fromEntries(Object.entries(parameters).map(([name, { expects, read, otherwise }]) => {
    const text = texts.get(name)
    if (text === undefined && otherwise !== undefined) return [name, otherwise.value]
    const value = typeof text === 'string' ? read(text) : undefined
    if (value === undefined) throw invalidParameter(name, expects)
    return [name, value]
  })) as Values<P>
}
