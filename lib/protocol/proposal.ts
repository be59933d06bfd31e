import type { RawAccount } from '../chain/types.js'
import { MAX_TIME } from '../time.js'
import { AMM, AMM_SIZES, ammState, poolAt } from './amm.js'
import { DecodeError, need } from './bytes.js'
import type { ProgramClient } from './client.js'
import type { PROPOSAL_STATES } from '../../schemas/proposals.js'

/** Proposals and the markets that decide them (programs/futarchy/src/state/proposal.rs). */

/** PROPOSAL_STATES are the account's in lower case. */
export type ProposalState = typeof PROPOSAL_STATES[number]

export type Proposal = ReturnType<typeof decodeProposal>

/** Bytes of accounts of the version without sponsors, which have room for a draft. */
const FIRST_SIZE = 354

/** Throws a DecodeError where the account is none. */
export function decodeProposal (client: ProgramClient, account: RawAccount) {
  const { address, data } = account
  const proposal = client.proposal(account)
  const content = proposal.struct('state')
  const state = content.name.toLowerCase() as ProposalState
  const hasSponsor = data.length !== FIRST_SIZE && data.length > proposal.end
  const enqueued = proposal.time('timestamp_enqueued')
  const duration = Number(proposal.value('duration_in_seconds'))
  if (enqueued + duration > MAX_TIME) throw new DecodeError('proposal: a time beyond all dates')
  return {
    address,
    number: Number(proposal.value('number')),
    proposer: proposal.key('proposer'),
    /** Unix second of its launch; null: not launched. */
    launchedAt: enqueued > 0 ? enqueued : null,
    state,
    /** Raw base units, of a draft; null: it is none. */
    staked: state === 'draft' ? content.integer('amount_staked') : null,
    dao: proposal.key('dao'),
    /** Seconds that its markets are open. */
    duration,
    squadsProposal: proposal.key('squads_proposal'),
    /** null: of a version without sponsors. */
    isTeamSponsored: hasSponsor ? data[proposal.end] === 1 : null
  }
}

/** The markets in a DAO's account; null while no proposal is live. */
export function liveMarkets ({ data }: RawAccount) {
  if (ammState(data, AMM) !== 'futarchy') return null
  need(data, AMM, AMM_SIZES.futarchy, 'dao')
  return { spot: poolAt(data, AMM), pass: poolAt(data, AMM, 'pass'), fail: poolAt(data, AMM, 'fail') }
}
