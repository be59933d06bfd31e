/** How far block ranges have been published, and what came too late for them. */
import { sql } from 'kysely'
import { seqText } from './mapping.js'
import type { PublishedSlot, StepChanges } from './types.js'
import { putMeta, putRows, readMeta, type View, type Writing } from './view.js'

export const readPublished = async ({ db }: Pick<View, 'db'>): Promise<PublishedSlot | null> =>
  JSON.parse((await readMeta(db)).get('published') ?? 'null')

/** Never back: an older slot changes nothing. */
export async function putPublished (to: Pick<View, 'db'>, slot: PublishedSlot): Promise<void> {
  const known = await readPublished(to)
  if (known === null || known.slot < slot.slot) await putMeta(to.db, { published: JSON.stringify(slot) })
}

/** Notes what of a step belongs to published slots: block ranges go on without it. */
export async function putLate (to: Writing, { events, fees }: StepChanges): Promise<void> {
  const published = await readPublished(to)
  if (published === null) return
  const late = events.filter(({ slot }) => slot <= published.slot)
    .map(({ dao, seq }) => ({ dao: to.numberOf(dao), seq: seqText(seq), what: 'event' as const }))
  await putRows(to, 'late', late, oc => oc.doNothing())
  for (const { dao, seq } of fees) {
    await sql`
      insert into late (dao, seq, what) select dao, seq, 'fee' from events
      where dao = ${to.numberOf(dao)} and seq = ${seqText(seq)} and slot <= ${published.slot}
      on conflict do nothing`.execute(to.db)
  }
}

const isNoted = (what: 'event' | 'fee') => sql<number | boolean>`
  exists (select 1 from late where late.dao = events.dao and late.seq = events.seq and late.what = ${sql.lit(what)})`
/** As a condition on `events`. */
export const EVENT_IS_LATE = isNoted('event')
export const FEE_IS_LATE = isNoted('fee')
export const IS_ON_TIME = sql<boolean>`not ${EVENT_IS_LATE}`
