import { sql, type Insertable, type RawBuilder, type Transaction } from 'kysely'
import { createPauses } from '../../async.js'
import { chunks } from '../../chunks.js'
import { eventRow, sequenceRangeRow, indexedRangeRow, numbersText, seqText, unattributedRow } from './row-mapping.js'
import type { CompletedEvent, Rolled, StepChanges } from './store.js'
import { feeRatesOf } from '../rules/fee-rates.js'
import type { DayMaker, FeeRate, MinuteRow, WholeDay } from '../rules/types.js'
import { CANDLE_COLUMNS, candleRow } from './candle-rows.js'
import { NEVER_ROLLED } from './conditions.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Trx = Transaction<Tables>

/** Of a row that is there already, what the new one says. */
const EXCLUDED_CANDLE = Object.fromEntries(CANDLE_COLUMNS.map(column => [column, sql.raw(`excluded.${column}`)])) as Record<typeof CANDLE_COLUMNS[number], RawBuilder<never>>

/** Rows per statement: with a parameter for each value so few that compiling and binding one costs less than what it saves. */
const ROWS = { values: 40, json: 2000 }
/** Rows of so few columns go as one document to an engine that takes parameters, too: taking it apart costs it less than we would spend on them. */
const NARROW = 6
/** But for long texts, which would be written down and read again twice on the way. */
const LONG = 'minutes'

/** The statements that insert `rows`. As one document, an engine takes apart by itself what else is compiled, bound and planned value by value. */
export function * inserts<T extends keyof Tables & string> (trx: Trx, { rows: form }: ColumnTypes, table: T, rows: ReadonlyArray<Insertable<Tables[T]>>) {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!) as Array<keyof Tables[T] & string>
  const isNarrow = columns.length <= NARROW && table !== LONG
  for (const some of chunks(rows, form === 'values' && !isNarrow ? ROWS.values : ROWS.json)) {
    const insert = trx.insertInto(table)
    if (form === 'json') {
      yield insert.columns(columns).expression(sql`select ${sql.join(columns.map(column => sql.ref(column)))} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(some)}::json)`)
    } else if (isNarrow) {
      const values = some.map(row => columns.map(column => row[column as keyof typeof row]))
      // `where true`: else an `on conflict` that follows would be read as a condition of a join
      yield insert.columns(columns).expression(sql`select ${sql.join(columns.map((_, at) => sql`value ->> ${sql.lit(at)}`))} from json_each(${JSON.stringify(values)}) where true`)
    } else {
      yield insert.values(some)
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

/** Writes the rows; `makers`, where given, is how many there are to be added to each, by `dayKey`. */
export async function putDays (trx: Trx, types: ColumnTypes, days: readonly WholeDay[], numbers: Numbers, makers: ReadonlyMap<number, number> = new Map()): Promise<void> {
  const rows = days.map((row): Insertable<Tables['days']> => {
    const dao = numbers.dao(row.dao)
    return { dao, day: row.day, ...candleRow(row), hours: row.hours, change: numbers.revision(), makers: makers.get(dayKey(dao, row.day)) ?? 0 }
  })
  for (const insert of inserts(trx, types, 'days', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'day']).doUpdateSet(({ ref }) => (
      { ...EXCLUDED_CANDLE, hours: ref('excluded.hours'), change: ref('excluded.change'), makers: sql`days.makers + excluded.makers` }
    ))).execute()
  }
}

/** A DAO's day as one number: numbers of DAOs are of 32 bits at most. */
const dayKey = (dao: number, day: number) => day * 2 ** 32 + dao
/** The same of a row of `makers`, made by the engine: one value for each of many rows. */
const MAKER_DAY = sql<number | string>`day * ${sql.lit(2 ** 32)} + dao`.as('key')

export async function putMinutes (trx: Trx, types: ColumnTypes, minutes: readonly MinuteRow[], numbers: Numbers): Promise<void> {
  const rows = minutes.flatMap(({ dao, start, candles }) => candles === null ? [] : [{ start, dao: numbers.dao(dao), candles }])
  for (const insert of inserts(trx, types, 'minutes', rows)) {
    await insert.onConflict(oc => oc.columns(['start', 'dao']).doUpdateSet({ candles: eb => eb.ref('excluded.candles') })).execute()
  }
}

/** Notes who traded on a day. Gives how many of them had not yet, by `dayKey`. */
async function putMakers (trx: Trx, types: ColumnTypes, makers: readonly DayMaker[], numbers: Numbers): Promise<Map<number, number>> {
  const fresh = new Map<number, number>()
  const rows = makers.map(({ dao, day, maker }) => ({ day, dao: numbers.dao(dao), maker }))
  for (const insert of inserts(trx, types, 'makers', rows)) {
    // what an engine gives back is what it has inserted
    const inserted = await insert.onConflict(oc => oc.columns(['dao', 'day', 'maker']).doNothing()).returning(MAKER_DAY).execute()
    for (const { key } of inserted) fresh.set(Number(key), (fresh.get(Number(key)) ?? 0) + 1)
  }
  return fresh
}

/** Writes candles of trades that had none; the rows of whole days take the place of those that were there. */
export async function putRolled (trx: Trx, types: ColumnTypes, { dao, from, minutesFrom, days, minutes, makers, feeRates }: Rolled, numbers: Numbers): Promise<void> {
  await putDays(trx, types, days, numbers, await putMakers(trx, types, makers, numbers))
  await putMinutes(trx, types, minutes, numbers)
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
  const fresh = await putMakers(trx, types, makers, numbers)
  for (const { dao, day } of makers) {
    const added = fresh.get(dayKey(numbers.dao(dao), day)) ?? 0
    fresh.delete(dayKey(numbers.dao(dao), day))
    if (added > 0) await trx.updateTable('days').set(eb => ({ makers: eb('makers', '+', added), change: numbers.revision() })).where('dao', '=', numbers.dao(dao)).where('day', '=', day).execute()
  }
}

/** Drops the candles of a minute that are no longer kept. */
async function dropMinutes (trx: Trx, from: number): Promise<void> {
  const known = Number((await trx.selectFrom('meta').select('value').where('key', '=', 'minutes_from').executeTakeFirst())?.value ?? -Infinity)
  if (from <= known) return
  await putMeta(trx, { minutes_from: String(from) })
  await trx.deleteFrom('minutes').where('start', '<', from).execute()
}

export async function putRates (trx: Trx, types: ColumnTypes, rates: Array<{ bps: string, swaps: number }>): Promise<void> {
  for (const insert of inserts(trx, types, 'rates', rates)) {
    await insert.onConflict(oc => oc.column('bps').doUpdateSet({ swaps: eb => eb.ref('excluded.swaps') })).execute()
  }
}

async function putEvents (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers, pause: () => Promise<void> | undefined): Promise<void> {
  for (const { dao, seq } of changes.replaced) await trx.deleteFrom('events').where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  const rows = changes.events.map(event => eventRow(event, numbers.dao(event.dao), numbers.revision()))
  for (const insert of inserts(trx, types, 'events', rows)) {
    await insert.execute()
    await pause()
  }
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
  // the embedded store answers at once, without giving others their turn; whoever reads it meanwhile waits for the transaction
  const pause = createPauses()
  await putEvents(trx, types, changes, numbers, pause)
  await pause()
  await putSequenceRanges(trx, types, changes, numbers)
  await pause()
  await putDays(trx, types, changes.days, numbers, await putMakers(trx, types, changes.makers, numbers))
  await pause()
  await putMinutes(trx, types, changes.minutes, numbers)
  await pause()
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
    ...(changes.numbersAhead !== null && { numbers_ahead: numbersText(changes.numbersAhead) }),
    change: String(numbers.revision()),
    ended: String(changes.ended),
    events: String(changes.events_total),
    swaps: String(changes.swaps_total)
  })
}

/** Empties what is derived from the swaps; candles are then made anew, the newest first. */
export async function clearSums (trx: Trx): Promise<void> {
  await trx.updateTable('daos').set({ rolled_from: NEVER_ROLLED }).execute()
  await sql`delete from minutes`.execute(trx)
  await sql`delete from makers`.execute(trx)
  await sql`delete from fee_rates`.execute(trx)
  await sql`delete from days`.execute(trx)
  await sql`delete from rates`.execute(trx)
}
