import { LRUCache } from 'lru-cache'
import type { MinuteRow, WholeDay } from '../rules/types.js'
import type { Store } from '../store/store.js'

/** Characters of candles kept in memory: rows of some hundred pools that trade. */
const MAX_CHARACTERS = 1_000_000
/** What a row takes beside its candles, about. */
const ROW_CHARACTERS = 400

/** Rows of sums as the last steps have written them: the next one mostly adds to the same days and minutes, and need not read them back. */
export interface WrittenRows {
  /** The stored row of each key; undefined: there is none. Throws HISTORY_UNAVAILABLE. */
  days (keys: ReadonlyArray<{ dao: string, day: number }>): Promise<Array<WholeDay | undefined>>
  minutes (keys: ReadonlyArray<{ dao: string, start: number }>): Promise<Array<MinuteRow | undefined>>
  /** Rows that are committed. */
  note (days: readonly WholeDay[], minutes: readonly MinuteRow[]): void
  /** Others than steps have written, or a step may have: all is read again. */
  forget (): void
}

export function createWrittenRows (store: Store): WrittenRows {
  const rows = new LRUCache<string, WholeDay | MinuteRow>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: row => ROW_CHARACTERS + (('hours' in row ? row.hours : row.candles)?.length ?? 0)
  })
  const dayKey = ({ dao, day }: { dao: string, day: number }) => `day ${day} ${dao}`
  const minuteKey = ({ dao, start }: { dao: string, start: number }) => `minutes ${start} ${dao}`

  async function find<K, R extends K & (WholeDay | MinuteRow)> (keys: readonly K[], nameOf: (key: K) => string, read: (keys: readonly K[]) => Promise<R[]>): Promise<Array<R | undefined>> {
    const found = keys.map(key => rows.get(nameOf(key)) as R | undefined)
    const missing = keys.filter((_, at) => found[at] === undefined)
    if (missing.length === 0) return found
    const stored = new Map((await read(missing)).map(row => [nameOf(row), row]))
    return keys.map((key, at) => found[at] ?? stored.get(nameOf(key)))
  }

  return {
    days: keys => find(keys, dayKey, store.days),
    minutes: keys => find(keys, minuteKey, store.minutes),
    note (days, minutes) {
      for (const row of days) rows.set(dayKey(row), row)
      for (const row of minutes) rows.set(minuteKey(row), row)
    },
    forget: () => rows.clear()
  }
}
