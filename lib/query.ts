import { parseDecimal, type Rational } from './decimal.js'
import { ServiceError } from './errors.js'
import { DAY, dateOf } from './time.js'

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
  expects: 'a UTC day, YYYY-MM-DD',
  read (text) {
    const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / 1000 / DAY : NaN
    // A date that does not exist is moved to the next month: told by its text
    return day >= 0 && dateOf(day) === text ? day : undefined
  }
}

/** The same parameter where it need not be given. */
export const optional = <T>(parameter: Parameter<T>): Parameter<T | undefined> =>
  ({ ...parameter, otherwise: { value: undefined } })

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
  expects: 'plain decimal text above 0',
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
