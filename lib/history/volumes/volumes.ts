import { inSlices } from '../../async.js'
import { ZERO, type Rational } from '../../decimal.js'
import { ServiceError } from '../../errors.js'
import type { VolumeRule } from '../../market/volume.js'
import { mayOwnOf, type NamedOwners } from '../rules/missing-owners.js'
import { createDaily, type DaoDays } from './daily.js'
import { mayReach, sizeOf, type SequenceGap } from '../rules/sequence-gaps.js'
import { DAY } from '../../time.js'
import type { Store } from '../store/store.js'
import { reachesBeyond } from '../rules/losses.js'
import type { SequenceRange, Loss, MissingTransaction } from '../rules/types.js'
import { sumOf } from '../rules/fixed-point.js'
import { createLongWindows, MAX_WINDOW } from './long-windows.js'
import { createStretches } from './stretches.js'
import type { ExecutedPrice } from '../rules/candles.js'
import { createWindow, type WindowSum } from './last-24h.js'

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
  missingEvents: number
  /** The fees of all its days are summed up. */
  hasFees: boolean
}

/** What the volumes need to know of the completeness of what is stored. */
export interface Completeness {
  sequenceRanges: ReadonlyMap<string, readonly SequenceRange[]>
  /** Unix second of the newest event that could not be read, by DAO. */
  unreadable: ReadonlyMap<string, number>
  sequenceGaps: ReadonlyMap<string, readonly SequenceGap[]>
  /** Sequence numbers by account; a DAO may be here without any event. */
  accounts: ReadonlyMap<string, bigint>
  /** The slot of those numbers. */
  verifiedSlot: number
  /** Whose the transactions are that are missing beyond it. */
  named: NamedOwners
  /** Transactions that the node lists and does not give. */
  missing: readonly MissingTransaction[]
  /** Unix second at which the past begins that the node offers; null: not walked to it yet. */
  lostBefore: number | null
  /** Parts of the past inside what is indexed that no node offers any more. */
  losses: readonly Loss[]
  /** Whether a sequence gap has been looked for in the DAO's own signatures. */
  searched: (gap: SequenceGap) => boolean
  /** Whether everything after this Unix second is covered, as far as the walk goes. */
  covers: (after: number) => boolean
  /** Of which trades candles are kept; see StoreState. */
  rolledFrom: ReadonlyMap<string, number>
  minutesFrom: number | null
}

/** The last 24 hours of one DAO, to the second, and the last 7 and 30 days by whole minutes. Raw units; prices are raw quote ÷ raw base. */
export interface PoolWindow extends Volume24h {
  high: ExecutedPrice | null
  low: ExecutedPrice | null
  /** What was paid and received by all trades that have a price: their quotient is the average price. */
  priced: ExecutedPrice | null
  /** The newest price in the window, or else from before it; null: never traded. */
  last: ExecutedPrice | null
  /** The newest price from before the window; null: there is none. */
  before: ExecutedPrice | null
  /** Who traded; null while that is not known of each trade. */
  makers: number | null
  /** In quote units, each fee at the price of its own trade; null where one of them is not known. */
  fees: Rational | null
  /** Quote units of the last 7 and 30 days; `complete` covers 30 days. */
  quote7d: Rational
  quote30d: Rational
}

const NO_VOLUME = { base: ZERO, quote: ZERO, trades: 0 }

export type Volumes = ReturnType<typeof createVolumes>

/** Volumes out of a store, for the process that writes it or one that only reads. */
export function createVolumes (store: Store, valuation: VolumeRule) {
  const window = createWindow(store, valuation)
  const daily = createDaily(store)
  const stretches = createStretches(store, valuation)
  const longWindows = createLongWindows(store, stretches)
  /** A sum is a new object whenever it changes, so most need not be worked out again. */
  const worked = new WeakMap<WindowSum, Omit<Volume24h, 'complete'>>()

  function exact (sum: WindowSum): Omit<Volume24h, 'complete'> {
    const known = worked.get(sum)
    if (known !== undefined) return known
    const volume = { base: sumOf(sum.base, sum.trades), quote: sumOf(sum.quote, sum.trades), trades: sum.trades }
    worked.set(sum, volume)
    return volume
  }

  function isComplete (dao: string, after: number, missing: readonly MissingTransaction[], mayOwn: (dao: string) => boolean, { sequenceRanges, unreadable, sequenceGaps, verifiedSlot, lostBefore, losses, searched }: Completeness): boolean {
    if ((unreadable.get(dao) ?? -Infinity) > after) return false
    // Whose it is shows as a sequence gap, once the accounts have been compared; a DAO without any event shows none
    if (mayOwn(dao)) return false
    // So it is with what is lost
    if (losses.some(loss => reachesBeyond(loss, after) && (loss.toSlot > verifiedSlot || !sequenceRanges.has(dao)))) return false
    return !sequenceGaps.get(dao)?.some(gap => mayReach(gap, after, searched(gap) ? { lostBefore, losses, missing } : null))
  }

  return {
    /**
     * Per DAO, those without a swap included, at the Unix second `now`. A DAO that is not in the map has neither shown an event nor an
     * account. Throws HISTORY_UNAVAILABLE.
     */
    last24h: (now: number, known: Completeness): Promise<Map<string, Volume24h>> => window.read(now, sums => {
      const volumes = new Map<string, Volume24h>()
      const missing = known.missing.filter(({ at }) => at === null || at > now - DAY)
      const mayOwn = mayOwnOf(missing, known)
      for (const dao of new Set([...known.accounts.keys(), ...known.sequenceRanges.keys(), ...sums.keys()])) {
        const sum = sums.get(dao)
        volumes.set(dao, { ...(sum === undefined ? NO_VOLUME : exact(sum)), complete: isComplete(dao, now - DAY, missing, mayOwn, known) })
      }
      return volumes
    }),

    /**
     * As `last24h`, with all that is told of a pool, and `complete` for 30 days. Throws WARMING_UP while those are not covered or candles of
     * them still being made, HISTORY_UNAVAILABLE.
     */
    async windows (now: number, known: Completeness): Promise<Map<string, PoolWindow>> {
      if (!known.covers(now - MAX_WINDOW)) throw new ServiceError('WARMING_UP', 'the last 30 days are not covered yet')
      const long = await longWindows(now, known)
      return await window.readDetails(now, async (sums, detailOf, before) => {
        const missing = known.missing.filter(({ at }) => at === null || at > now - MAX_WINDOW)
        const mayOwn = mayOwnOf(missing, known)
        const daos = [...new Set([...known.accounts.keys(), ...known.sequenceRanges.keys(), ...sums.keys()])]
        // all at once: steps that are written between the slices change what is known, and the sums stay as they are
        const complete = new Set(daos.filter(dao => isComplete(dao, now - MAX_WINDOW, missing, mayOwn, known)))
        return new Map(await inSlices(daos, (dao): [string, PoolWindow] => {
          const sum = sums.get(dao)
          const { high, low, close, priced, fees, unknownFees, makers, unnamed } = detailOf(dao)
          const [week, month] = long.get(dao) ?? [ZERO, ZERO]
          return [dao, {
            ...(sum === undefined ? NO_VOLUME : exact(sum)),
            high,
            low,
            priced: priced.base === 0n ? null : priced,
            last: close ?? before.get(dao) ?? null,
            before: before.get(dao) ?? null,
            makers: unnamed > 0 ? null : makers,
            fees: unknownFees > 0 ? null : sumOf(fees, sum?.trades ?? 0),
            quote7d: week,
            quote30d: month,
            complete: complete.has(dao)
          }]
        }))
      })
    },
    stretches,

    /** Per DAO that has an event. Throws HISTORY_UNAVAILABLE. */
    async daily (known: Completeness): Promise<Map<string, DailyVolume>> {
      const { sequenceRanges, unreadable, sequenceGaps, losses, verifiedSlot, rolledFrom } = known
      const days = await daily.read()
      // As of the last 24 hours: until the accounts have been compared, what is listed and not given may be anybody's
      const mayOwn = mayOwnOf(known.missing, known)
      const isVerified = losses.every(({ toSlot }) => toSlot <= verifiedSlot)
      return new Map(await inSlices([...sequenceRanges], ([dao, ranges]): [string, DailyVolume] => {
        const [first] = ranges
        const missing = sequenceGaps.get(dao) ?? []
        return [dao, {
          launchedAt: first?.firstAt ?? 0,
          days: days.get(dao) ?? { settled: new Map(), recent: new Map() },
          complete: first?.first === 1n && ranges.length === 1 && missing.length === 0 && !unreadable.has(dao) && !mayOwn(dao) && isVerified,
          missingEvents: sizeOf(missing),
          hasFees: !rolledFrom.has(dao)
        }]
      }))
    }
  }
}
