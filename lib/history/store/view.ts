/** What reads and writes of all engines work on. */
import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder, type Transaction } from 'kysely'
import type { Store } from './store.js'
import type { ColumnTypes, Tables } from './table-types.js'

/** DAO addresses by the store's numbers, and back. */
export interface Names {
  address (id: number | string): string
  id (address: string): number | undefined
}

/** One state of the store. */
export interface View { db: Kysely<Tables>, types: ColumnTypes, names: Names }

/** How a method of the store is answered from one state of it. */
export type Read<M extends keyof Store> = (view: View, ...args: Parameters<Store[M]>) => ReturnType<Store[M]>

/** Hands out the numbers by which the store knows DAOs and changes; both are committed with the step that took them. */
export interface Numbers {
  dao (address: string): number
  revision (): number
  /** DAOs that have got their number in this step. */
  fresh: Array<{ id: number, address: string }>
}

/** One transaction that writes. */
export interface Writing { trx: Transaction<Tables>, types: ColumnTypes, names: Names, numbers: Numbers }

/**
 * Keys as a table that a statement can join, in one parameter: one for each value would cost more than the reading.
 * `columns` names them with their types.
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
 * What `make` makes of the rows of a query: of these columns of `table`, and of those that the query has selected
 * itself. It must not keep a row, which may be the same object for all. SQLite's driver hands rows over value by
 * value, which costs more than finding them: there, each comes as one text.
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
