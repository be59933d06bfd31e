import type { RawAccount } from '../chain/types.js'
import { PROGRAMS } from './addresses.js'
import { AMM, AMM_SIZES, type AmmState, ammState } from './amm.js'
import { boundVec, DecodeError, need, u128 } from './bytes.js'
import { type AnchorInteger, type AnchorKey, fieldsOf, type ProgramClient, toBigInt, toKey } from './client.js'
import { deriveWith, keyAt, keyText } from './pda.js'

/** A DAO and its embedded pool, by what every version's account begins with (programs/futarchy/src/state/dao.rs). */
export type Dao = ReturnType<typeof decodeDao>
/** Rarely needed parts of a DAO's account. */
export type DaoDetails = ReturnType<Dao['details']>

const KEY = 32
/** Bytes between the end of the AMM and that of the IDL, which leaves out Vecs whose counts Anchor would believe. */
const PREFIX_END = 247

const SEED = Buffer.from('dao')

export interface AnchorDao {
  amm: {
    state: Partial<Record<'Spot' | 'Futarchy', { spot: { oracle: { created_at_timestamp: AnchorInteger } } }>>
    total_liquidity: AnchorInteger
    base_mint: AnchorKey
    quote_mint: AnchorKey
    amm_base_vault: AnchorKey
    amm_quote_vault: AnchorKey
  }
  nonce: { toArrayLike (type: typeof Buffer, endian: 'le', length: number): Buffer }
  dao_creator: AnchorKey
  pda_bump: number
  squads_multisig: AnchorKey
  squads_multisig_vault: AnchorKey
  base_mint: AnchorKey
  quote_mint: AnchorKey
  proposal_count: number
  pass_threshold_bps: number
  seq_num: AnchorInteger
}

/** Decodes a DAO account. Throws a DecodeError where it is none, or where the pool's mints are not the DAO's. */
export function decodeDao (client: ProgramClient, account: RawAccount) {
  const dao = client.dao(account) as AnchorDao
  const {
    amm, squads_multisig: multisig, squads_multisig_vault: vault,
    proposal_count: proposalCount, pass_threshold_bps: passThresholdBps
  } = dao
  const { state: { Spot, Futarchy }, amm_base_vault: baseVault, amm_quote_vault: quoteVault } = amm
  const { spot } = (Spot ?? Futarchy)!
  const { integer } = fieldsOf(spot)
  if (!amm.base_mint.equals(dao.base_mint) || !amm.quote_mint.equals(dao.quote_mint)) {
    throw new DecodeError('dao: the pool is of other mints')
  }
  // programs/futarchy/src/instructions/initialize_dao.rs
  const seeds = [SEED, dao.dao_creator.toBuffer(), dao.nonce.toArrayLike(Buffer, 'le', 8)]
  return {
    address: account.address,
    /** The address derived from the account's own bytes: another one where a node has mixed up its accounts. */
    ownAddress: keyText(deriveWith(seeds, dao.pda_bump, client.programKey)),
    /** Futarchy: a proposal is live, and beside the spot pool are two conditional ones, which set no price. */
    state: (Spot === undefined ? 'futarchy' : 'spot') as AmmState,
    baseMint: toKey(dao.base_mint),
    quoteMint: toKey(dao.quote_mint),
    // base58 is slow, and these are rarely needed
    /** The token accounts that hold what is in the pool, fees included. */
    get baseVault () { return toKey(baseVault) },
    get quoteVault () { return toKey(quoteVault) },
    /** The treasury: the vault of the DAO's multisig, which owns its token accounts. */
    get vault () { return toKey(vault) },
    /** Reserves of the spot pool, raw units; fee balances are not part of them. */
    baseReserves: integer('base_reserves'),
    quoteReserves: integer('quote_reserves'),
    /** Protocol fees that the spot pool holds uncollected, raw units. */
    baseFees: integer('base_protocol_fee_balance'),
    quoteFees: integer('quote_protocol_fee_balance'),
    /** When the pool began, Unix seconds; proposals leave it as it is. */
    createdAt: Number(spot.oracle.created_at_timestamp.toString()),
    /** Number of the DAO's latest event; its events are 1, 2, 3 … */
    seqNum: toBigInt(dao.seq_num),
    /** Bytes of the account: tells which version created or resized it. */
    size: account.data.length,
    /**
     * `totalLiquidity`: of all positions in the pool; `proposalCount`: ever made. Throws a DecodeError where the
     * spending limit is none.
     */
    details: () => ({
      multisig: toKey(multisig),
      totalLiquidity: toBigInt(amm.total_liquidity),
      proposalCount,
      passThresholdBps,
      ...tailOf(account)
    })
  }
}

/** The `seqNum` of a DAO's account, read alone; undefined: it is none. */
export function seqNumOf ({ data }: RawAccount): bigint | undefined {
  const state = ammState(data, AMM)
  const at = state && AMM + AMM_SIZES[state] + PREFIX_END - 8
  return at === undefined || data.length < at + 8 ? undefined : data.readBigUInt64LE(at)
}

/**
 * Accounts of the version without a team; what lies behind the last field is of an older state. Others have one, unless
 * they end before it (programs/futarchy/src/instructions/resize_dao.rs).
 */
const FIRST_SIZE = 1129
const MAX_MEMBERS = 10

/** A spending limit, with its amount at `amount` and the Vec of its members at `list`, of `most` at most. */
function limitAt (data: Buffer, amount: number, list: number, most: number, what: string) {
  const length = boundVec(data, list, KEY, most, what)
  const members = Array.from({ length }, (_, i) => keyAt(data, list + 4 + i * KEY))
  return { amount: data.readBigUInt64LE(amount), members }
}

/** The part of a DAO's account that not every version has. */
function tailOf ({ data }: RawAccount) {
  const at = AMM + AMM_SIZES[ammState(data, AMM)!] + PREFIX_END
  need(data, at, 1, 'dao')
  const has = data[at]
  if (has !== 0 && has !== 1) throw new DecodeError('dao: a spending limit that neither is nor is not')
  const spendingLimit = has === 0 ? null : limitAt(data, at + 1, at + 9, MAX_MEMBERS, 'dao')
  const team = at + (spendingLimit === null ? 1 : 13 + spendingLimit.members.length * KEY)
  const hasTeam = data.length !== FIRST_SIZE && data.length > team
  if (hasTeam) need(data, team, 2 + KEY, 'dao')
  const teamAddress = hasTeam ? keyAt(data, team + 2) : null
  return {
    /** What members may spend in a month by this account, raw quote units; null: nobody may. */
    spendingLimit,
    /** null: of a version without, or none. */
    teamAddress: teamAddress === PROGRAMS.system ? null : teamAddress,
    teamThresholdBps: hasTeam ? data.readInt16LE(team) : null
  }
}

const SPENDING_LIMIT = Buffer.from('0ac91ba0dac3de98', 'hex')
const MONTH = 3
/** As many as instructions of a proposal can name. */
const MAX_SPENDERS = 256

/**
 * What the Squads account of a DAO's spending limit lets its members spend of its quote token in a month; null: it is
 * of another token, vault or period (Squads-Protocol/v4: state/spending_limit.rs). Throws a DecodeError where it is
 * none of this multisig.
 */
export function decodeSpendingLimit (
  { address, quoteMint }: Pick<Dao, 'address' | 'quoteMint'>, multisig: string, { owner, data }: RawAccount
): DaoDetails['spendingLimit'] {
  if (owner !== PROGRAMS.squads || !data.subarray(0, 8).equals(SPENDING_LIMIT)) {
    throw new DecodeError('spending limit: another kind of account')
  }
  const limit = limitAt(data, 105, 131, MAX_SPENDERS, 'spending limit')
  if (keyAt(data, 8) !== multisig || keyAt(data, 40) !== address) {
    throw new DecodeError('spending limit: of another DAO')
  }
  return data[72] !== 0 || keyAt(data, 73) !== quoteMint || data[113] !== MONTH ? null : limit
}

const POSITION = Buffer.from('2261694a11e2d400', 'hex')

/**
 * Liquidity of a position in the pool of `dao` (programs/futarchy/src/state/amm_position.rs). Throws a DecodeError
 * where the account is none.
 */
export function decodeAmmPosition (program: string, dao: string, { owner, data }: RawAccount): bigint {
  if (owner !== program || !data.subarray(0, 8).equals(POSITION)) {
    throw new DecodeError('position: another kind of account')
  }
  need(data, 0, 88, 'position')
  if (keyAt(data, 8) !== dao) throw new DecodeError('position: of another DAO')
  return u128(data, 72)
}
