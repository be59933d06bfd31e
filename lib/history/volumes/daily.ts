import type { Rational } from '../../decimal.js'
import type { Store } from '../store/store.js'
import type { DayRow } from '../rules/types.js'
import { createPauses, createTurns } from '../../async.js'
import { dateOf } from '../../time.js'
import { sumOf } from '../rules/fixed-point.js'

/** Volume of one DAO on one UTC day, in raw units. */
export interface DayVolume {
  quote: Rational
  base: Rational
  trades: number
  /** Protocol fees in raw quote units, each at the price of its own trade; known where the candles of the DAO are all made. */
  fees: Rational
  /** Trades whose fee is not known, and so not in `fees`. */
  unknownFees: number
}

/** Days of one DAO that have trades, by date (YYYY-MM-DD). Never changed: another object takes its place. */
export type Days = ReadonlyMap<string, DayVolume>

/** The days of one DAO, parted so that who keeps sums need not look at years of them for the trades of today. */
export interface DaoDays {
  /** All but the last two; another object only when one of them changes, which they seldom do. */
  settled: Days
  /** The last two days. */
  recent: Days
}

const NONE: DaoDays = { settled: new Map(), recent: new Map() }
/** Trades are stored minutes after midnight: yesterday may still change often. */
const RECENT_DAYS = 2
/** Rows read at once: some 10 ms of work. */
const PAGE = 1_000

/** All day sums, kept in memory and brought up to date by the rows that have changed. */
export function createDaily (store: Store) {
  const byDao = new Map<string, DaoDays>()
  let change = 0
  /** The first of the recent days, since 1970-01-01. */
  let edge = -Infinity

  /** The days of a DAO to be changed: a copy, since whoever has read them keeps what he has, or the one that this reading has made already. */
  function own (dao: string, part: keyof DaoDays, made: Set<Days>): Map<string, DayVolume> {
    const known = byDao.get(dao) ?? NONE
    if (made.has(known[part])) return known[part] as Map<string, DayVolume>
    const days = new Map(known[part])
    made.add(days)
    byDao.set(dao, part === 'settled' ? { settled: days, recent: known.recent } : { settled: known.settled, recent: days })
    return days
  }

  /** A new day has begun: what is no longer recent is settled. */
  function settle (newest: number, made: Set<Days>): void {
    edge = newest - RECENT_DAYS + 1
    const from = dateOf(edge)
    for (const [dao, { recent }] of byDao) {
      const old = [...recent].filter(([date]) => date < from)
      if (old.length === 0) continue
      const [settled, left] = [own(dao, 'settled', made), own(dao, 'recent', made)]
      for (const [date, volume] of old) {
        settled.set(date, volume)
        left.delete(date)
      }
    }
  }

  function put (rows: readonly DayRow[], made: Set<Days>): void {
    const newest = rows.reduce((latest, { day }) => Math.max(latest, day), -Infinity)
    if (newest - RECENT_DAYS + 1 > edge) settle(newest, made)
    for (const { dao, day, base, quote, trades, fees, unknownFees } of rows) {
      const days = own(dao, day < edge ? 'settled' : 'recent', made)
      if (trades === 0) days.delete(dateOf(day))
      else days.set(dateOf(day), { base: sumOf(base, trades), quote: sumOf(quote, trades), trades, fees: sumOf(fees, trades), unknownFees })
    }
  }

  const inTurn = createTurns()
  return {
    /** Throws HISTORY_UNAVAILABLE. */
    read: (): Promise<ReadonlyMap<string, DaoDays>> => inTurn(async () => {
      const pause = createPauses()
      const made = new Set<Days>()
      for (;;) {
        const found = await store.daysAfter(change, PAGE)
        put(found.rows, made)
        change = found.revision
        if (found.rows.length < PAGE) return byDao
        await pause()
      }
    })
  }
}

/** Both parts in one, oldest first where they came so. */
export const allDays = ({ settled, recent }: DaoDays): Days => new Map([...settled, ...recent])
