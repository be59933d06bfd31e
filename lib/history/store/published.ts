/** How far block ranges have been published, and what came too late for them. */
import { sql, type Kysely } from 'kysely'
import { inserts } from './inserts.js'
import { putMeta, type Writing } from './view.js'
import { seqText } from './row-mapping.js'
import type { PublishedSlot, StepChanges } from './store.js'
import type { Tables } from './table-types.js'

export async function readPublished ({ db }: { db: Kysely<Tables> }): Promise<PublishedSlot | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'published').executeTakeFirst()
  if (row === undefined) return null
  const [slot, at] = row.value.split(' ').map(Number)
  return { slot: slot!, at: at! }
}

/** Never back: an older slot changes nothing. */
export async function putPublished ({ trx }: Writing, { slot, at }: PublishedSlot): Promise<void> {
  const known = await readPublished({ db: trx })
  if (known === null || known.slot < slot) await putMeta(trx, { published: `${slot} ${at}` })
}

/** What of a step belongs to published slots: block ranges go on without it. */
export async function putLate (to: Writing, { events, fees }: StepChanges): Promise<void> {
  if (events.length === 0 && fees.length === 0) return
  const { trx, numbers } = to
  const published = await readPublished({ db: trx })
  if (published === null) return
  const late = events.filter(({ slot }) => slot <= published.slot)
    .map(({ dao, seq }) => ({ dao: numbers.dao(dao), seq: seqText(seq), what: 'event' as const }))
  for (const insert of inserts(to, 'late', late)) await insert.onConflict(oc => oc.doNothing()).execute()
  for (const { dao, seq } of fees) {
    await sql`
      insert into late (dao, seq, what) select dao, seq, 'fee' from events
      where dao = ${numbers.dao(dao)} and seq = ${seqText(seq)} and slot <= ${published.slot}
      on conflict do nothing`.execute(trx)
  }
}

const isNoted = (what: 'event' | 'fee') => sql<number | boolean>`
  exists (select 1 from late where late.dao = events.dao and late.seq = events.seq and late.what = ${sql.lit(what)})`
/** As a condition on `events`. */
export const EVENT_IS_LATE = isNoted('event')
export const FEE_IS_LATE = isNoted('fee')
export const IS_ON_TIME = sql<boolean>`not ${EVENT_IS_LATE}`
