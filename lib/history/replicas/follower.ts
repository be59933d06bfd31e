import { createTurns } from '../../async.js'
import { ServiceError } from '../../errors.js'
import type { VolumeRule } from '../../market/volume.js'
import { gapKey, type SequenceGap, sequenceGapsOf } from '../rules/sequence-gaps.js'
import type { AgeTime } from '../../chain/timekeeper.js'
import type { History } from '../history.js'
import { checkDay, checkHead, completenessOf, EMPTY, expectedEvents, type HeadFacts, statusOf } from '../status.js'
import { type LeaderProgress, readAccounts, readLeaderProgress } from './leader-progress.js'
import { createPublishedReading } from '../published-reading.js'
import type { PostgresReader } from './reader.js'
import { createReport, type HistoryReport } from '../report.js'
import type { StoreState } from '../rules/types.js'
import { sameValuation } from '../rules/fixed-point.js'
import { createReading } from '../volumes/reading.js'
import { createVolumes, type Completeness } from '../volumes/volumes.js'

export interface FollowerOptions {
  reader: PostgresReader
  valuation: VolumeRule
  time: AgeTime
  /** How old the head may be for anything to be made of it, ms. */
  staleMs: number
}

export type Follower = Pick<History, 'status' | 'head' | 'last24h' | 'daily' | 'report' | 'read' | 'published'> & {
  /** Looks at what has been written. Throws HISTORY_UNAVAILABLE. */
  refresh (): Promise<void>
}

interface Seen {
  progress: LeaderProgress
  state: StoreState
  accounts: ReadonlyMap<string, bigint>
  sequenceGaps: ReadonlyMap<string, SequenceGap[]>
  report: () => HistoryReport
}

/**
 * The answers of a history that another process may write: everything comes from the database, each answer from one
 * state of it.
 */
export function createFollower ({ reader: { store, together }, valuation, time, staleMs }: FollowerOptions): Follower {
  let seen: Seen | undefined
  let volumes = createVolumes(store, valuation)

  async function look (db: Parameters<typeof readLeaderProgress>[0]): Promise<Seen> {
    const progress = await readLeaderProgress(db)
    const { fencingToken, revision, verifiedSlot } = progress
    // Another lead may follow a database that was set back: what is kept in memory may be of rows that are no more
    if (seen !== undefined && seen.progress.fencingToken !== fencingToken) volumes = createVolumes(store, valuation)
    else if (seen?.progress.revision === revision &&
      seen.progress.verifiedSlot === verifiedSlot) return (seen = { ...seen, progress })
    const state = await store.load()
    const accounts = seen?.progress.verifiedSlot === verifiedSlot ? seen.accounts : await readAccounts(db)
    const sequenceGaps = sequenceGapsOf({
      sequenceRanges: state.sequenceRanges,
      indexedRanges: state.indexedRanges,
      ended: state.ended,
      accounts
    })
    seen = {
      progress,
      state,
      accounts,
      sequenceGaps,
      report: createReport(
        { state },
        { accounts, sequenceGaps: () => sequenceGaps }
      )
    }
    return seen
  }

  /** One at a time: an older state must not be read after a newer one. */
  const turns = createTurns()
  const inTurn = <T>(work: (seen: Seen) => Promise<T>): Promise<T> =>
    turns(() => together(async db => await work(await look(db))))

  /** The candles and day sums are kept by the rule of the process that writes. */
  function checkValuation ({ progress }: Seen): void {
    if (progress.valuation === null) {
      throw new ServiceError('WARMING_UP', 'sums and candles are being made of the swaps')
    }
    if (sameValuation(progress.valuation, valuation)) return
    throw new ServiceError(
      'HISTORY_UNAVAILABLE',
      'the process that writes the history has another PROTOCOL_FEE_RATE or VOLUME_BASIS than this one'
    )
  }

  const headOf = ({ progress: { head } }: Seen): HeadFacts => ({ head, time, staleMs })
  const checkFresh = (seen: Seen) => checkHead(headOf(seen))

  const knownOf = ({ state, accounts, sequenceGaps, progress: { verifiedSlot, named, lost } }: Seen): Completeness =>
    completenessOf(state, { sequenceGaps, accounts, verifiedSlot, named, searched: gap => lost.has(gapKey(gap)) })

  return {
    refresh: () => inTurn(async () => {}),
    status () {
      if (seen === undefined) return EMPTY
      const { state, progress: { lastDay }, accounts, sequenceGaps } = seen
      return { ...statusOf(state, { head: headOf(seen), sequenceGaps, lastDay }), expected: expectedEvents(accounts) }
    },
    head () {
      if (seen === undefined) throw new ServiceError('WARMING_UP', 'the database has not been read yet')
      return checkHead(headOf(seen))
    },
    last24h: () => inTurn(async seen => {
      const head = checkDay(seen.state, headOf(seen))
      checkValuation(seen)
      return { head, volumes: await volumes.last24h(head.time, knownOf(seen)) }
    }),
    daily: () => inTurn(async seen => {
      checkFresh(seen)
      checkValuation(seen)
      return await volumes.daily(knownOf(seen))
    }),
    read: work => inTurn(async seen => {
      checkFresh(seen)
      checkValuation(seen)
      return await work(createReading(store, volumes, knownOf(seen)))
    }),
    published: work => inTurn(seen => work(createPublishedReading(store, knownOf(seen)))),
    report: () => seen?.report() ?? new Map()
  }
}
