/** The rows that rules work on and the store keeps. Amounts are raw units, times are Unix seconds. */
import type { Moment } from '../../chain/moment.js'
import type { SwapFacts, VolumeRule } from '../../market/volume.js'
import type { EventFacts, Outcome, Sides, SpotSwap } from '../../protocol/events.js'

/** A stretch of the program's signatures, ends included, processed without a gap. */
export interface IndexedRange {
  newest: string
  newestSlot: number
  oldest: string
  oldestSlot: number
  /** Of the oldest entry that has a time; null: none has. */
  oldestTime: number | null
  /** The entry just newer than `oldest`: through it a node is asked whether it still knows `oldest`. */
  anchor: string | null
}

/** At the low end of a run of events: its fee is known with the event before the run. */
export interface PendingSwap extends SpotSwap {
  seq: bigint
  at: number
  /** The fee balance of its input side after it. */
  feeBalanceAfter: bigint
}

/** A run of consecutive sequence numbers of one DAO that are all stored. */
export interface SequenceRange {
  first: bigint
  last: bigint
  firstSlot: number
  lastSlot: number
  firstAt: number
  lastAt: number
  /** No event of the run touches the fee balances. */
  keepsFees: boolean
  /** The fee balances after the run; null: not known. */
  feeBalancesAfter: Sides | null
  pendingSwap: PendingSwap | null
}

/** What is kept of an event that changed a spot pool. */
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
  /** The pool's reserves after it, where the event says so. */
  reserves: Sides | null
}

/** `liquidity`: what the event itself says. `reason`, `raw`: of one that is not understood. */
export interface StoredEvent extends PoolEvent {
  /** Protocol fees that the spot pool holds after the event, where it says so. */
  fees: Sides | null
  /** Of a decision or an external pool; none: nothing, or not read for that yet. */
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

/** What came to a pool's fees from outside of its swaps. */
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

/** A genuine event of which the DAO, or even the number, is not known yet. */
export interface UnattributedEvent
  extends Pick<StoredEvent, 'kind' | 'signature' | 'eventIndex' | 'slot' | 'reason' | 'raw'> {
  seq: bigint | null
  at: number | null
  keepsFees: boolean
  /** By which its DAO may become known: its proposal, or where a DAO usually is. */
  keys: readonly string[]
}

/** A fee rate that swaps of a DAO show, basis points, and the slots of the first and the last. */
export interface FeeRate { dao: string, bps: string, fromSlot: number, toSlot: number }

/** A pool's reserves after its last event of a UTC day; `at`: of that event. */
export interface CloseRow extends Sides { dao: string, seq: bigint, at: number }

/** One who traded with a DAO's pool on a UTC day, counted from 1970-01-01. */
export interface DayMaker { dao: string, day: number, maker: string }

/** Listed, and not given by the node. `at`: of its block; null: the node does not know. */
export interface MissingTransaction { signature: string, slot: number, at: number | null, reason: string }

/** A part of the past that no node offers any more: after `fromSlot`, up to `toSlot` and `until`; null: not known. */
export interface Loss { fromSlot: number, toSlot: number, until: number | null }

/** A DAO's account: its number of events, when it was made, what its spot pool holds. */
export interface AccountState { address: string, seqNum: bigint, createdAt?: number, reserves?: Sides }

/** The DAO accounts at `confirmed`, and of which moment. */
export interface Accounts extends Moment { daos: readonly AccountState[] }

/** How far a rebuild is: all swaps up to this revision are counted, so many. */
export interface RebuiltTo { revision: number, swaps: number }

/** What a writer knows when it begins. */
export interface StoreState {
  indexedRanges: IndexedRange[]
  ended: boolean
  sequenceRanges: Map<string, SequenceRange[]>
  /** DAOs by their proposals. */
  proposals: Map<string, string>
  missing: MissingTransaction[]
  /** Inside what is indexed, newest first. */
  losses: Loss[]
  /** By DAO its account's number, where that was last proved to be past what is stored, or no event of it is. */
  numbersAhead: Map<string, bigint>
  /** Swaps by observed fee rate, basis points, that is not the configured one. */
  rates: Map<string, number>
  firstSwaps: Map<string, number>
  /** When the newest event that could not be read was, by DAO. */
  unreadable: Map<string, number>
  events: number
  swaps: number
  /** By which candles are made; null: there are none, or they are being made anew. */
  valuation: VolumeRule | null
  /** A rebuild that has not ended. */
  rebuilding: RebuiltTo & { valuation: VolumeRule } | null
}

export interface Trade extends PoolEvent { swap: SwapFacts }
