/** The rows that rules work on and the store keeps. Amounts are raw units, times are Unix seconds. */
import type { Moment } from '../../chain/moment.js'
import type { SwapFacts, VolumeRule } from '../../market/volume.js'
import type { EventFacts, Outcome, Sides, SpotSwap } from '../../protocol/events.js'

/** Consecutive signatures of the program that are stored, ends included. */
export interface IndexedRange {
  newest: string
  newestSlot: number
  oldest: string
  oldestSlot: number
  /** Of the oldest entry that has a time; null: none has. */
  oldestTime: number | null
  /** The signature just above `oldest`, by which a node is asked whether it still knows that. */
  anchor: string | null
}

/** At the low end of a range: its fee is known once the event before is. */
export interface PendingSwap extends SpotSwap {
  seq: bigint
  at: number
  /** The fee balance of its input side after it. */
  feeBalanceAfter: bigint
}

/** Consecutive sequence numbers of a DAO that are stored. */
export interface SequenceRange {
  first: bigint
  last: bigint
  firstSlot: number
  lastSlot: number
  firstAt: number
  lastAt: number
  /** None of the events touches the fee balances. */
  keepsFees: boolean
  /** null: not known. */
  feeBalancesAfter: Sides | null
  pendingSwap: PendingSwap | null
}

/** An event that changed a spot pool. */
export interface PoolEvent {
  dao: string
  seq: bigint
  kind: string
  slot: number
  at: number
  signature: string
  /** Outer instruction × 65,536 + position among its inner ones. */
  eventIndex: number
  /** Index of the transaction in its block; null: not known yet. */
  blockIndex: number | null
  /** The user that the event names, else the fee payer; null: not known yet, of a row of 1.0. */
  maker: string | null
  swap: SwapFacts | null
  /** Into the pool, negative: out of it; null: nothing, or not known. */
  liquidity: Sides | null
  /** The pool's reserves after it; null: not told. */
  reserves: Sides | null
}

/** `reason`, `raw`: of one that is not understood. */
export interface StoredEvent extends PoolEvent {
  /** Protocol fees that the spot pool holds after it; null: not told. */
  fees: Sides | null
  /** Of a decision or an external pool; none: nothing, or not read yet. */
  facts?: EventFacts | null
  reason: string | null
  raw: Buffer | null
}

/** One of the two markets of a proposal. */
export interface MarketKey { proposal: string, market: Outcome }

/** What made, decided or ended a proposal. */
export interface ProposalEvent {
  dao: string
  proposal: string
  kind: string
  slot: number
  at: number
  averages: EventFacts['averages']
}

/** Fees of a pool that no swap of it was charged. */
export interface OtherFees {
  dao: string
  kind: string
  at: number
  /** null: not known. */
  fees: Sides | null
  /** Of an external position: of which tokens. */
  mints: { quote: string, base: string } | null
  /** Of the spot pool, by which a fee in base tokens counts; null: not known. */
  reserves: Sides | null
}

/** An event of which the DAO, or the number, is not known yet. */
export interface UnattributedEvent
  extends Pick<StoredEvent, 'kind' | 'signature' | 'eventIndex' | 'slot' | 'reason' | 'raw'> {
  seq: bigint | null
  at: number | null
  keepsFees: boolean
  /** By which its DAO may become known: its proposal, or addresses that may be the DAO's. */
  keys: readonly string[]
}

/** A fee rate that swaps of a DAO show, basis points, from the first slot to the last. */
export interface FeeRate { dao: string, bps: string, fromSlot: number, toSlot: number }

/** A pool's reserves after its last event of a UTC day; `at`: of that event. */
export interface CloseRow extends Sides { dao: string, seq: bigint, at: number }

/** Who traded on a UTC day, counted from 1970-01-01. */
export interface DayMaker { dao: string, day: number, maker: string }

/** Listed, and not given by any node. `at`: null: not known. */
export interface MissingTransaction { signature: string, slot: number, at: number | null, reason: string }

/** A part of the past that no node has any more: after `fromSlot`, up to `toSlot` and `until`; null: not known. */
export interface Loss { fromSlot: number, toSlot: number, until: number | null }

/** A DAO's account: its number of events, when it was made, what its spot pool holds. */
export interface AccountState { address: string, seqNum: bigint, createdAt?: number, reserves?: Sides }

/** The DAO accounts at `confirmed`. */
export interface Accounts extends Moment { daos: readonly AccountState[] }

/** All swaps up to this revision are counted, so many. */
export interface RebuiltTo { revision: number, swaps: number }

/** What a writer begins with. */
export interface StoreState {
  indexedRanges: IndexedRange[]
  ended: boolean
  sequenceRanges: Map<string, SequenceRange[]>
  /** DAOs by their proposals. */
  proposals: Map<string, string>
  /** By signature. */
  missing: Map<string, MissingTransaction>
  /** Inside what is indexed, newest first. */
  losses: Loss[]
  /** By DAO its account's `seqNum`, where beyond what is stored, or nothing is. */
  numbersAhead: Map<string, bigint>
  /** Swaps by observed fee rate, basis points, where it is not the configured one. */
  rates: Map<string, number>
  firstSwaps: Map<string, number>
  /** By DAO when its newest event that can't be read was. */
  unreadable: Map<string, number>
  events: number
  swaps: number
  /** By which candles are made; null: none are, or they are being made. */
  valuation: VolumeRule | null
  /** A rebuild that has not ended. */
  rebuilding: RebuiltTo & { valuation: VolumeRule } | null
}

export interface Trade extends PoolEvent { swap: SwapFacts }
