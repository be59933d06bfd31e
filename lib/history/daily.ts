import type { Rational } from '../decimal.js'
import type { DayRow, Store } from './store.js'
import { dateOf, sumOf } from './sums.js'

/** Volume of one DAO on one UTC day, in raw units. */
export interface DayVolume { quote: Rational, base: Rational, trades: number }

/** The days of one DAO that have trades, by date (YYYY-MM-DD). A new object whenever one of them changes. */
export type Days = ReadonlyMap<string, DayVolume>

/** All day sums, kept in memory and brought up to date by the rows that have changed. */
export function createDaily (store: Store) {
  const byDao = new Map<string, Days>()
  let change = 0

  function put (rows: readonly DayRow[]): void {
    const fresh = new Map<string, Map<string, DayVolume>>()
    for (const { dao, day, base, quote, trades } of rows) {
      let days = fresh.get(dao)
      if (days === undefined) fresh.set(dao, days = new Map(byDao.get(dao)))
      if (trades === 0) days.delete(dateOf(day))
      else days.set(dateOf(day), { base: sumOf(base, trades), quote: sumOf(quote, trades), trades })
    }
    for (const [dao, days] of fresh) byDao.set(dao, days)
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    /** Throws HISTORY_UNAVAILABLE. */
    read (): Promise<ReadonlyMap<string, Days>> {
      const next = last.then(async () => {
        const found = await store.daysAfter(change)
        put(found.rows)
        change = found.change
        return byDao
      })
      last = next.catch(() => {})   // the one who asked is told
      return next
    }
  }
}
