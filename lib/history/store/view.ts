import { sql, type InsertQueryBuilder, type InsertResult, type RawBuilder } from 'kysely'
import { chunks } from '../../chunks.js'
import type { Mapping } from '../rules/mapping.js'
import type { ColumnTypes, Db, Tables } from './tables.js'

/** Rows per statement. */
const ROWS = 2000

export interface View {
  db: Db
  types: ColumnTypes
  /** A DAO's number in the store; 0: none. */
  idOf (dao: string): number
  addressOf (id: number): string
}

/** Within the transaction of a step. */
export interface Writing extends View {
  /** As the step finds it. */
  meta: ReadonlyMap<string, string>
  /** As `idOf`, given if it has none. */
  numberOf (dao: string): number
  nextRevision (): number
}

/** Rows as a query of one parameter: one for each value would cost more than all else. */
export function rowsQuery<T extends keyof Tables & string> (
  { types }: Pick<View, 'types'>, table: T, rows: ReadonlyArray<Partial<Tables[T]>>,
  columns = Object.keys(rows[0]!)
): RawBuilder<Tables[T]> {
  if (types.rows === 'records') {
    const list = sql.join(columns.map(column => sql.ref(column)))
    return sql`select ${list} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`
  }
  const values = rows.map(row => columns.map(column => row[column as keyof typeof row]))
  const list = sql.join(columns.map((column, at) => sql`value ->> ${sql.lit(at)} as ${sql.ref(column)}`))
  // without `where true` a following `on conflict` would be read as a condition of a join
  return sql`select ${list} from json_each(${JSON.stringify(values)}) where true`
}

/** Whether `columns` are those of one of `keys`. */
export function isOneOf<T extends keyof Tables & string, C extends keyof Tables[T] & string> (
  view: View, table: T, columns: readonly C[], keys: ReadonlyArray<Pick<Tables[T], C>>
): RawBuilder<boolean> {
  const list = sql.join(columns.map(column => sql.ref(`${table}.${column}`)))
  const query = rowsQuery(view, table, keys as ReadonlyArray<Partial<Tables[T]>>, [...columns])
  // without the limit PostgreSQL's planner expects a hundred
  return sql`(${list}) in (${query} limit ${keys.length})`
}

export const isOfDaos = (
  view: View, table: 'events' | 'candles', daos: readonly string[]
): RawBuilder<boolean> => isOneOf(view, table, ['dao'], daos.map(dao => ({ dao: view.idOf(dao) })))

/** For `on conflict`: these columns take the new values. */
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

/** What a mapping reads of a row, with the DAO's address. */
export const withDao = <Row, T extends object>({ addressOf }: View, mapping: Mapping<Row, T>) =>
  (row: Row & { dao: number }): T & { dao: string } => ({ ...mapping.read(row), dao: addressOf(row.dao) })

export function grouped<Row, T> (
  rows: readonly Row[], keyOf: (row: Row) => string, make: (row: Row) => T
): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = keyOf(row)
    if (!groups.get(key)?.push(make(row))) groups.set(key, [make(row)])
  }
  return groups
}

export async function readMeta (db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

export async function putMeta (db: Db, values: Record<string, string>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  if (rows.length === 0) return
  await db.insertInto('meta').values(rows).onConflict(oc =>
    oc.column('key').doUpdateSet({ value: eb => eb.ref('excluded.value') })).execute()
}

/** Of the last committed step. */
export const revisionOf = (meta: ReadonlyMap<string, string>) => Number(meta.get('revision') ?? 0)
