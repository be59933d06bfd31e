import type { HistoryReader } from '../chain/types.js'
import type { Rational } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { VolumeBasis } from '../market/volume.js'
import { eventAuthorityOf } from '../protocol/events.js'
import { createCompleteness, type Completeness, type ListDaos } from './completeness.js'
import type { OnFact } from './facts.js'
import { createFetcher } from './fetch.js'
import { sizeOf } from './gaps.js'
import { createIndexer, type Indexer, type Phase, type Reached } from './indexer.js'
import { backoff, sleep as realSleep, type Sleep } from './pause.js'
import { createReport, type Report } from './report.js'
import { createRecorder, type Recorder } from './recorder.js'
import { revalueIfNeeded } from './revalue.js'
import { beginningOf } from './segments.js'
import type { Store } from './store.js'
import { createVolumes, type DailyVolume, type Known, type Volume24h } from './volumes.js'
import { createWalk, type WalkOptions } from './walk.js'

export interface HistoryOptions {
  reader: HistoryReader
  store: Store
  /** The program whose events are read, base58. */
  program: string
  daos: ListDaos
  /** PROTOCOL_FEE_RATE and VOLUME_BASIS. */
  rate: Rational
  basis: VolumeBasis
  /** Milliseconds since 1970. */
  now?: () => number
  sleep?: Sleep
  onFact?: OnFact
  /** Told each time the head is reached, for processes that only read the store. */
  onReached?: (reached: Reached) => Promise<void>
  /** Between two looks at the head. */
  pollMs?: number
  /** Between two comparisons with the accounts. */
  checkMs?: number
  /** For how long after the head was last reached the last 24 hours are given out. */
  staleMs?: number
  pageSize?: WalkOptions['pageSize']
  stepSize?: WalkOptions['stepSize']
  /** Transactions per call of the reader, calls at a time, and how often one that is not given is asked for again. */
  chunk?: number
  concurrency?: number
  retries?: number
  /** Milliseconds spent in reading events, for benchmarks. */
  onDecode?: (ms: number) => void
}

export interface HistoryStatus {
  phase: Phase
  /** The last 24 hours are covered. */
  last24h: boolean
  /** Walked to the beginning that the node offers. */
  complete: boolean
  /** Milliseconds at which the head was last known to be reached. */
  headAt: number | null
  /** Newest slot processed. */
  slot: number | null
  /** Unix seconds of the oldest signature that is covered without a gap from the head. */
  oldestTime: number | null
  /** Signatures processed since the start. */
  signatures: number
  swaps: number
  events: number
  /** Events that the accounts have numbered; null before they have been compared. */
  expected: number | null
  /** Sequence numbers known to be missing. */
  holes: number
  /** Each of them has been looked for in its DAO's own signatures. */
  searched: boolean
  /** Transactions that the node lists and does not give. */
  missing: number
  /** Swaps per observed protocol fee rate in basis points that is not the configured one; "other": the amounts name none. */
  rateDisagreements: ReadonlyArray<{ bps: string, swaps: number }>
}

export interface History {
  start (): void
  /** Finishes the step at hand. The store stays open: who opened it closes it. */
  stop (): Promise<void>
  /** The head may have moved. */
  wake (): void
  status (): HistoryStatus
  /** Per DAO, in raw units. Throws WARMING_UP while 24 hours are not covered, HISTORY_UNAVAILABLE when the store or the head is behind. */
  last24h (nowSeconds: number): Promise<Map<string, Volume24h>>
  /** Per DAO and UTC day since its launch, as far as it has been walked; the maps must not be changed. Throws WARMING_UP at the very start, HISTORY_UNAVAILABLE. */
  daily (): Promise<Map<string, DailyVolume>>
  /** Per DAO of which an event or an account is known. The same map until something changes. */
  report (): Report
}

interface Running { recorder: Recorder, completeness: Completeness, indexer: Indexer, report: () => Report }

/** Before anything is known. */
export const EMPTY: HistoryStatus = {
  phase: 'starting', last24h: false, complete: false, headAt: null, slot: null, oldestTime: null, signatures: 0, swaps: 0, events: 0, expected: null, holes: 0, searched: true, missing: 0, rateDisagreements: []
}

/** The history of a program: follows the chain into `store` once started, and answers from it. */
export function createHistory (options: HistoryOptions): History {
  const { reader, store, program, daos, rate, basis, now = Date.now, sleep = realSleep, onFact = () => {} } = options
  const { pollMs = 2000, checkMs = 30_000, staleMs = 60_000 } = options
  const valuation = { rate, basis }
  const stopping = new AbortController()
  const { signal } = stopping
  const volumes = createVolumes(store, valuation)
  let running: Running | undefined
  let work: Promise<void> | undefined

  async function prepare (): Promise<Running> {
    await revalueIfNeeded(store, valuation, onFact)
    const recorder = await createRecorder(store, valuation, onFact)
    const fetcher = createFetcher(reader, { ...options, eventAuthority: eventAuthorityOf(program), sleep, signal })
    const walk = createWalk(reader, recorder, fetcher, { ...options, now })
    const completeness = createCompleteness({ reader, fetcher, recorder, store, daos, now, onFact })
    const indexer = createIndexer({ reader, recorder, walk, completeness, now, sleep, signal, onFact, onReached: options.onReached, pollMs, checkMs })
    return { recorder, completeness, indexer, report: createReport(recorder, completeness) }
  }

  async function run (): Promise<void> {
    for (let failures = 1; running === undefined && !signal.aborted; failures++) {
      try {
        running = await prepare()
      } catch (error) {
        onFact({ level: 'error', code: 'retry', message: `the history can't begin: ${error instanceof Error ? error.message : String(error)}`, detail: { error } })
        await sleep(backoff(failures), signal)
      }
    }
    await running?.indexer.run()
  }

  function known ({ recorder, completeness }: Running): Known {
    const { intervals, unreadable, missing } = recorder.state
    const { accounts, provenSlot, wasSearched } = completeness
    return { intervals, unreadable, missing, holes: completeness.holes(), accounts, provenSlot, lostBefore: beginningOf(recorder.state), searched: wasSearched }
  }

  function begun (): Running {
    if (signal.aborted) throw new ServiceError('SHUTTING_DOWN', 'the history is stopping')
    if (running === undefined) throw new ServiceError('WARMING_UP', 'the history is starting')
    return running
  }

  return {
    start () { work ??= run() },
    async stop () {
      stopping.abort()
      await work
    },
    wake: () => running?.indexer.wake(),
    status () {
      if (running === undefined) return EMPTY
      const { recorder: { state }, indexer, completeness } = running
      return {
        phase: indexer.phase,
        last24h: indexer.reachedAt !== null && indexer.coversDay(),
        complete: state.ended && state.segments.length <= 1,
        headAt: indexer.reachedAt,
        slot: state.segments[0]?.newestSlot ?? null,
        oldestTime: state.segments[0]?.oldestTime ?? null,
        signatures: indexer.walked,
        swaps: state.swaps,
        events: state.events,
        expected: completeness.expected,
        holes: sizeOf([...completeness.holes().values()].flat()),
        searched: completeness.searched,
        missing: state.missing.length,
        rateDisagreements: Array.from(state.rates, ([bps, swaps]) => ({ bps, swaps })).filter(({ swaps }) => swaps > 0)
      }
    },
    async last24h (nowSeconds) {
      const { indexer, ...rest } = begun()
      if (indexer.reachedAt === null || !indexer.coversDay()) throw new ServiceError('WARMING_UP', 'the last 24 hours are not covered yet')
      if (now() - indexer.reachedAt > staleMs) throw new ServiceError('HISTORY_UNAVAILABLE', 'the history is behind the chain')
      return await volumes.last24h(nowSeconds, known({ indexer, ...rest }))
    },
    daily: async () => await volumes.daily(known(begun())),
    report: () => running?.report() ?? new Map()
  }
}
