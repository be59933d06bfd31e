import { sql } from 'kysely'
import { chunks } from '../../chunks.js'
import { SIZES } from '../rules/candles.js'
import { feeRatesOf } from '../rules/tally.js'
import type { DayMaker, FeeRate } from '../rules/types.js'
import { dayKey, putCandles, putCloses } from './candle-rows.js'
import { excluded, inserts, putRows } from './inserts.js'
import { putMeta, type Writing } from './view.js'
import { putLate } from './published.js'
import {
  eventRow, factColumns, indexedRangeRow, numbersText, seqText, sequenceRangeRow, unattributedRow, valuationText
} from './row-mapping.js'
import type { CompletedEvent, RebuiltPage, StepChanges } from './store.js'

/** Transactions that were missing and are found, named in one statement. */
const FOUND = 40

/** As `dayKey` has it, made by the engine: one value for each of many rows. */
const MAKER_DAY = sql<number | string>`day * ${sql.lit(2 ** 32)} + dao`.as('key')

/** Who traded on a day. Gives how many of them had not yet, by `dayKey`. */
async function putMakers (to: Writing, makers: readonly DayMaker[]): Promise<Map<number, number>> {
  const fresh = new Map<number, number>()
  const rows = makers.map(({ dao, day, maker }) => ({ day, dao: to.numbers.dao(dao), maker }))
  for (const insert of inserts(to, 'makers', rows)) {
    // what an engine gives back is what it has inserted
    const inserted = await insert.onConflict(oc => oc.columns(['dao', 'day', 'maker']).doNothing())
      .returning(MAKER_DAY).execute()
    for (const { key } of inserted) fresh.set(Number(key), (fresh.get(Number(key)) ?? 0) + 1)
  }
  return fresh
}

export async function putCompleted (
  to: Writing, events: readonly CompletedEvent[], makers: readonly DayMaker[]
): Promise<void> {
  const { trx, numbers } = to
  for (const { dao, seq, maker, blockIndex, liquidity, facts = null } of events) {
    await trx.updateTable('events').set({
      ...(maker !== null && { maker }),
      ...(blockIndex !== null && { block_index: blockIndex }),
      ...(liquidity !== null && { quote_change: liquidity.quote.toString(), base_change: liquidity.base.toString() }),
      ...(facts !== null && factColumns(facts)),
      revision: numbers.revision()
    }).where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq)).execute()
  }
  const fresh = await putMakers(to, makers)
  for (const { dao, day } of makers) {
    const key = dayKey(numbers.dao(dao), day)
    const added = fresh.get(key) ?? 0
    fresh.delete(key)
    if (added === 0) continue
    await trx.updateTable('days').set(eb => ({ makers: eb('makers', '+', added), revision: numbers.revision() }))
      .where('dao', '=', numbers.dao(dao)).where('start', '=', day * SIZES.days).execute()
  }
  await putMeta(trx, { revision: String(numbers.revision()) })
}

const putRates = (to: Writing, rates: StepChanges['rates']): Promise<void> =>
  putRows(to, 'rates', Array.from(rates, ([bps, swaps]) => ({ bps, swaps })), oc =>
    oc.column('bps').doUpdateSet(excluded(['swaps'])))

async function putEvents (to: Writing, { events, fees }: StepChanges): Promise<void> {
  const { trx, numbers } = to
  await putRows(to, 'events', events.map(event => eventRow(event, numbers.dao(event.dao), numbers.revision())))
  await putCloses(to, events)
  const found = events.flatMap(({ dao, slot, swap }) => swap === null ? [] : [{ dao, slot, swap }])
  for (const { dao, seq, fee } of fees) {
    const row = await trx.updateTable('events').set({ fee: fee.toString(), revision: numbers.revision() })
      .where('dao', '=', numbers.dao(dao)).where('seq', '=', seqText(seq))
      .returning(['slot', 'input']).executeTakeFirst()
    if (row?.input != null) {
      found.push({ dao, slot: Number(row.slot), swap: { side: 'buy', input: BigInt(row.input), output: 0n, fee } })
    }
  }
  await putFeeRates(to, feeRatesOf(found))
}

async function putFeeRates (to: Writing, rates: readonly FeeRate[]): Promise<void> {
  const rows = rates.map(({ dao, bps, fromSlot, toSlot }) =>
    ({ dao: to.numbers.dao(dao), bps, from_slot: fromSlot, to_slot: toSlot }))
  const wider = (slot: 'from_slot' | 'to_slot', sign: '<' | '>') => {
    const [given, known] = [sql.ref(`excluded.${slot}`), sql.ref(`fee_rates.${slot}`)]
    return sql<number>`case when ${given} ${sql.raw(sign)} ${known} then ${given} else ${known} end`
  }
  await putRows(to, 'fee_rates', rows, oc => oc.columns(['dao', 'bps'])
    .doUpdateSet({ from_slot: wider('from_slot', '<'), to_slot: wider('to_slot', '>') }))
}

async function putSequenceRanges (to: Writing, { sequenceRanges }: StepChanges): Promise<void> {
  const { trx, numbers } = to
  for (const [dao, { drop }] of sequenceRanges) {
    for (const first of drop) {
      await trx.deleteFrom('sequence_ranges').where('dao', '=', numbers.dao(dao))
        .where('first_seq', '=', seqText(first)).execute()
    }
  }
  const rows = [...sequenceRanges].flatMap(([dao, { put }]) =>
    put.map(range => sequenceRangeRow(range, numbers.dao(dao))))
  const columns = Object.keys(rows[0] ?? {}).filter(column => column !== 'dao' && column !== 'first_seq')
  await putRows(to, 'sequence_ranges', rows, oc => oc.columns(['dao', 'first_seq']).doUpdateSet(excluded(columns)))
}

async function putOddities (to: Writing, changes: StepChanges): Promise<void> {
  const { trx, numbers } = to
  await putRows(to, 'unattributed', changes.unattributed.map(unattributedRow), oc =>
    oc.columns(['signature', 'event_index']).doNothing())
  for (const { signature, eventIndex } of changes.attributed) {
    await trx.deleteFrom('unattributed').where('signature', '=', signature)
      .where('event_index', '=', eventIndex).execute()
  }
  const proposals = Array.from(changes.proposals, ([proposal, dao]) => ({ proposal, dao: numbers.dao(dao) }))
  await putRows(to, 'proposals', proposals, oc => oc.column('proposal').doNothing())
  await putRows(to, 'missing', changes.missing, oc =>
    oc.column('signature').doUpdateSet(excluded(['reason'])))
  for (const some of chunks(changes.found, FOUND)) {
    await trx.deleteFrom('missing').where('signature', 'in', some).execute()
  }
}

async function putDaos (to: Writing, { firstSwaps }: StepChanges): Promise<void> {
  const first = new Map(firstSwaps)
  const fresh = to.numbers.fresh.map(({ id, address }) => ({ id, address, first_swap: first.get(address) ?? null }))
  await putRows(to, 'daos', fresh)
  for (const { address } of fresh) first.delete(address)
  for (const [dao, at] of first) {
    await to.trx.updateTable('daos').set({ first_swap: at }).where('id', '=', to.numbers.dao(dao)).execute()
  }
}

/** Writes one step within the transaction that it is given. */
export async function writeStep (to: Writing, changes: StepChanges): Promise<void> {
  await putEvents(to, changes)
  await putSequenceRanges(to, changes)
  await putCandles(to, 'days', changes.days, await putMakers(to, changes.makers))
  await putCandles(to, 'hours', changes.hours)
  await putCandles(to, 'minutes', changes.minutes)
  await putRates(to, changes.rates)
  await putOddities(to, changes)
  await putDaos(to, changes)
  const { indexedRanges, losses, numbersAhead, ...numbers } = changes.state
  if (indexedRanges !== undefined) {
    await to.trx.deleteFrom('indexed_ranges').execute()
    await putRows(to, 'indexed_ranges', indexedRanges.map(indexedRangeRow))
  }
  await putMeta(to.trx, {
    ...Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, String(value)])),
    ...(losses !== undefined && { losses: JSON.stringify(losses) }),
    ...(numbersAhead !== undefined && { numbers_ahead: numbersText(numbersAhead) }),
    revision: String(to.numbers.revision())
  })
  await putLate(to, changes)
}

/** What is made of the swaps: a rebuild empties these tables first. */
const DERIVED = ['minutes', 'hours', 'days', 'makers', 'fee_rates', 'rates'] as const

export async function putRebuilt (to: Writing, page: RebuiltPage): Promise<void> {
  const { trx, types, numbers } = to
  const { valuation, isFirst, upTo, minutes, hours, days, makers, feeRates, rates } = page
  if (isFirst) for (const table of DERIVED) await sql`${sql.raw(types.empty)} ${sql.table(table)}`.execute(trx)
  await putCandles(to, 'days', days, await putMakers(to, makers))
  await putCandles(to, 'hours', hours)
  await putCandles(to, 'minutes', minutes)
  await putFeeRates(to, feeRates)
  await putRates(to, rates)
  const [begun, ended] = [['rebuilding', 'rebuilt_to'], ['valuation']]
  await trx.deleteFrom('meta').where('key', 'in', upTo === null ? begun : ended).execute()
  await putMeta(trx, {
    revision: String(numbers.revision()),
    ...(upTo === null
      ? { valuation: valuationText(valuation) }
      : { rebuilding: valuationText(valuation), rebuilt_to: `${upTo.revision} ${upTo.swaps}` })
  })
}
