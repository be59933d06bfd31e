/** How long to wait before something that failed is tried again. */

export interface BackoffOptions {
  /** At least 0, below 1. */
  random: () => number
  /** The wait after the first failure, and the longest, ms. */
  firstMs?: number
  maxMs?: number
  /** Seconds that the other side asked for. */
  retryAfter?: number | undefined
}

const FIRST_MS = 500
/**
 * Volumes are served again only once the head has been reached: that must not take longer than half a cache lifetime
 * after a fault has ended.
 */
const MAX_MS = 5_000

/**
 * Milliseconds to wait after the nth failure in a row (from 1): doubling up to a bound, anything between half of it and
 * the whole, so that many do not come back at once; never less than the other side asked for.
 */
export function backoff (
  failures: number, { random, firstMs = FIRST_MS, maxMs = MAX_MS, retryAfter = 0 }: BackoffOptions
): number {
  return Math.max(Math.min(firstMs * 2 ** (failures - 1), maxMs) * (0.5 + random() / 2), retryAfter * 1000)
}
