/** Notes of the store by name. */
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './table-types.js'

export async function readMeta (db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function putMeta (trx: Transaction<Tables>, values: Record<string, string>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  await trx.insertInto('meta').values(rows).onConflict(oc =>
    oc.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })).execute()
}

/** The revision that the last committed step took: what a reader may have seen of it is all or nothing. */
export const readRevision = async (db: Kysely<Tables>): Promise<number> =>
  Number((await readMeta(db)).get('revision') ?? 0)
