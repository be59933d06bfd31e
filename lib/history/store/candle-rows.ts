/** The tables `minutes`, `hours` and `days`: candles as rows. */
import { sql, type Insertable, type Kysely, type Selectable } from 'kysely'
import { SIZES, type Candle, type CandlePrices, type CandleRow, type Size } from '../rules/candles.js'
import { parseSum, sumText } from '../rules/fixed-point.js'
import { excluded, putRows } from './inserts.js'
import type { CandleColumns, Tables } from './table-types.js'
import { daoTable, keyTable, mapRows, type Names, type Read, readSince, type Writing } from './view.js'
import { dayOf } from '../../time.js'
import type { StoredEvent } from '../rules/types.js'
import { seqText } from './row-mapping.js'

type Columns = Selectable<CandleColumns>

const SUMS = ['base', 'quote', 'trades', 'fees', 'unknown_fees'] as const
const CANDLE_COLUMNS = [
  ...SUMS, 'open_seq', 'open_quote', 'open_base', 'close_seq', 'close_quote', 'close_base',
  'high_quote', 'high_base', 'low_quote', 'low_base', 'average_quote', 'average_base'
] as const

const text = (value: bigint | undefined) => value?.toString() ?? null

/** Of a single price, as most minutes have, there is the first alone. */
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

type Row = Columns & { dao: number, start: number }
const ROW_COLUMNS = ['dao', 'start', ...CANDLE_COLUMNS] as const

const rowOf = (names: Names) => (row: Row): CandleRow =>
  ({ dao: names.address(row.dao), start: Number(row.start), ...candleOf(row) })

/** The tables of all sizes are alike in what candles are read from. */
const from = (db: Kysely<Tables>, size: Size) => db.selectFrom(`${size} as c` as 'minutes as c')

export const readCandles: Read<'candles'> = async (view, size, keys) => {
  const { db, names } = view
  const wanted = keys.flatMap(({ dao, start }) => names.id(dao) === undefined ? [] : [[names.id(dao)!, start]])
  if (wanted.length === 0) return []
  const table = keyTable<{ dao: number, start: number }>(view, wanted, { dao: 'integer', start: 'bigint' }).as('wanted')
  const query = from(db, size).innerJoin(table, join =>
    join.onRef('c.dao', '=', 'wanted.dao').onRef('c.start', '=', 'wanted.start'))
  return await mapRows(view, query, 'c', ROW_COLUMNS, rowOf(names))
}

export const readCandlesOfAll: Read<'candlesOfAll'> = async (view, daos, size, { from: begin, to, withPrices }) => {
  const wanted = daoTable(view, daos)
  if (wanted === undefined) return []
  const query = from(view.db, size).innerJoin(wanted.as('wanted'), join => join.onRef('c.dao', '=', 'wanted.dao'))
    .where('c.start', '>=', begin).where('c.start', '<', to)
  const columns = withPrices ? ROW_COLUMNS : ['dao', 'start', ...SUMS] as const
  return await mapRows(view, query, 'c', columns, rowOf(view.names))
}

export const readCandlesOf: Read<'candlesOf'> = async (view, dao, size, { from: begin, to, limit }) => {
  const query = from(view.db, size).where('c.dao', '=', view.names.id(dao) ?? 0)
    .where('c.start', '>=', begin).where('c.start', '<', to).orderBy('c.start', 'desc').limit(limit)
  const rows = await mapRows(view, query, 'c', ['start', ...CANDLE_COLUMNS], (row: Row) =>
    ({ start: Number(row.start), ...candleOf(row) }))
  return rows.reverse()
}

export const readMakers: Read<'makers'> = async ({ db, names }, dao, begin, to) => {
  const rows = await db.selectFrom('days').select(['start', 'makers']).where('dao', '=', names.id(dao) ?? 0)
    .where('start', '>=', begin).where('start', '<', to).execute()
  return new Map(rows.map(({ start, makers }) => [Number(start), Number(makers)]))
}

export const readDaysAfter: Read<'daysAfter'> = (view, after, limit) =>
  readSince(view, 'days', ROW_COLUMNS, rowOf(view.names), after, limit)

const EXCLUDED = excluded(CANDLE_COLUMNS)

/** A DAO's day as one number: numbers of DAOs are of 32 bits at most. */
export const dayKey = (dao: number, day: number): number => day * 2 ** 32 + dao

/** In place of those that are stored. `makers`: to be added to a day, by `dayKey`. */
export async function putCandles (
  to: Writing, size: Size, candles: readonly CandleRow[], makers: ReadonlyMap<number, number> = new Map()
): Promise<void> {
  const rows = candles.map((row): Insertable<Tables['minutes']> =>
    ({ dao: to.numbers.dao(row.dao), start: row.start, ...candleColumns(row) }))
  if (size !== 'days') return await putRows(to, size, rows, oc => oc.columns(['dao', 'start']).doUpdateSet(EXCLUDED))
  const days = rows.map(row =>
    ({ ...row, revision: to.numbers.revision(), makers: makers.get(dayKey(row.dao, row.start / SIZES.days)) ?? 0 }))
  await putRows(to, 'days', days, oc => oc.columns(['dao', 'start']).doUpdateSet(({ ref }) => (
    { ...EXCLUDED, revision: ref('excluded.revision'), makers: sql`days.makers + excluded.makers` })))
}

export const readClosesAfter: Read<'closesAfter'> = (view, after, limit) => readSince(
  view,
  'closes',
  ['dao', 'seq', 'at', 'quote_reserves', 'base_reserves'],
  ({ dao, seq, at, quote_reserves: quote, base_reserves: base }: Tables['closes']) =>
    ({ dao: view.names.address(dao), seq: BigInt(seq), at: Number(at), quote: BigInt(quote), base: BigInt(base) }),
  after,
  limit
)

/** Notes the reserves after the last of these events on each day, unless a later one is stored. */
export async function putCloses (to: Writing, events: readonly StoredEvent[]): Promise<void> {
  const last = new Map<string, StoredEvent>()
  for (const event of events) {
    const key = `${event.dao} ${dayOf(event.at)}`
    if (event.reserves !== null && event.seq > (last.get(key)?.seq ?? -1n)) last.set(key, event)
  }
  const rows = Array.from(last.values(), ({ dao, at, seq, reserves }) => ({
    dao: to.numbers.dao(dao),
    day: dayOf(at),
    seq: seqText(seq),
    at,
    quote_reserves: reserves!.quote.toString(),
    base_reserves: reserves!.base.toString(),
    revision: to.numbers.revision()
  }))
  await putRows(to, 'closes', rows, oc => oc.columns(['dao', 'day'])
    .doUpdateSet(excluded(['seq', 'at', 'quote_reserves', 'base_reserves', 'revision']))
    .where(({ eb, ref }) => eb(ref('excluded.seq'), '>', ref('closes.seq'))))
}
