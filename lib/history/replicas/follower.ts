import { createTurns } from '../../async.js'
import { ServiceError } from '../../errors.js'
import type { VolumeRule } from '../../market/volume.js'
import { gapKey, type SequenceGap, sequenceGapsOf } from '../rules/sequence-gaps.js'
import type { Clock } from '../../clock.js'
import type { History } from '../history.js'
import { checkHead, completenessOf, coversDay, EMPTY, expectedEvents, type HeadFacts, headSeenAt, statusOf } from '../status.js'
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
  clock: Clock
  /** Unix ms of the chain; undefined: not known yet. */
  chainTime: () => number | undefined
  /** For how long after the head was last reached anything is given out, ms. */
  staleMs: number
  /** For how long the chain itself has stood, ms; 0: it moves. */
  haltedMs: () => number
  /** For how long at least the chain has been past a slot, by what this process's nodes have shown, ms. */
  pastMs?: (slot: number) => number
  /** Told of the slot of each head that is read, before anything is made of it. */
  onHeadSlot?: (slot: number) => void
}

export type Follower = Pick<History, 'status' | 'last24h' | 'daily' | 'report' | 'read' | 'published'> & {
  /** Looks at what has been written. Throws HISTORY_UNAVAILABLE. */
  refresh (): Promise<void>
}

interface Seen {
  head: LeaderProgress
  /** Milliseconds at which the head was reached, by the clock of this process. */
  headAt: number | null
  state: StoreState
  accounts: ReadonlyMap<string, bigint>
  sequenceGaps: ReadonlyMap<string, SequenceGap[]>
  report: () => HistoryReport
}

/** The answers of a history that another process may write: everything comes from the database, each answer from one state of it. */
export function createFollower ({ reader: { store, together }, valuation, clock, chainTime, staleMs, haltedMs, pastMs = () => 0, onHeadSlot = () => {} }: FollowerOptions): Follower {
  let seen: Seen | undefined
  let volumes = createVolumes(store, valuation)

  async function look (db: Parameters<typeof readLeaderProgress>[0]): Promise<Seen> {
    const head = await readLeaderProgress(db)
    if (head.headSlot !== null) onHeadSlot(head.headSlot)
    // What was noted before ages by our own clock: the server's may be set
    const isKnown = seen !== undefined && seen.headAt !== null && seen.head.reachedAt === head.reachedAt
    const toldAt = isKnown ? seen!.headAt : head.age === null ? null : clock.now() - head.age
    const headAt = toldAt === null || head.headSlot === null ? toldAt : headSeenAt({ at: toldAt, slot: head.headSlot }, clock.now(), pastMs)
    // Another lead may follow a database that was set back: what is kept in memory may be of rows that are no more
    if (seen !== undefined && seen.head.fencingToken !== head.fencingToken) volumes = createVolumes(store, valuation)
    else if (seen?.head.revision === head.revision && seen.head.verifiedSlot === head.verifiedSlot) return (seen = { ...seen, head, headAt })
    const state = await store.load()
    const accounts = seen?.head.verifiedSlot === head.verifiedSlot ? seen.accounts : await readAccounts(db)
    const sequenceGaps = sequenceGapsOf({ sequenceRanges: state.sequenceRanges, indexedRanges: state.indexedRanges, ended: state.ended, accounts })
    seen = { head, headAt, state, accounts, sequenceGaps, report: createReport({ state }, { accounts, sequenceGaps: () => sequenceGaps }) }
    return seen
  }

  /** One at a time: an older state must not be read after a newer one. */
  const turns = createTurns()
  const inTurn = <T>(work: (seen: Seen) => Promise<T>): Promise<T> => turns(() => together(async db => await work(await look(db))))

  /** The candles and day sums are kept by the rule of the process that writes. */
  function checkValuation ({ head }: Seen): void {
    if (head.valuation !== null && sameValuation(head.valuation, valuation)) return
    throw new ServiceError('HISTORY_UNAVAILABLE', 'the process that writes the history has another PROTOCOL_FEE_RATE or VOLUME_BASIS than this one')
  }

  const headOf = ({ headAt }: Seen): HeadFacts => ({ headAt, now: clock.now(), staleMs, haltedMs: haltedMs() })
  const checkFresh = (seen: Seen) => checkHead(headOf(seen))

  const knownOf = ({ state, accounts, sequenceGaps, head: { verifiedSlot, named, lost } }: Seen): Completeness =>
    completenessOf(state, { sequenceGaps, accounts, verifiedSlot, named, searched: gap => lost.has(gapKey(gap)) })

  return {
    refresh: () => inTurn(async () => {}),
    status () {
      if (seen === undefined) return EMPTY
      const { state, head: { headSlot, lastDay }, accounts, sequenceGaps } = seen
      return { ...statusOf(state, { head: headOf(seen), headSlot, chainTime: chainTime(), sequenceGaps, lastDay }), expected: expectedEvents(accounts) }
    },
    last24h: end => inTurn(async seen => {
      if (!coversDay(seen.state, chainTime())) throw new ServiceError('WARMING_UP', 'the last 24 hours are not covered yet')
      checkFresh(seen)
      return await volumes.last24h(end(), knownOf(seen))
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
