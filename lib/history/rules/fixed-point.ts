import { compare, formatUnits, type Rational, roundToInteger } from '../../decimal.js'
import type { VolumeRule } from '../../market/volume.js'

/**
 * Sums are integers in units of 10^-24 of a raw unit: exact quotients would need ever longer denominators. A million
 * legs are off by 10^-18.
 */
export const SCALE = 10n ** 24n
const PLACES = 24

/** Decimal text of raw units, without trailing zeros. */
export const sumText = (sum: bigint): string => formatUnits(sum, PLACES)

export function parseSum (text: string): bigint {
  const point = text.indexOf('.')
  return point === -1 ? BigInt(text) * SCALE : BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(PLACES, '0'))
}

/** In units of the scale, to the nearest; halves go up. */
export const scaled = ({ n, d }: Rational): bigint =>
  d === 1n ? n * SCALE : roundToInteger({ n: n * SCALE, d }, 'nearest')

export const unscaled = (sum: bigint): Rational => ({ n: sum, d: SCALE })

export const sameValuation = (a: VolumeRule, b: VolumeRule): boolean =>
  a.basis === b.basis && compare(a.rate, b.rate) === 0
