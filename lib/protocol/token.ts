import { PROGRAMS } from './addresses.js'
import { DecodeError, need } from './bytes.js'
import { keyAt } from './pda.js'
import type { RawAccount } from '../chain/types.js'

/** Mints and token accounts of SPL Token and Token-2022 (spl-token, state.rs; extensions are behind byte 165). */

const MINT_BYTES = 82
const ACCOUNT_BYTES = 165
/** A multisig has signers' keys where others have their type; mints and accounts are padded past its length. */
const MULTISIG_BYTES = 355
/** Token-2022 tells its extended accounts apart by the byte at 165. */
const TYPE_OFFSET = 165
/** Bytes from which `decodeMint` can tell any mint. */
export const MINT_HEAD = TYPE_OFFSET + 1
const TYPE_MINT = 1
const TYPE_ACCOUNT = 2

export type Mint = NonNullable<ReturnType<typeof decodeMint>>

const isTokenProgram = (owner: string): boolean => owner === PROGRAMS.token || owner === PROGRAMS.token2022

function holds ({ owner, data }: RawAccount, bytes: number, type: number): boolean {
  if (data.length === bytes) return true
  return owner === PROGRAMS.token2022 && data.length !== MULTISIG_BYTES && data[TYPE_OFFSET] === type
}

/** The mint in an account; undefined where the account is no initialised mint (a wallet, a token account, …). */
export function decodeMint (account: RawAccount) {
  const { data, owner, address } = account
  if (!isTokenProgram(owner) || !holds(account, MINT_BYTES, TYPE_MINT) || data[45] !== 1) return undefined
  return {
    address,
    /** Raw units. */
    supply: data.readBigUInt64LE(36),
    decimals: data.readUInt8(44),
    tokenProgram: owner,
    /** Who can mint more; null: nobody any more. A getter, as base58 is slow. */
    get mintAuthority () { return data.readUInt32LE(0) === 1 ? keyAt(data, 4) : null }
  }
}

/** The token account in an account. Throws a DecodeError where it is none. */
export function decodeTokenAccount (account: RawAccount) {
  const { data, owner } = account
  if (!isTokenProgram(owner) || !holds(account, ACCOUNT_BYTES, TYPE_ACCOUNT)) throw new DecodeError('no token account')
  need(data, 0, ACCOUNT_BYTES, 'token account')
  if (data[108] === 0) throw new DecodeError('a token account that is not initialised')
  return {
    mint: keyAt(data, 0),
    owner: keyAt(data, 32),
    /** Raw units. */
    amount: data.readBigUInt64LE(64)
  }
}
