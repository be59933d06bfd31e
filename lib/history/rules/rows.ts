/** The rows that rules work on, and the columns that keep them. Amounts are raw units, times Unix seconds. */
import type { Moment } from '../../chain/moment.js'
import type { SwapFacts, VolumeRule } from '../../market/volume.js'
import type { EventFacts, Outcome, Sides } from '../../protocol/events.js'
import {
  amount, bytes, flag, jsonText, jsonValue, type Mapping, number, optional, record, seq, side, text, type ValueOf
} from './mapping.js'

export const sides = <Q extends string, B extends string>(quote: Q, base: B) =>
  optional(record({ quote: amount(quote), base: amount(base) }))

/** At the low end of a range: its fee is known once the event before is. */
export type PendingSwap = ValueOf<typeof PENDING_SWAP>
const PENDING_SWAP = record({
  seq: seq('pending_seq'),
  at: number('pending_at'),
  side: side('pending_side'),
  input: amount('pending_input'),
  output: amount('pending_output'),
  /** The fee balance of its input side after it. */
  feeBalanceAfter: amount('pending_fees_after')
})

/** Consecutive sequence numbers of a DAO that are stored. `keepsFees`: no event of them touches the fee balances. */
export type SequenceRange = ValueOf<typeof SEQUENCE_RANGE>
export const SEQUENCE_RANGE = record({
  first: seq('first_seq'),
  last: seq('last_seq'),
  firstSlot: number('first_slot'),
  lastSlot: number('last_slot'),
  firstAt: number('first_at'),
  lastAt: number('last_at'),
  keepsFees: flag('keeps_fees'),
  /** null: not known. */
  feeBalancesAfter: sides('quote_fees_after', 'base_fees_after'),
  pendingSwap: optional(PENDING_SWAP)
})

/** `proposal` and `market` are in `facts`, too, and have an index of their own. */
export const FACTS: Mapping<
  { proposal: string | null, market: Outcome | null, facts: string | null }, EventFacts | null
> = {
  columns: ['proposal', 'market', 'facts'],
  write (facts, row) {
    row.proposal = facts?.proposal ?? null
    row.market = facts?.swap?.market ?? null
    row.facts = facts && jsonText(facts)
  },
  read: ({ facts }) => facts && jsonValue(facts)
}

export const EVENT = {
  seq: seq('seq'),
  kind: text('kind'),
  slot: number('slot'),
  at: number('at'),
  signature: text('signature'),
  /** Outer instruction × 65,536 + position among its inner ones. */
  eventIndex: number('event_index'),
  /** Index of the transaction in its block; null: not known yet. */
  blockIndex: optional(number('block_index')),
  /** The user that the event names, else the fee payer; null: not known yet, of a row of 1.0. */
  maker: optional(text('maker')),
  swap: optional(record({
    side: side('side'), input: amount('input'), output: amount('output'), fee: optional(amount('fee'))
  })),
  /** Into the pool, negative: out of it; null: nothing, or not known. */
  liquidity: sides('quote_change', 'base_change'),
  /** The pool's reserves after it; null: not told. */
  reserves: sides('quote_reserves', 'base_reserves')
}
export const POOL_EVENT = record(EVENT)
/** An event that changed a spot pool. */
export interface PoolEvent extends ValueOf<typeof POOL_EVENT> { dao: string }
export interface Trade extends PoolEvent { swap: SwapFacts }
export const STORED_EVENT = record({
  ...EVENT,
  /** Protocol fees that the spot pool holds after it; null: not told. */
  fees: sides('quote_fees', 'base_fees'),
  /** Of a decision or an external pool; null: nothing, or not read yet. */
  facts: FACTS,
  /** Of one that is not understood. */
  reason: optional(text('reason')),
  raw: optional(bytes('raw'))
})
export interface StoredEvent extends ValueOf<typeof STORED_EVENT> { dao: string }

/** A pool's reserves after its last event of a UTC day. */
export interface CloseRow extends ValueOf<typeof CLOSE> { dao: string }
export const CLOSE = record({
  seq: seq('seq'), at: number('at'), quote: amount('quote_reserves'), base: amount('base_reserves')
})

/** A fee rate that swaps of a DAO show, basis points, from the first slot to the last. */
export interface FeeRate extends ValueOf<typeof FEE_RATE> { dao: string }
export const FEE_RATE = record({ bps: text('bps'), fromSlot: number('from_slot'), toSlot: number('to_slot') })

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

/** Who traded on a day since 1970-01-01. */
export interface DayMaker { dao: string, day: number, maker: string }

/** Listed, and not given by any node. `at`: null: not known. */
export interface MissingTransaction { signature: string, slot: number, at: number | null, reason: string }

/** A part of the past that no node has any more: after `fromSlot`, up to `toSlot` and `until`; null: not known. */
export interface Loss { fromSlot: number, toSlot: number, until: number | null }

/** Of a DAO's account; `reserves`: of its spot pool. */
export interface AccountState { address: string, seqNum: bigint, createdAt?: number, reserves?: Sides }

/** DAO accounts as of one moment; `isFinal`: as they are said to be final. */
export interface Accounts extends Moment { daos: readonly AccountState[], isFinal?: boolean }

/** All swaps up to this revision are counted, so many. */
export interface RebuiltTo { revision: number, swaps: number }

/** The number of a DAO's account at a moment. */
export interface NumberAt { seq: bigint, slot: number, at: number }

/** What a writer begins with. */
export interface StoreState {
  indexedRanges: IndexedRange[]
  ended: boolean
  sequenceRanges: Map<string, SequenceRange[]>
  missing: Map<string, MissingTransaction>
  /** Inside what is indexed, newest first. */
  losses: Loss[]
  /** By DAO its account's `seqNum`, where beyond what is stored, or nothing is. */
  numbersAhead: Map<string, bigint>
  /**
   * By DAO its account's number at the first comparison after the last loss, if no event since was stored then; 0: the
   * DAO is younger than all that is indexed.
   */
  numbersBefore: Map<string, NumberAt>
  /** Swaps by observed fee rate, basis points, where it is not the configured one. */
  rates: Map<string, number>
  firstSwaps: Map<string, number>
  /** By DAO when its newest event that can't be read was. */
  unreadable: Map<string, number>
  events: number
  swaps: number
  /** By which candles are made; null: none are, or they are being made. */
  valuation: VolumeRule | null
  rebuilding: RebuiltTo & { valuation: VolumeRule } | null
}
