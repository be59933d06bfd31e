import { ZERO, type Rational } from '../decimal.js'
import type { Valuation } from '../market/volume.js'
import { createDaily, type DaoDays } from './daily.js'
import { mayReach, sizeOf, type Hole } from './gaps.js'
import type { Interval, MissingTransaction, Store } from './store.js'
import { sumOf } from './sums.js'
import { createWindow, type WindowSum } from './window.js'

/** The last 24 hours of one DAO: both legs of buys and sells together, in raw units. */
export interface Volume24h {
  base: Rational
  quote: Rational
  trades: number
  /** Nothing is missing that may belong in here. */
  complete: boolean
}

export interface DailyVolume {
  /** Unix seconds of InitializeDao, or of the earliest event known. */
  launchedAt: number
  days: DaoDays
  /** Every event since the DAO's first is stored and understood. */
  complete: boolean
  /** Sequence numbers known to be missing. */
  holes: number
}

/** What the volumes need to know of the completeness of what is stored. */
export interface Known {
  intervals: ReadonlyMap<string, readonly Interval[]>
  /** Unix second of the newest event that could not be read, by DAO. */
  unreadable: ReadonlyMap<string, number>
  holes: ReadonlyMap<string, readonly Hole[]>
  /** Sequence numbers by account; a DAO may be here without any event. */
  accounts: ReadonlyMap<string, bigint>
  /** The slot of those numbers. */
  provenSlot: number
  /** Transactions that the node lists and does not give. */
  missing: readonly MissingTransaction[]
  /** Unix second at which the past begins that the node offers; null: not walked to it yet. */
  lostBefore: number | null
  /** Whether a hole has been looked for in the DAO's own signatures. */
  searched: (hole: Hole) => boolean
}

const DAY = 86_400

const NO_VOLUME = { base: ZERO, quote: ZERO, trades: 0 }

/** Volumes out of a store, for the process that writes it or one that only reads. */
export function createVolumes (store: Store, valuation: Valuation) {
  const window = createWindow(store, valuation)
  const daily = createDaily(store)
  /** A sum is a new object whenever it changes, so most need not be worked out again. */
  const worked = new WeakMap<WindowSum, Omit<Volume24h, 'complete'>>()

  function exact (sum: WindowSum): Omit<Volume24h, 'complete'> {
    const known = worked.get(sum)
    if (known !== undefined) return known
    const volume = { base: sumOf(sum.base, sum.trades), quote: sumOf(sum.quote, sum.trades), trades: sum.trades }
    worked.set(sum, volume)
    return volume
  }

  function isComplete (dao: string, after: number, missing: readonly MissingTransaction[], { intervals, unreadable, holes, provenSlot, lostBefore, searched }: Known): boolean {
    if ((unreadable.get(dao) ?? -Infinity) > after) return false
    // Whose it is shows as a hole, once the accounts have been compared; a DAO without any event shows none
    if (missing.some(({ slot }) => slot > provenSlot || !intervals.has(dao))) return false
    return !holes.get(dao)?.some(hole => mayReach(hole, after, searched(hole) ? lostBefore : null))
  }

  return {
    /**
     * Per DAO, those without a swap included, at the Unix second `now`. A DAO that is not in the map has neither shown an event nor an
     * account. Throws HISTORY_UNAVAILABLE.
     */
    last24h: (now: number, known: Known): Promise<Map<string, Volume24h>> => window.read(now, sums => {
      const volumes = new Map<string, Volume24h>()
      const missing = known.missing.filter(({ at }) => at === null || at > now - DAY)
      for (const dao of new Set([...known.accounts.keys(), ...known.intervals.keys(), ...sums.keys()])) {
        const sum = sums.get(dao)
        volumes.set(dao, { ...(sum === undefined ? NO_VOLUME : exact(sum)), complete: isComplete(dao, now - DAY, missing, known) })
      }
      return volumes
    }),

    /** Per DAO that has an event. Throws HISTORY_UNAVAILABLE. */
    async daily ({ intervals, unreadable, holes }: Known): Promise<Map<string, DailyVolume>> {
      const days = await daily.read()
      return new Map(Array.from(intervals, ([dao, runs]) => {
        const [first] = runs
        const missing = holes.get(dao) ?? []
        return [dao, {
          launchedAt: first?.lowAt ?? 0,
          days: days.get(dao) ?? { settled: new Map(), recent: new Map() },
          complete: first?.low === 1n && runs.length === 1 && missing.length === 0 && !unreadable.has(dao),
          holes: sizeOf(missing)
        }]
      }))
    }
  }
}
