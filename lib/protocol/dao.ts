import type { RawAccount } from '../chain/types.js'
import { PROGRAMS } from './addresses.js'
import { AMM_KEYS, AMM_SIZES, ammKeys, type AmmState, ammState, createdAt, spotFees, spotReserves } from './amm.js'
import { boundVec, DecodeError, need, u128 } from './bytes.js'
import type { ProgramClient } from './client.js'
import { deriveWith, keyBytes, keyText } from './pda.js'

/** A DAO and its embedded pool, from the prefix of the account that is equal in every version (programs/futarchy/src/state/dao.rs). */
export interface Dao {
  address: string
  /** The address that the account's own bytes lead to: another one where a node has mixed up its accounts. */
  ownAddress: string
  /** Futarchy while a proposal is live: the spot pool is then beside two conditional ones, which set no price. */
  state: AmmState
  baseMint: string
  quoteMint: string
  /** The token accounts that hold what is in the pool, fees included. */
  readonly baseVault: string
  readonly quoteVault: string
  /** The treasury: the vault of the DAO's multisig, which owns its token accounts. */
  readonly vault: string
  /** Reserves of the spot pool, raw units; fee balances are not part of them. */
  baseReserves: bigint
  quoteReserves: bigint
  /** Protocol fees that the spot pool holds uncollected, raw units. */
  baseFees: bigint
  quoteFees: bigint
  /** When the pool began, Unix seconds; proposals leave it as it is. */
  readonly createdAt: number
  /** Number of the DAO's latest event; its events are 1, 2, 3 … */
  seqNum: bigint
  /** Bytes of the account: tells which version created or resized it. */
  size: number
}

/** Whose accounts are DAOs. */
export type DaoProgram = Pick<ProgramClient, 'program' | 'programBytes' | 'daoPrefix'>

const KEY = 32
/** The account begins with its discriminator and the pool. */
const AMM = 8
/** What follows the pool counts from its end (programs/futarchy/src/state/dao.rs). */
const [NONCE, CREATOR, BUMP, MULTISIG, VAULT, BASE_MINT, QUOTE_MINT, PROPOSAL_COUNT, PASS_THRESHOLD, SEQ_NUM, PREFIX_END] =
  [0, 8, 40, 41, 73, 105, 137, 169, 173, 239, 247]
/** Every account has room for the largest pool; of one that is cut short what is left behind it would be read. */
const LEAST = AMM + AMM_SIZES.futarchy + PREFIX_END

const SEED = Buffer.from('dao')

/**
 * Decodes a DAO account by offsets: Anchor's decoder gives the same (test/lib/protocol/dao.test.ts), but loading it takes a tenth of a second of CPU and
 * 8 MB, which a service that nobody asks for supplies need not spend. Throws a DecodeError where it is none, or where the pool's mints are not the DAO's.
 */
export function decodeDao ({ program, programBytes, daoPrefix }: DaoProgram, { address, owner, data }: RawAccount): Dao {
  if (owner !== program) throw new DecodeError('dao: owned by another program')
  need(data, 0, LEAST, 'dao')
  if (!data.subarray(0, AMM).equals(daoPrefix)) throw new DecodeError('dao: another kind of account')
  const state = ammState(data, AMM)
  if (state === undefined) throw new DecodeError('dao: a pool state that is neither spot nor futarchy')
  const end = AMM + AMM_SIZES[state]
  const bytes = (from: number, length: number): Buffer => data.subarray(end + from, end + from + length)
  const { baseMint, quoteMint, baseVault, quoteVault } = ammKeys(data, AMM, state)
  if (!baseMint.equals(bytes(BASE_MINT, KEY)) || !quoteMint.equals(bytes(QUOTE_MINT, KEY))) throw new DecodeError('dao: the pool is of other mints')
  const vault = bytes(VAULT, KEY)
  // the address that the bytes name as their own: seeds `dao`, creator, nonce (programs/futarchy/src/instructions/initialize_dao.rs)
  const own = deriveWith([SEED, bytes(CREATOR, KEY), bytes(NONCE, 8)], data[end + BUMP]!, programBytes)
  const [reserves, fees] = [spotReserves(data, AMM), spotFees(data, AMM)]
  return {
    address,
    ownAddress: own.equals(keyBytes(address)) ? address : keyText(own),
    state,
    baseMint: keyText(baseMint),
    quoteMint: keyText(quoteMint),
    // base58 is the dearest part of decoding, and hardly anyone asks for the vaults
    get baseVault () { return keyText(baseVault) },
    get quoteVault () { return keyText(quoteVault) },
    get vault () { return keyText(vault) },
    baseReserves: reserves.base,
    quoteReserves: reserves.quote,
    baseFees: fees.base,
    quoteFees: fees.quote,
    createdAt: Number(createdAt(data, AMM)),
    seqNum: data.readBigUInt64LE(end + SEQ_NUM),
    size: data.length
  }
}

/** What of a DAO's account hardly anyone asks for. */
export interface DaoDetails {
  creator: string
  multisig: string
  /** Of all positions in the pool together. */
  totalLiquidity: bigint
  proposalCount: number
  passThresholdBps: number
  /** What members may spend in a month, raw quote units; null: nobody may. */
  spendingLimit: { amount: bigint, members: string[] } | null
  /** null: of a version without, or none. */
  teamAddress: string | null
  teamThresholdBps: number | null
}

/** Accounts of at least this size were made or resized by a version that has teams (programs/futarchy/src/instructions/resize_dao.rs). */
const TEAM_SIZE = 1163
const MAX_MEMBERS = 10
const LIMIT = 13

/** The rest of an account that `decodeDao` takes. Throws a DecodeError where the limit is none. */
export function decodeDaoDetails ({ data }: RawAccount): DaoDetails {
  const end = AMM + AMM_SIZES[ammState(data, AMM)!]
  const key = (at: number): string => keyText(data.subarray(at, at + KEY))
  const at = end + PREFIX_END
  need(data, at, 1, 'dao')
  const has = data[at]
  if (has !== 0 && has !== 1) throw new DecodeError('dao: a spending limit that neither is nor is not')
  const length = has === 0 ? 1 : LIMIT - 4 + boundVec(data, at + 9, KEY, MAX_MEMBERS, 'dao')
  const count = (length - LIMIT) / KEY
  const team = at + length
  const hasTeam = data.length >= TEAM_SIZE
  if (hasTeam) need(data, team, 2 + KEY, 'dao')
  const teamAddress = hasTeam ? key(team + 2) : null
  return {
    creator: key(end + CREATOR),
    multisig: key(end + MULTISIG),
    totalLiquidity: u128(data, end - AMM_KEYS - 16),
    proposalCount: data.readUInt32LE(end + PROPOSAL_COUNT),
    passThresholdBps: data.readUInt16LE(end + PASS_THRESHOLD),
    spendingLimit: has === 0 ? null : { amount: data.readBigUInt64LE(at + 1), members: Array.from({ length: count }, (_, i) => key(at + LIMIT + i * KEY)) },
    teamAddress: teamAddress === PROGRAMS.system ? null : teamAddress,
    teamThresholdBps: hasTeam ? data.readInt16LE(team) : null
  }
}

const POSITION = Buffer.from('2261694a11e2d400', 'hex')

/** The liquidity of a position in the pool of `dao` (programs/futarchy/src/state/amm_position.rs). Throws a DecodeError where the account is none. */
export function decodeAmmPosition (program: string, dao: string, { owner, data }: RawAccount): bigint {
  if (owner !== program || !data.subarray(0, 8).equals(POSITION)) throw new DecodeError('position: another kind of account')
  need(data, 0, 88, 'position')
  if (keyText(data.subarray(8, 40)) !== dao) throw new DecodeError('position: of another DAO')
  return u128(data, 72)
}
