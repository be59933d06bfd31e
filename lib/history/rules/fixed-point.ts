import { compare, formatUnits, type Rational, roundToInteger } from '../../decimal.js'
import type { VolumeRule } from '../../market/volume.js'

/**
 * Sums are integers in units of 10^-24 of a raw unit: exact quotients would need ever longer denominators. The error of
 * a million legs, 10^-18, is taken away by `sumOf` where it could turn a rounding: by fees at a rate of 0.003 legs are
 * thirds, every third sum is whole, and one of ten of those ends on the half of a digit that is shown.
 */
export const SCALE = 10n ** 24n
const PLACES = 24

/** Decimal text of raw units, without trailing zeros. */
export const sumText = (sum: bigint): string => formatUnits(sum, PLACES)

export function parseSum (text: string): bigint {
  const point = text.indexOf('.')
  return point === -1 ? BigInt(text) * SCALE : BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(PLACES, '0'))
}

/** What is shown ends on a multiple of this: half of the 8th decimal is 5 × 10^-9 units. */
const SHOWN = SCALE / 10n ** 12n

/** In units of the scale, to the nearest; halves go up. */
export const scaled = ({ n, d }: Rational): bigint =>
  d === 1n ? n * SCALE : roundToInteger({ n: n * SCALE, d }, 'nearest')

/** The sum of `count` legs, snapped to a rounding boundary within its error: no shown digit flips. */
export function sumOf (sum: bigint, count: number): Rational {
  const above = ((sum % SHOWN) + SHOWN) % SHOWN
  const error = BigInt(count)
  if (above <= error) return { n: sum - above, d: SCALE }
  if (SHOWN - above <= error) return { n: sum + SHOWN - above, d: SCALE }
  return { n: sum, d: SCALE }
}

export const sameValuation = (a: VolumeRule, b: VolumeRule): boolean =>
  a.basis === b.basis && compare(a.rate, b.rate) === 0
