/** The tables `minutes`, `hours` and `days`: candles as rows. */
import { sql, type Insertable, type Kysely, type RawBuilder, type Selectable, type Transaction } from 'kysely'
import { SIZES, type Candle, type CandlePrices, type CandleRow, type Size } from '../rules/candles.js'
import { parseSum, sumText } from '../rules/fixed-point.js'
import { keyTable, type Names } from './keys.js'
import type { CandleRange, CandlesOfAll, Since, TimedCandle } from './store.js'
import type { CandleColumns, ColumnTypes, Tables } from './table-types.js'
import { inserts, type Numbers } from './inserts.js'

type Db = Kysely<Tables>
type Columns = Selectable<CandleColumns>

const SUMS = ['base', 'quote', 'trades', 'fees', 'unknown_fees'] as const
const CANDLE_COLUMNS = [
  ...SUMS, 'open_seq', 'open_quote', 'open_base', 'close_seq', 'close_quote', 'close_base',
  'high_quote', 'high_base', 'low_quote', 'low_base', 'average_quote', 'average_base'
] as const

const text = (value: bigint | undefined) => value?.toString() ?? null

/** Of a single trade with a price, which is all its prices, there is the first alone: so it is of most minutes. */
function candleColumns ({ base, quote, trades, fees, unknownFees, prices }: Candle): Columns {
  const { open, close, high, low, average } = prices ?? {}
  const isOne = open?.seq === close?.seq
  const other = (value: bigint | undefined) => isOne ? null : text(value)
  return {
    base: sumText(base),
    quote: sumText(quote),
    trades,
    fees: sumText(fees),
    unknown_fees: unknownFees,
    open_seq: text(open?.seq),
    open_quote: text(open?.quote),
    open_base: text(open?.base),
    close_seq: other(close?.seq),
    close_quote: other(close?.quote),
    close_base: other(close?.base),
    high_quote: other(high?.quote),
    high_base: other(high?.base),
    low_quote: other(low?.quote),
    low_base: other(low?.base),
    average_quote: other(average?.quote),
    average_base: other(average?.base)
  }
}

function pricesOf (row: Columns): CandlePrices | null {
  // `==`: where sums alone were read, it is undefined
  if (row.open_seq == null) return null
  const price = (quote: string | null, base: string | null) => ({ quote: BigInt(quote!), base: BigInt(base!) })
  const open = { seq: BigInt(row.open_seq), ...price(row.open_quote, row.open_base) }
  if (row.close_seq === null) return { open, high: open, low: open, close: open, average: open }
  return {
    open,
    high: price(row.high_quote, row.high_base),
    low: price(row.low_quote, row.low_base),
    close: { seq: BigInt(row.close_seq), ...price(row.close_quote, row.close_base) },
    average: price(row.average_quote, row.average_base)
  }
}

const candleOf = (row: Columns): Candle => ({
  base: parseSum(row.base),
  quote: parseSum(row.quote),
  trades: Number(row.trades),
  fees: parseSum(row.fees),
  unknownFees: Number(row.unknown_fees),
  prices: pricesOf(row)
})

/** Rows of `columns` and of a candle's, or of its sums alone. `from`: what comes after the columns. */
async function read<C extends string> (
  db: Db,
  { rows: form }: ColumnTypes,
  table: RawBuilder<unknown>,
  columns: readonly C[],
  from: RawBuilder<unknown>,
  only: readonly string[] = CANDLE_COLUMNS
): Promise<Array<Columns & Record<C, number | string>>> {
  type Row = Columns & Record<C, number | string>
  const names = [...columns, ...only]
  const list = sql.join(names.map(name => sql`${table}.${sql.ref(name)}`))
  if (form === 'records') return (await sql<Row>`select ${list} ${from}`.execute(db)).rows
  // SQLite's driver hands rows over value by value, which costs more than finding them: each comes as one text
  const { rows } = await sql<{ json: string }>`select json_array(${list}) as json ${from}`.execute(db)
  return rows.map(({ json }) => {
    const values = JSON.parse(json) as unknown[]
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]
    return row as Row
  })
}

const rowOf = (row: Columns & { dao: number | string, start: number | string }, names: Names): CandleRow =>
  ({ dao: names.address(Number(row.dao)), start: Number(row.start), ...candleOf(row) })

/** The stored candles of these keys; one that is not stored is left out. */
export async function readCandles (
  db: Db, names: Names, types: ColumnTypes, size: Size, keys: ReadonlyArray<Pick<CandleRow, 'dao' | 'start'>>
): Promise<CandleRow[]> {
  const wanted = keys.flatMap(({ dao, start }) => names.id(dao) === undefined ? [] : [[names.id(dao)!, start]])
  if (wanted.length === 0) return []
  const rows = await read(db, types, sql`c`, ['dao', 'start'], sql`
    from ${keyTable(types, wanted, { dao: 'integer', start: 'bigint' })} wanted
    join ${sql.table(size)} c on c.dao = wanted.dao and c.start = wanted.start`)
  return rows.map(row => rowOf(row, names))
}

/**
 * Candles of some DAOs that begin from the Unix second `from` to before `to`, in no order; or their sums, without
 * prices.
 */
export async function readCandlesOfAll (
  db: Db, names: Names, types: ColumnTypes, size: Size, daos: readonly string[], { from, to, withPrices }: CandlesOfAll
): Promise<CandleRow[]> {
  const wanted = names.ids(daos).map(id => [id])
  if (wanted.length === 0) return []
  const rows = await read(db, types, sql`c`, ['dao', 'start'], sql`
    from ${keyTable(types, wanted, { dao: 'integer' })} wanted
    join ${sql.table(size)} c on c.dao = wanted.dao and c.start >= ${from} and c.start < ${to}`, withPrices
    ? CANDLE_COLUMNS
    : SUMS)
  return rows.map(row => rowOf(row, names))
}

/** Candles of a DAO that begin in the range, oldest first; at most `limit`, the newest. */
export async function readCandlesOf (
  db: Db, names: Names, types: ColumnTypes, size: Size, dao: string, { from, to, limit }: CandleRange
): Promise<TimedCandle[]> {
  const id = names.id(dao)
  if (id === undefined) return []
  const rows = await read(db, types, sql.table(size), ['start'], sql`
    from ${sql.table(size)} where dao = ${id} and start >= ${from} and start < ${to} order by start desc limit ${limit}`)
  return rows.reverse().map(row => ({ start: Number(row.start), ...candleOf(row) }))
}

/** How many traded on days of a DAO, by the Unix second at which the day begins. */
export async function readMakers (
  db: Db, names: Names, dao: string, from: number, to: number
): Promise<Map<number, number>> {
  const id = names.id(dao)
  if (id === undefined) return new Map()
  const rows = await db.selectFrom('days').select(['start', 'makers']).where('dao', '=', id).where(
    'start',
    '>=',
    from
  ).where('start', '<', to).execute()
  return new Map(rows.map(({ start, makers }) => [Number(start), Number(makers)]))
}

/** Days that arrived or changed after `revision` and up to `newest`; with `limit`, the first so many of them. */
export async function readDaysAfter (
  db: Db, names: Names, types: ColumnTypes, revision: number, newest: number, limit: number
): Promise<Since<CandleRow>> {
  if (newest === revision) return { revision, rows: [] }
  const rows = await read(db, types, sql`days`, ['revision', 'dao', 'start'], sql`
    from days where revision > ${revision} and revision <= ${newest} order by revision limit ${limit}`)
  return {
    revision: rows.length < limit
      ? newest
      : Number(rows.at(-1)!.revision),
    rows: rows.map(row => rowOf(row, names))
  }
}

const EXCLUDED = Object.fromEntries(CANDLE_COLUMNS.map(column => [column, sql.raw(
  `excluded.${column}`
)])) as Record<typeof CANDLE_COLUMNS[number], RawBuilder<never>>

/** A DAO's day as one number: numbers of DAOs are of 32 bits at most. */
export const dayKey = (dao: number, day: number): number => day * 2 ** 32 + dao

/** Writes candles in place of those that are stored. `makers`: how many there are to be added to a day, by `dayKey`. */
export async function putCandles (
  trx: Transaction<Tables>,
  types: ColumnTypes,
  size: Size,
  candles: readonly CandleRow[],
  numbers: Numbers,
  makers: ReadonlyMap<number, number> = new Map()
): Promise<void> {
  const rows = candles.map((row): Insertable<Tables['minutes']> =>
    ({ dao: numbers.dao(row.dao), start: row.start, ...candleColumns(row) }))
  if (size !== 'days') {
    for (const insert of inserts(trx, types, size, rows)) {
      await insert.onConflict(oc => oc.columns(['dao', 'start']).doUpdateSet(EXCLUDED)).execute()
    }
    return
  }
  const days = rows.map(row =>
    ({ ...row, revision: numbers.revision(), makers: makers.get(dayKey(row.dao, row.start / SIZES.days)) ?? 0 }))
  for (const insert of inserts(trx, types, 'days', days)) {
    await insert.onConflict(oc => oc.columns(['dao', 'start']).doUpdateSet(({ ref }) => (
      { ...EXCLUDED, revision: ref('excluded.revision'), makers: sql`days.makers + excluded.makers` }
    ))).execute()
  }
}
