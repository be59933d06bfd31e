/** Rows into tables. */
import { sql, type Insertable, type Transaction } from 'kysely'
import { chunks } from '../../chunks.js'
import type { ColumnTypes, Tables } from './table-types.js'

/** Rows per statement. */
const ROWS = 2000

/**
 * The statements that insert `rows`, given as one document: a parameter for each value would cost more than all else.
 */
export function * inserts<T extends keyof Tables & string> (
  trx: Transaction<Tables>, { rows: form }: ColumnTypes, table: T, rows: ReadonlyArray<Insertable<Tables[T]>>
) {
  if (rows.length === 0) return
  const columns = Object.keys(rows[0]!) as Array<keyof Tables[T] & string>
  for (const some of chunks(rows, ROWS)) {
    const insert = trx.insertInto(table).columns(columns)
    if (form === 'records') {
      yield insert.expression(sql`
        select ${sql.join(columns.map(column => sql.ref(column)))} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(some)}::json)`)
    } else {
      const values = some.map(row => columns.map(column => row[column as keyof typeof row]))
      // `where true`: else an `on conflict` that follows would be read as a condition of a join
      yield insert.expression(sql`
        select ${sql.join(columns.map((_, at) => sql`value ->> ${sql.lit(at)}`))} from json_each(${JSON.stringify(values)}) where true`)
    }
  }
}

/** Hands out the numbers by which the store knows DAOs and changes; both are committed with the step that took them. */
export interface Numbers {
  dao (address: string): number
  revision (): number
  /** DAOs that have got their number in this step. */
  fresh: Array<{ id: number, address: string }>
}
