import { ServiceError } from '../errors.js'
import type { Valuation } from '../market/volume.js'
import { type Hole, holesOf, sizeOf } from './gaps.js'
import { EMPTY, type History } from './history.js'
import type { Phase } from './indexer.js'
import { type Head, readAccounts, readHead } from './postgres-head.js'
import type { PostgresReader } from './postgres-reader.js'
import { createReport, type Report } from './report.js'
import { beginningOf, covers } from './segments.js'
import type { StoreState } from './store.js'
import { sameValuation } from './sums.js'
import { createVolumes, type Known } from './volumes.js'

export interface FollowerOptions {
  reader: PostgresReader
  valuation: Valuation
  /** Milliseconds since 1970. */
  now: () => number
  /** For how long after the head was last reached anything is given out, ms. */
  staleMs: number
}

export type Follower = Pick<History, 'status' | 'last24h' | 'daily' | 'report'> & {
  /** Looks at what has been written. Throws HISTORY_UNAVAILABLE. */
  refresh (): Promise<void>
}

interface Seen {
  head: Head
  /** Milliseconds at which the head was reached, by the clock of this process. */
  headAt: number | null
  state: StoreState
  accounts: ReadonlyMap<string, bigint>
  holes: ReadonlyMap<string, Hole[]>
  report: () => Report
}

const DAY = 86_400
/** As in the indexer: block times and this machine's clock may differ by so many seconds. */
const CLOCK_MARGIN = 60

/** The answers of a history that another process may write: everything comes from the database, each answer from one state of it. */
export function createFollower ({ reader: { store, together }, valuation, now, staleMs }: FollowerOptions): Follower {
  let seen: Seen | undefined
  let volumes = createVolumes(store, valuation)

  async function look (db: Parameters<typeof readHead>[0]): Promise<Seen> {
    const head = await readHead(db)
    const headAt = head.age === null ? null : now() - head.age
    // Another lead may follow a database that was set back: what is kept in memory may be of rows that are no more
    if (seen !== undefined && seen.head.epoch !== head.epoch) volumes = createVolumes(store, valuation)
    else if (seen?.head.change === head.change && seen.head.provenSlot === head.provenSlot) return (seen = { ...seen, head, headAt })
    const state = await store.load()
    const accounts = seen?.head.provenSlot === head.provenSlot ? seen.accounts : await readAccounts(db)
    const holes = holesOf({ intervals: state.intervals, segments: state.segments, ended: state.ended, accounts })
    seen = { head, headAt, state, accounts, holes, report: createReport({ state }, { accounts, holes: () => holes }) }
    return seen
  }

  /** One at a time: an older state must not be read after a newer one. */
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T> (work: (seen: Seen) => Promise<T>): Promise<T> {
    const next = last.then(() => together(async db => await work(await look(db))))
    last = next.catch(() => {})   // the one who asked is told
    return next
  }

  const coversDay = ({ segments, ended }: StoreState) => covers(segments, ended, Math.floor(now() / 1000) - DAY - CLOCK_MARGIN)

  function phaseOf ({ headAt, state }: Seen): Phase {
    if (headAt === null) return 'starting'
    if (!coversDay(state)) return 'last-day'
    return state.segments.length > 1 || !state.ended ? 'walking-back' : 'following'
  }

  function checkFresh ({ headAt }: Seen): void {
    if (headAt === null) throw new ServiceError('WARMING_UP', 'the history has not reached the head yet')
    if (now() - headAt > staleMs) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain: no process has reached the head of late')
  }

  const knownOf = ({ state, accounts, holes, head }: Seen): Known =>
    ({
      intervals: state.intervals,
      unreadable: state.unreadable,
      missing: state.missing,
      accounts,
      holes,
      provenSlot: head.provenSlot,
      lostBefore: beginningOf(state),
      searched: ({ dao, from }) => from === 1n && head.lost.has(dao)   // of other holes it does not matter
    })

  return {
    refresh: () => inTurn(async () => {}),
    status () {
      if (seen === undefined) return EMPTY
      const { state, headAt, accounts, holes } = seen
      return {
        ...EMPTY,
        phase: phaseOf(seen),
        last24h: headAt !== null && coversDay(state),
        complete: state.ended && state.segments.length <= 1,
        headAt,
        slot: state.segments[0]?.newestSlot ?? null,
        oldestTime: state.segments[0]?.oldestTime ?? null,
        swaps: state.swaps,
        events: state.events,
        expected: accounts.size === 0 ? null : [...accounts.values()].reduce((sum, seqNum) => sum + Number(seqNum), 0),
        holes: sizeOf([...holes.values()].flat()),
        missing: state.missing.length,
        rateDisagreements: Array.from(state.rates, ([bps, swaps]) => ({ bps, swaps })).filter(({ swaps }) => swaps > 0)
      }
    },
    last24h: nowSeconds => inTurn(async seen => {
      if (!coversDay(seen.state)) throw new ServiceError('WARMING_UP', 'the last 24 hours are not covered yet')
      checkFresh(seen)
      return await volumes.last24h(nowSeconds, knownOf(seen))
    }),
    daily: () => inTurn(async seen => {
      checkFresh(seen)
      if (seen.head.valuation === null || !sameValuation(seen.head.valuation, valuation)) {
        throw new ServiceError('HISTORY_UNAVAILABLE', 'the process that writes the history has another PROTOCOL_FEE_RATE or VOLUME_BASIS than this one')
      }
      return await volumes.daily(knownOf(seen))
    }),
    report: () => seen?.report() ?? new Map()
  }
}
