/**
 * Base58 of keys, 32 bytes each: in groups of five digits by small numbers, which takes a third of the time of digit by
 * digit. Keys are read and written for every account of a refresh.
 */

const BYTES = 32
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const DIGITS = Buffer.from(ALPHABET, 'latin1')
const VALUES = new Int8Array(128).fill(-1)
for (const [value, code] of DIGITS.entries()) VALUES[code] = value

/** A key has at most 44 digits: nine groups of five. */
const GROUP = 5
const GROUPS = 9
const MAX_DIGITS = 44
const GROUP_WEIGHT = 58 ** GROUP
/** A group times a limb of 16 bits is below 2^46, so all of it is exact. */
const LIMBS = BYTES / 2
const LIMB_WEIGHT = 1 << 16
const ZERO_DIGIT = DIGITS[0]!

const groups = new Float64Array(GROUPS)
const limbs = new Float64Array(LIMBS)
const text = Buffer.alloc(GROUPS * GROUP)

/** Base58 text of a key. Throws a RangeError where `bytes` are not 32. */
export function encodeKey (bytes: Uint8Array): string {
  if (bytes.length !== BYTES) throw new RangeError('a key has 32 bytes')
  groups.fill(0)
  for (let limb = 0; limb < LIMBS; limb++) {
    let carry = bytes[2 * limb]! << 8 | bytes[2 * limb + 1]!
    for (let at = GROUPS - 1; at >= 0; at--) {
      const value = groups[at]! * LIMB_WEIGHT + carry
      carry = Math.floor(value / GROUP_WEIGHT)
      groups[at] = value - carry * GROUP_WEIGHT
    }
  }
  for (let group = 0; group < GROUPS; group++) {
    let value = groups[group]!
    for (let at = group * GROUP + GROUP - 1; at >= group * GROUP; at--) {
      const rest = value % 58
      text[at] = DIGITS[rest]!
      value = (value - rest) / 58
    }
  }
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  let first = 0
  while (text[first] === ZERO_DIGIT) first++
  // as many zero digits are in front as there are zero bytes; there are always that many, since a byte takes more than
  // a digit
  return text.toString('latin1', first - zeros)
}

/** The bytes of a base58 key; undefined where `key` is none of 32 bytes. */
export function decodeKey (key: string): Buffer | undefined {
  const { length } = key
  if (length < BYTES || length > MAX_DIGITS) return undefined
  limbs.fill(0)
  for (let start = 0, end = length % GROUP || GROUP; start < length; start = end, end += GROUP) {
    let carry = 0
    for (let at = start; at < end; at++) {
      const digit = VALUES[key.charCodeAt(at)] ?? -1
      if (digit < 0) return undefined
      carry = carry * 58 + digit
    }
    for (let limb = LIMBS - 1; limb >= 0; limb--) {
      const value = limbs[limb]! * GROUP_WEIGHT + carry
      carry = Math.floor(value / LIMB_WEIGHT)
      limbs[limb] = value - carry * LIMB_WEIGHT
    }
    if (carry > 0) return undefined
  }
  const bytes = Buffer.alloc(BYTES)
  for (let limb = 0; limb < LIMBS; limb++) bytes.writeUInt16BE(limbs[limb]!, 2 * limb)
  let zeros = 0
  while (bytes[zeros] === 0) zeros++
  let digits = 0
  while (key.charCodeAt(digits) === ZERO_DIGIT) digits++
  return digits === zeros ? bytes : undefined
}
