/** What a history answers, by the process that writes it and by those that only read. */
import { ServiceError } from '../errors.js'
import type { Completeness } from './rules/completeness.js'
import {
  checkDay, checkHead, completenessOf, EMPTY, type Freshness, type Head, type HistoryStatus, type Progress, statusOf
} from './status.js'
import type { Store } from './store/store.js'
import { createReading, type Reading } from './volumes/reading.js'
import type { DailyVolume, Volume24h, Volumes } from './volumes/volumes.js'

/** What never changes any more: block ranges, and what began a DAO. */
export interface PublishedReading extends Pick<Store, 'published' | 'poolEvents' | 'firstEvent'> {
  /** Whether the loss of a DAO's first event has been published: found after all, it is late. */
  isBeginningLost (dao: string): Promise<boolean>
}

export interface Answers {
  status (): HistoryStatus
  /** The newest finalized moment up to which all is stored. Throws WARMING_UP, or HISTORY_UNAVAILABLE: it is behind. */
  head (): Head
  /** Per DAO, raw units, the 24 hours before the head. Throws WARMING_UP while they are not covered, and as `head`. */
  last24h (): Promise<{ head: Head, volumes: Map<string, Volume24h> }>
  /** Per DAO and UTC day, as far as it has been walked. Throws as `head`. */
  daily (): Promise<Map<string, DailyVolume>>
  /** Trades, candles, windows: all of one state. Throws as `head`, and what `work` throws. */
  read<T> (work: (reading: Reading) => Promise<T>): Promise<T>
  /** What has been published for good, however old the head. Throws WARMING_UP. */
  published<T> (work: (reading: PublishedReading) => Promise<T>): Promise<T>
  report (): HistoryReport
}

export interface Seen extends Progress {
  volumes: Volumes
  /** Throws where the sums are not, or not by this process's rule. */
  checkSums?: () => void
}

export interface AnswersOptions extends Freshness {
  store: Store
  last: () => Seen | undefined
  /** Runs `work` on one state, which does not change meanwhile. */
  seeing: <T>(work: (seen: Seen) => Promise<T>) => Promise<T>
}

/**
 * Per DAO: the newest number stored, the numbers missing (ends included), the first swap's second, the oldest slot, and
 * the newest where none between is missing: a number far off may be read wrong.
 */
function reportOf ({ state, accounts, sequenceGaps }: Seen) {
  const daos = new Set([...accounts.keys(), ...state.sequenceRanges.keys()])
  return new Map(Array.from(daos, dao => {
    const ranges = state.sequenceRanges.get(dao) ?? []
    return [dao, {
      indexed: ranges.at(-1)?.last ?? 0n,
      sequenceGaps: sequenceGaps.get(dao)?.map(({ from, to }): [bigint, bigint] => [from, to]) ?? [],
      firstSwap: state.firstSwaps.get(dao) ?? null,
      firstSlot: ranges[0]?.firstSlot ?? null,
      lastSlot: ranges.length === 1 ? ranges[0]!.lastSlot : null
    }]
  }))
}

export type HistoryReport = ReturnType<typeof reportOf>

export function createAnswers ({ store, time, staleMs, last, seeing }: AnswersOptions): Answers {
  const facts = (seen: Seen) => ({ ...seen, time, staleMs })
  const known = (seen: Seen): Completeness => completenessOf(seen.state, seen)

  /** As `seeing`, where what is made of the swaps is whole and of now. */
  const current = <T>(work: (seen: Seen) => Promise<T>): Promise<T> => seeing(async seen => {
    checkHead(facts(seen))
    seen.checkSums?.()
    return await work(seen)
  })

  return {
    status () {
      const seen = last()
      return seen === undefined ? EMPTY : statusOf(facts(seen))
    },
    head () {
      const seen = last()
      if (seen === undefined) throw new ServiceError('WARMING_UP', 'the history is starting')
      return checkHead(facts(seen))
    },
    last24h: () => seeing(async seen => {
      const head = checkDay(facts(seen))
      seen.checkSums?.()
      return { head, volumes: await seen.volumes.last24h(head.time, known(seen)) }
    }),
    daily: () => current(seen => seen.volumes.daily(known(seen))),
    read: work => current(seen => work(createReading(store, seen.volumes, known(seen)))),
    published: work => seeing(seen => {
      const { sequenceGaps, searched, lostBefore } = known(seen)
      return work({
        ...store,
        async isBeginningLost (dao) {
          const gap = sequenceGaps.get(dao)?.find(({ from }) => from === 1n)
          if (lostBefore === null || gap === undefined || !searched(gap)) return false
          return gap.toSlot <= ((await store.published())?.slot ?? -1)
        }
      })
    }),
    report () {
      const seen = last()
      return seen === undefined ? new Map() : reportOf(seen)
    }
  }
}
