/**
 * The port to what is kept on disk: rows in, rows out, no rules. Any engine that meets it serves the history; the queries themselves
 * are shared by all engines (`store-queries.ts`), an engine brings its connection, its lock and its column types.
 *
 * Amounts and sequence numbers are u64 on the chain. SQLite's integers end at 2^63 and its driver binds numbers as doubles, so they
 * are kept as decimal text; a sequence number, which is part of the key, as text of 20 digits, whose order is that of the numbers.
 * (An engine with exact decimals may use those: only `BigInt(text)` is ever applied to what it returns.)
 */
import type { DayMaker, DayRow, FeeRate, MinuteRow, PoolEvent, Trade, SequenceRange, MissingTransaction, IndexedRange, Loss, StoredEvent, StoreState, SwapRow, UnattributedEvent, WholeDay } from '../rules/types.js'
import type { Candle } from '../rules/candles.js'
import type { Sides } from '../../protocol/events.js'
import type { VolumeRule } from '../../market/volume.js'
import type { NotedRule } from '../rules/fixed-point.js'

/** Everything that one step changes; written in one transaction. */
export interface StepChanges {
  /** Stored events whose place those of `events` take. */
  replaced: Array<{ dao: string, seq: bigint }>
  events: StoredEvent[]
  /** Fees of swaps stored earlier that have become known. */
  fees: Array<{ dao: string, seq: bigint, fee: bigint }>
  sequenceRanges: Array<{ dao: string, put: SequenceRange[], drop: bigint[] }>
  days: WholeDay[]
  minutes: MinuteRow[]
  makers: DayMaker[]
  /** Candles of a minute from before this Unix second are dropped; null: none is. */
  minutesFrom: number | null
  /** Swaps per observed fee rate that disagrees with the configured one. */
  rates: Array<{ bps: string, swaps: number }>
  firstSwaps: Array<{ dao: string, at: number }>
  proposals: Array<{ proposal: string, dao: string }>
  unattributed: UnattributedEvent[]
  attributed: Array<{ signature: string, eventIndex: number }>
  missing: MissingTransaction[]
  found: string[]
  /** All indexed ranges, newest first, where they change. */
  indexedRanges: IndexedRange[] | null
  /** The walk has reached the beginning that the node offers. */
  ended: boolean
  /** All losses, newest first, where they change. */
  losses: Loss[] | null
  /** All numbers of accounts that are past what is stored, by DAO, where they change. */
  numbersAhead: ReadonlyMap<string, bigint> | null
  events_total: number
  swaps_total: number
}

/** Rows that arrived or changed up to the arrival number `change`: what a reader asks for next comes after it. */
export interface Since<T> {
  revision: number
  rows: T[]
}

/** Bounds are Unix seconds, both included. */
export interface TradesQuery {
  dao: string
  /** Only trades older than the one with this number, which itself need not exist. */
  before?: bigint
  since?: number
  until?: number
  /** Only trades of this side, and of these only those that have a price. */
  side?: 'buy' | 'sell'
  limit: number
}

/** Up to which slot, finalized and with its Unix second, block ranges are given out: from then on they never change. */
export interface PublishedSlot { slot: number, at: number }

/** A place in the order of the chain. */
export interface ChainPosition { slot: number, blockIndex: number, eventIndex: number }

/** Slots, both included. An event whose index in the block is not known yet comes first in its slot: see `incompleteSlots`. */
export interface PoolEventsQuery {
  from: number
  to: number
  /** Only events behind this one. */
  after?: ChainPosition
  limit: number
}

/** Unix seconds from `from` to before `to`. */
export interface CandleRange { from: number, to: number, limit: number }

export interface TimedCandle extends Candle { start: number }

/** Candles of a DAO's trades from the Unix second `from` on, which were not kept before. */
export interface Rolled {
  dao: string
  from: number
  minutesFrom: number
  days: WholeDay[]
  minutes: MinuteRow[]
  makers: DayMaker[]
  feeRates: FeeRate[]
}

export interface IncompleteEvent { dao: string, seq: bigint, slot: number, at: number, signature: string, eventIndex: number, maker: string | null, isTrade: boolean }

/** null: still not known. */
export interface CompletedEvent { dao: string, seq: bigint, maker: string | null, blockIndex: number | null, liquidity: Sides | null }

/** `isLate`: it came when its slot had been published. */
export interface FirstEvent { kind: string, slot: number, at: number, signature: string, maker: string | null, isLate: boolean }

/** `until`: the second up to which they are given; null: there are no more. */
export interface SwapsSince extends Since<SwapRow> { until: number | null }

/** Every method throws HISTORY_UNAVAILABLE when the store can't be read or written. */
export interface Store {
  load (): Promise<StoreState>
  write (changes: StepChanges): Promise<void>
  /** The valuation that the day sums were made with; null in a new store. */
  valuation (): Promise<NotedRule | null>
  /** Replaces all day sums and rates, and notes the valuation they were made with. */
  revalue (valuation: VolumeRule, days: Iterable<DayRow>, rates: Map<string, number>): Promise<void>
  days (keys: ReadonlyArray<{ dao: string, day: number }>): Promise<WholeDay[]>
  minutes (keys: ReadonlyArray<{ dao: string, start: number }>): Promise<MinuteRow[]>
  /** Day sums that arrived or changed after `change`; with `limit`, the first so many of them, in order of arrival. */
  daysAfter (change: number, limit?: number): Promise<Since<DayRow>>
  /** Days of a DAO from `from` to `to`, both included, oldest first, with the number of those who traded; at most `limit`, the newest. */
  daysOf (dao: string, range: { from: number, to: number, limit: number }): Promise<Array<DayRow & { makers: number }>>
  /** Candles of an hour of a DAO that begin in the range, oldest first; at most `limit`, the newest. Hours without a trade are left out. */
  hoursOf (dao: string, range: CandleRange): Promise<TimedCandle[]>
  /** The same of a minute. Where none are kept, none are given. */
  minutesOf (dao: string, range: CandleRange): Promise<TimedCandle[]>
  /** Trades of a DAO, newest first. */
  trades (query: TradesQuery): Promise<Trade[]>
  /**
   * Events that changed a pool, of all DAOs, in the order of the chain: slot, index in the block, place in the transaction. What came after its
   * slot had been published is left out.
   */
  poolEvents (query: PoolEventsQuery): Promise<PoolEvent[]>
  /** How far block ranges have been published; null: not yet. */
  published (): Promise<PublishedSlot | null>
  /** Publishes block ranges up to a slot; one that is no newer than what is published changes nothing. */
  publish (slot: PublishedSlot): Promise<void>
  /** What began a DAO: its event number 1; null where it is not stored. */
  firstEvent (dao: string): Promise<FirstEvent | null>
  /** The fee rates that a DAO's swaps show, from the oldest on. */
  feeRates (dao: string): Promise<FeeRate[]>
  /** The newest trade that has a price of each DAO that has one, up to the Unix second `at`. With `daos`: of these only. */
  lastTrades (at: number, daos?: readonly string[]): Promise<Trade[]>
  /** The revision of the newest step. */
  revision (): Promise<number>
  /** DAOs with trades from the Unix second `from` to before `to`. */
  daosTraded (from: number, to: number): Promise<string[]>
  /** DAOs with trades that arrived or changed after `change` and happened from `from` to before `to`. */
  daosChanged (change: number, from: number, to: number): Promise<Since<string>>
  /** Slots of the oldest and the newest event whose maker or index in the block is not known yet; null: all are. */
  incompleteSlots (): Promise<{ oldest: number, newest: number } | null>
  /** Unix seconds of a DAO's oldest and newest trade whose maker is not known yet; null: all are. */
  unnamedTrades (dao: string): Promise<{ oldest: number, newest: number } | null>
  /** Swaps that happened after the Unix second `at`; with `limit`, those of the first whole seconds that have so many together. */
  swapsSince (at: number, limit?: number): Promise<SwapsSince>
  /** Swaps that happened after `at` among those that arrived or changed after `change`; null when that is too much to read at once. */
  swapsAfter (change: number, at: number): Promise<Since<SwapRow> | null>
  /** All swaps in order of arrival, by pages; `rows` is empty at the end. */
  swapsPage (after: number, limit: number): Promise<Since<SwapRow>>
  /** Events of a DAO from the number `from` on, in their order. */
  eventsOf (dao: string, from: bigint, limit: number): Promise<StoredEvent[]>
  /** Events that were stored as not understood, with their bytes: DAO by DAO, each in the order of its numbers, behind the one given. */
  rawEvents (after: { dao: string, seq: bigint } | null, limit: number): Promise<StoredEvent[]>
  /** Candles made of trades that were stored without. */
  writeRolled (rolled: Rolled): Promise<void>
  /** Events whose maker or index in the block is not known, of slots between the two, both excluded; newest first. */
  incomplete (query: { above: number, below: number, limit: number }): Promise<IncompleteEvent[]>
  /** Notes what has been learnt of such events, and who traded on days whose candles are made. */
  complete (events: readonly CompletedEvent[], makers: readonly DayMaker[]): Promise<void>
  /** Where the events of the given numbers were found; a number that is not stored is left out. */
  origins (keys: ReadonlyArray<{ dao: string, seq: bigint }>): Promise<Array<{ dao: string, seq: bigint, signature: string, eventIndex: number }>>
  unattributed (keys: readonly string[]): Promise<UnattributedEvent[]>
  /** Binds the store to a network, by its genesis hash. Throws WRONG_NETWORK where it holds the rows of another. */
  bindNetwork (genesis: string): Promise<void>
  close (): Promise<void>
}
