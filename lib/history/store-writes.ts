import { sql, type Insertable, type Transaction } from 'kysely'
import { eventRow, intervalRow, segmentRow, seqText, unplacedRow } from './rows.js'
import type { DayRow, StepChanges } from './store.js'
import type { Tables } from './tables.js'

type Trx = Transaction<Tables>

/** Rows per statement: few enough that compiling and binding one costs less than what it saves. */
const ROWS = 40

function * chunks<T> (rows: readonly T[], size = ROWS): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
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

export async function putDays (trx: Trx, days: Iterable<DayRow>, numbers: Numbers): Promise<void> {
  const rows = Array.from(days, (row): Insertable<Tables['days']> => ({
    dao: numbers.dao(row.dao),
    day: row.day,
    base: row.base.toString(),
    quote: row.quote.toString(),
    trades: row.trades,
    change: numbers.change()
  }))
  for (const some of chunks(rows)) {
    await trx.insertInto('days').values(some).onConflict(oc => oc.columns(['dao', 'day']).doUpdateSet(({ ref }) => ({
      base: ref('excluded.base'), quote: ref('excluded.quote'), trades: ref('excluded.trades'), change: ref('excluded.change')
    }))).execute()
  }
}

export async function putRates (trx: Trx, rates: Array<{ bps: string, swaps: number }>): Promise<void> {
  for (const some of chunks(rates)) {
    await trx.insertInto('rates').values(some).onConflict(oc => oc.column('bps').doUpdateSet({ swaps: eb => eb.ref('excluded.swaps') })).execute()
  }
}

async function putEvents (trx: Trx, changes: StepChanges, numbers: Numbers): Promise<void> {
  const rows = changes.events.map(event => eventRow(event, numbers.dao(event.dao), numbers.change()))
  for (const some of chunks(rows)) await trx.insertInto('events').values(some).execute()
  for (const { dao, seq, fee } of changes.fees) {
    await trx.updateTable('events').set({ fee: fee.toString(), change: numbers.change() })
      .where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  }
}

async function putIntervals (trx: Trx, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const { dao, drop } of changes.intervals) {
    for (const low of drop) await trx.deleteFrom('intervals').where('dao', '=', numbers.dao(dao)).where('low', '=', seqText(low)).execute()
  }
  const rows = changes.intervals.flatMap(({ dao, put }) => put.map(interval => intervalRow(interval, numbers.dao(dao))))
  for (const some of chunks(rows)) {
    await trx.insertInto('intervals').values(some).onConflict(oc => oc.columns(['dao', 'low']).doUpdateSet(({ ref }) => ({
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

async function putOddities (trx: Trx, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const some of chunks(changes.unplaced)) {
    await trx.insertInto('unplaced').values(some.map(unplacedRow)).onConflict(oc => oc.columns(['signature', 'place']).doNothing()).execute()
  }
  for (const { signature, place } of changes.placed) {
    await trx.deleteFrom('unplaced').where('signature', '=', signature).where('place', '=', place).execute()
  }
  for (const some of chunks(changes.proposals)) {
    await trx.insertInto('proposals').values(some.map(({ proposal, dao }) => ({ proposal, dao: numbers.dao(dao) })))
      .onConflict(oc => oc.column('proposal').doNothing()).execute()
  }
  for (const some of chunks(changes.missing)) {
    await trx.insertInto('missing').values(some).onConflict(oc => oc.column('signature').doUpdateSet({ reason: eb => eb.ref('excluded.reason') })).execute()
  }
  for (const some of chunks(changes.found)) await trx.deleteFrom('missing').where('signature', 'in', some).execute()
}

async function putDaos (trx: Trx, changes: StepChanges, numbers: Numbers): Promise<void> {
  const first = new Map(changes.firstSwaps.map(({ dao, at }) => [dao, at]))
  const fresh = numbers.fresh.map(({ id, address }) => ({ id, address, first_swap: first.get(address) ?? null }))
  for (const some of chunks(fresh)) await trx.insertInto('daos').values(some).execute()
  const isFresh = new Set(numbers.fresh.map(({ address }) => address))
  for (const [dao, at] of first) {
    if (!isFresh.has(dao)) await trx.updateTable('daos').set({ first_swap: at }).where('id', '=', numbers.dao(dao)).execute()
  }
}

/** Writes one step within the transaction that it is given. */
export async function writeStep (trx: Trx, changes: StepChanges, numbers: Numbers): Promise<void> {
  await putEvents(trx, changes, numbers)
  await putIntervals(trx, changes, numbers)
  await putDays(trx, changes.days, numbers)
  await putRates(trx, changes.rates)
  await putOddities(trx, changes, numbers)
  await putDaos(trx, changes, numbers)
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
