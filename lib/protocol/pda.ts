import { createHash } from 'node:crypto'
import { decodeKey, encodeKey } from './key-text.js'

/**
 * Program-derived addresses. web3.js derives one in about 170 µs, nearly all of it decompressing a curve point only to see whether it
 * exists; asking that question by a Jacobi symbol makes it about 30 µs (`npm run bench -- pda`), which a cold snapshot of
 * thousands of mints feels.
 */

const P = (1n << 255n) - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const Y_BITS = (1n << 255n) - 1n
const MARKER = Buffer.from('ProgramDerivedAddress')

const SHIFTS = Array.from({ length: 32 }, (_, bits) => BigInt(bits))

/**
 * Whether a is a square modulo the odd prime n, as 0 is: whether its Jacobi symbol is not -1. Euclid's algorithm; the laws of the symbol need only the
 * low bits of both numbers, which are kept as small integers beside them.
 */
function isSquare (a: bigint, n: bigint): boolean {
  let symbol = 1
  let nLow = Number(n & 7n)
  while (a !== 0n) {
    let low = Number(a & 0xffffffffn) | 0
    while (low === 0) {
      a >>= 32n   // an even number of twos: they leave the symbol as it is
      low = Number(a & 0xffffffffn) | 0
    }
    const zeros = 31 - Math.clz32(low & -low)
    if (zeros > 0) {
      a >>= SHIFTS[zeros]!
      if ((zeros & 1) === 1 && (nLow === 3 || nLow === 5)) symbol = -symbol
    }
    const aLow = zeros > 29 ? Number(a & 7n) : low >> zeros & 7
    if ((aLow & 3) === 3 && (nLow & 3) === 3) symbol = -symbol
    const rest = n % a
    n = a
    nLow = aLow
    a = rest
  }
  return symbol === 1
}

/** Whether 32 bytes are a point of edwards25519, so a key that somebody may hold the secret of. x² = (y² − 1) / (d·y² + 1). */
export function isOnCurve (key: Buffer): boolean {
  const y = (key.readBigUInt64LE(24) << 192n | key.readBigUInt64LE(16) << 128n | key.readBigUInt64LE(8) << 64n | key.readBigUInt64LE(0)) & Y_BITS
  const y2 = y * y % P
  return isSquare((y2 - 1n + P) * (D * y2 % P + 1n) % P, P)
}

/** The bytes that `seeds` and `bump` give under `program`: the address, where the bump is the one that the program keeps with it. */
export function deriveWith (seeds: readonly Buffer[], bump: number, program: Buffer): Buffer {
  const hash = createHash('sha256')
  for (const seed of seeds) hash.update(seed)
  return hash.update(Buffer.of(bump)).update(program).update(MARKER).digest()
}

/** The address that `seeds` (each at most 32 bytes, at most 15 of them) give under `program`, as bytes; the highest bump that is off the curve. */
export function derive (seeds: readonly Buffer[], program: Buffer): Buffer {
  for (let bump = 255; bump >= 0; bump--) {
    const key = deriveWith(seeds, bump, program)
    if (!isOnCurve(key)) return key
  }
  throw new RangeError('no bump gives an address off the curve')
}

/** Bytes of a base58 key, or undefined where `text` is no key of 32 bytes. */
export const parseKey = (text: string): Buffer | undefined => decodeKey(text)

/** Bytes of a base58 key that is known to be one; throws a RangeError otherwise. */
export function keyBytes (text: string): Buffer {
  const bytes = parseKey(text)
  if (bytes === undefined) throw new RangeError('no 32-byte base58 key')
  return bytes
}

/** Base58 text of a key's bytes. */
export const keyText = (bytes: Uint8Array): string => encodeKey(bytes)
