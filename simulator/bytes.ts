/** Bytes as the chain writes them: little-endian integers, Borsh strings and options, base58 text. */
import { createHash } from 'node:crypto'
import bs58 from 'bs58'

const U64 = (1n << 64n) - 1n

/** Writes fields one after another into a buffer of fixed size; overrunning it throws a RangeError. */
export class Writer {
  readonly buffer: Buffer
  offset = 0

  /** @param target a size in bytes, or an existing image to write over (what is not written keeps its old bytes) */
  constructor (target: number | Buffer) {
    this.buffer = typeof target === 'number' ? Buffer.alloc(target) : target
  }

  u8 (value: number | boolean): this {
    this.offset = this.buffer.writeUInt8(Number(value), this.offset)
    return this
  }

  u16 (value: number): this {
    this.offset = this.buffer.writeUInt16LE(value, this.offset)
    return this
  }

  i16 (value: number): this {
    this.offset = this.buffer.writeInt16LE(value, this.offset)
    return this
  }

  u32 (value: number): this {
    this.offset = this.buffer.writeUInt32LE(value, this.offset)
    return this
  }

  u64 (value: bigint): this {
    this.offset = this.buffer.writeBigUInt64LE(value, this.offset)
    return this
  }

  i64 (value: bigint | number): this {
    this.offset = this.buffer.writeBigInt64LE(BigInt(value), this.offset)
    return this
  }

  u128 (value: bigint): this {
    this.buffer.writeBigUInt64LE(value & U64, this.offset)
    this.offset = this.buffer.writeBigUInt64LE(value >> 64n, this.offset + 8)
    return this
  }

  bytes (value: Uint8Array): this {
    this.buffer.set(value, this.offset)
    this.offset += value.length
    return this
  }

  /** A public key given as base58. */
  key (address: string): this {
    return this.bytes(keyBytes(address))
  }

  /** Borsh string: u32 byte length, UTF-8; `padTo` fills with NULs as older metadata programs do. */
  text (value: string, padTo = 0): this {
    const utf8 = Buffer.from(value)
    const length = Math.max(utf8.length, padTo)
    this.u32(length).bytes(utf8)
    this.offset += length - utf8.length
    return this
  }

  /** Borsh option: one tag byte, then the value only where there is one. */
  option<T> (value: T | null, write: (value: T) => unknown): this {
    this.u8(value === null ? 0 : 1)
    if (value !== null) write(value)
    return this
  }

  skip (count: number): this {
    this.offset += count
    return this
  }

  /** What has been written so far. */
  done (): Buffer {
    return this.buffer.subarray(0, this.offset)
  }
}

export function sha256 (...parts: Array<Uint8Array | string>): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const discriminators = new Map<string, Buffer>()

/**
 * First 8 bytes of sha256 of `<namespace>:<Name>`: how the program's framework names accounts, events and instructions.
 */
export function discriminator (namespace: 'account' | 'event' | 'global', name: string): Buffer {
  const preimage = `${namespace}:${name}`
  let found = discriminators.get(preimage)
  if (found === undefined) discriminators.set(preimage, found = sha256(preimage).subarray(0, 8))
  return found
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const PAIRS = [...ALPHABET].flatMap(first => [...ALPHABET].map(second => first + second))
const FIVE = 58n ** 5n
// 58^10, 58^20, 58^40 …: splitting at these makes the long event data of a transaction fifteen times cheaper than
// dividing byte by byte.
const SPLITS = Array.from({ length: 12 }, (_, level) => 58n ** BigInt(10 * 2 ** level))

function fiveDigits (value: number): string {
  const low = value % 3364
  const rest = (value - low) / 3364
  const middle = rest % 3364
  return ALPHABET[(rest - middle) / 3364]! + PAIRS[middle]! + PAIRS[low]!
}

function digits (value: bigint, level: number): string {
  if (level < 0) return fiveDigits(Number(value / FIVE)) + fiveDigits(Number(value % FIVE))
  const split = SPLITS[level]!
  const high = value / split
  return digits(high, level - 1) + digits(value - high * split, level - 1)
}

/** Base58 text of at most 20 kB: events take bs58 twenty times as long. */
export function base58 (bytes: Uint8Array): string {
  let zeros = 0
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++
  if (zeros === bytes.length) return '1'.repeat(zeros)
  const value = BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`)
  let level = 0
  while (SPLITS[level + 1]! <= value) level++
  return '1'.repeat(zeros) + digits(value, level).replace(/^1+/, '')
}

/** The bytes of base58 text; throws on a letter outside the alphabet. */
export const fromBase58 = (text: string): Buffer => Buffer.from(bs58.decode(text))

const keys = new Map<string, Buffer>()

/** The 32 bytes of an address, remembered: the same few thousand keys are written again and again. */
export function keyBytes (address: string): Buffer {
  let bytes = keys.get(address)
  if (bytes === undefined) {
    bytes = fromBase58(address)
    if (bytes.length !== 32) throw new TypeError(`not a 32-byte address: ${address}`)
    keys.set(address, bytes)
  }
  return bytes
}
