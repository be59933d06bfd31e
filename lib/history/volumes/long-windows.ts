import { type Rational } from '../../decimal.js'
import { createPauses, createTurns } from '../../async.js'
import { DAY, MINUTE } from '../../time.js'
import { sumOf } from '../rules/fixed-point.js'
import type { Store } from '../store/store.js'
import type { RolledState, Stretches } from './stretches.js'

const WINDOWS = [7 * DAY, 30 * DAY] as const
export const MAX_WINDOW = WINDOWS[1]

/** Quote units of 7 and of 30 days. */
type Sums = readonly [Rational, Rational]

/**
 * Quote volumes of the last 7 and 30 days of all DAOs, by whole minutes: a trade counts from its minute's end until that minute leaves.
 * Kept, and made anew of the DAOs alone of which something has come, gone or changed.
 */
export function createLongWindows (store: Store, stretches: Stretches) {
  const inTurn = createTurns()
  let kept: { end: number, revision: number, sums: Map<string, Sums> } | undefined

  async function sumsOf (dao: string, end: number, state: RolledState): Promise<Sums> {
    const [week, month] = [await stretches.stretch(dao, end - WINDOWS[0], end, state), await stretches.stretch(dao, end - WINDOWS[1], end - WINDOWS[0], state)]
    return [sumOf(week.quote, week.trades), sumOf(week.quote + month.quote, week.trades + month.trades)]
  }

  /** DAOs whose sums are other ones at `end` than they were. */
  async function affected (end: number): Promise<{ revision: number, daos: Iterable<string> }> {
    const from = end - MAX_WINDOW
    if (kept === undefined || kept.end > end) return { revision: await store.revision(), daos: await store.daosTraded(from, end) }
    const changed = await store.daosChanged(kept.revision, kept.end - MAX_WINDOW, end)
    const daos = new Set(changed.rows)
    if (end > kept.end) {
      for (const dao of await store.daosTraded(kept.end, end)) daos.add(dao)
      for (const window of WINDOWS) for (const dao of await store.daosTraded(kept.end - window, end - window)) daos.add(dao)
    }
    return { revision: changed.revision, daos }
  }

  /** By DAO that has traded, at the Unix second `now`. Throws WARMING_UP where candles are still being made, HISTORY_UNAVAILABLE. */
  return (now: number, state: RolledState): Promise<ReadonlyMap<string, Sums>> => inTurn(async () => {
    const end = now - now % MINUTE
    const { revision, daos } = await affected(end)
    const sums = new Map(kept !== undefined && kept.end <= end ? kept.sums : [])
    const pause = createPauses()
    for (const dao of daos) {
      sums.set(dao, await sumsOf(dao, end, state))
      // the embedded store answers at once, without giving others their turn
      await pause()
    }
    kept = { end, revision, sums }
    return sums
  })
}
