import { DAY } from '../../time.js'
import { reachesBeyond, spans } from '../rules/losses.js'
import { mayOwnOf } from '../rules/missing-owners.js'
import { mayReach } from '../rules/sequence-gaps.js'
import type { DayRow } from '../rules/types.js'
import type { Store } from '../store/store.js'
import type { Interval, TimedCandle } from './stretches.js'
import type { Completeness, PoolWindow, Volumes } from './volumes.js'

/** What is known of a stretch of a DAO's time. 'lost': all that any node has; what came before is stated to be lost. */
export type Known = 'whole' | 'lost' | 'partly'

/**
 * What can be asked of the history beyond its sums, all on one state of the store. It gives what is stored: whether that is all is for
 * `knowledge` to say. Throws HISTORY_UNAVAILABLE; where candles are read, WARMING_UP while they are still being made.
 */
export interface Reading extends Pick<Store, 'trades' | 'lastTrades' | 'poolEvents' | 'firstEvent' | 'feeRates' | 'incompleteSlots' | 'unnamedTrades'> {
  /** Days of a DAO from `from` to `to`, days since 1970-01-01, both included, that have trades; oldest first, the newest `limit`. */
  days (dao: string, range: { from: number, to: number, limit: number }): Promise<Array<DayRow & { makers: number }>>
  /** Candles that begin from `from` to before `to`, multiples of the interval, oldest first: the newest `limit` that have trades. */
  candles (dao: string, interval: Interval, range: { from: number, to: number, limit: number }): Promise<TimedCandle[]>
  /** The windows of all DAOs at the Unix second `now`. */
  windows (now: number): Promise<Map<string, PoolWindow>>
  /** Whether all events of a DAO after the Unix second `after` and up to `until` are stored and understood. */
  knowledge (dao: string, after: number, until?: number): Known
  known: Completeness
}

/** Whether what is stored of a DAO between two Unix seconds is all there is; `after` −Infinity: from its beginning. */
function knowledge (dao: string, after: number, until: number, known: Completeness): Known {
  const { sequenceRanges, unreadable, sequenceGaps, verifiedSlot, lostBefore, losses, searched, missing, covers } = known
  if (!covers(after) || (unreadable.get(dao) ?? -Infinity) > after) return 'partly'
  if (mayOwnOf(missing.filter(({ at }) => at === null || (at > after && at <= until)), known)(dao)) return 'partly'
  if (losses.some(loss => reachesBeyond(loss, after) && (loss.toSlot > verifiedSlot || !sequenceRanges.has(dao)))) return 'partly'
  let isLost = false
  for (const gap of sequenceGaps.get(dao) ?? []) {
    const wasSearched = searched(gap)
    if (!mayReach(gap, after, wasSearched ? { lostBefore, losses, missing } : null) || (gap.since !== null && gap.since > until)) continue
    // Looked for in vain: the first numbers, older than what any node offers, or what a stated loss spans
    if (!wasSearched || !((gap.from === 1n && lostBefore !== null) || spans(gap, losses))) return 'partly'
    isLost = true
  }
  return isLost ? 'lost' : 'whole'
}

export function createReading (store: Store, { stretches, windows }: Volumes, known: Completeness): Reading {
  return {
    trades: store.trades,
    poolEvents: store.poolEvents,
    lastTrades: store.lastTrades,
    firstEvent: store.firstEvent,
    feeRates: store.feeRates,
    incompleteSlots: store.incompleteSlots,
    unnamedTrades: store.unnamedTrades,
    async days (dao, range) {
      stretches.checkRolled(dao, range.from * DAY, known)
      return (await store.daysOf(dao, range)).filter(({ trades }) => trades > 0)
    },
    candles: (dao, interval, range) => stretches.candles(dao, interval, range, known),
    windows: now => windows(now, known),
    knowledge: (dao, after, until = Infinity) => knowledge(dao, after, until, known),
    known
  }
}
