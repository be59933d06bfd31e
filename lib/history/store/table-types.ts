import type { Generated } from 'kysely'

/** `average_*`: what all trades with a price paid and received. A single price is in `open_*` alone. */
export interface CandleColumns {
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
  average_quote: string | null
  average_base: string | null
}

type CandleTable = CandleColumns & { dao: number, start: number }

/**
 * For Kysely. u64 amounts and numbers: SQLite's integers end at 2^63 and its driver binds doubles, so there they are
 * decimal text, in keys of 20 digits. Read with BigInt.
 */
export interface Tables {
  meta: { key: string, value: string }
  daos: { id: number, address: string, first_swap: number | null }
  events: {
    /** Set anew when a row changes, so that a reader finds what is new to it. */
    revision: number
    dao: number
    seq: string
    kind: string
    slot: number
    at: number
    signature: string
    event_index: number
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
    proposal: string | null
    market: string | null
    facts: string | null
  }
  unattributed: {
    signature: string
    event_index: number
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
  sequence_ranges: {
    dao: number
    first_seq: string
    last_seq: string
    first_slot: number
    last_slot: number
    first_at: number
    last_at: number
    keeps_fees: number
    quote_fees_after: string | null
    base_fees_after: string | null
    pending_seq: string | null
    pending_at: number | null
    pending_side: string | null
    pending_input: string | null
    pending_output: string | null
    pending_fees_after: string | null
  }
  minutes: CandleTable
  hours: CandleTable
  /** With the number of those who traded. */
  days: CandleTable & { revision: number, makers: Generated<number> }
  /** A pool's reserves after its last event of a UTC day that says so. */
  closes: {
    dao: number
    day: number
    seq: string
    at: number
    quote_reserves: string
    base_reserves: string
    revision: number
  }
  /** In basis points, with the slots of the first and the last swap that show it. */
  fee_rates: { dao: number, bps: string, from_slot: number, to_slot: number }
  makers: { dao: number, day: number, maker: string }
  rates: { bps: string, swaps: number }
  proposals: { proposal: string, dao: number }
  indexed_ranges: {
    newest: string
    newest_slot: number
    oldest: string
    oldest_slot: number
    oldest_time: number | null
    anchor: string | null
  }
  missing: { signature: string, slot: number, at: number | null, reason: string }
  /** Came after its slot had been published, an event or its fee: left out of block ranges for good. */
  late: { dao: number, seq: string, what: 'event' | 'fee' }
  accounts: { address: string, seq: string }
}

/** What differs between engines. */
export interface ColumnTypes {
  /** A revision; SQLite's rowid where it is the primary key. */
  revision: 'integer' | 'bigint'
  /** A u64 that is part of a key: ordered as the numbers are. */
  u64Key: 'text' | 'numeric(20, 0)'
  u64: 'text' | 'numeric(20, 0)'
  /** A sum of any size, with decimals. */
  sum: 'text' | 'numeric'
  /** How many rows go in, and come out, as one document. */
  rows: 'arrays' | 'records'
  /** Keeps a table in the order of its key, where an engine must be told. */
  clustered: '' | 'without rowid'
  /** An address that is part of a key: ordered by its bytes. */
  address: 'text' | 'text collate "C"'
  /** What empties a table, whatever its size. */
  empty: 'delete from' | 'truncate'
}

export const TEXT_COLUMNS: ColumnTypes = {
  revision: 'integer',
  u64Key: 'text',
  u64: 'text',
  sum: 'text',
  rows: 'arrays',
  clustered: 'without rowid',
  address: 'text',
  empty: 'delete from'
}

/** For an engine with exact decimals of any length. */
export const NUMERIC_COLUMNS: ColumnTypes = {
  revision: 'bigint',
  u64Key: 'numeric(20, 0)',
  u64: 'numeric(20, 0)',
  sum: 'numeric',
  rows: 'records',
  clustered: '',
  address: 'text collate "C"',
  empty: 'truncate'
}
