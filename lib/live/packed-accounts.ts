import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import bs58 from 'bs58'
import type { RawAccount } from '../chain/types.js'

/**
 * The accounts of a program as one piece of bytes, for other processes: gzip over the program's address, the number of accounts, and of each its
 * address, the length of its data and the data. Nothing is decoded: whoever unpacks them reads them as if a node had given them.
 */

const KEY = 32
const NUMBER = 4
/** As much as is taken from a node. */
const MAX_BYTES = 256 * 2 ** 20

const packed = promisify(gzip)
const unpacked = promisify(gunzip)

/** Packs accounts that all belong to `program`. */
export async function packAccounts (program: string, accounts: readonly RawAccount[]): Promise<Buffer> {
  const parts: Uint8Array[] = [bs58.decode(program), uint32(accounts.length)]
  for (const { address, owner, data } of accounts) {
    if (owner !== program) throw new RangeError(`${address} does not belong to ${program}`)
    parts.push(bs58.decode(address), uint32(data.length), data)
  }
  // most of it are keys, which nothing makes smaller
  return await packed(Buffer.concat(parts), { level: constants.Z_BEST_SPEED })
}

/** What `packAccounts` made, of the same program. Throws an Error where the bytes are anything else. */
export async function unpackAccounts (program: string, bytes: Buffer): Promise<RawAccount[]> {
  const plain = await unpacked(bytes, { maxOutputLength: MAX_BYTES })
  let at = 0
  function take (length: number): Buffer {
    if (at + length > plain.length) throw new RangeError('packed accounts that end too early')
    at += length
    return plain.subarray(at - length, at)
  }
  const key = (): string => bs58.encode(take(KEY))
  const owner = key()
  if (owner !== program) throw new RangeError(`packed accounts of ${owner} instead of ${program}`)
  const accounts = Array.from({ length: take(NUMBER).readUInt32LE() }, (): RawAccount => ({ address: key(), owner, data: take(take(NUMBER).readUInt32LE()) }))
  if (at !== plain.length) throw new RangeError('packed accounts with something behind them')
  return accounts
}

function uint32 (value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER)
  bytes.writeUInt32LE(value)
  return bytes
}
