import { sql } from 'kysely'
import { DAY, dayOf } from '../../time.js'
import { type CandleRow, type Size, SIZES } from '../rules/candles.js'
import type { AddedRows } from '../rules/tally.js'
import { CLOSE, type DayMaker, type StoredEvent } from '../rules/rows.js'
import { UNNAMED } from './conditions.js'
import { rowOf } from '../rules/mapping.js'
import type { CandleRange, Since } from './types.js'
import { CANDLE, CANDLE_ROW, type Tables } from './tables.js'
import { excluded, isOfDaos, isOneOf, putRows, type View, withDao, type Writing } from './view.js'

async function readSince<T extends 'candles' | 'closes', R> (
  { db }: View, table: T, after: number, limit: number, make: (row: Tables[T]) => R
): Promise<Since<R>> {
  const rows = await db.selectFrom(table as 'closes').selectAll()
    .where('revision', '>', after).orderBy('revision').limit(limit).execute()
  return { revision: rows.at(-1)?.revision ?? after, rows: (rows as unknown as Array<Tables[T]>).map(make) }
}

const inRange = ({ db }: View, size: Size, { from, to }: Omit<CandleRange, 'limit'>) =>
  db.selectFrom('candles').select(['dao', ...CANDLE.columns]).where('width', '=', SIZES[size])
    .where('start', '>=', from).where('start', '<', to)

/** Newest first. */
const newestOf = (view: View, dao: string, size: Size, { limit, ...range }: CandleRange) =>
  inRange(view, size, range).where('dao', '=', view.idOf(dao)).orderBy('start', 'desc').limit(limit)

export const candleReads = {
  /** One that is not stored is left out. */
  async candles (view: View, keys: ReadonlyArray<Pick<CandleRow, 'dao' | 'size' | 'start'>>) {
    const wanted = keys.map(({ dao, size, start }) => ({ dao: view.idOf(dao), width: SIZES[size], start }))
    const rows = await view.db.selectFrom('candles').select(['dao', ...CANDLE_ROW.columns])
      .where(isOneOf(view, 'candles', ['dao', 'width', 'start'], wanted)).execute()
    return rows.map(withDao(view, CANDLE_ROW))
  },

  /** In no order. */
  async candlesOfAll (view: View, daos: readonly string[], size: Size, range: Omit<CandleRange, 'limit'>) {
    const rows = await inRange(view, size, range).where(isOfDaos(view, 'candles', daos)).execute()
    return rows.map(withDao(view, CANDLE))
  },

  /** The newest `limit`, oldest first. */
  async candlesOf (view: View, dao: string, size: Size, range: CandleRange) {
    const rows = await newestOf(view, dao, size, range).execute()
    return rows.reverse().map(CANDLE.read)
  },

  /** As `candlesOf`, with the number of makers; null while that of a trade is not known. */
  async daysOf (view: View, dao: string, range: CandleRange) {
    const makers = sql<number | null>`case when not exists (
      select 1 from events
      where events.dao = candles.dao and at >= start and at < start + ${sql.lit(DAY)} and ${UNNAMED}
    ) then (select count(*) from makers where day = start / ${sql.lit(DAY)} and makers.dao = candles.dao) end`
    const rows = await newestOf(view, dao, 'days', range).select(makers.as('makers')).execute()
    return rows.reverse().map(row => ({ ...CANDLE.read(row), makers: row.makers }))
  },

  /** The first `limit` days that changed after a revision, oldest change first. */
  daysAfter: (view: View, after: number, limit: number) =>
    readSince(view, 'candles', after, limit, withDao(view, CANDLE)),

  /** Likewise what pools held when a day ended. */
  closesAfter: (view: View, after: number, limit: number) =>
    readSince(view, 'closes', after, limit, withDao(view, CLOSE))
}

export const putMakers = (to: Writing, makers: readonly DayMaker[]): Promise<void> =>
  putRows(
    to, 'makers', makers.map(({ dao, day, maker }) => ({ day, dao: to.numberOf(dao), maker })), oc => oc.doNothing()
  )

export async function putAdded (to: Writing, { candles, makers }: AddedRows): Promise<void> {
  const rows = candles.map(candle => ({
    dao: to.numberOf(candle.dao),
    ...rowOf(CANDLE_ROW, candle),
    revision: candle.size === 'days' ? to.nextRevision() : null
  }))
  await putRows(to, 'candles', rows, oc => oc.columns(['dao', 'width', 'start'])
    .doUpdateSet(excluded([...CANDLE.columns, 'revision'])))
  await putMakers(to, makers)
}

/** The reserves after the last event of each day, unless a later one is stored. */
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
