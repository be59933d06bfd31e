/** Repeatable randomness: the same seed gives the same market, byte for byte. */

/** A 32-bit mixer, good enough to scatter test data; never for anything secret. */
function mix (value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

export type Random = ReturnType<typeof createRandom>

export function createRandom (seed: number) {
  let state = mix(seed + 0x9e3779b9)
  const word = () => mix(state = (state + 0x9e3779b9) | 0)
  /** At least 0 and below 1. */
  const next = (): number => (word() * 2097152 + (word() >>> 11)) / 2 ** 53
  return {
    next,
    /** An integer from 0 up to, excluding, `bound`. */
    int: (bound: number): number => Math.floor(next() * bound),
    /** An amount from `low` to `high`, both included, spread evenly over its magnitude. */
    amount (low: bigint, high: bigint): bigint {
      if (high <= low) return low
      const scaled = Number(low) * (Number(high) / Number(low || 1n)) ** next()
      const value = BigInt(Math.floor(scaled))
      return value < low ? low : value > high ? high : value
    },
    bytes: (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => word() & 255))
  }
}

/**
 * A number of at least 0 and below 1 that depends on the seed, the place and the purpose alone: it shifts no other
 * choice.
 */
export const scatter = (seed: number, place: number, purpose: number): number =>
  mix(mix(Math.floor(place / 2 ** 32) ^ mix(place ^ mix(seed))) + Math.imul(purpose, 0x9e3779b9)) / 2 ** 32

/** 64 bytes that depend on the seed and the position alone: the signature of transaction `index`. */
export function signatureBytes (seed: number, index: number): Buffer {
  const bytes = Buffer.allocUnsafe(64)
  // Position in clear, whitened: two positions never share a signature.
  const high = Math.floor(index / 2 ** 32)
  for (let at = 0; at < 16; at++) bytes.writeUInt32LE(mix(mix(index + at * 0x9e3779b9) ^ mix(seed + at) ^ high), at * 4)
  bytes.writeUInt32LE((index ^ 0x5bd1e995) >>> 0, 60)
  return bytes
}
