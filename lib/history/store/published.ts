/** How far block ranges have been published. */
import { sql } from 'kysely'
import type { PublishedSlot } from './types.js'
import { putMeta, readMeta, type View } from './view.js'

export const readPublished = async ({ db }: Pick<View, 'db'>): Promise<PublishedSlot | null> =>
  JSON.parse((await readMeta(db)).get('published') ?? 'null')

/** Never back: an older slot changes nothing. */
export async function putPublished (to: Pick<View, 'db'>, slot: PublishedSlot): Promise<void> {
  const known = await readPublished(to)
  if (known === null || known.slot < slot.slot) await putMeta(to.db, { published: JSON.stringify(slot) })
}

/** Of an event: block ranges have it. */
export const IS_ON_TIME = sql<boolean>`coalesce(late, 'fee') = 'fee'`
