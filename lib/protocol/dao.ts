import type { RawAccount } from '../chain/types.js'
import { PROGRAMS } from './addresses.js'
import { AMM, AMM_SIZES, type AmmState, ammState } from './amm.js'
import { boundVec, DecodeError, need } from './bytes.js'
import type { ProgramClient } from './client.js'
import { deriveWith, keyAt, keyText, parseKey } from './pda.js'

/** A DAO and its embedded pool, by what every version's account begins with (programs/futarchy/src/state/dao.rs). */
export type Dao = ReturnType<typeof decodeDao>
/** Rarely needed parts of a DAO's account. */
export type DaoDetails = ReturnType<Dao['details']>

const KEY = 32

const SEED = Buffer.from('dao')

/** Decodes a DAO account. Throws a DecodeError where it is none, or where the pool's mints are not the DAO's. */
export function decodeDao (client: ProgramClient, account: RawAccount) {
  const dao = client.dao(account)
  const amm = dao.struct('amm')
  const state = amm.struct('state')
  const spot = state.struct('spot')
  const [baseMint, quoteMint] = [dao.key('base_mint'), dao.key('quote_mint')]
  if (amm.key('base_mint') !== baseMint || amm.key('quote_mint') !== quoteMint) {
    throw new DecodeError('dao: the pool is of other mints')
  }
  const { address } = account
  // programs/futarchy/src/instructions/initialize_dao.rs
  const seeds = [SEED, dao.bytes('dao_creator'), dao.bytes('nonce')]
  const own = deriveWith(seeds, Number(dao.value('pda_bump')), client.programKey)
  return {
    address,
    /** The address derived from the account's own bytes: another one where a node has mixed up its accounts. */
    ownAddress: parseKey(address)?.equals(own) === true ? address : keyText(own),
    /** Futarchy: a proposal is live, and beside the spot pool are two conditional ones, which set no price. */
    state: (state.name === 'Spot' ? 'spot' : 'futarchy') as AmmState,
    baseMint,
    quoteMint,
    /** The token accounts that hold what is in the pool, fees included. */
    get baseVault () { return amm.key('amm_base_vault') },
    get quoteVault () { return amm.key('amm_quote_vault') },
    /** The treasury: the vault of the DAO's multisig, which owns its token accounts. */
    get vault () { return dao.key('squads_multisig_vault') },
    /** Reserves of the spot pool, raw units; fee balances are not part of them. */
    baseReserves: spot.integer('base_reserves'),
    quoteReserves: spot.integer('quote_reserves'),
    /** Protocol fees that the spot pool holds uncollected, raw units. */
    baseFees: spot.integer('base_protocol_fee_balance'),
    quoteFees: spot.integer('quote_protocol_fee_balance'),
    /** When the pool began, Unix seconds; proposals leave it as it is. */
    createdAt: spot.struct('oracle').time('created_at_timestamp'),
    /** Number of the DAO's latest event; its events are 1, 2, 3 … */
    seqNum: dao.integer('seq_num'),
    /** Bytes of the account: tells which version created or resized it. */
    size: account.data.length,
    /**
     * `totalLiquidity`: of all positions in the pool; `proposalCount`: ever made. Throws a DecodeError where the
     * spending limit is none.
     */
    details: () => ({
      multisig: dao.key('squads_multisig'),
      totalLiquidity: amm.integer('total_liquidity'),
      proposalCount: Number(dao.value('proposal_count')),
      passThresholdBps: Number(dao.value('pass_threshold_bps')),
      ...tailOf(account, dao.end)
    })
  }
}

/** Bytes between the end of the AMM and the sequence number. */
const BEFORE_SEQ = 239

/** The `seqNum` of a DAO's account, read alone; undefined: it is none. */
export function seqNumOf ({ data }: RawAccount): bigint | undefined {
  const state = ammState(data, AMM)
  const at = state === undefined ? Infinity : AMM + AMM_SIZES[state] + BEFORE_SEQ
  return data.length < at + 8 ? undefined : data.readBigUInt64LE(at)
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

/** The part of a DAO's account from `at` on, behind the IDL's, since Anchor would believe the count of its Vec. */
function tailOf ({ data }: RawAccount, at: number) {
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

/**
 * Liquidity of a position in the pool of `dao` (programs/futarchy/src/state/amm_position.rs). Throws a DecodeError
 * where the account is none.
 */
export function decodeAmmPosition (client: ProgramClient, dao: string, account: RawAccount): bigint {
  const position = client.ammPosition(account)
  if (position.key('dao') !== dao) throw new DecodeError('position: of another DAO')
  return position.integer('liquidity')
}
