/**
 * The events of the program as instruction data: CPI tag, event discriminator, Borsh body
 * (`programs/futarchy/src/events.rs`).
 */
import { FEE_VAULT, ata } from './addresses.js'
import { type Market, type Side } from './arithmetic.js'
import { Writer, discriminator } from './bytes.js'
import { type ProgramBuild } from './chain.js'
import {
  type DaoIdentity, type DaoState, type ProposalState, PROPOSAL_STATUS, writeAmm, writeConfig, writeSpendingLimit
} from './layouts.js'

/** First 8 bytes of sha256 of `anchor:event`, reversed: marks a call of the program to itself that carries an event. */
export const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

/** Everything that events are written from. */
export interface EventContext extends Partial<ProgramBuild> {
  identity: DaoIdentity
  state: DaoState
  slot: number
  time: number
}

const scratch = new Writer(8192)
let tail = 0

/** Tag, discriminator and the fields common to all events: slot, unix time, the DAO's sequence number. */
function begin (name: string, { state, slot, time, appended = {} }: EventContext): Writer {
  scratch.offset = 0
  tail = appended[name] ?? appended['*'] ?? 0
  return scratch.bytes(EVENT_TAG).bytes(discriminator('event', name)).u64(BigInt(slot)).i64(time).u64(BigInt(state.seq))
}

/** Most have the DAO's key next. */
const beginOfDao = (name: string, context: EventContext): Writer => begin(name, context).key(context.identity.address)

// The scratch space is reused, the history keeps a copy.
const done = (writer: Writer): Buffer => Buffer.concat([writer.done(), Buffer.alloc(tail, 0xa5)])

/** With the pool's state at the end. */
const doneWithAmm = (writer: Writer, { state, identity }: EventContext): Buffer =>
  done(writeAmm(writer, state, identity))

/** What a swap asks for at the least. */
export const LEAST_OUTPUT = 0n

export const sideTag = (side: Side): number => side === 'buy' ? 0 : 1

export const spotSwapEvent = (
  context: EventContext, user: string, side: Side, input: bigint, output: bigint
): Buffer => doneWithAmm(
  beginOfDao('SpotSwapEvent', context).key(user).u8(sideTag(side)).u64(input).u64(output).u64(LEAST_OUTPUT), context
)

export function conditionalSwapEvent (
  context: EventContext, proposal: string, trader: string, market: Market, side: Side, input: bigint, output: bigint
): Buffer {
  const writer = beginOfDao('ConditionalSwapEvent', context).key(proposal).key(trader)
    .u8(market === 'pass' ? 1 : 2).u8(sideTag(side)).u64(input).u64(output)
    .u64(LEAST_OUTPUT)
  return doneWithAmm(writer, context)
}

/** Quote mint before base mint here, unlike elsewhere. */
export function collectFeesEvent (
  context: EventContext, baseAccount: string, quoteAccount: string, quote: bigint, base: bigint
): Buffer {
  const { identity } = context
  const writer = beginOfDao('CollectFeesEvent', context).key(baseAccount).key(quoteAccount)
    .key(identity.baseVault).key(identity.quoteVault).key(identity.quoteMint).key(identity.baseMint).u64(quote)
    .u64(base)
  return doneWithAmm(writer, context)
}

/** What the DAO's position in an external pool has earned; quote mint before base mint, too. */
export function collectMeteoraDammFeesEvent (
  context: EventContext, pool: string, mints: { base: string, quote: string }, quote: bigint, base: bigint
): Buffer {
  return done(beginOfDao('CollectMeteoraDammFeesEvent', context).key(pool)
    .key(ata(FEE_VAULT, mints.base)).key(ata(FEE_VAULT, mints.quote)).key(mints.quote).key(mints.base).u64(quote)
    .u64(base))
}

export function initializeDaoEvent (context: EventContext): Buffer {
  const { identity, state: { config } } = context
  const isNewer = identity.layout !== 'F0'
  const writer = beginOfDao('InitializeDaoEvent', context).key(identity.baseMint)
    .key(identity.quoteMint)
  writeSpendingLimit(writeConfig(writer, config, isNewer), identity.spendingLimit).key(identity.multisig)
    .key(identity.vault)
  if (isNewer) writer.i16(config.teamThresholdBps).key(config.teamAddress)
  if (identity.layout === 'F3') writer.u64(0n).u8(0)
  return done(writer)
}

/** 134, 172 or 173 bytes by build. */
export function updateDaoEvent (context: EventContext): Buffer {
  const { identity: { layout }, state: { config } } = context
  const writer = beginOfDao('UpdateDaoEvent', context)
  writeConfig(writer, config, layout !== 'F0')
  if (layout !== 'F0') writer.i16(config.teamThresholdBps).key(config.teamAddress)
  if (layout === 'F2' || layout === 'F3') writer.u8(config.optimistic)
  return done(writer)
}

export function initializeProposalEvent (context: EventContext, proposal: ProposalState): Buffer {
  const { identity } = context
  return done(begin('InitializeProposalEvent', context).key(proposal.address).key(identity.address)
    .key(proposal.question).key(proposal.quoteVault).key(proposal.baseVault).key(proposal.proposer)
    .u32(proposal.number).u8(proposal.bump).u32(proposal.duration).key(proposal.squadsProposal)
    .key(identity.multisig).key(identity.vault))
}

/** Carries no DAO, although its sequence number is a DAO's. */
export function stakeEvent (
  context: EventContext, kind: 'stake' | 'unstake', proposal: ProposalState, staker: string, amount: bigint
): Buffer {
  const name = kind === 'stake' ? 'StakeToProposalEvent' : 'UnstakeFromProposalEvent'
  return done(begin(name, context).key(proposal.address).key(staker).u64(amount).u64(proposal.staked))
}

/** 661 bytes; the very first build lacked the time (653). */
export function launchProposalEvent (context: EventContext, proposal: ProposalState): Buffer {
  const writer = begin('LaunchProposalEvent', context).key(proposal.address).key(context.identity.address)
  if (context.identity.layout !== 'F0') writer.i64(proposal.enqueued)
  return doneWithAmm(writer.u64(proposal.staked), context)
}

export function finalizeProposalEvent (
  context: EventContext, proposal: ProposalState, twaps: { pass: bigint, fail: bigint, threshold: bigint }
): Buffer {
  const { identity } = context
  const writer = begin('FinalizeProposalEvent', context).key(proposal.address).key(identity.address)
    .u128(twaps.pass).u128(twaps.fail).u128(twaps.threshold).u8(PROPOSAL_STATUS[proposal.status])
    .key(proposal.squadsProposal).key(identity.multisig)
  writeAmm(writer, context.state, identity)
  if (identity.layout !== 'F0') writer.u8(proposal.sponsored)
  return done(writer)
}

export function provideLiquidityEvent (
  context: EventContext, provider: string, authority: string, quote: bigint, base: bigint, minted: bigint
): Buffer {
  const writer = beginOfDao('ProvideLiquidityEvent', context).key(provider).key(authority)
    .u64(quote).u64(base).u128(minted).u128(0n)
  return doneWithAmm(writer, context)
}

export function withdrawLiquidityEvent (
  context: EventContext, provider: string, liquidity: bigint, base: bigint, quote: bigint
): Buffer {
  const writer = beginOfDao('WithdrawLiquidityEvent', context).key(provider)
    .u128(liquidity).u64(0n).u64(0n).u64(base).u64(quote)
  return doneWithAmm(writer, context)
}

/** Sponsor, remove and admin cancel: proposal, DAO, who did it; a cancellation also carries the pool's state. */
export function proposalNoteEvent (
  context: EventContext, name: 'SponsorProposalEvent' | 'RemoveProposalEvent' | 'AdminCancelProposalEvent',
  proposal: string, by: string
): Buffer {
  const writer = begin(name, context).key(proposal).key(context.identity.address).key(by)
  return name === 'AdminCancelProposalEvent' ? doneWithAmm(writer, context) : done(writer)
}

/** Of the next release: the liquidator has what was in the pool. */
export function applyLiquidationEvent (
  context: EventContext, proposal: string, liquidator: string, base: bigint, quote: bigint
): Buffer {
  const writer = beginOfDao('ApplyLiquidationEvent', context).key(proposal).key(liquidator).u64(base).u64(quote)
  return doneWithAmm(writer, context)
}

/** An event that nobody here knows. */
export interface UnknownEventOptions {
  name?: string
  /** Bytes between the common fields and the DAO's key; null: the key is nowhere. Default 0. */
  keyAt?: number | null
  /** Bytes after it; default 9. */
  rest?: number
  /** What it brings into the spot pool, raw units; below 0: takes out. */
  moves?: { base: bigint, quote: bigint }
}

/** Common fields, then the DAO, then something, unless told otherwise. */
export function unknownEvent (
  context: EventContext, { name = 'EventOfALaterBuild', keyAt = 0, rest = 9 }: UnknownEventOptions = {}
): Buffer {
  const writer = begin(name, context)
  if (keyAt !== null) writer.bytes(Buffer.alloc(keyAt, 0x5a)).key(context.identity.address)
  return done(writer.bytes(Buffer.alloc(rest, 7)))
}
