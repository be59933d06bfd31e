import type { Generated } from 'kysely'

interface CandleColumns {
  base: string
  quote: string
  trades: number
  fees: string
  unknown_fees: number
  open_seq: string | null
  open_quote: string | null
  open_base: string | null
  close_seq: string | null
  close_quote: string | null
  close_base: string | null
  high_quote: string | null
  high_base: string | null
  low_quote: string | null
  low_base: string | null
}

/**
 * The tables, for Kysely. Text that holds an amount or a number of 64 bits is read with BigInt only. Stored names are those of schema version 2, older
 * than the words used elsewhere: `segments` are indexed ranges, `intervals` sequence ranges, `unplaced` unattributed events, `place` an event's index,
 * `change` a revision; `row-mapping.ts` translates.
 */
export interface Tables {
  meta: { key: string, value: string }
  daos: {
    id: number
    address: string
    first_swap: number | null
    /** Unix second from which on the candles of its trades are kept; 0: all. */
    rolled_from: number
  }
  events: {
    /** Arrival number: set anew when a row changes, so that a reader finds what is new to it. */
    change: number
    dao: number
    seq: string
    kind: string
    slot: number
    at: number
    signature: string
    place: number
    side: string | null
    input: string | null
    output: string | null
    fee: string | null
    quote_fees: string | null
    base_fees: string | null
    quote_reserves: string | null
    base_reserves: string | null
    reason: string | null
    raw: string | null
    maker: string | null
    block_index: number | null
    quote_change: string | null
    base_change: string | null
  }
  unplaced: {
    signature: string
    place: number
    kind: string
    seq: string | null
    slot: number
    at: number | null
    keeps_fees: number
    key_a: string | null
    key_b: string | null
    reason: string | null
    raw: string | null
  }
  intervals: {
    dao: number
    low: string
    high: string
    low_slot: number
    high_slot: number
    low_at: number
    high_at: number
    through: number
    top_quote: string | null
    top_base: string | null
    open_seq: string | null
    open_at: number | null
    open_side: string | null
    open_input: string | null
    open_output: string | null
    open_post: string | null
  }
  /** `hours`: candles of the day's hours, in one text. */
  days: CandleColumns & { dao: number, day: number, change: number, makers: Generated<number>, hours: Generated<string | null> }
  /** Candles of a minute, a row for all of some hours, in one text; for some days. In the order of time: a step writes and drops neighbours. */
  minutes: { start: number, dao: number, candles: string }
  /** Protocol fee rates that swaps of a DAO show, in basis points, with the slots of the first and the last of them. */
  fee_rates: { dao: number, bps: string, from_slot: number, to_slot: number }
  /** Who traded on a UTC day. */
  makers: { dao: number, day: number, maker: string }
  rates: { bps: string, swaps: number }
  proposals: { proposal: string, dao: number }
  segments: { newest: string, newest_slot: number, oldest: string, oldest_slot: number, oldest_time: number | null, anchor: string | null }
  missing: { signature: string, slot: number, at: number | null, reason: string }
  /** What came after its slot had been published, and so is left out of block ranges for good: a whole event, or the fee of one. */
  late: { dao: number, seq: string, what: 'event' | 'fee' }
  accounts: { address: string, seq: string }
  /** The state of all DAOs as the process that writes has read it, packed, for those that only read: one row. `seen_at`: Unix seconds, by the server's clock. */
  shared_state: { id: number, slot: number, seen_at: number, bytes: Buffer }
}

/** What differs between engines: column types, and the form in which many rows are given to one insert. */
export interface ColumnTypes {
  /** An arrival number; SQLite's rowid where it is the primary key. */
  change: 'integer' | 'bigint'
  /** A u64 that is part of a key: ordered as the numbers are. */
  u64Key: 'text' | 'numeric(20, 0)'
  u64: 'text' | 'numeric(20, 0)'
  /** A sum of any size. */
  sum: 'text' | 'numeric'
  rows: 'values' | 'json'
  /** Keeps a table in the order of its key, where an engine must be told. */
  clustered: '' | 'without rowid'
  /** An address that is part of a key: ordered by its bytes. */
  address: 'text' | 'text collate "C"'
  /** A table that may be lost with the server, where an engine has such: nothing of it is written twice. */
  passing: '' | 'unlogged'
  bytes: 'blob' | 'bytea'
}

export const TEXT_COLUMNS: ColumnTypes = { change: 'integer', u64Key: 'text', u64: 'text', sum: 'text', rows: 'values', clustered: 'without rowid', address: 'text', passing: '', bytes: 'blob' }

/** For an engine with exact decimals of any length. */
export const NUMERIC_COLUMNS: ColumnTypes = { change: 'bigint', u64Key: 'numeric(20, 0)', u64: 'numeric(20, 0)', sum: 'numeric', rows: 'json', clustered: '', address: 'text collate "C"', passing: 'unlogged', bytes: 'bytea' }
