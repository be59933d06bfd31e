import { sql, type Transaction } from 'kysely'
import { createPauses } from '../../async.js'
import { chunks } from '../../chunks.js'
import { SIZES } from '../rules/candles.js'
import { feeRatesOf } from '../rules/fee-rates.js'
import type { DayMaker, FeeRate } from '../rules/types.js'
import { dayKey, putCandles } from './candles.js'
import { inserts, type Numbers } from './inserts.js'
import { putMeta } from './meta.js'
import {
  eventRow, indexedRangeRow, numbersText, seqText, sequenceRangeRow, unattributedRow, valuationText
} from './row-mapping.js'
import type { CompletedEvent, RebuiltPage, StepChanges } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'

type Trx = Transaction<Tables>

/** Transactions that were missing and are found, named in one statement. */
const FOUND = 40

/** A row of `makers` as `dayKey` has it, made by the engine: one value for each of many rows. */
const MAKER_DAY = sql<number | string>`day * ${sql.lit(2 ** 32)} + dao`.as('key')

/** Notes who traded on a day. Gives how many of them had not yet, by `dayKey`. */
async function putMakers (
  trx: Trx, types: ColumnTypes, makers: readonly DayMaker[], numbers: Numbers
): Promise<Map<number, number>> {
  const fresh = new Map<number, number>()
  const rows = makers.map(({ dao, day, maker }) => ({ day, dao: numbers.dao(dao), maker }))
  for (const insert of inserts(trx, types, 'makers', rows)) {
    // what an engine gives back is what it has inserted
    const inserted = await insert.onConflict(oc => oc.columns(['dao', 'day', 'maker']).doNothing()).returning(
      MAKER_DAY
    ).execute()
    for (const { key } of inserted) fresh.set(Number(key), (fresh.get(Number(key)) ?? 0) + 1)
  }
  return fresh
}

export async function putCompleted (
  trx: Trx, types: ColumnTypes, events: readonly CompletedEvent[], makers: readonly DayMaker[], numbers: Numbers
): Promise<void> {
  for (const { dao, seq, maker, blockIndex, liquidity } of events) {
    await trx.updateTable('events').set({
      ...(maker !== null && { maker }),
      ...(blockIndex !== null && { block_index: blockIndex }),
      ...(liquidity !== null && { quote_change: liquidity.quote.toString(), base_change: liquidity.base.toString() }),
      revision: numbers.revision()
    }).where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  }
  const fresh = await putMakers(trx, types, makers, numbers)
  for (const { dao, day } of makers) {
    const key = dayKey(numbers.dao(dao), day)
    const added = fresh.get(key) ?? 0
    fresh.delete(key)
    if (added === 0) continue
    await trx.updateTable('days').set(eb => ({ makers: eb('makers', '+', added), revision: numbers.revision() }))
      .where('dao', '=', numbers.dao(dao)).where('start', '=', day * SIZES.days).execute()
  }
}

async function putRates (trx: Trx, types: ColumnTypes, rates: Array<{ bps: string, swaps: number }>): Promise<void> {
  for (const insert of inserts(trx, types, 'rates', rates)) {
    await insert.onConflict(oc => oc.column('bps').doUpdateSet({ swaps: eb => eb.ref('excluded.swaps') })).execute()
  }
}

async function putEvents (
  trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers, pause: () => Promise<void> | undefined
): Promise<void> {
  const rows = changes.events.map(event => eventRow(event, numbers.dao(event.dao), numbers.revision()))
  for (const insert of inserts(trx, types, 'events', rows)) {
    await insert.execute()
    await pause()
  }
  const found = changes.events.flatMap(({ dao, slot, swap }) => swap === null ? [] : [{ dao, slot, swap }])
  for (const { dao, seq, fee } of changes.fees) {
    const row = await trx.updateTable('events').set({ fee: fee.toString(), revision: numbers.revision() })
      .where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(
        seq
      )).returning(['slot', 'input']).executeTakeFirst()
    if (row?.input != null) {
      found.push({ dao, slot: Number(row.slot), swap: { side: 'buy', input: BigInt(row.input), output: 0n, fee } })
    }
  }
  await putFeeRates(trx, types, feeRatesOf(found), numbers)
}

/** Widens what is known of a DAO's fee rates. */
async function putFeeRates (trx: Trx, types: ColumnTypes, rates: readonly FeeRate[], numbers: Numbers): Promise<void> {
  const rows = rates.map(({ dao, bps, fromSlot, toSlot }) =>
    ({ dao: numbers.dao(dao), bps, from_slot: fromSlot, to_slot: toSlot }))
  for (const insert of inserts(trx, types, 'fee_rates', rows)) {
    await insert.onConflict(oc => oc.columns(['dao', 'bps']).doUpdateSet({
      from_slot: sql`case when excluded.from_slot < fee_rates.from_slot then excluded.from_slot else fee_rates.from_slot end`,
      to_slot: sql`case when excluded.to_slot > fee_rates.to_slot then excluded.to_slot else fee_rates.to_slot end`
    })).execute()
  }
}

async function putSequenceRanges (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const { dao, drop } of changes.sequenceRanges) {
    for (const first of drop) {
      await trx.deleteFrom('sequence_ranges').where('dao', '=', numbers.dao(dao)).where('first_seq', '=', seqText(
        first
      )).execute()
    }
  }
  const rows = changes.sequenceRanges.flatMap(({ dao, put }) =>
    put.map(range => sequenceRangeRow(range, numbers.dao(dao))))
  for (const insert of inserts(trx, types, 'sequence_ranges', rows)) {
    const { dao: _, first_seq: __, ...others } = rows[0]!
    await insert.onConflict(oc => oc.columns(['dao', 'first_seq']).doUpdateSet(
      Object.fromEntries(Object.keys(others).map(column => [column, sql.raw(`excluded.${column}`)]))
    )).execute()
  }
}

async function putOddities (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  for (const insert of inserts(trx, types, 'unattributed', changes.unattributed.map(unattributedRow))) {
    await insert.onConflict(oc => oc.columns(['signature', 'event_index']).doNothing()).execute()
  }
  for (const { signature, eventIndex } of changes.attributed) {
    await trx.deleteFrom('unattributed').where('signature', '=', signature).where(
      'event_index',
      '=',
      eventIndex
    ).execute()
  }
  const proposals = changes.proposals.map(({ proposal, dao }) => ({ proposal, dao: numbers.dao(dao) }))
  for (const insert of inserts(trx, types, 'proposals', proposals)) {
    await insert.onConflict(oc => oc.column('proposal').doNothing()).execute()
  }
  for (const insert of inserts(trx, types, 'missing', changes.missing)) {
    await insert.onConflict(oc =>
      oc.column('signature').doUpdateSet({ reason: eb => eb.ref('excluded.reason') })).execute()
  }
  for (const some of chunks(
    changes.found,
    FOUND
  )) await trx.deleteFrom('missing').where('signature', 'in', some).execute()
}

async function putDaos (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  const first = new Map(changes.firstSwaps.map(({ dao, at }) => [dao, at]))
  const fresh = numbers.fresh.map(({ id, address }) => ({ id, address, first_swap: first.get(address) ?? null }))
  for (const insert of inserts(trx, types, 'daos', fresh)) await insert.execute()
  const isFresh = new Set(numbers.fresh.map(({ address }) => address))
  for (const [dao, at] of first) {
    if (!isFresh.has(dao)) {
      await trx.updateTable('daos').set({ first_swap: at }).where('id', '=', numbers.dao(dao)).execute()
    }
  }
}

/** Writes one step within the transaction that it is given. */
export async function writeStep (trx: Trx, types: ColumnTypes, changes: StepChanges, numbers: Numbers): Promise<void> {
  // the embedded store answers at once, without giving others their turn; whoever reads it meanwhile waits for the
  // transaction
  const pause = createPauses()
  await putEvents(trx, types, changes, numbers, pause)
  await pause()
  await putSequenceRanges(trx, types, changes, numbers)
  await pause()
  await putCandles(trx, types, 'days', changes.days, numbers, await putMakers(trx, types, changes.makers, numbers))
  for (const size of ['hours', 'minutes'] as const) {
    await pause()
    await putCandles(trx, types, size, changes[size], numbers)
  }
  await pause()
  await putRates(trx, types, changes.rates)
  await putOddities(trx, types, changes, numbers)
  await putDaos(trx, types, changes, numbers)
  if (changes.indexedRanges !== null) {
    await trx.deleteFrom('indexed_ranges').execute()
    if (changes.indexedRanges.length > 0) {
      await trx.insertInto('indexed_ranges').values(changes.indexedRanges.map(indexedRangeRow)).execute()
    }
  }
  await putMeta(trx, {
    ...(changes.losses !== null && { losses: JSON.stringify(changes.losses) }),
    ...(changes.beginning !== null && { beginning: String(changes.beginning) }),
    ...(changes.numbersAhead !== null && { numbers_ahead: numbersText(changes.numbersAhead) }),
    revision: String(numbers.revision()),
    ended: String(changes.ended),
    events: String(changes.events_total),
    swaps: String(changes.swaps_total)
  })
}

/** What is made of the swaps: a rebuild empties these tables first. */
const DERIVED = ['minutes', 'hours', 'days', 'makers', 'fee_rates', 'rates'] as const

export async function putRebuilt (trx: Trx, types: ColumnTypes, page: RebuiltPage, numbers: Numbers): Promise<void> {
  const { valuation, isFirst, upTo, minutes, hours, days, makers, feeRates, rates } = page
  if (isFirst) for (const table of DERIVED) await sql`${sql.raw(types.empty)} ${sql.table(table)}`.execute(trx)
  await putCandles(trx, types, 'days', days, numbers, await putMakers(trx, types, makers, numbers))
  await putCandles(trx, types, 'hours', hours, numbers)
  await putCandles(trx, types, 'minutes', minutes, numbers)
  await putFeeRates(trx, types, feeRates, numbers)
  await putRates(trx, types, rates)
  const [begun, ended] = [['rebuilding', 'rebuilt_to'], ['valuation']]
  await trx.deleteFrom('meta').where('key', 'in', upTo === null ? begun : ended).execute()
  await putMeta(trx, {
    revision: String(numbers.revision()),
    ...(upTo === null
      ? { valuation: valuationText(valuation) }
      : { rebuilding: valuationText(valuation), rebuilt_to: `${upTo.revision} ${upTo.swaps}` })
  })
}
