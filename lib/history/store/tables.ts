/** SQLite's integers end at 2^63 and its driver binds doubles: u64 are decimal text there, of 20 digits in keys. */
import type { Kysely } from 'kysely'
import { ALL_SIZES, type CandlePrices, type Size, SIZES } from '../rules/candles.js'
import { parseSum, sumText } from '../rules/fixed-point.js'
import { amount, column, type Mapping, number, optional, record, type RowOf } from '../rules/mapping.js'
import type { CLOSE, FEE_RATE, MissingTransaction, SEQUENCE_RANGE, STORED_EVENT } from '../rules/rows.js'

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

export interface Tables {
  meta: { key: string, value: string }
  daos: { id: number, address: string }
  /**
   * `revision`: a new one at each change. `late`: it, or its fee, came after its slot had been published, and stays out
   * of block ranges.
   */
  events: RowOf<typeof STORED_EVENT> & { dao: number, revision: number, late: 'event' | 'fee' | null }
  sequence_ranges: RowOf<typeof SEQUENCE_RANGE> & { dao: number }
  /** Of days with a revision. */
  candles: RowOf<typeof CANDLE_ROW> & { dao: number, revision: number | null }
  closes: RowOf<typeof CLOSE> & { dao: number, day: number, revision: number }
  fee_rates: RowOf<typeof FEE_RATE> & { dao: number }
  makers: { dao: number, day: number, maker: string }
  missing: MissingTransaction
}

export type Db = Kysely<Tables>

/** What differs between engines. */
export const TEXT_COLUMNS = {
  /** In SQLite the rowid. */
  revision: 'integer',
  /** In keys ordered as numbers are. */
  u64: 'text',
  /** A sum of any size, with decimals. */
  sum: 'text',
  /** The form of a JSON document of many rows. */
  rows: 'arrays',
  /** Keeps a table in the order of its key. */
  clustered: 'without rowid',
  /** In a key, ordered by its bytes. */
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
