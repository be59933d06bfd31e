/** JSON text whose numbers are exact decimals: `JSON.stringify` would pass each through a float. */

/** A JSON number by its text: plain decimal digits, with a point where it has places. */
export class ExactNumber {
  readonly text: string

  /** Throws a RangeError for anything but plain decimal text without leading zeros. */
  constructor (text: string) {
    if (!PLAIN.test(text)) throw new RangeError(`no plain decimal number: ${text.slice(0, 64)}`)
    this.text = text
  }
}

const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

export const exact = (text: string): ExactNumber => new ExactNumber(text)

/** What can be written: `ExactNumber` for amounts and prices. Members that are undefined are left out. */
export type ExactValue = string | number | boolean | null | undefined | ExactNumber | readonly ExactValue[] | {
  readonly [key: string]: ExactValue
}

/** The JSON text of `value`. Throws a RangeError for a number that is no safe integer. */
export function exactJson (value: ExactValue): string {
  if (value instanceof ExactNumber) return value.text
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new RangeError(`not exact as a number: ${value}`)
    return String(value)
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${(value as readonly ExactValue[]).map(item => exactJson(item)).join()}]`
  const members = Object.entries(value as Record<string, ExactValue>).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${exactJson(member)}`).join()}}`
}

/** A value of a schema's type whose numbers may be exact ones. */
export type Exact<T> = T extends number
  ? number | ExactNumber
  : T extends string | boolean | null | undefined ? T : { [K in keyof T]: Exact<T[K]> }
