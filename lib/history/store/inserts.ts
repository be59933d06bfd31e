/** Rows into tables, and out of them. */
import { sql, type InsertQueryBuilder, type InsertResult, type RawBuilder } from 'kysely'
import { chunks } from '../../chunks.js'
import type { Tables } from './tables.js'
import { isOneOf, rowsQuery, type View } from './view.js'

/** Rows per statement. */
const ROWS = 2000

/** On conflict: these columns take the new values. */
export const excluded = <C extends string>(columns: readonly C[]): Record<C, RawBuilder<never>> =>
  Object.fromEntries(columns.map(column => [column, sql.ref(`excluded.${column}`)])) as Record<C, RawBuilder<never>>

export async function putRows<T extends keyof Tables & string> (
  to: Pick<View, 'db' | 'types'>, table: T, rows: ReadonlyArray<Tables[T]>,
  onConflict?: Parameters<InsertQueryBuilder<Tables, T, InsertResult>['onConflict']>[0]
): Promise<void> {
  for (const some of chunks(rows, ROWS)) {
    const columns = Object.keys(some[0]!) as Array<keyof Tables[T] & string>
    const insert = to.db.insertInto(table).columns(columns)
      .expression(rowsQuery(to, table, some as Array<Partial<Tables[T]>>))
    await (onConflict === undefined ? insert : insert.onConflict(onConflict)).execute()
  }
}

/** Deletes the rows whose `columns` are those of one of `keys`. */
export async function deleteRows<T extends 'unattributed' | 'missing' | 'sequence_ranges', C extends keyof Tables[T]> (
  to: View, table: T, columns: ReadonlyArray<C & string>, keys: ReadonlyArray<Pick<Tables[T], C>>
): Promise<void> {
  if (keys.length === 0) return
  await to.db.deleteFrom(table as 'missing').where(isOneOf(to, table, columns, keys)).execute()
}
