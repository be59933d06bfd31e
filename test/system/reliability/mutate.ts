import type { Random } from '../../../simulator/random.js'

/** Small damage to bytes, JSON and text: near enough to the genuine thing to get past the first check. */

const pick = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)]!

type Change = (data: Buffer, random: Random) => Buffer

const CHANGES: readonly Change[] = [
  (data, random) => { if (data.length > 0) data[random.int(data.length)]! ^= 1 << random.int(8); return data },
  (data, random) => {
    if (data.length > 0) {
      data[random.int(data.length)] = pick(random, [0, 1, 2, 127, 128, 254, 255])
    } return data
  },
  (data, random) => data.subarray(0, random.int(data.length + 1)),
  (data, random) => Buffer.concat([data, random.bytes(random.int(400))]),
  (data, random) => {
    if (data.length > 4) {
      data.writeUInt32LE(
        pick(random, [0xffffffff, 0x7fffffff, 0x10000000, 65_536, 4_097, 11, 0]), random.int(data.length - 4)
      )
    } return data
  },
  (data, random) => {
    if (data.length > 8) {
      data.writeBigUInt64LE(pick(random, [0n, 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]), random.int(data.length - 8))
    } return data
  },
  (data, random) => {
    const at = random.int(data.length + 1)
    const length = random.int(40)
    return Buffer.concat(
      [data.subarray(0, at), random.bytes(length), data.subarray(at + (random.int(2) === 0 ? length : 0))]
    )
  },
  (data, random) => data.length > 64 ? Buffer.concat([data.subarray(0, 8), data.subarray(8 + random.int(64))]) : data,
  (data, random) => { data.copy(data, random.int(data.length + 1), random.int(data.length + 1)); return data }
]

/** A copy of `data` with one to four changes. */
export function mutateBytes (data: Buffer, random: Random): Buffer {
  let changed: Buffer = Buffer.from(data)
  for (let changes = 1 + random.int(4); changes > 0; changes--) changed = pick(random, CHANGES)(changed, random)
  return changed
}

const ODD: readonly unknown[] = [
  null, true, false, 0, -1, 0.5, 1e308, 2 ** 53, -0, '', '0', 'null', '\0', '\ud800', '1'.repeat(300),
  'A'.repeat(5_000), [], {}, [[]], [null], { length: 3 }, { toString: 1 }, { data: ['', 'base64'] },
  { code: -32005, message: 'x' }
]

type Json = Record<string, unknown>

/** Replaces, removes, doubles or swaps something somewhere in `value`, which is changed itself. */
export function mutateJson (value: unknown, random: Random): unknown {
  let at = value
  if (random.int(60) === 0) return pick(random, ODD)
  for (;;) {
    if (typeof at !== 'object' || at === null) return value
    const keys = Object.keys(at)
    if (keys.length === 0) return value
    const key = pick(random, keys)
    const inner = (at as Json)[key]
    if (typeof inner === 'object' && inner !== null && random.int(5) > 0) {
      at = inner
      continue
    }
    const change = random.int(5)
    // JSON knows no sequence gaps
    if (change === 0 && Array.isArray(at)) at.splice(Number(key), 1)
    else if (change === 0) delete (at as Json)[key]
    else if (change === 1 && Array.isArray(at)) at.push(inner)
    else if (change === 2) (at as Json)[key] = (at as Json)[pick(random, keys)]
    else if (change === 3 &&
      typeof inner === 'string') (at as Json)[key] = mutateBytes(Buffer.from(inner), random).toString()
    else (at as Json)[key] = pick(random, ODD)
    return value
  }
}
