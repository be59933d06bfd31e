import { sql, type Insertable, type RawBuilder, type Transaction } from 'kysely'
import { eventRow, sequenceRangeRow, indexedRangeRow, seqText, unattributedRow } from './row-mapping.js'
import type { CompletedEvent, Rolled, StepChanges } from './store.js'
import { MINUTE } from '../../time.js'
import { feeRatesOf } from '../rules/fee-rates.js'
import type { DayMaker, DayRow, FeeRate, RollupRow } from '../rules/types.js'
import { CANDLE_COLUMNS, candleRow } from './candle-rows.js'
import { NEVER_ROLLED } from './conditions.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Trx = Transaction<Tables>

/** Of a row that is there already, what the new one says. */
const EXCLUDED_CANDLE = Object.fromEntries(CANDLE_COLUMNS.map(column => [column, sql.raw(`excluded.${column}`)])) as Record<typeof CANDLE_COLUMNS[number], RawBuilder<never>>

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
  revision (): number
  /** DAOs that have got their number in this step. */
  fresh: Array<{ id: number, address: string }>
}

export async function putMeta (trx: Trx, values: Record<string, string>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  await trx.insertInto('meta').values(rows).onConflict(oc => oc.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })).execute()
}

export async function putDays (trx: Trx, types: ColumnTypes, days: Iterable<DayRow>, numbers: Numbers): Promise<void> {
  const rows = Array.from(days, (row): Insertable<Tables['days']> => ({ dao: numbers.dao(row.dao), day: row.day, ...candleRow(row), change: numbers.revision() }))
  for (const insert of inserts(trx, types, 'days', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'day']).doUpdateSet(({ ref }) => ({ ...EXCLUDED_CANDLE, change: ref('excluded.change') }))).execute()
  }
}

export async function putRollups (trx: Trx, types: ColumnTypes, rollups: readonly RollupRow[], numbers: Numbers): Promise<void> {
  const rows = rollups.map((row): Insertable<Tables['rollups']> => ({ dao: numbers.dao(row.dao), size: row.size, start: row.start, ...candleRow(row) }))
  for (const insert of inserts(trx, types, 'rollups', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'size', 'start']).doUpdateSet(EXCLUDED_CANDLE)).execute()
  }
}

/** Notes who traded on a day, and counts those who had not yet; the days' own rows must be there. */
export async function putMakers (trx: Trx, types: ColumnTypes, makers: readonly DayMaker[], numbers: Numbers): Promise<void> {
  const rows = makers.map(({ dao, day, maker }) => ({ dao: numbers.dao(dao), day, maker }))
  const fresh = new Map<string, { dao: number, day: number, makers: number }>()
  for (const insert of inserts(trx, types, 'makers', rows)) {
    const added = await insert.onConflict(oc => oc.columns(['dao', 'day', 'maker']).doNothing()).returning(['dao', 'day']).execute()
    for (const { dao, day } of added) {
      const key = `${dao} ${day}`
      fresh.set(key, { dao: Number(dao), day: Number(day), makers: (fresh.get(key)?.makers ?? 0) + 1 })
    }
  }
  for (const { dao, day, makers } of fresh.values()) {
    await trx.updateTable('days').set(eb => ({ makers: eb('makers', '+', makers), change: numbers.revision() })).where('dao', '=', dao).where('day', '=', day).execute()
  }
}

/** Writes candles of trades that had none; the rows of whole days take the place of those that were there. */
export async function putRolled (trx: Trx, types: ColumnTypes, { dao, from, minutesFrom, days, rollups, makers, feeRates }: Rolled, numbers: Numbers): Promise<void> {
  await putDays(trx, types, days, numbers)
  await putRollups(trx, types, rollups, numbers)
  await putMakers(trx, types, makers, numbers)
  await putFeeRates(trx, types, feeRates, numbers)
  await trx.updateTable('daos').set({ rolled_from: from }).where('id', '=', numbers.dao(dao)).execute()
  await dropMinutes(trx, minutesFrom)
}

export async function putCompleted (trx: Trx, types: ColumnTypes, events: readonly CompletedEvent[], makers: readonly DayMaker[], numbers: Numbers): Promise<void> {
  for (const { dao, seq, maker, blockIndex, liquidity } of events) {
    await trx.updateTable('events').set({
      ...(maker !== null && { maker }),
      ...(blockIndex !== null && { block_index: blockIndex }),
      ...(liquidity !== null && { quote_change: liquidity.quote.toString(), base_change: liquidity.base.toString() }),
      change: numbers.revision()
    }).where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  }
  await putMakers(trx, types, makers, numbers)
}

/** Drops the candles of a minute that are no longer kept. */
async function dropMinutes (trx: Trx, from: number): Promise<void> {
  const known = Number((await trx.selectFrom('meta').select('value').where('key', '=', 'minutes_from').executeTakeFirst())?.value ?? -Infinity)
  if (from <= known) return
  await putMeta(trx, { minutes_from: String(from) })
  await sql`delete from rollups where dao in (select id from daos) and size = ${MINUTE} and start < ${from}`.execute(trx)
}

export async function putRates (trx: Trx, types: ColumnTypes, rates: Array<{ bps: string, swaps: number }>): Promise<void> {
  for (const insert of inserts(trx, types, 'rates', rates)) {
    await insert.onConflict(oc => oc.column('bps').doUpdateSet({ swaps: eb => eb.ref('excluded.swaps') })).execute()
  }
}

async function putEvents (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  const rows = changes.events.map(event => eventRow(event, numbers.dao(event.dao), numbers.revision()))
  for (const insert of inserts(trx, types, 'events', rows)) await insert.execute()
  const found = changes.events.flatMap(({ dao, slot, swap }) => swap === null ? [] : [{ dao, slot, swap }])
  for (const { dao, seq, fee } of changes.fees) {
    const row = await trx.updateTable('events').set({ fee: fee.toString(), change: numbers.revision() })
      .where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).returning(['slot', 'input']).executeTakeFirst()
    if (row?.input != null) found.push({ dao, slot: Number(row.slot), swap: { side: 'buy', input: BigInt(row.input), output: 0n, fee } })
  }
  await putFeeRates(trx, types, feeRatesOf(found), numbers)
}

/** Widens what is known of a DAO's fee rates. */
export async function putFeeRates (trx: Trx, types: ColumnTypes, rates: readonly FeeRate[], numbers: Numbers): Promise<void> {
  const rows = rates.map(({ dao, bps, fromSlot, toSlot }) => ({ dao: numbers.dao(dao), bps, from_slot: fromSlot, to_slot: toSlot }))
  for (const insert of inserts(trx, types, 'fee_rates', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'bps']).doUpdateSet({
      from_slot: sql`case when excluded.from_slot < fee_rates.from_slot then excluded.from_slot else fee_rates.from_slot end`,
      to_slot: sql`case when excluded.to_slot > fee_rates.to_slot then excluded.to_slot else fee_rates.to_slot end`
    })).execute()
  }
}

async function putSequenceRanges (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const { dao, drop } of changes.sequenceRanges) {
    for (const low of drop) await trx.deleteFrom('intervals').where('dao', '=', numbers.dao(dao)).where('low', '=', seqText(low)).execute()
  }
  const rows = changes.sequenceRanges.flatMap(({ dao, put }) => put.map(range => sequenceRangeRow(range, numbers.dao(dao))))
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
  for (const insert of inserts(trx, types, 'unplaced', changes.unattributed.map(unattributedRow))) {
    await insert.onConflict(oc => oc.columns(['signature', 'place']).doNothing()).execute()
  }
  for (const { signature, eventIndex } of changes.attributed) {
    await trx.deleteFrom('unplaced').where('signature', '=', signature).where('place', '=', eventIndex).execute()
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
  const fresh = numbers.fresh.map(({ id, address }) => ({ id, address, first_swap: first.get(address) ?? null, rolled_from: 0 }))
  for (const insert of inserts(trx, types, 'daos', fresh)) await insert.execute()
  const isFresh = new Set(numbers.fresh.map(({ address }) => address))
  for (const [dao, at] of first) {
    if (!isFresh.has(dao)) await trx.updateTable('daos').set({ first_swap: at }).where('id', '=', numbers.dao(dao)).execute()
  }
}

/** Writes one step within the transaction that it is given. */
export async function writeStep (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  await putEvents(trx, types, changes, numbers)
  await putSequenceRanges(trx, types, changes, numbers)
  await putDays(trx, types, changes.days, numbers)
  await putRollups(trx, types, changes.rollups, numbers)
  await putMakers(trx, types, changes.makers, numbers)
  if (changes.minutesFrom !== null) await dropMinutes(trx, changes.minutesFrom)
  await putRates(trx, types, changes.rates)
  await putOddities(trx, types, changes, numbers)
  await putDaos(trx, types, changes, numbers)
  if (changes.indexedRanges !== null) {
    await trx.deleteFrom('segments').execute()
    if (changes.indexedRanges.length > 0) await trx.insertInto('segments').values(changes.indexedRanges.map(indexedRangeRow)).execute()
  }
  await putMeta(trx, {
    ...(changes.losses !== null && { losses: JSON.stringify(changes.losses) }),
    change: String(numbers.revision()),
    ended: String(changes.ended),
    events: String(changes.events_total),
    swaps: String(changes.swaps_total)
  })
}

/** Empties what is derived from the swaps; candles are then made anew, the newest first. */
export async function clearSums (trx: Trx): Promise<void> {
  await trx.updateTable('daos').set({ rolled_from: NEVER_ROLLED }).execute()
  await sql`delete from rollups`.execute(trx)
  await sql`delete from makers`.execute(trx)
  await sql`delete from fee_rates`.execute(trx)
  await sql`delete from days`.execute(trx)
  await sql`delete from rates`.execute(trx)
}
