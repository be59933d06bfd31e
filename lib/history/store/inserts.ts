/** Rows into tables. */
import { sql, type RawBuilder, type Insertable, type InsertQueryBuilder, type InsertResult } from 'kysely'
import { chunks } from '../../chunks.js'
import type { Tables } from './table-types.js'
import type { Writing } from './view.js'

/** Rows per statement. */
const ROWS = 2000

type Insert<T extends keyof Tables> = InsertQueryBuilder<Tables, T, InsertResult>

/** The statements that insert `rows`, as one document: a parameter a value would cost more than all else. */
export function * inserts<T extends keyof Tables & string> (
  { trx, types }: Pick<Writing, 'trx' | 'types'>, table: T, rows: ReadonlyArray<Insertable<Tables[T]>>
): Generator<Insert<T>> {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!) as Array<keyof Tables[T] & string>
  for (const some of chunks(rows, ROWS)) {
    const insert = trx.insertInto(table).columns(columns)
    if (types.rows === 'records') {
      const list = sql.join(columns.map(column => sql.ref(column)))
      yield insert.expression(
        sql`select ${list} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(some)}::json)`)
    } else {
      const values = some.map(row => columns.map(column => row[column as keyof typeof row]))
      const list = sql.join(columns.map((_, at) => sql`value ->> ${sql.lit(at)}`))
      // `where true`: else an `on conflict` would be read as a condition of a join
      yield insert.expression(sql`select ${list} from json_each(${JSON.stringify(values)}) where true`)
    }
  }
}

/** For a row whose key is stored: columns that take the new values. */
export const excluded = <C extends string>(columns: readonly C[]): Record<C, RawBuilder<never>> =>
  Object.fromEntries(columns.map(column => [column, sql.ref(`excluded.${column}`)])) as Record<C, RawBuilder<never>>

/** Inserts `rows`; `onConflict`: what becomes of those whose key is stored. */
export async function putRows<T extends keyof Tables & string> (
  to: Pick<Writing, 'trx' | 'types'>, table: T, rows: ReadonlyArray<Insertable<Tables[T]>>,
  onConflict?: Parameters<Insert<T>['onConflict']>[0]
): Promise<void> {
  for (const insert of inserts(to, table, rows)) {
    await (onConflict === undefined ? insert : insert.onConflict(onConflict)).execute()
  }
}
