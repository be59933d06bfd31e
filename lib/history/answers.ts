import type { Moment } from '../chain/moment.js'
import { ServiceError, unusable, warmingUp } from '../errors.js'
import type { VolumeRule } from '../market/volume.js'
import { sameValuation } from './rules/fixed-point.js'
import { daosOf, sizeOf } from './rules/sequence-gaps.js'
import { checkDay, checkHead, type Freshness, type HistoryStatus, type Progress, statusOf } from './status.js'
import type { StoreState } from './rules/rows.js'
import type { Store } from './store/create-store.js'
import { createReading, type Reading } from './volumes/reading.js'
import type { Volumes } from './volumes/volumes.js'

/** What is final: block ranges, and the first event of a DAO. */
export interface PublishedReading extends Pick<Store, 'published' | 'poolEvents' | 'origins'> {
  /** Whether a DAO's first event counts as lost for good. */
  isBeginningLost (dao: string): Promise<boolean>
}

export interface Seen extends Progress {
  volumes: Volumes
}

export interface AnswersOptions extends Freshness {
  store: Store
  valuation: VolumeRule
  signal: AbortSignal
  last: () => Seen | undefined
  /** Runs `work` on one state of the store. */
  seeing: <T>(work: (seen: Seen) => Promise<T>) => Promise<T>
}

/** By DAO; the newest slot only where no number between is missing: one far off may be wrong. */
function reportOf (seen: Seen) {
  return new Map(Array.from(daosOf(seen), dao => {
    const ranges = seen.sequenceRanges.get(dao) ?? []
    return [dao, {
      indexed: ranges.at(-1)?.last ?? 0n,
      missingEvents: sizeOf(seen.sequenceGaps.get(dao) ?? []),
      firstSwap: seen.firstSwaps.get(dao) ?? null,
      firstSlot: ranges[0]?.firstSlot ?? null,
      lastSlot: ranges.length === 1 ? ranges[0]!.lastSlot : null
    }]
  }))
}

export type HistoryReport = ReturnType<typeof reportOf>

export type Answers = ReturnType<typeof createAnswers>

export function createAnswers ({ store, valuation, time, staleMs, signal, last, ...options }: AnswersOptions) {
  const facts = (seen: Seen) => ({ ...seen, time, staleMs })

  function checkRunning (): void {
    if (signal.aborted) throw new ServiceError('SHUTTING_DOWN', 'the history is stopping')
  }

  /** Why sums and candles can't be told, if so: they are made by the rule of the process that writes. */
  function wrongSums ({ valuation: kept }: StoreState): ServiceError | undefined {
    if (kept === null) return warmingUp('sums and candles are being made of the swaps')
    if (sameValuation(kept, valuation)) return undefined
    return unusable('the process that writes the history has another PROTOCOL_FEE_RATE or VOLUME_BASIS than this one')
  }

  let isReadable = true
  const seeing: AnswersOptions['seeing'] = async work => {
    checkRunning()
    let hasBegun = false
    try {
      return await options.seeing(seen => {
        hasBegun = true
        return work(seen)
      })
    } finally {
      isReadable = hasBegun
    }
  }

  /** As `seeing`, where `check` finds the history current, and candles are not being rebuilt. */
  const current = <T>(
    check: (seen: ReturnType<typeof facts>) => Moment, work: (seen: Seen, head: Moment) => Promise<T>
  ): Promise<T> => seeing(async seen => {
      const head = check(facts(seen))
      const wrong = wrongSums(seen)
      if (wrong !== undefined) throw wrong
      return await work(seen, head)
    })

  return {
    status (): HistoryStatus {
      const seen = last()
      const hasSums = seen !== undefined && wrongSums(seen) === undefined
      return { ...statusOf({ ...seen, time, staleMs }), isReadable, hasSums }
    },
    /** Up to which all is stored. Throws WARMING_UP, and HISTORY_UNAVAILABLE where it is behind. */
    head (): Moment {
      checkRunning()
      const seen = last()
      if (seen === undefined) throw warmingUp('the history is starting')
      return checkHead(facts(seen))
    },
    /** The 24 hours before the head by DAO, raw units. Throws as `head`, and WARMING_UP where they are not covered. */
    last24h: () => current(checkDay, async (seen, head) =>
      ({ head, volumes: await seen.volumes.last24h(head.time, seen) })),
    /** By DAO and UTC day. Throws as `head`. */
    daily: () => current(checkHead, seen => seen.volumes.daily(seen)),
    /** Trades, candles and windows of one state. Throws as `head`. */
    read: <T>(work: (reading: Reading) => Promise<T>): Promise<T> =>
      current(checkHead, seen => work(createReading(store, seen.volumes, seen))),
    /** What is final, however old the head. Throws WARMING_UP. */
    published: <T>(work: (reading: PublishedReading) => Promise<T>): Promise<T> => seeing(seen => work({
      ...store,
      async isBeginningLost (dao) {
        const gap = seen.sequenceGaps.get(dao)?.find(({ from }) => from === 1n)
        return gap !== undefined && seen.isLost(gap) && gap.toSlot <= ((await store.published())?.slot ?? -1)
      }
    })),
    report (): HistoryReport {
      const seen = last()
      return seen === undefined ? new Map() : reportOf(seen)
    }
  }
}
