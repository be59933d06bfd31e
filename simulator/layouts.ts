/** The futarchy program's accounts, byte for byte (`programs/futarchy/src/state/*.rs`). */
import { type Oracle, type Pool, type Pools } from './arithmetic.js'
import { Writer, discriminator } from './bytes.js'

/** Builds of the program: they append fields and enlarge the account. */
export type DaoLayout = 'F0' | 'F1' | 'F2' | 'F3'

/** Room that each build allocates: always for a live proposal and ten spending members. */
export const DAO_SIZE: Record<DaoLayout, number> = { F0: 1129, F1: 1163, F2: 1205, F3: 1263 }

export interface DaoConfig {
  passThresholdBps: number
  secondsPerProposal: number
  twapInitial: bigint
  twapMaxChange: bigint
  twapStartDelay: number
  minQuoteLiquidity: bigint
  minBaseLiquidity: bigint
  baseToStake: bigint
  teamThresholdBps: number
  teamAddress: string
  optimistic: boolean
}

/** What stays as it was made. */
export interface DaoIdentity {
  address: string
  layout: DaoLayout
  nonce: bigint
  creator: string
  bump: number
  multisig: string
  vault: string
  baseMint: string
  quoteMint: string
  baseVault: string
  quoteVault: string
  spendingLimit: { amount: bigint, members: string[] } | null
}

/** What instructions change. */
export interface DaoState {
  pools: Pools
  totalLiquidity: bigint
  seq: number
  proposalCount: number
  config: DaoConfig
}

/** Event and account agree on this part: 277 bytes, 541 while a proposal is live. */
export function writeAmm (writer: Writer, { pools, totalLiquidity }: DaoState, identity: DaoIdentity): Writer {
  writer.u8(pools.pass === null ? 0 : 1)
  writePool(writer, pools.spot)
  if (pools.pass !== null) writePool(writer, pools.pass)
  if (pools.fail !== null) writePool(writer, pools.fail)
  return writer.u128(totalLiquidity).key(identity.baseMint).key(identity.quoteMint).key(identity.baseVault)
    .key(identity.quoteVault)
}

// Quote before base, in reserves and in fees.
function writePool (writer: Writer, pool: Pool): void {
  writeOracle(writer, pool.oracle)
  writer.u64(pool.quote).u64(pool.base).u64(pool.quoteFees).u64(pool.baseFees)
}

function writeOracle (writer: Writer, oracle: Oracle): void {
  writer.u128(oracle.aggregator).i64(oracle.updated).i64(oracle.created).u128(oracle.lastPrice)
    .u128(oracle.lastObservation).u128(oracle.maxChange).u128(oracle.initial).u32(oracle.startDelay)
}

/** Settings that the account and the events of all builds have, one after another. */
export function writeConfig (writer: Writer, config: DaoConfig, withStartDelay: boolean): Writer {
  writer.u16(config.passThresholdBps).u32(config.secondsPerProposal).u128(config.twapInitial).u128(config.twapMaxChange)
  if (withStartDelay) writer.u32(config.twapStartDelay)
  return writer.u64(config.minQuoteLiquidity).u64(config.minBaseLiquidity).u64(config.baseToStake)
}

export function writeSpendingLimit (writer: Writer, limit: DaoIdentity['spendingLimit']): Writer {
  return writer.option(limit, ({ amount, members }) => {
    writer.u64(amount).u32(members.length)
    for (const member of members) writer.key(member)
  })
}

/** `period`: 0 once, 1 a day, 2 a week, 3 a month. */
export interface SquadsLimit { amount: bigint, period: number, members: string[], mint?: string, vault?: number }

/** The account of Squads v4 of a DAO's spending limit. */
export function writeSquadsLimit (
  { address, multisig, quoteMint }: DaoIdentity, { amount, period, members, mint = quoteMint, vault = 0 }: SquadsLimit
): Buffer {
  const writer = new Writer(8 + 32 + 32 + 1 + 32 + 8 + 1 + 8 + 8 + 1 + 4 + 32 * members.length + 4)
    .bytes(discriminator('account', 'SpendingLimit')).key(multisig).key(address).u8(vault).key(mint).u64(amount)
    .u8(period).u64(amount).i64(0).u8(255).u32(members.length)
  for (const member of members) writer.key(member)
  return writer.u32(0).buffer
}

/** Writes a DAO over its old image: after a proposal the shorter form leaves stale bytes behind it, as on the chain. */
export function writeDao (image: Buffer, identity: DaoIdentity, state: DaoState): Buffer {
  const { config } = state
  const writer = new Writer(image).bytes(discriminator('account', 'Dao'))
  writeAmm(writer, state, identity)
  writer.u64(identity.nonce).key(identity.creator).u8(identity.bump).key(identity.multisig).key(identity.vault)
    .key(identity.baseMint).key(identity.quoteMint).u32(state.proposalCount)
  writeConfig(writer, config, true).u64(BigInt(state.seq))
  writeSpendingLimit(writer, identity.spendingLimit)
  if (identity.layout === 'F0') return image
  writer.i16(config.teamThresholdBps).key(config.teamAddress)
  if (identity.layout === 'F1') return image
  writer.u8(0).u8(config.optimistic)
  // No liquidator, nothing failed yet, limit in step, no buyback.
  if (identity.layout === 'F3') writer.u8(0).i64(0).i64(0).u8(0).i64(0)
  return image
}

export interface ProposalState {
  address: string
  number: number
  proposer: string
  enqueued: number
  status: 'draft' | 'pending' | 'passed' | 'failed' | 'removed'
  staked: bigint
  bump: number
  question: string
  squadsProposal: string
  duration: number
  sponsored: boolean
  baseVault: string
  quoteVault: string
  passBase: string
  passQuote: string
  failBase: string
  failQuote: string
}

export const PROPOSAL_STATUS = { draft: 0, pending: 1, passed: 2, failed: 3, removed: 4 } as const

/** 355 bytes: room for the draft form, which is 8 bytes longer. */
export function writeProposal (proposal: ProposalState, dao: string): Buffer {
  const writer = new Writer(355).bytes(discriminator('account', 'Proposal'))
  writer.u32(proposal.number).key(proposal.proposer).i64(proposal.enqueued).u8(PROPOSAL_STATUS[proposal.status])
  if (proposal.status === 'draft') writer.u64(proposal.staked)
  writer.key(proposal.baseVault).key(proposal.quoteVault).key(dao).u8(proposal.bump).key(proposal.question)
    .u32(proposal.duration).key(proposal.squadsProposal).key(proposal.passBase).key(proposal.passQuote)
    .key(proposal.failBase).key(proposal.failQuote).u8(proposal.sponsored)
  return writer.buffer
}

/** 88 bytes. */
export function writeAmmPosition (dao: string, authority: string, liquidity: bigint): Buffer {
  return new Writer(88).bytes(discriminator('account', 'AmmPosition')).key(dao).key(authority).u128(liquidity).buffer
}
