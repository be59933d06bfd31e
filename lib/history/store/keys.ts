/** Keys that a statement is asked about. */
import { sql, type RawBuilder } from 'kysely'
import type { ColumnTypes } from './table-types.js'

/** DAO addresses by the store's numbers, and back. */
export interface Names {
  address (id: number): string
  id (address: string): number | undefined
  /** Those of the addresses that are stored. */
  ids (addresses: readonly string[]): number[]
}

/**
 * Keys as a table that a statement can join, in a form whose text is the same for any number of them: to compile a
 * parameter for each value would cost more than the reading. `columns` names them with their types.
 */
export function keyTable (
  { rows: form }: ColumnTypes, keys: ReadonlyArray<ReadonlyArray<string | number>>, columns: Record<string, string>
): RawBuilder<unknown> {
  const names = Object.keys(columns)
  if (form === 'arrays') {
    return sql`(select ${sql.join(names.map((name, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(name)}`))} from json_each(${JSON.stringify(keys)}))`
  }
  const arrays = Object.values(columns).map((type, at) => sql`${keys.map(key => key[at])}::${sql.raw(type)}[]`)
  return sql`(select * from unnest(${sql.join(arrays)}) as keys (${sql.join(names.map(name => sql.ref(name)))}))`
}
