/** Every field of an answer, and for each a value that is as well formed and wrong. */

export interface Field {
  /** Its place with lists and maps left open: `[].base_volume`, `events[swap].reserves.asset0`. */
  name: string
  /** The same answer with one such field altered, of those in the middle of their list. */
  alter (value: unknown): void
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,88}$/
const PAIRS = [
  ['buy', 'sell'],
  ['join', 'exit'],
  ['swap', 'join'],
  ['spot', 'proposal'],
  ['provide', 'withdraw'],
  ['proposal-launched', 'proposal-ended'],
  ['input', 'fees']
] as const
const SWAPPED = new Map<string, string>([...PAIRS.map(([a, b]) => [b, a] as const), ...PAIRS])
const HOUR_MS = 3_600_000

/** By a hundredth, in the same digits. */
function otherDecimal (text: string): string {
  const places = text.split('.')[1]?.length ?? 0
  const raw = BigInt(text.replace(/[.-]/g, ''))
  const digits = String(raw + raw / 97n + 1n).padStart(places + 1, '0')
  return `${text.startsWith('-') ? '-' : ''}${places === 0
    ? digits
    : `${digits.slice(0, -places)}.${digits.slice(-places)}`}`
}

/** Another value of the same kind. */
export function other (value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (value === null) return 1
  if (typeof value === 'number') {
    return value > 1e12 ? value - HOUR_MS : Number.isInteger(value) ? value + 1 : value * 1.01
  }
  const text = String(value)
  const swapped = SWAPPED.get(text)
  if (swapped !== undefined) return swapped
  if (/^-?\d+(\.\d+)?$/.test(text)) return otherDecimal(text)
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return new Date(Date.parse(text) + 1000).toISOString()
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(Date.parse(text) + 86_400_000).toISOString().slice(0, 10)
  // of the same alphabet, and most likely of nobody
  if (ADDRESS.test(text)) return [...text].reverse().join('')
  if (text.includes('_')) return text.split('_').reverse().join('_')
  return `${text}X`
}

type Step = string | number

const at = (value: unknown, steps: readonly Step[]): any => steps.reduce<any>((found, step) => found[step], value)

/** Each field once, however many members its list has. */
export function fieldsOf (value: unknown): Field[] {
  const places = new Map<string, Step[][]>()
  const visit = (found: unknown, name: string, steps: Step[]): void => {
    if (Array.isArray(found)) {
      // of a pair of price and amount each has a meaning of its own, and events have one by their kind
      const isLevel = found.length === 2 && typeof found[0] !== 'object'
      for (const [i, one] of found.entries()) {
        visit(one, `${name}[${isLevel ? i : (one as { eventType?: string } | null)?.eventType ?? ''}]`, [...steps, i])
      }
    } else if (typeof found === 'object' && found !== null) {
      for (const [key, one] of Object.entries(found)) {
        visit(one, ADDRESS.test(key.split('_')[0]!) ? `${name}{}` : `${name}.${key}`, [...steps, key])
      }
    } else places.set(name, [...places.get(name) ?? [], steps])
  }
  visit(value, '', [])
  return [...places].map(([name, all]) => ({
    name,
    alter (copy) {
      const steps = all[all.length >> 1]!
      const parent = at(copy, steps.slice(0, -1))
      parent[steps.at(-1)!] = other(parent[steps.at(-1)!])
    }
  }))
}
