import { parseDecimal, type Rational } from './decimal.js'
import { ServiceError } from './errors.js'
import { DAY, dateOf, dayOfDate, MAX_TIME } from './time.js'

/**
 * Query parameters, read strictly: a misspelt or malformed one is an error, and not another answer than was asked for.
 */

export interface Parameter<T> {
  /** For the document. */
  description: string
  /** One that is read. */
  example: string
  /** What is expected, with units and an example, for the message. */
  expects: string
  /** The value of a text, undefined where it is malformed. */
  read: (text: string) => T | undefined
  /** The default; undefined: the parameter is required. */
  otherwise?: { value: T }
}
export type Parameters = Record<string, Parameter<unknown>>
export type Values<P> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }

/** INVALID_PARAMETER with the sentence that the client reads. */
export const invalidParameter = (name: string, expects: string) =>
  new ServiceError('INVALID_PARAMETER', `Invalid ${name.slice(0, MAX_NAME)}: ${expects}`)

const MAX_NAME = 64

export const optional = <T>(parameter: Parameter<T>): Parameter<T | undefined> => byDefault(parameter, undefined)

/** The same parameter with a default. */
export const byDefault = <T, D>(parameter: Parameter<T>, value: D): Parameter<T | D> =>
  ({ ...parameter, otherwise: { value } })

/** A whole number without sign from `min` to `max`, of the unit. */
export function integer (
  description: string, unit: string, example: number, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}
): Parameter<number> {
  const bounds = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`
  return {
    description,
    example: String(example),
    expects: `a whole number${bounds} (${unit}), as ${example}`,
    read (text) {
      const value = /^\d+$/.test(text) ? Number(text) : NaN
      return value >= min && value <= max ? value : undefined
    }
  }
}

export function word<const W extends string> (
  description: string, words: readonly W[], example: W = words[0]!
): Parameter<W> {
  const read = (text: string): W | undefined => words.find(word => word === text)
  return { description, example, expects: `one of ${words.join(', ')}`, read }
}

const MAX_DECIMAL = 64
/** Whole tokens as plain decimal text above 0. */
export const positiveDecimal = (description: string, example: string): Parameter<Rational> => ({
  description,
  example,
  expects: `whole tokens as plain decimal text above 0, as ${example}`,
  read (text) {
    const value = text.length <= MAX_DECIMAL && /^[\d.]+$/.test(text) ? parseDecimal(text) : undefined
    return value !== undefined && value.n > 0n ? value : undefined
  }
})

/** Days since 1970-01-01 of a UTC day, YYYY-MM-DD; undefined: it is none. */
export function readDay (text: string): number | undefined {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? dayOfDate(text) : NaN
  // Date.parse moves a date that does not exist to the next month
  return day >= 0 && dateOf(day) === text ? day : undefined
}

const ISO = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const readTime = (isEnd: boolean) => (text: string) => {
  if (/^\d{1,12}$/.test(text)) return Number(text) <= MAX_TIME ? Number(text) : undefined
  const [, date, time] = ISO.exec(text) ?? []
  const day = date === undefined ? undefined : readDay(date)
  if (day === undefined) return undefined
  if (time === undefined) return (isEnd ? day + 1 : day) * DAY - Number(isEnd)
  const at = Math.floor(Date.parse(text) / 1000)
  return at >= 0 && at <= MAX_TIME ? at : undefined
}

const TIME = 'Unix seconds, or ISO 8601: 1769860800, 2026-01-31 or 2026-01-31T12:00:00Z'
/** A moment, Unix seconds; of a date its first second, or its last one where it ends a range. */
export const time = (description: string, example: string, isEnd = false): Parameter<number> =>
  ({ description, example, expects: TIME, read: readTime(isEnd) })

/**
 * The bounds of a range of time by their names and by synonyms, both included. `what` lies in it; `from` and `to` say
 * more of each.
 */
export function range (what: string, from = '', to = '') {
  const form = 'Unix seconds, or an ISO 8601 date or time.'
  return {
    from: optional(time(`${what} at or after this time${from}: ${form}`, '2026-01-31')),
    to: optional(time(`${what} at or before this time${to}: ${form} A date includes that day.`, '2999-12-31', true)),
    since: optional(time(`Another name of from: ${form}`, '1769860800')),
    until: optional(time(`Another name of to: ${form}`, '2999-12-31T23:59:59Z', true))
  }
}

export type Bounds = Values<ReturnType<typeof range>>

/** What is asked by parameters with the bounds of a range, without their synonyms. */
export type Asked<P> = Omit<Values<P>, 'since' | 'until'>

/**
 * What was asked with the bounds of its range, without their synonyms. Throws INVALID_PARAMETER for a bound that is
 * given twice, and for an end that comes first.
 */
export function rangeOf<A extends Pick<Bounds, 'from' | 'to'>> (asked: A & Bounds): A {
  const { from, to, since, until, ...others } = asked
  for (const [name, synonym] of [['from', 'since'], ['to', 'until']] as const) {
    if (asked[name] !== undefined && asked[synonym] !== undefined) {
      throw invalidParameter(synonym, `another name of ${name}, which is given too`)
    }
  }
  const [first, last] = [from ?? since, to ?? until]
  if (first !== undefined && last !== undefined && first > last) {
    throw invalidParameter(until === undefined ? 'to' : 'until', `not before ${since === undefined ? 'from' : 'since'}`)
  }
  return { ...others, from: first, to: last } as never
}

/**
 * The values of a query's parameters. Throws INVALID_PARAMETER for one that is malformed, missing, repeated or not
 * among `parameters`.
 */
export function readQuery<P extends Parameters> (query: unknown, parameters: P): Values<P> {
  const given = Object.entries(query as Record<string, unknown>)
  for (const [name] of given) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters)
      throw invalidParameter(name, known.length === 0 ? 'no parameters here' : `only ${known.join(', ')} here`)
    }
  }
  const texts = new Map(given)
  return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => {
    const text = texts.get(name)
    if (text === undefined && parameter.otherwise !== undefined) return [name, parameter.otherwise.value]
    const value = typeof text === 'string' ? parameter.read(text) : undefined
    if (value === undefined) throw invalidParameter(name, parameter.expects)
    return [name, value]
  })) as Values<P>
}
