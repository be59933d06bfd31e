import { sql, type Insertable, type Transaction } from 'kysely'
import { eventRow, intervalRow, segmentRow, seqText, unplacedRow } from './rows.js'
import type { DayRow, StepChanges } from './store.js'
import type { ColumnTypes, Tables } from './tables.js'

type Trx = Transaction<Tables>

/** Rows per statement: with a parameter for each value so few that compiling and binding one costs less than what it saves. */
const ROWS = { values: 40, json: 2000 }

function * chunks<T> (rows: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

/** The statements that insert `rows`. As one document, an engine takes apart by itself what else is compiled, bound and planned value by value. */
export function * inserts<T extends keyof Tables & string> (trx: Trx, { rows: form }: ColumnTypes, table: T, rows: ReadonlyArray<Insertable<Tables[T]>>) {
  for (const some of chunks(rows, ROWS[form])) {
    const insert = trx.insertInto(table)
    if (form === 'values') {
      yield insert.values(some)
    } else {
      const columns = Object.keys(some[0]!) as Array<keyof Tables[T] & string>
      yield insert.columns(columns).expression(sql`select ${sql.join(columns.map(column => sql.ref(column)))} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(some)}::json)`)
    }
  }
}

/** Hands out the numbers by which the store knows DAOs and changes; both are committed with the step that took them. */
export interface Numbers {
  dao (address: string): number
  change (): number
  /** DAOs that have got their number in this step. */
  fresh: Array<{ id: number, address: string }>
}

export async function putMeta (trx: Trx, values: Record<string, string>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  await trx.insertInto('meta').values(rows).onConflict(oc => oc.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })).execute()
}

export async function putDays (trx: Trx, types: ColumnTypes, days: Iterable<DayRow>, numbers: Numbers): Promise<void> {
  const rows = Array.from(days, (row): Insertable<Tables['days']> => ({
    dao: numbers.dao(row.dao),
    day: row.day,
    base: row.base.toString(),
    quote: row.quote.toString(),
    trades: row.trades,
    change: numbers.change()
  }))
  for (const insert of inserts(trx, types, 'days', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'day']).doUpdateSet(({ ref }) => ({
      base: ref('excluded.base'), quote: ref('excluded.quote'), trades: ref('excluded.trades'), change: ref('excluded.change')
    }))).execute()
  }
}

export async function putRates (trx: Trx, types: ColumnTypes, rates: Array<{ bps: string, swaps: number }>): Promise<void> {
  for (const insert of inserts(trx, types, 'rates', rates)) {
    await insert.onConflict(oc => oc.column('bps').doUpdateSet({ swaps: eb => eb.ref('excluded.swaps') })).execute()
  }
}

async function putEvents (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  const rows = changes.events.map(event => eventRow(event, numbers.dao(event.dao), numbers.change()))
  for (const insert of inserts(trx, types, 'events', rows)) await insert.execute()
  for (const { dao, seq, fee } of changes.fees) {
    await trx.updateTable('events').set({ fee: fee.toString(), change: numbers.change() })
      .where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  }
}

async function putIntervals (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const { dao, drop } of changes.intervals) {
    for (const low of drop) await trx.deleteFrom('intervals').where('dao', '=', numbers.dao(dao)).where('low', '=', seqText(low)).execute()
  }
  const rows = changes.intervals.flatMap(({ dao, put }) => put.map(interval => intervalRow(interval, numbers.dao(dao))))
  for (const insert of inserts(trx, types, 'intervals', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'low']).doUpdateSet(({ ref }) => ({
      high: ref('excluded.high'),
      low_slot: ref('excluded.low_slot'),
      high_slot: ref('excluded.high_slot'),
      low_at: ref('excluded.low_at'),
      high_at: ref('excluded.high_at'),
      through: ref('excluded.through'),
      top_quote: ref('excluded.top_quote'),
      top_base: ref('excluded.top_base'),
      open_seq: ref('excluded.open_seq'),
      open_at: ref('excluded.open_at'),
      open_side: ref('excluded.open_side'),
      open_input: ref('excluded.open_input'),
      open_output: ref('excluded.open_output'),
      open_post: ref('excluded.open_post')
    }))).execute()
  }
}

async function putOddities (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const insert of inserts(trx, types, 'unplaced', changes.unplaced.map(unplacedRow))) {
    await insert.onConflict(oc => oc.columns(['signature', 'place']).doNothing()).execute()
  }
  for (const { signature, place } of changes.placed) {
    await trx.deleteFrom('unplaced').where('signature', '=', signature).where('place', '=', place).execute()
  }
  const proposals = changes.proposals.map(({ proposal, dao }) => ({ proposal, dao: numbers.dao(dao) }))
  for (const insert of inserts(trx, types, 'proposals', proposals)) {
    await insert.onConflict(oc => oc.column('proposal').doNothing()).execute()
  }
  for (const insert of inserts(trx, types, 'missing', changes.missing)) {
    await insert.onConflict(oc => oc.column('signature').doUpdateSet({ reason: eb => eb.ref('excluded.reason') })).execute()
  }
  for (const some of chunks(changes.found, ROWS.values)) await trx.deleteFrom('missing').where('signature', 'in', some).execute()
}

async function putDaos (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  const first = new Map(changes.firstSwaps.map(({ dao, at }) => [dao, at]))
  const fresh = numbers.fresh.map(({ id, address }) => ({ id, address, first_swap: first.get(address) ?? null }))
  for (const insert of inserts(trx, types, 'daos', fresh)) await insert.execute()
  const isFresh = new Set(numbers.fresh.map(({ address }) => address))
  for (const [dao, at] of first) {
    if (!isFresh.has(dao)) await trx.updateTable('daos').set({ first_swap: at }).where('id', '=', numbers.dao(dao)).execute()
  }
}

/** Writes one step within the transaction that it is given. */
export async function writeStep (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  await putEvents(trx, types, changes, numbers)
  await putIntervals(trx, types, changes, numbers)
  await putDays(trx, types, changes.days, numbers)
  await putRates(trx, types, changes.rates)
  await putOddities(trx, types, changes, numbers)
  await putDaos(trx, types, changes, numbers)
  if (changes.segments !== null) {
    await trx.deleteFrom('segments').execute()
    if (changes.segments.length > 0) await trx.insertInto('segments').values(changes.segments.map(segmentRow)).execute()
  }
  await putMeta(trx, {
    change: String(numbers.change()), ended: String(changes.ended), events: String(changes.events_total), swaps: String(changes.swaps_total)
  })
}

/** Empties what is derived from the swaps. */
export async function clearSums (trx: Trx): Promise<void> {
  await sql`delete from days`.execute(trx)
  await sql`delete from rates`.execute(trx)
}
