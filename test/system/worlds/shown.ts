/** How old what an answer shows may be: by what its headers say, and by nothing else. */

/** Life of what is served fresh, and how old the states that it is made of may be when they are read; ms. */
export const LIFETIME_MS = 10_000
const PRICES_MS = 15_000
const VOLUMES_MS = 45_000
/** An age is told in whole seconds, and so is the chain's time, ms. */
const APART_MS = 2_000

export interface Shown {
  /** So old is what is read at `confirmed` at most, and what is read at `finalized`; ms. */
  prices: number
  volumes: number
  /** So old is one of them at least. */
  least: number
  isStale: boolean
}

export function shownBy (age: unknown, cacheControl: unknown): Shown {
  if (age !== undefined && age !== null) {
    const ms = 1000 * Number(age)
    return { prices: ms + APART_MS, volumes: ms + APART_MS, least: ms - APART_MS, isStale: true }
  }
  const lived = LIFETIME_MS - 1000 * Number(/max-age=(\d+)/.exec(String(cacheControl))?.[1] ?? 0)
  return { prices: lived + PRICES_MS, volumes: lived + VOLUMES_MS, least: 0, isStale: false }
}

/** In words, for a rule that is broken. */
export const ageText = ({ prices, isStale }: Shown): string =>
  isStale ? `of Age ${(prices - APART_MS) / 1000}` : `fresh for ${(prices - PRICES_MS) / 1000} s`
