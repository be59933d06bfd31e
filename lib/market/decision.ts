import type { MarketPool, Oracle } from '../protocol/amm.js'

/**
 * Which side of a proposal leads, by the program's arithmetic (programs/futarchy/src/state/futarchy_amm.rs,
 * finalize_proposal.rs).
 */

const PRICE_SCALE = 10n ** 12n
const U128 = (1n << 128n) - 1n
const BPS = 10_000n
/** Seconds between two observations. */
const LEAST = 60

const min = (a: bigint, b: bigint): bigint => a < b ? a : b
const max = (a: bigint, b: bigint): bigint => a > b ? a : b

/**
 * The oracle as a swap at the Unix second `now` would leave it: an observation at most a minute, clamped; what held
 * until then is weighed by its time since the end of the start delay.
 */
export function carried (
  { oracle, reserves: { quote, base } }: Pick<MarketPool, 'oracle' | 'reserves'>, now: number
): Oracle {
  if (now < oracle.updatedAt + LEAST || quote === 0n || base === 0n) return oracle
  const price = quote * PRICE_SCALE / base
  const { lastObservation: last, maxChange } = oracle
  const start = oracle.createdAt + oracle.startDelay
  const seconds = BigInt(Math.max(0, now - Math.max(oracle.updatedAt, start)))
  return {
    ...oracle,
    aggregator: (oracle.aggregator + min(last * seconds, U128)) & U128,
    updatedAt: now,
    lastObservation: price > last ? min(price, min(last + maxChange, U128)) : max(price, max(last - maxChange, 0n))
  }
}

/** The average price since the start delay, × 10^12; null before it has passed. */
export function twapOf ({ aggregator, updatedAt, createdAt, startDelay }: Oracle): bigint | null {
  const seconds = updatedAt - createdAt - startDelay
  return seconds <= 0 ? null : aggregator / BigInt(seconds)
}

/** What the average of the pass market must exceed for it to pass. */
export const thresholdOf = (failTwap: bigint, bps: number): bigint => failTwap * (BPS + BigInt(bps)) / BPS
