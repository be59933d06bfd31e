import { hash } from 'node:crypto'
import bs58 from 'bs58'
import { decodeBase58 } from './base58.js'
import { u128 } from './bytes.js'

/**
 * Keys and program-derived addresses. web3.js takes 200 µs to derive one, a Jacobi symbol 50, and a cold refresh
 * derives one for each mint.
 */

const P = (1n << 255n) - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const Y_BITS = (1n << 255n) - 1n
const MARKER = Buffer.from('ProgramDerivedAddress')
const KEY_BYTES = 32
/** Digits that a key has at most. */
const KEY_DIGITS = 44

/**
 * Whether a number below P is a square modulo P: its Jacobi symbol is not −1. Dividing by 2 changes it where the other
 * number is 3 or 5 modulo 8, exchanging odd numbers where both are 3 modulo 4.
 */
function isSquare (value: bigint): boolean {
  let [a, n, flips] = [value, P, 0]
  while (a !== 0n) {
    for (; (a & 1n) === 0n; a >>= 1n) if ((n & 7n) === 3n || (n & 7n) === 5n) flips++
    if ((a & n & 3n) === 3n) flips++;
    [a, n] = [n % a, a]
  }
  return flips % 2 === 0
}

/** Whether 32 bytes are a point of edwards25519: x² = (y² − 1) / (d·y² + 1). */
export function isOnCurve (key: Buffer): boolean {
  const y = (u128(key, 16) << 128n | u128(key, 0)) & Y_BITS
  const y2 = y * y % P
  return isSquare((y2 - 1n + P) * (D * y2 % P + 1n) % P)
}

/** The bytes that `seeds` and `bump` give under `program`: an address, where the bump is the one that goes with it. */
export const deriveWith = (seeds: readonly Buffer[], bump: number, program: Buffer): Buffer =>
  hash('sha256', Buffer.concat([...seeds, Buffer.of(bump), program, MARKER]), 'buffer')

/** The address that at most 15 `seeds` of 32 bytes give under `program`: that of the highest bump off the curve. */
export function derive (seeds: readonly Buffer[], program: Buffer): Buffer {
  for (let bump = 255; bump >= 0; bump--) {
    const key = deriveWith(seeds, bump, program)
    if (!isOnCurve(key)) return key
  }
  throw new RangeError('no bump gives an address off the curve')
}

/** Bytes of a base58 key, or undefined where `text` is no key of 32 bytes. */
export function parseKey (text: string): Buffer | undefined {
  const bytes = text.length > KEY_DIGITS ? undefined : decodeBase58(text)
  return bytes?.length === KEY_BYTES ? bytes : undefined
}

/** Bytes of a base58 key that is known to be one; throws a RangeError otherwise. */
export function keyBytes (text: string): Buffer {
  const bytes = parseKey(text)
  if (bytes === undefined) throw new RangeError('no 32-byte base58 key')
  return bytes
}

/** Base58 text of a key's bytes. */
export const keyText = (bytes: Uint8Array): string => bs58.encode(bytes)
/** Of the key at `at`. */
export const keyAt = (data: Buffer, at: number): string => keyText(data.subarray(at, at + KEY_BYTES))
