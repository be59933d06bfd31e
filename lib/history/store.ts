/**
 * The port to what is kept on disk: rows in, rows out, no rules. Any engine that meets it serves the history; the queries themselves
 * are shared by all engines (`store-queries.ts`), an engine brings its connection, its lock and its column types.
 *
 * Amounts and sequence numbers are u64 on the chain. SQLite's integers end at 2^63 and its driver binds numbers as doubles, so they
 * are kept as decimal text; a sequence number, which is part of the key, as text of 20 digits, whose order is that of the numbers.
 * (An engine with exact decimals may use those: only `BigInt(text)` is ever applied to what it returns.)
 */
import type { Sides, SpotSwap } from '../protocol/events.js'
import type { Valuation } from '../market/volume.js'

/** A stretch of the program's signatures, both ends included, that is processed without a gap. */
export interface Segment {
  newest: string
  newestSlot: number
  oldest: string
  oldestSlot: number
  /** Unix seconds of the oldest end, or of the last entry before it that has a time; null where none has. */
  oldestTime: number | null
  /** The entry just newer than `oldest`: whether a node still knows `oldest` is asked through it. */
  anchor: string | null
}

/** The swap at the low end of a run of events: its fee becomes known when the event before the run does. */
export interface OpenSwap extends SpotSwap {
  seq: bigint
  at: number
  /** The fee balance of its input side after it. */
  post: bigint
}

/** A run of consecutive sequence numbers of one DAO that are all stored. */
export interface Interval {
  low: bigint
  high: bigint
  lowSlot: number
  highSlot: number
  /** Unix seconds, as the events state. */
  lowAt: number
  highAt: number
  /** No event of the run touches the fee balances, so what holds before it holds after it. */
  through: boolean
  /** The fee balances after the run; null: not known. */
  top: Sides | null
  open: OpenSwap | null
}

export interface StoredSwap extends SpotSwap {
  /** In raw units of the input token; null while the balance before the swap is not known. */
  fee: bigint | null
}

export interface StoredEvent {
  dao: string
  seq: bigint
  kind: string
  slot: number
  at: number
  signature: string
  /** Outer instruction × 65,536 + position among its inner ones. */
  place: number
  swap: StoredSwap | null
  /** The spot pool after the event, where it says so. */
  fees: Sides | null
  reserves: Sides | null
  reason: string | null
  raw: Buffer | null
}

/** A genuine event that can't be given a DAO, or not even a number, yet. */
export interface UnplacedEvent extends Omit<StoredEvent, 'dao' | 'seq' | 'at' | 'swap' | 'fees' | 'reserves'> {
  seq: bigint | null
  at: number | null
  keepsFees: boolean
  /** Keys by which its DAO may become known: its proposal, or the keys where a DAO usually stands. */
  keys: readonly string[]
}

/** Sums of one DAO and UTC day, in raw units × SCALE of `sums.ts`. `day` counts from 1970-01-01. */
export interface DayRow {
  dao: string
  day: number
  base: bigint
  quote: bigint
  trades: number
}

/** A transaction that the node has not given although its signature is listed. */
export interface MissingTransaction {
  signature: string
  slot: number
  /** Unix seconds of its block; null where the node does not know. */
  at: number | null
  reason: string
}

/** Everything that one step changes; written in one transaction. */
export interface StepChanges {
  events: StoredEvent[]
  /** Fees of swaps stored earlier that have become known. */
  fees: Array<{ dao: string, seq: bigint, fee: bigint }>
  intervals: Array<{ dao: string, put: Interval[], drop: bigint[] }>
  days: DayRow[]
  /** Swaps per observed fee rate that disagrees with the configured one. */
  rates: Array<{ bps: string, swaps: number }>
  firstSwaps: Array<{ dao: string, at: number }>
  proposals: Array<{ proposal: string, dao: string }>
  unplaced: UnplacedEvent[]
  placed: Array<{ signature: string, place: number }>
  missing: MissingTransaction[]
  found: string[]
  /** All segments, newest first, where they change. */
  segments: Segment[] | null
  /** The walk has reached the beginning that the node offers. */
  ended: boolean
  events_total: number
  swaps_total: number
}

/** What a writer knows when it begins. */
export interface StoreState {
  segments: Segment[]
  ended: boolean
  intervals: Map<string, Interval[]>
  proposals: Map<string, string>
  unplacedKeys: Set<string>
  missing: MissingTransaction[]
  rates: Map<string, number>
  firstSwaps: Map<string, number>
  /** Unix second of the newest event that could not be read, by DAO. */
  unreadable: Map<string, number>
  events: number
  swaps: number
}

export interface SwapRow extends StoredSwap {
  dao: string
  seq: bigint
  at: number
}

/** Rows that arrived or changed up to the arrival number `change`: what a reader asks for next comes after it. */
export interface Since<T> {
  change: number
  rows: T[]
}

/** Every method throws HISTORY_UNAVAILABLE when the store can't be read or written. */
export interface Store {
  load (): Promise<StoreState>
  write (changes: StepChanges): Promise<void>
  /** The valuation that the day sums were made with; null in a new store. */
  valuation (): Promise<Valuation | null>
  /** Replaces all day sums and rates, and notes the valuation they were made with. */
  revalue (valuation: Valuation, days: Iterable<DayRow>, rates: Map<string, number>): Promise<void>
  days (keys: ReadonlyArray<{ dao: string, day: number }>): Promise<DayRow[]>
  daysAfter (change: number): Promise<Since<DayRow>>
  /** Swaps that happened after the Unix second `at`. */
  swapsSince (at: number): Promise<Since<SwapRow>>
  /** Swaps that happened after `at` among those that arrived or changed after `change`; null when that is too much to read at once. */
  swapsAfter (change: number, at: number): Promise<Since<SwapRow> | null>
  /** All swaps in order of arrival, by pages; `rows` is empty at the end. */
  swapsPage (after: number, limit: number): Promise<Since<SwapRow>>
  /** Where the events of the given numbers were found; a number that is not stored is left out. */
  origins (keys: ReadonlyArray<{ dao: string, seq: bigint }>): Promise<Array<{ dao: string, seq: bigint, signature: string, place: number }>>
  unplaced (keys: readonly string[]): Promise<UnplacedEvent[]>
  close (): Promise<void>
}
