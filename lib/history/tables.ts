/** The tables, for Kysely. Text that holds an amount or a number of 64 bits is read with BigInt only. */
export interface Tables {
  meta: { key: string, value: string }
  daos: { id: number, address: string, first_swap: number | null }
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
  days: { dao: number, day: number, base: string, quote: string, trades: number, change: number }
  rates: { bps: string, swaps: number }
  proposals: { proposal: string, dao: number }
  segments: { newest: string, newest_slot: number, oldest: string, oldest_slot: number, oldest_time: number | null, anchor: string | null }
  missing: { signature: string, slot: number, at: number | null, reason: string }
  accounts: { address: string, seq: string }
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
}

export const TEXT_COLUMNS: ColumnTypes = { change: 'integer', u64Key: 'text', u64: 'text', sum: 'text', rows: 'values' }

/** For an engine with exact decimals of any length. */
export const NUMERIC_COLUMNS: ColumnTypes = { change: 'bigint', u64Key: 'numeric(20, 0)', u64: 'numeric(20, 0)', sum: 'numeric', rows: 'json' }
