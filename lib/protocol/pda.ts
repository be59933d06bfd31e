import { hash } from 'node:crypto'
import bs58 from 'bs58'
import { decodeBase58 } from './base58.js'
import { u128 } from './bytes.js'

/** Keys and program-derived addresses: a cold refresh derives one a mint, for which web3.js takes 200 µs. */

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
  let [a, n, odd, flips] = [value, P, 5, 0]
  while (a !== 0n) {
    // bigints of the low bits, and lists to exchange by, were most of a refresh's garbage
    let low = Number(BigInt.asUintN(28, a))
    const end = low | 1 << 25
    const twos = 31 - Math.clz32(end & -end)
    flips ^= twos & (odd >> 1 ^ odd >> 2)
    if (twos > 0) a >>= BigInt(twos)
    low >>= twos
    if ((low & 1) === 0) continue
    flips ^= (low & odd) >> 1
    const rest = n % a
    n = a
    a = rest
    odd = low
  }
  return flips % 2 === 0
}

/** Whether 32 bytes are a point of edwards25519: x² = (y² − 1) / (d·y² + 1). */
export function isOnCurve (key: Buffer): boolean {
  const y = (u128(key, 16) << 128n | u128(key, 0)) & Y_BITS
  const y2 = y * y % P
  return isSquare((y2 - 1n + P) * (D * y2 % P + 1n) % P)
}

/** The hash of `seeds`, `bump` and `program`: the address, where the bump is the right one. */
export const deriveWith = (seeds: readonly Buffer[], bump: number, program: Buffer) =>
  hash('sha256', Buffer.concat([...seeds, Buffer.of(bump), program, MARKER]), 'buffer')

/** The program-derived address of at most 15 `seeds` of 32 bytes: that of the highest bump off the curve. */
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

/** Texts of keys by their bytes in Latin-1: base58 is slow, and most keys are met again. */
const texts = new Map<string, string>()
const MAX_KEPT = 5_000

/** Base58 text of a key's bytes. */
export function keyText (bytes: Buffer): string {
  const key = bytes.toString('latin1')
  let text = texts.get(key)
  if (text === undefined) {
    if (texts.size >= MAX_KEPT) texts.clear()
    texts.set(key, text = bs58.encode(bytes))
  }
  return text
}
export const keyAt = (data: Buffer, at: number) => keyText(data.subarray(at, at + KEY_BYTES))
