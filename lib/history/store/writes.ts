import { sql } from 'kysely'
import { feeRatesOf } from '../rules/tally.js'
import {
  EVENT, FACTS, FEE_RATE, SEQUENCE_RANGE, STORED_EVENT, type DayMaker, type FeeRate
} from '../rules/rows.js'
import { putAdded, putCloses, putMakers } from './candle-rows.js'
import { rowOf, seqText } from '../rules/mapping.js'
import { notesOf, publishedOf } from './state.js'
import type { AmendedEvent, RebuiltPage, StepChanges } from './types.js'
import { excluded, isOneOf, putMeta, putRows, type Writing } from './view.js'

const eventOf = ({ db, numberOf }: Writing, { dao, seq }: { dao: string, seq: bigint }) =>
  db.updateTable('events').where('dao', '=', numberOf(dao)).where('seq', '=', seqText(seq))

export async function putAmended (
  to: Writing, events: readonly AmendedEvent[], makers: readonly DayMaker[]
): Promise<void> {
  for (const event of events) {
    const { maker = null, blockIndex = null, liquidity = null, facts = null, reason } = event
    await eventOf(to, event).set({
      ...(maker !== null && { maker }),
      ...(blockIndex !== null && { block_index: blockIndex }),
      ...(liquidity !== null && rowOf(EVENT.liquidity, liquidity)),
      ...(facts !== null && rowOf(FACTS, facts)),
      ...(reason !== undefined && { reason }),
      revision: to.nextRevision()
    }).execute()
  }
  await putMakers(to, makers)
}

async function putEvents (to: Writing, { events, fees }: StepChanges): Promise<void> {
  const published = publishedOf(to.meta)?.slot ?? -1
  await putRows(to, 'events', events.map(event => ({
    revision: to.nextRevision(),
    dao: to.numberOf(event.dao),
    ...rowOf(STORED_EVENT, event),
    late: event.slot <= published ? 'event' as const : null
  })))
  await putCloses(to, events)
  const found = events.flatMap(({ dao, slot, swap }) => swap === null ? [] : [{ dao, slot, swap }])
  for (const { fee, ...event } of fees) {
    const late = sql<'fee' | null>`case when slot <= ${published} then coalesce(late, 'fee') end`
    const row = await eventOf(to, event).set({ fee: fee.toString(), late, revision: to.nextRevision() })
      .returning(['slot', ...EVENT.swap.columns]).executeTakeFirst()
    const swap = row && EVENT.swap.read(row)
    if (swap != null) found.push({ dao: event.dao, slot: row!.slot, swap })
  }
  await putFeeRates(to, feeRatesOf(found))
}

async function putFeeRates (to: Writing, rates: readonly FeeRate[]): Promise<void> {
  const wider = (slot: 'from_slot' | 'to_slot', sign: '<' | '>') => {
    const [given, known] = [sql.ref(`excluded.${slot}`), sql.ref(`fee_rates.${slot}`)]
    return sql<number>`case when ${given} ${sql.raw(sign)} ${known} then ${given} else ${known} end`
  }
  await putRows(to, 'fee_rates', rates.map(rate => ({ dao: to.numberOf(rate.dao), ...rowOf(FEE_RATE, rate) })), oc =>
    oc.columns(['dao', 'bps'])
      .doUpdateSet({ from_slot: wider('from_slot', '<'), to_slot: wider('to_slot', '>') }))
}

async function putSequenceRanges (to: Writing, { sequenceRanges }: StepChanges): Promise<void> {
  if (sequenceRanges.size === 0) return
  const replaced = Array.from(sequenceRanges.keys(), dao => ({ dao: to.idOf(dao) }))
  await to.db.deleteFrom('sequence_ranges').where(isOneOf(to, 'sequence_ranges', ['dao'], replaced)).execute()
  await putRows(to, 'sequence_ranges', [...sequenceRanges].flatMap(([dao, ranges]) =>
    ranges.map(range => ({ dao: to.numberOf(dao), ...rowOf(SEQUENCE_RANGE, range) }))))
}

async function putMissing (to: Writing, { missing, found }: StepChanges): Promise<void> {
  await putRows(to, 'missing', missing, oc => oc.column('signature').doUpdateSet(excluded(['reason'])))
  if (found.length === 0) return
  const read = found.map(signature => ({ signature }))
  await to.db.deleteFrom('missing').where(isOneOf(to, 'missing', ['signature'], read)).execute()
}

export async function writeStep (to: Writing, changes: StepChanges): Promise<void> {
  await putEvents(to, changes)
  await putSequenceRanges(to, changes)
  await putAdded(to, changes)
  await putMissing(to, changes)
  await putMeta(to.db, notesOf(changes.state))
}

/** Made of the swaps; a rebuild empties them in this order (`replicas/follower.ts`). */
const DERIVED = ['candles', 'makers', 'fee_rates'] as const

export async function putRebuilt (to: Writing, page: RebuiltPage): Promise<void> {
  const { db, types } = to
  const { valuation, isFirst, upTo, feeRates, rates } = page
  if (isFirst) for (const table of DERIVED) await sql`${sql.raw(types.empty)} ${sql.table(table)}`.execute(db)
  await putAdded(to, page)
  await putFeeRates(to, feeRates)
  await db.deleteFrom('meta').where('key', '=', upTo === null ? 'rebuilding' : 'valuation').execute()
  await putMeta(db, notesOf({ rates, ...upTo === null ? { valuation } : { rebuilding: { valuation, ...upTo } } }))
}
