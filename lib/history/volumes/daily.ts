import type { Rational } from '../../decimal.js'
import type { Candle } from '../rules/candles.js'
import type { CloseRow } from '../rules/rows.js'
import type { Store } from '../store/create-store.js'
import type { Since } from '../store/types.js'
import { createTurns } from '../../async.js'
import { dayOf } from '../../time.js'
import { sumOf } from '../rules/fixed-point.js'

/** Buys and sells together, raw units. */
export const volumeOf = ({ base, quote, trades }: Pick<Candle, 'base' | 'quote' | 'trades'>) =>
  ({ base: sumOf(base, trades), quote: sumOf(quote, trades), trades })

/** Of a DAO on a UTC day. */
export interface DayVolume extends ReturnType<typeof volumeOf>, Pick<Candle, 'unknownFees'> {
  /** Protocol fees in raw quote units, each at its trade's price. */
  fees: Rational
}

/** By day since 1970-01-01, days with trades, in no order. Never changed, but replaced; likewise closes. */
export type Days = ReadonlyMap<number, DayVolume>
export type Closes = ReadonlyMap<number, CloseRow>

/** Some 10 ms. */
const PAGE = 1_000

/** Rows of all days, updated by those that changed. */
function createKept<Row extends { dao: string }, T> (
  changed: (revision: number, limit: number) => Promise<Since<Row>>, entryOf: (row: Row) => [day: number, T]
): () => Promise<ReadonlyMap<string, ReadonlyMap<number, T>>> {
  const byDao = new Map<string, ReadonlyMap<number, T>>()
  const inTurn = createTurns()
  let known = 0
  return () => inTurn(async () => {
    // not in place: others may be reading them
    const made = new Map<string, Map<number, T>>()
    for (;;) {
      const { rows, revision } = await changed(known, PAGE)
      for (const row of rows) {
        let days = made.get(row.dao)
        if (days === undefined) {
          days = new Map(byDao.get(row.dao))
          made.set(row.dao, days)
          byDao.set(row.dao, days)
        }
        days.set(...entryOf(row))
      }
      known = revision
      if (rows.length < PAGE) return byDao
    }
  })
}

export const createDaily = (store: Store): () => Promise<ReadonlyMap<string, Days>> =>
  createKept(store.daysAfter, ({ start, fees, unknownFees, ...candle }) =>
    [dayOf(start), { ...volumeOf(candle), fees: sumOf(fees, candle.trades), unknownFees }])

export const createCloses = (store: Store): () => Promise<ReadonlyMap<string, Closes>> =>
  createKept(store.closesAfter, close => [dayOf(close.at), close])
