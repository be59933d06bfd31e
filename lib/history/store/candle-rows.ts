import { sql } from 'kysely'
import { DAY, dayOf } from '../../time.js'
import type { CandleRow, Size } from '../rules/candles.js'
import type { AddedRows } from '../rules/tally.js'
import type { DayMaker, StoredEvent } from '../rules/types.js'
import { UNNAMED } from './conditions.js'
import { rowOf } from './mapping.js'
import type { CandleRange, Since } from './types.js'
import { CANDLE, CLOSE, type Tables } from './tables.js'
import { excluded, isOfDaos, isOneOf, putRows, type View, withDao, type Writing } from './view.js'

/** The tables of all sizes are alike in what candles are read from. */
const tableOf = (size: Size) => size as 'minutes'
const COLUMNS = ['dao', ...CANDLE.columns] as const

/** Oldest change first. */
async function readSince<T extends 'days' | 'closes', R> (
  { db }: View, table: T, after: number, limit: number, make: (row: Tables[T]) => R
): Promise<Since<R>> {
  const rows = await db.selectFrom(table as 'closes').selectAll()
    .where('revision', '>', after).orderBy('revision').limit(limit).execute()
  return { revision: rows.at(-1)?.revision ?? after, rows: (rows as unknown as Array<Tables[T]>).map(make) }
}

/** The newest of a range, newest first. */
const candlesOf = <T extends 'minutes' | 'days'>(
  { db, idOf }: View, table: T, dao: string, { from, to, limit }: CandleRange
) =>
    db.selectFrom(table as 'days').select(COLUMNS).where('dao', '=', idOf(dao))
      .where('start', '>=', from).where('start', '<', to).orderBy('start', 'desc').limit(limit)

export const candleReads = {
  /** The candles of these keys; one that is not stored is left out. */
  async candles (view: View, size: Size, keys: ReadonlyArray<Pick<CandleRow, 'dao' | 'start'>>) {
    const table = tableOf(size)
    const wanted = keys.map(({ dao, start }) => ({ dao: view.idOf(dao), start }))
    const rows = await view.db.selectFrom(table).select(COLUMNS)
      .where(isOneOf(view, table, ['dao', 'start'], wanted)).execute()
    return rows.map(withDao(view, CANDLE))
  },

  /** Candles of some DAOs that begin in the range, in no order. */
  async candlesOfAll (view: View, daos: readonly string[], size: Size, { from, to }: Omit<CandleRange, 'limit'>) {
    const table = tableOf(size)
    const rows = await view.db.selectFrom(table).select(COLUMNS)
      .where(isOfDaos(view, table, daos)).where('start', '>=', from).where('start', '<', to).execute()
    return rows.map(withDao(view, CANDLE))
  },

  /** That begin in the range and have trades, oldest first; the newest `limit`. */
  async candlesOf (view: View, dao: string, size: Size, range: CandleRange) {
    const rows = await candlesOf(view, tableOf(size), dao, range).execute()
    return rows.reverse().map(CANDLE.read)
  },

  /** As `candlesOf`, with the number of those who traded; null while not known of each trade. */
  async daysOf (view: View, dao: string, range: CandleRange) {
    const makers = sql<number | null>`case when exists (
      select 1 from events where events.dao = days.dao and at >= start and at < start + ${sql.lit(DAY)} and ${UNNAMED}
    ) then null else makers end`
    const rows = await candlesOf(view, 'days', dao, range).select(makers.as('makers')).execute()
    return rows.reverse().map(row => ({ ...CANDLE.read(row), makers: row.makers }))
  },

  /** The first `limit` days that changed after a revision. */
  daysAfter: (view: View, after: number, limit: number) => readSince(view, 'days', after, limit, withDao(view, CANDLE)),

  /** As `daysAfter`, what pools held when a day ended. */
  closesAfter: (view: View, after: number, limit: number) =>
    readSince(view, 'closes', after, limit, withDao(view, CLOSE))
}

const EXCLUDED = excluded(CANDLE.columns)

async function putCandles (to: Writing, size: Size, candles: readonly CandleRow[]): Promise<void> {
  const rows = candles.map(candle => ({ dao: to.numberOf(candle.dao), ...rowOf(CANDLE, candle) }))
  if (size !== 'days') return await putRows(to, size, rows, oc => oc.columns(['dao', 'start']).doUpdateSet(EXCLUDED))
  const days = rows.map(row => ({ ...row, revision: to.nextRevision(), makers: 0 }))
  await putRows(to, 'days', days, oc => oc.columns(['dao', 'start'])
    .doUpdateSet({ ...EXCLUDED, ...excluded(['revision']) }))
}

export async function putMakers (to: Writing, makers: readonly DayMaker[]): Promise<void> {
  if (makers.length === 0) return
  const rows = makers.map(({ dao, day, maker }) => ({ day, dao: to.numberOf(dao), maker }))
  await putRows(to, 'makers', rows, oc => oc.columns(['day', 'dao', 'maker']).doNothing())
  const days = [...new Map(rows.map(({ dao, day }) => [`${dao} ${day}`, { dao, start: day * DAY }])).values()]
  const count = sql<number>`
    (select count(*) from makers where makers.day = days.start / ${sql.lit(DAY)} and makers.dao = days.dao)`
  await to.db.updateTable('days').set({ makers: count }).where(isOneOf(to, 'days', ['dao', 'start'], days)).execute()
}

export async function putAdded (to: Writing, { days, hours, minutes, makers }: AddedRows): Promise<void> {
  await putCandles(to, 'days', days)
  await putCandles(to, 'hours', hours)
  await putCandles(to, 'minutes', minutes)
  await putMakers(to, makers)
}

/** The reserves after the last of these events on each day, unless a later one is stored. */
export async function putCloses (to: Writing, events: readonly StoredEvent[]): Promise<void> {
  const last = new Map<string, StoredEvent>()
  for (const event of events) {
    const key = `${event.dao} ${dayOf(event.at)}`
    if (event.reserves !== null && event.seq > (last.get(key)?.seq ?? -1n)) last.set(key, event)
  }
  const rows = Array.from(last.values(), ({ dao, at, seq, reserves }) => ({
    dao: to.numberOf(dao), day: dayOf(at), ...rowOf(CLOSE, { seq, at, ...reserves! }), revision: to.nextRevision()
  }))
  await putRows(to, 'closes', rows, oc => oc.columns(['dao', 'day'])
    .doUpdateSet(excluded([...CLOSE.columns, 'revision']))
    .where(({ eb, ref }) => eb(ref('excluded.seq'), '>', ref('closes.seq'))))
}
