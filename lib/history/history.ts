import { type Clock, systemClock } from '../clock.js'
import type { Moment } from '../chain/moment.js'
import type { AgeTime } from '../chain/timekeeper.js'
import type { HistoryReader } from '../chain/types.js'
import type { Rational } from '../decimal.js'
import { backoff } from '../backoff.js'
import { isServiceError, messageOf, ServiceError } from '../errors.js'
import type { VolumeBasis } from '../market/volume.js'
import { eventAuthority } from '../protocol/addresses.js'
import { createFetcher } from './indexing/fetch-transactions.js'
import { createIndexer, type HeadReached, type Indexer } from './indexing/indexer.js'
import { createPublisher } from './indexing/publisher.js'
import { NO_ROOM, watchingRoom } from './store/no-room.js'
import { createMissingOwners, type MissingOwners } from './indexing/missing-owners.js'
import { runBackground } from './indexing/background.js'
import { createCompleter } from './indexing/complete-events.js'
import { createReconciler, type ListDaos, type Reconciler } from './indexing/reconcile.js'
import { createSignatureWalk, type WalkOptions } from './indexing/signature-walk.js'
import { createStepWriter, type StepWriter } from './indexing/step-writer.js'
import type { OnLog } from './log-events.js'
import { pause } from './pause.js'
import { rebuildIfNeeded } from './rebuild.js'
import { createPublishedReading, type PublishedReading } from './published-reading.js'
import { createReport, type HistoryReport } from './report.js'
import {
  checkDay, checkHead, completenessOf, EMPTY, type HeadFacts, type HistoryStatus, isComplete, type LastDayWork,
  statusOf
} from './status.js'
import type { Store } from './store/store.js'
import { createReading, type Reading } from './volumes/reading.js'
import { createVolumes, type Completeness, type DailyVolume, type Volume24h } from './volumes/volumes.js'

export type { HistoryStatus, LastDayWork, Phase } from './status.js'

export type { PublishedReading }
export { comparePrices, executedPrice, type ExecutedPrice } from './rules/candles.js'
export { SCALE, sumOf } from './rules/fixed-point.js'
export type { PoolEvent, Trade } from './rules/types.js'
export type { ChainPosition, FirstEvent, PoolEventsQuery, TradesQuery } from './store/store.js'
export type { Reading } from './volumes/reading.js'
export { INTERVALS, type Interval } from './volumes/reading.js'
export type { TimedCandle } from './store/store.js'
export type { DayVolume } from './volumes/daily.js'
export type { DailyVolume, PoolWindow } from './volumes/volumes.js'

export interface HistoryOptions {
  reader: HistoryReader
  store: Store
  /** The program whose events are read, base58. */
  program: string
  daos: ListDaos
  /** PROTOCOL_FEE_RATE and VOLUME_BASIS. */
  rate: Rational
  basis: VolumeBasis
  clock?: Clock
  /** How old a moment of the chain is. */
  time: AgeTime
  onLog?: OnLog
  /** Told each time the head is reached, and how far the last day is, for processes that only read the store. */
  onReached?: (reached: HeadReached) => Promise<void>
  onProgress?: (work: LastDayWork | null) => Promise<void>
  /** Told once the nodes are known to be of the network that the store is of. */
  onBound?: () => void
  /** Between two looks at the head, where nobody tells that it has moved, and where somebody does; ms. */
  pollMs?: number
  listeningMs?: number
  /** Between two comparisons with the accounts, ms. */
  checkMs?: number
  /** Whether other processes answer from the store, which may be asked for what is published at any time. */
  isShared?: boolean
  /** How old the head may be for anything to be made of it, ms. */
  staleMs?: number
  pageSize?: WalkOptions['pageSize']
  stepSize?: WalkOptions['stepSize']
  /** Milliseconds spent in reading events, for benchmarks. */
  onDecode?: (ms: number) => void
}

export interface History {
  start (): void
  /** Gives up what is asked for; what has come is stored. The store stays open: who opened it closes it. */
  stop (): Promise<void>
  /** The head may have moved. */
  wake (): void
  /** Whether `wake` is called whenever the head moves: it is looked at less often then. */
  listening (is: boolean): void
  status (): HistoryStatus
  /**
   * The newest finalized moment up to which everything is stored. Throws WARMING_UP before there is one,
   * HISTORY_UNAVAILABLE when it is behind.
   */
  head (): Moment
  /**
   * Per DAO, in raw units, the 24 hours before the head. Throws WARMING_UP while they are not covered,
   * HISTORY_UNAVAILABLE when the store or the head is behind.
   */
  last24h (): Promise<{ head: Moment, volumes: Map<string, Volume24h> }>
  /**
   * Per DAO and UTC day since its launch, as far as it has been walked; the maps must not be changed. Throws WARMING_UP
   * at the very start, HISTORY_UNAVAILABLE.
   */
  daily (): Promise<Map<string, DailyVolume>>
  /**
   * Trades, candles, windows and what else is told of single pools. All that one `work` reads is of one state; it may
   * be run twice for that, and waits for nothing but what it reads. Throws WARMING_UP while the head has not been
   * reached, HISTORY_UNAVAILABLE when the store or the head is behind, and what `work` throws.
   */
  read<T> (work: (reading: Reading) => Promise<T>): Promise<T>
  /**
   * What has been published for good, however old the head is. Throws WARMING_UP at the very start,
   * HISTORY_UNAVAILABLE, and what `work` throws.
   */
  published<T> (work: (reading: PublishedReading) => Promise<T>): Promise<T>
  /** Per DAO of which an event or an account is known. The same map until something changes. */
  report (): HistoryReport
}

interface Running { writer: StepWriter, reconciler: Reconciler, owners: MissingOwners, indexer: Indexer, background: () => Promise<void>, report: () => HistoryReport }

/** What only an operator can solve is tried again this often, ms. */
const REFUSED_MS = 60_000
/** For so long after a question for what is published more are expected, ms. */
const FOLLOWING_MS = 60_000

/** The history of a program: follows the chain into `store` once started, and answers from it. */
export function createHistory (options: HistoryOptions): History {
  const { reader, program, daos, rate, basis, time, clock = systemClock, onLog = () => {} } = options
  const {
    pollMs = 2000,
    listeningMs = 30_000,
    checkMs = 30_000,
    staleMs = 60_000,
    isShared = false,
    pageSize,
    stepSize,
    onDecode,
    onReached,
    onProgress,
    onBound
  } = options
  const valuation = { rate, basis }
  const stopping = new AbortController()
  const { signal } = stopping
  let isFull = false
  const store = watchingRoom(options.store, is => { isFull = is })
  const volumes = createVolumes(store, valuation)
  let running: Running | undefined
  let work: Promise<void> | undefined
  let isListening = false
  let refusal: string | null = null
  let followedUntil = isShared ? Infinity : -Infinity
  const isFollowed = () => clock.now() < followedUntil

  async function prepare (): Promise<Running> {
    await rebuildIfNeeded({ store, valuation, clock, signal, onLog })
    const headTime = (): number | undefined => running?.indexer.time
    const writer = await createStepWriter(store, valuation, onLog)
    const fetcher = createFetcher(reader, { program, eventAuthority: eventAuthority(program), clock, signal, onDecode })
    const walk = createSignatureWalk(reader, writer, fetcher, { program, pageSize, stepSize, clock, signal })
    const reconciler = createReconciler({ reader, fetcher, writer, store, daos, clock, headTime, signal, onLog })
    const owners = createMissingOwners({ reader, writer, daos, signal })
    const publish = createPublisher(reader, store)
    const atHead = async (head: HeadReached) => {
      await onReached?.(head)
      const { state } = writer
      const { verifiedSlot, wasSearched, isWithheld } = reconciler
      await publish({
        complete: isComplete(state),
        listed: state.indexedRanges.length > 0,
        verifiedSlot,
        sequenceGaps: [
          ...reconciler.sequenceGaps().values()
        ].flat(),
        searched: wasSearched,
        withheld: isWithheld,
        losses: state.losses,
        missing: state.missing
      })
    }
    const indexer = createIndexer({
      reader,
      writer,
      walk,
      reconciler,
      owners,
      clock,
      signal,
      onLog,
      onReached: atHead,
      onProgress,
      pollMs,
      listeningMs,
      checkMs,
      isFollowed
    })
    indexer.listening(isListening)
    const complete = createCompleter({
      reader,
      store,
      writer,
      program,
      eventAuthority: eventAuthority(
        program
      ),
      signal
    })
    const background = () => runBackground({ complete, clock, signal, onLog, pollMs })
    return { writer, reconciler, owners, indexer, background, report: createReport(writer, reconciler) }
  }

  /** Tries `attempt` until it succeeds or the history stops. */
  async function insist (what: string, attempt: () => Promise<void>): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (signal.aborted) return
        const delay = refusal === null ? backoff(failures, clock) : REFUSED_MS
        onLog({
          level: 'error',
          code: 'retry',
          message: `${what}: ${messageOf(error)}; tried again in ${Math.round(delay)} ms`,
          detail: isServiceError(error) ? {} : { error }
        })
        await pause(clock, delay, signal)
      }
    }
  }

  /**
   * Rows of two networks must never be mixed. The node may be away at the start, so this is made sure of before the
   * first row is written.
   */
  async function bindNetwork (): Promise<void> {
    const genesis = await reader.genesisHash({ priority: 'head', signal })
    refusal = null
    await store.bindNetwork(genesis).catch((error: unknown) => {
      if (isServiceError(error, 'WRONG_NETWORK')) refusal = error.message
      throw error
    })
    onBound?.()
  }

  async function run (): Promise<void> {
    await insist("the history can't begin", async () => { running = await prepare() })
    await insist('the history waits to know its network (getGenesisHash)', bindNetwork)
    if (!signal.aborted && running !== undefined) await Promise.all([running.indexer.run(), running.background()])
  }

  const known = ({ writer, reconciler, owners }: Running): Completeness =>
    completenessOf(writer.state, {
      sequenceGaps: reconciler.sequenceGaps(),
      accounts: reconciler.accounts,
      verifiedSlot: reconciler.verifiedSlot,
      searched: reconciler.wasSearched,
      named: owners.named
    })

  const headOf = ({ reached }: Indexer): HeadFacts => ({ head: reached, time, staleMs })

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
    listening (is) {
      isListening = is
      running?.indexer.listening(is)
    },
    status () {
      if (running === undefined) return { ...EMPTY, leads: true, refusal }
      const { writer: { state }, indexer, reconciler } = running
      const { lastDay } = indexer
      return {
        ...statusOf(state, { head: headOf(indexer), sequenceGaps: reconciler.sequenceGaps(), lastDay }),
        signatures: indexer.walked,
        expected: reconciler.expected,
        searched: reconciler.searched,
        leads: true,
        refusal: refusal ?? (isFull ? NO_ROOM : null)
      }
    },
    head: () => checkHead(headOf(begun().indexer)),
    async last24h () {
      const now = begun()
      return await now.writer.read(async () => {
        const head = checkDay(now.writer.state, headOf(now.indexer))
        return { head, volumes: await volumes.last24h(head.time, known(now)) }
      })
    },
    async daily () {
      const now = begun()
      return await now.writer.read(async () => await volumes.daily(known(now)))
    },
    async read (work) {
      const now = begun()
      return await now.writer.read(async () => {
        checkHead(headOf(now.indexer))
        return await work(createReading(store, volumes, known(now)))
      })
    },
    async published (work) {
      const now = begun()
      const wasFollowed = isFollowed()
      followedUntil = Math.max(followedUntil, clock.now() + FOLLOWING_MS)
      if (!wasFollowed) now.indexer.follow()
      return await work(createPublishedReading(store, known(now)))
    },
    report: () => running?.report() ?? new Map()
  }
}
