/**
 * The tables, and which columns keep what of a value. SQLite's integers end at 2^63 and its driver binds doubles: u64
 * are decimal text there, of 20 digits in keys.
 */
import type { EventFacts, Outcome } from '../../protocol/events.js'
import { ALL_SIZES, type CandlePrices, type Size, SIZES } from '../rules/candles.js'
import { parseSum, sumText } from '../rules/fixed-point.js'
import type { MissingTransaction } from '../rules/types.js'
import {
  amount, bytes, column, flag, jsonText, jsonValue, type Mapping, number, optional, record, type RowOf, seq, side, text
} from './mapping.js'

export const sides = <Q extends string, B extends string>(quote: Q, base: B) =>
  optional(record({ quote: amount(quote), base: amount(base) }))
const swap = {
  side: side('side'),
  input: amount('input'),
  output: amount('output'),
  fee: optional(amount('fee'))
}

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
  eventIndex: number('event_index'),
  blockIndex: optional(number('block_index')),
  maker: optional(text('maker')),
  swap: optional(record(swap)),
  liquidity: sides('quote_change', 'base_change'),
  reserves: sides('quote_reserves', 'base_reserves')
}
export const POOL_EVENT = record(EVENT)
export const STORED_EVENT = record({
  ...EVENT,
  fees: sides('quote_fees', 'base_fees'),
  facts: FACTS,
  reason: optional(text('reason')),
  raw: optional(bytes('raw'))
})

const keys: Mapping<Record<'key_a' | 'key_b', string | null>, readonly string[]> = {
  columns: ['key_a', 'key_b'],
  write ([a = null, b = null], row) { Object.assign(row, { key_a: a, key_b: b }) },
  read: row => [row.key_a, row.key_b].filter(key => key !== null)
}
export const UNATTRIBUTED = record({
  signature: text('signature'),
  eventIndex: number('event_index'),
  kind: text('kind'),
  seq: optional(seq('seq')),
  slot: number('slot'),
  at: optional(number('at')),
  keepsFees: flag('keeps_fees'),
  keys,
  reason: optional(text('reason')),
  raw: optional(bytes('raw'))
})

export const SEQUENCE_RANGE = record({
  first: seq('first_seq'),
  last: seq('last_seq'),
  firstSlot: number('first_slot'),
  lastSlot: number('last_slot'),
  firstAt: number('first_at'),
  lastAt: number('last_at'),
  keepsFees: flag('keeps_fees'),
  feeBalancesAfter: sides('quote_fees_after', 'base_fees_after'),
  pendingSwap: optional(record({
    seq: seq('pending_seq'),
    at: number('pending_at'),
    side: side('pending_side'),
    input: amount('pending_input'),
    output: amount('pending_output'),
    feeBalanceAfter: amount('pending_fees_after')
  }))
})

const sum = <N extends string>(name: N) => column(name, sumText, parseSum)
const price = <N extends string>(name: N) => ({ quote: amount(`${name}_quote`), base: amount(`${name}_base`) })
const first = optional(record({ seq: amount('open_seq'), ...price('open') }))
const others = optional(record({
  close: record({ seq: amount('close_seq'), ...price('close') }),
  high: record(price('high')),
  low: record(price('low')),
  average: record(price('average'))
}))
/** Of a single price, as most minutes have, only `open` is stored. */
const prices: Mapping<RowOf<typeof first> & RowOf<typeof others>, CandlePrices | null> = {
  columns: [...first.columns, ...others.columns],
  write (prices, row) {
    first.write(prices?.open ?? null, row)
    others.write(prices?.open.seq === prices?.close.seq ? null : prices, row)
  },
  read (row) {
    const open = first.read(row)
    return open && { open, ...others.read(row) ?? { high: open, low: open, close: open, average: open } }
  }
}
const candle = {
  start: number('start'),
  base: sum('base'),
  quote: sum('quote'),
  trades: number('trades'),
  fees: sum('fees'),
  unknownFees: number('unknown_fees'),
  prices
}
const sizeOf = (width: number) => ALL_SIZES.find(size => SIZES[size] === width)!
export const CANDLE = record(candle)
export const CANDLE_ROW = record({ size: column('width', (size: Size): number => SIZES[size], sizeOf), ...candle })

export const CLOSE = record({
  seq: seq('seq'), at: number('at'), quote: amount('quote_reserves'), base: amount('base_reserves')
})

export const FEE_RATE = record({ bps: text('bps'), fromSlot: number('from_slot'), toSlot: number('to_slot') })

export interface Tables {
  meta: { key: string, value: string }
  daos: { id: number, address: string }
  /**
   * `revision`: a new one at each change. `late`: it, or its fee, came after its slot had been published, and stays out
   * of block ranges.
   */
  events: RowOf<typeof STORED_EVENT> & { dao: number, revision: number, late: 'event' | 'fee' | null }
  unattributed: RowOf<typeof UNATTRIBUTED>
  sequence_ranges: RowOf<typeof SEQUENCE_RANGE> & { dao: number }
  /** Of days with a revision. */
  candles: RowOf<typeof CANDLE_ROW> & { dao: number, revision: number | null }
  closes: RowOf<typeof CLOSE> & { dao: number, day: number, revision: number }
  fee_rates: RowOf<typeof FEE_RATE> & { dao: number }
  makers: { dao: number, day: number, maker: string }
  proposals: { proposal: string, dao: number }
  missing: MissingTransaction
}

/** What differs between engines. */
export const TEXT_COLUMNS = {
  /** In SQLite the rowid where it is the primary key. */
  revision: 'integer',
  /** Ordered as numbers where it is part of a key. */
  u64: 'text',
  /** A sum of any size, with decimals. */
  sum: 'text',
  /** The form of a JSON document of many rows. */
  rows: 'arrays',
  /** Keeps a table in the order of its key. */
  clustered: 'without rowid',
  /** An address in a key, ordered by its bytes. */
  address: 'text',
  /** Empties a table of any size. */
  empty: 'delete from'
}
export type ColumnTypes = typeof TEXT_COLUMNS

/** For an engine with exact decimals of any length. */
export const NUMERIC_COLUMNS: ColumnTypes = {
  revision: 'bigint',
  u64: 'numeric(20, 0)',
  sum: 'numeric',
  rows: 'records',
  clustered: '',
  address: 'text collate "C"',
  empty: 'truncate'
}
