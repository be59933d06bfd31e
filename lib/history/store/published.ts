/** How far block ranges have been published, and what came too late for them. */
import { sql, type Kysely, type Transaction } from 'kysely'
import { seqText } from './row-mapping.js'
import type { PublishedSlot, StepChanges } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'
import { inserts, type Numbers } from './inserts.js'
import { putMeta } from './meta.js'

export async function readPublished (db: Kysely<Tables>): Promise<PublishedSlot | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'published').executeTakeFirst()
  if (row === undefined) return null
  const [slot, at] = row.value.split(' ').map(Number)
  return { slot: slot!, at: at! }
}

/** Never back: an older slot changes nothing. */
export async function putPublished (trx: Transaction<Tables>, { slot, at }: PublishedSlot): Promise<void> {
  const known = await readPublished(trx)
  if (known === null || known.slot < slot) await putMeta(trx, { published: `${slot} ${at}` })
}

/**
 * Notes which events and fees of a step belong to slots that have been published before: block ranges go on without
 * them.
 */
export async function putLate (
  trx: Transaction<Tables>, types: ColumnTypes, { events, fees }: StepChanges, numbers: Numbers
): Promise<void> {
  if (events.length === 0 && fees.length === 0) return
  const published = await readPublished(trx)
  if (published === null) return
  const late = events.filter(({ slot }) => slot <= published.slot)
    .map(({ dao, seq }) => ({ dao: numbers.dao(dao), seq: seqText(seq), what: 'event' as const }))
  for (const insert of inserts(trx, types, 'late', late)) await insert.onConflict(oc => oc.doNothing()).execute()
  for (const { dao, seq } of fees) {
    await sql`
      insert into late (dao, seq, what) select dao, seq, 'fee' from events
      where dao = ${numbers.dao(dao)} and seq = ${seqText(seq)} and slot <= ${published.slot} on conflict do nothing`.execute(
      trx
    )
  }
}

const isNoted = (what: 'event' | 'fee') => sql<number | boolean>`
  exists (select 1 from late where late.dao = events.dao and late.seq = events.seq and late.what = ${sql.lit(what)})`
/** Whether an event, or the fee of a swap, came too late for block ranges, as a condition on `events`. */
export const EVENT_IS_LATE = isNoted('event')
export const FEE_IS_LATE = isNoted('fee')
export const IS_ON_TIME = sql<boolean>`not ${EVENT_IS_LATE}`
