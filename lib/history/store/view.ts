/** What reads and writes of all engines work on. */
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder, type Transaction } from 'kysely'
import type { Since, Store } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'

/** DAO addresses by the store's numbers, and back. */
export interface Names {
  address (id: number | string): string
  id (address: string): number | undefined
}

export interface View { db: Kysely<Tables>, types: ColumnTypes, names: Names }

/** How a method of the store is answered from one state of it. */
export type Read<M extends keyof Store> = (view: View, ...args: Parameters<Store[M]>) => ReturnType<Store[M]>

/** Numbers of DAOs and changes, committed with the step that took them. */
export interface Numbers {
  dao (address: string): number
  revision (): number
  /** DAOs that have got their number in this step. */
  fresh: Array<{ id: number, address: string }>
}

export interface Writing { trx: Transaction<Tables>, types: ColumnTypes, names: Names, numbers: Numbers }

/**
 * Keys as a table to join, in one parameter: one for each value would cost more than the reading. `columns`: names and
 * types.
 */
export function keyTable<R> (
  { types: { rows: form } }: View, keys: ReadonlyArray<ReadonlyArray<string | number>>,
  columns: Record<keyof R & string, string>
): RawBuilder<R> {
  const names = Object.keys(columns)
  if (form === 'arrays') {
    const values = names.map((name, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(name)}`)
    return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(keys)}))`
  }
  const types = Object.values<string>(columns)
  const arrays = types.map((type, at) => sql`${keys.map(key => key[at])}::${sql.raw(type)}[]`)
  return sql`(select * from unnest(${sql.join(arrays)}) as keys (${sql.join(names.map(name => sql.ref(name)))}))`
}

/** Those of some DAOs that are stored, as `keyTable`; undefined: none. */
export function daoTable (view: View, daos: readonly string[]): RawBuilder<{ dao: number }> | undefined {
  const ids = daos.map(view.names.id).filter(id => id !== undefined)
  return ids.length === 0 ? undefined : keyTable<{ dao: number }>(view, ids.map(id => [id]), { dao: 'integer' })
}

/**
 * What `make` makes of these columns of `table`, and of those selected already; it must not keep a row. SQLite's driver
 * hands rows over value by value, which costs more than finding them: there, each comes as one text.
 */
export async function mapRows<DB, TB extends keyof DB, O, Row, T> (
  { types: { rows: form } }: View, query: SelectQueryBuilder<DB, TB, O>, table: string,
  columns: ReadonlyArray<keyof Row & string>, make: (row: Row, selected: O) => T
): Promise<T[]> {
  const list = columns.map(column => sql.ref(`${table}.${column}`))
  if (form === 'records') {
    const rows = await query.select(list.map((value, at) => value.as(columns[at]!))).execute()
    return rows.map(row => make(row as Row, row as O))
  }
  const rows = await query.select(sql<string>`json_array(${sql.join(list)})`.as('json')).execute()
  const row: Record<string, unknown> = {}
  return rows.map(found => {
    const values = JSON.parse((found as unknown as { json: string }).json) as unknown[]
    for (let at = 0; at < columns.length; at++) row[columns[at]!] = values[at]
    return make(row as Row, found as O)
  })
}

/** What has changed in a table since `after`, oldest change first. */
export async function readSince<Row, T> (
  view: View, table: 'days' | 'closes', columns: ReadonlyArray<keyof Row & string>, make: (row: Row) => T,
  after: number, limit: number
): Promise<Since<T>> {
  const newest = await readRevision(view.db)
  if (newest === after) return { revision: after, rows: [] }
  const query = view.db.selectFrom(table as 'closes').where('revision', '>', after).where('revision', '<=', newest)
    .orderBy('revision').limit(limit)
  let last = newest
  type Changed = Row & { revision: number }
  const rows = await mapRows(view, query, table, ['revision', ...columns] as Array<keyof Changed & string>,
    (row: Changed) => {
      last = Number(row.revision)
      return make(row)
    })
  return { revision: rows.length < limit ? newest : last, rows }
}

export async function readMeta (db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function putMeta (trx: Transaction<Tables>, values: Record<string, string>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  await trx.insertInto('meta').values(rows).onConflict(oc =>
    oc.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })).execute()
}

/** Of the last committed step. */
export const readRevision = async (db: Kysely<Tables>): Promise<number> =>
  Number((await readMeta(db)).get('revision') ?? 0)
