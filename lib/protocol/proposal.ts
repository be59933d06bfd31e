import type { RawAccount } from '../chain/types.js'
import { MAX_TIME } from '../time.js'
import { AMM, AMM_SIZES, ammState, poolAt } from './amm.js'
import { DecodeError, need } from './bytes.js'
import { keyAt } from './pda.js'
import { PROPOSAL_STATES } from '../../schemas/proposals.js'

/** Proposals and the markets that decide them (programs/futarchy/src/state/proposal.rs). */

/** PROPOSAL_STATES have the order of the account's byte. */
export type ProposalState = typeof PROPOSAL_STATES[number]

export type Proposal = ReturnType<typeof decodeProposal>

export const PROPOSAL_PREFIX = Buffer.from('1a5ebdbb74883521', 'hex')
const [NUMBER, PROPOSER, ENQUEUED, STATE, DAO, DURATION, SQUADS, SPONSORED] = [8, 12, 44, 52, 117, 182, 186, 346]
/** In a draft the staked amount follows the state. */
const STAKED_BYTES = 8
/** Accounts of the version without sponsors, which have room for a draft. */
const FIRST_SIZE = SPONSORED + STAKED_BYTES

/** Throws a DecodeError where the account is none. */
export function decodeProposal (program: string, { address, owner, data }: RawAccount) {
  if (owner !== program || !data.subarray(0, 8).equals(PROPOSAL_PREFIX)) {
    throw new DecodeError('proposal: another kind of account')
  }
  need(data, 0, STATE + 1, 'proposal')
  const state = PROPOSAL_STATES[data[STATE]!]
  if (state === undefined) throw new DecodeError('proposal: a state that is none')
  const shift = state === 'draft' ? STAKED_BYTES : 0
  need(data, 0, SPONSORED + shift, 'proposal')
  const hasSponsor = data.length !== FIRST_SIZE && data.length > SPONSORED + shift
  const enqueued = Number(data.readBigInt64LE(ENQUEUED))
  const duration = data.readUInt32LE(DURATION + shift)
  if (enqueued + duration > MAX_TIME) throw new DecodeError('proposal: a time beyond all dates')
  return {
    address,
    number: data.readUInt32LE(NUMBER),
    proposer: keyAt(data, PROPOSER),
    /** Unix second of its launch; null: not launched. */
    launchedAt: enqueued > 0 ? enqueued : null,
    state,
    /** Raw base units, of a draft; null: it is none. */
    staked: shift === 0 ? null : data.readBigUInt64LE(STATE + 1),
    dao: keyAt(data, DAO + shift),
    /** Seconds that its markets are open. */
    duration,
    squadsProposal: keyAt(data, SQUADS + shift),
    /** null: of a version without sponsors. */
    isTeamSponsored: hasSponsor ? data[SPONSORED + shift] === 1 : null
  }
}

/** The markets in a DAO's account; null while no proposal is live. */
export function liveMarkets ({ data }: RawAccount) {
  if (ammState(data, AMM) !== 'futarchy') return null
  need(data, AMM, AMM_SIZES.futarchy, 'dao')
  return { spot: poolAt(data, AMM), pass: poolAt(data, AMM, 'pass'), fail: poolAt(data, AMM, 'fail') }
}
