/**
 * All rows of a store, whatever its engine: numbers as text, DAOs by address, without the numbers that tell the order
 * of arrival only.
 */
import { join } from 'node:path'
import Database from 'libsql'
import { ask } from './postgres.js'

const DAO = (table: string) => `(select address from daos where id = ${table}.dao) as dao`
const CANDLE =
  'base, quote, trades, fees, unknown_fees, open_seq, open_quote, open_base, close_seq, close_quote, close_base, ' +
    'high_quote, high_base, low_quote, low_base, average_quote, average_base'
const QUERIES: Record<string, string> = {
  events: `select ${DAO('events')}, seq, kind, slot, at, signature, event_index, side, input, output, fee, quote_fees,
    base_fees, quote_reserves, base_reserves, reason, raw from events`,
  daos: 'select address from daos',
  candles: `select ${DAO('candles')}, width, start, ${CANDLE} from candles`,
  sequence_ranges: `select ${DAO('sequence_ranges')}, first_seq, last_seq, first_slot, last_slot, first_at, last_at,
    keeps_fees, quote_fees_after, base_fees_after,
    pending_seq, pending_at, pending_side, pending_input, pending_output, pending_fees_after from sequence_ranges`,
  missing: 'select * from missing',
  meta: "select * from meta where key in ('program', 'indexedRanges', 'ended', 'events', 'swaps', 'rates', 'valuation')"
}

/** Lists of pairs in one order. */
const plain = (value: unknown) => value === null
  ? ''
  : String(value).startsWith('[[') ? JSON.parse(String(value)).sort().join() : String(value).replace(/^0+(?=\d)/, '')
const sorted = (rows: Array<Record<string, unknown>>) => rows.map(
  row => Object.entries(row).map(([name, value]) => `${name}=${plain(value)}`).join(' ')
).sort()

export function sqliteRows (folder: string): Record<string, string[]> {
  const db = new Database(join(folder, 'history.db'))
  const rows = Object.entries(QUERIES).map(
    ([table, sql]) => [table, sorted(db.prepare(sql).all() as Array<Record<string, unknown>>)]
  )
  db.close()
  return Object.fromEntries(rows)
}

export async function postgresRows (schema: string): Promise<Record<string, string[]>> {
  const rows: Array<[string, string[]]> = []
  for (const [table, sql] of Object.entries(QUERIES)) {
    const named = sql.replaceAll(
      /\bfrom (\w+)/g, (_, name: string) => `from "${schema}".${name}`
    ).replaceAll(`"${schema}".${table} where id`, `${table} where id`)
    rows.push([table, sorted(await ask(named))])
  }
  return Object.fromEntries(rows)
}
