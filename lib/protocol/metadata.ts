import { PROGRAMS } from './addresses.js'
import { cleanText, DecodeError, need } from './bytes.js'
import { keyAt } from './pda.js'
import type { RawAccount } from '../chain/types.js'

/** Symbol and name of a token. Anyone can choose them: they are text to show, never an identity. */
export type TokenText = ReturnType<typeof readNameAndSymbol>

/** Longest symbol, name or uri that is believed, in bytes. */
const MAX_TEXT = 4096
const METAPLEX_KEY = 4

const EXTENSIONS_OFFSET = 166
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

function readString (data: Buffer, offset: number, what: string) {
  need(data, offset, 4, what)
  const length = data.readUInt32LE(offset)
  if (length > MAX_TEXT) throw new DecodeError(`${what}: ${length} bytes of text`)
  need(data, offset + 4, length, what)
  const end = offset + 4 + length
  return { text: cleanText(data.subarray(offset + 4, end)), end }
}

function readNameAndSymbol (data: Buffer, offset: number, what: string) {
  const name = readString(data, offset, what)
  const symbol = readString(data, name.end, what)
  return { symbol: symbol.text, name: name.text }
}

/** Metaplex metadata (mpl-token-metadata). Throws a DecodeError where it is not Metaplex's or of another mint. */
export function decodeMetaplex ({ owner, data }: RawAccount, mint: string) {
  if (owner !== PROGRAMS.metaplex) throw new DecodeError('metadata of another program')
  need(data, 0, 65, 'metadata')
  if (data[0] !== METAPLEX_KEY) throw new DecodeError(`metadata with key ${data[0]}`)
  if (keyAt(data, 33) !== mint) throw new DecodeError('metadata of another mint')
  return readNameAndSymbol(data, 65, 'metadata')
}

/** An extension of a Token-2022 mint: type, length, value. Throws a DecodeError where one runs past the end. */
function extension (data: Buffer, type: number): Buffer | undefined {
  for (let at = EXTENSIONS_OFFSET; at + 4 <= data.length;) {
    const [kind, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)]
    if (kind === 0) break
    at += 4
    need(data, at, length, 'extension')
    if (kind === type) return data.subarray(at, at + length)
    at += length
  }
  return undefined
}

/**
 * The metadata of a Token-2022 mint, or the address of the account that has it; undefined: there is none. Throws a
 * DecodeError where it is of another mint.
 */
export function token2022Metadata ({ address, owner, data }: RawAccount): TokenText | { at: string } | undefined {
  if (owner !== PROGRAMS.token2022) return undefined
  const pointer = extension(data, METADATA_POINTER)
  if (pointer === undefined) return undefined
  need(pointer, 0, 64, 'metadata pointer')
  const at = keyAt(pointer, 32)
  // all bytes zero: none
  if (at === PROGRAMS.system) return undefined
  if (at !== address) return { at }
  const own = extension(data, TOKEN_METADATA)
  if (own === undefined) return undefined
  need(own, 0, 64, 'token metadata')
  if (keyAt(own, 32) !== address) throw new DecodeError('metadata of another mint')
  return readNameAndSymbol(own, 64, 'token metadata')
}
