import { hash } from 'node:crypto'
import { decodeKey, encodeKey } from './key-text.js'

/**
 * Program-derived addresses. web3.js derives one in about 200 µs, nearly all of it decompressing a curve point only to
 * see whether it exists; asking that question by a Jacobi symbol makes it about 20 µs (`npm run bench -- pda`), which a
 * cold snapshot of thousands of mints feels.
 */

const P = (1n << 255n) - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const Y_BITS = (1n << 255n) - 1n
const MARKER = Buffer.from('ProgramDerivedAddress')

/**
 * Numbers below 2^255 in limbs of 30 bits, lowest first: a limb's difference and its bits moved up to the next stay
 * within 32.
 */
const LIMB_BITS = 30
const LIMB_MASK = 2 ** LIMB_BITS - 1
const LIMBS = 9
const BIG_LIMB_BITS = BigInt(LIMB_BITS)
const BIG_LIMB_MASK = BigInt(LIMB_MASK)

function toLimbs (value: bigint, limbs: Int32Array): void {
  for (let at = 0; at < LIMBS; at++, value >>= BIG_LIMB_BITS) limbs[at] = Number(value & BIG_LIMB_MASK)
}

const P_LIMBS = new Int32Array(LIMBS)
toLimbs(P, P_LIMBS)
// one question is answered before the next begins
const [first, second] = [new Int32Array(LIMBS), new Int32Array(LIMBS)]

/**
 * Whether a number below P is a square modulo P, as 0 is: whether its Jacobi symbol is not -1. Stein's algorithm, for
 * which the laws of the symbol are two: dividing by 2 changes it where the other number is 3 or 5 modulo 8, exchanging
 * two odd numbers where both are 3 modulo 4.
 */
function isSquare (value: bigint): boolean {
  let [a, n] = [first, second]
  toLimbs(value, a)
  n.set(P_LIMBS)
  let flips = 0
  let top = LIMBS - 1
  for (;;) {
    while (top > 0 && (a[top]! | n[top]!) === 0) top--
    // an even number of twos leaves the symbol as it is
    while (a[0] === 0) {
      if (!a.some(limb => limb !== 0)) return (flips & 1) === 0
      a.copyWithin(0, 1)
      a[LIMBS - 1] = 0
    }
    const zeros = 31 - Math.clz32(a[0]! & -a[0]!)
    if (zeros > 0) {
      flips ^= zeros & (n[0]! >> 1 ^ n[0]! >> 2)
      for (let at = 0; at < top; at++) a[at] = (a[at]! >> zeros | a[at + 1]! << LIMB_BITS - zeros) & LIMB_MASK
      a[top]! >>= zeros
    }
    let differs = top
    while (differs > 0 && a[differs] === n[differs]) differs--
    if (a[differs]! < n[differs]!) {
      flips ^= (a[0]! & n[0]!) >> 1;
      [a, n] = [n, a]
    }
    let borrow = 0
    for (let at = 0; at <= top; at++) {
      const difference = a[at]! - n[at]! + borrow
      a[at] = difference & LIMB_MASK
      borrow = difference >> LIMB_BITS
    }
  }
}

/**
 * Whether 32 bytes are a point of edwards25519, so a key that somebody may hold the secret of. x² = (y² − 1) / (d·y² +
 * 1).
 */
export function isOnCurve (key: Buffer): boolean {
  const y = (key.readBigUInt64LE(24) << 192n | key.readBigUInt64LE(16) << 128n | key.readBigUInt64LE(
    8
  ) << 64n | key.readBigUInt64LE(0)) & Y_BITS
  const y2 = y * y % P
  return isSquare((y2 - 1n + P) * (D * y2 % P + 1n) % P)
}

const preimageOf = (seeds: readonly Buffer[], bump: number, program: Buffer): Buffer =>
  Buffer.concat([...seeds, Buffer.of(bump), program, MARKER])

/**
 * The bytes that `seeds` and `bump` give under `program`: the address, where the bump is the one that the program keeps
 * with it.
 */
export const deriveWith = (seeds: readonly Buffer[], bump: number, program: Buffer): Buffer =>
  hash('sha256', preimageOf(seeds, bump, program), 'buffer')

/**
 * The address that `seeds` (each at most 32 bytes, at most 15 of them) give under `program`, as bytes; the highest bump
 * that is off the curve.
 */
export function derive (seeds: readonly Buffer[], program: Buffer): Buffer {
  const preimage = preimageOf(seeds, 255, program)
  const bumpAt = preimage.length - MARKER.length - program.length - 1
  for (let bump = 255; bump >= 0; bump--) {
    preimage[bumpAt] = bump
    const key = hash('sha256', preimage, 'buffer')
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
