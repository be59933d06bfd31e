/** All rows of a store, whatever its engine: numbers as text, DAOs by address, without the numbers that tell the order of arrival only. */
import { join } from 'node:path'
import Database from 'libsql'
import { ask } from './postgres.js'

const DAO = (table: string) => `(select address from daos where id = ${table}.dao) as dao`
const QUERIES = {
  events: `select ${DAO('events')}, seq, kind, slot, at, signature, place, side, input, output, fee, quote_fees, base_fees, quote_reserves, base_reserves, reason, raw from events`,
  daos: 'select address, first_swap from daos',
  days: `select ${DAO('days')}, day, base, quote, trades from days`,
  intervals: `select ${DAO('intervals')}, low, high, low_slot, high_slot, low_at, high_at, through, top_quote, top_base, open_seq, open_at, open_side, open_input, open_output, open_post from intervals`,
  proposals: `select proposal, ${DAO('proposals')} from proposals`,
  rates: 'select * from rates',
  segments: 'select * from segments',
  unplaced: 'select * from unplaced',
  missing: 'select * from missing',
  meta: "select * from meta where key in ('program', 'ended', 'events', 'swaps', 'valuation')"
}

const plain = (value: unknown) => value === null ? '' : String(value).replace(/^0+(?=\d)/, '')
const sorted = (rows: Array<Record<string, unknown>>) => rows.map(row => Object.entries(row).map(([name, value]) => `${name}=${plain(value)}`).join(' ')).sort()

export function sqliteRows (folder: string): Record<string, string[]> {
  const db = new Database(join(folder, 'history.db'))
  const rows = Object.entries(QUERIES).map(([table, sql]) => [table, sorted(db.prepare(sql).all() as Array<Record<string, unknown>>)])
  db.close()
  return Object.fromEntries(rows)
}

export async function postgresRows (schema: string): Promise<Record<string, string[]>> {
  const rows: Array<[string, string[]]> = []
  for (const [table, sql] of Object.entries(QUERIES)) {
    const named = sql.replaceAll(/\bfrom (\w+)/g, (_, name: string) => `from "${schema}".${name}`).replaceAll(`"${schema}".${table} where id`, `${table} where id`)
    rows.push([table, sorted(await ask(named))])
  }
  return Object.fromEntries(rows)
}
