import { type Clock, systemClock } from '../clock.js'
import type { HistoryReader } from '../chain/types.js'
import type { Rational } from '../decimal.js'
import { backoff } from '../backoff.js'
import { isServiceError, messageOf, ServiceError } from '../errors.js'
import type { VolumeBasis } from '../market/volume.js'
import { eventAuthority } from '../protocol/addresses.js'
import { createFetcher } from './indexing/fetch-transactions.js'
import { createIndexer, type HeadReached, type Indexer } from './indexing/indexer.js'
import { createPublisher } from './indexing/publisher.js'
import { recomputeDaysIfNeeded } from './indexing/recompute-days.js'
import { NO_ROOM, watchingRoom } from './store/no-room.js'
import { createMissingOwners, type MissingOwners } from './indexing/missing-owners.js'
import { runBackground } from './indexing/background.js'
import { createCompleter } from './indexing/complete-events.js'
import { createReadAgain } from './indexing/read-again.js'
import { createRollUp } from './indexing/roll-up.js'
import { createReconciler, type ListDaos, type Reconciler } from './indexing/reconcile.js'
import { createSignatureWalk, type WalkOptions } from './indexing/signature-walk.js'
import { createStepWriter, type StepWriter } from './indexing/step-writer.js'
import type { OnLog } from './log-events.js'
import { pause } from './pause.js'
import { createPublishedReading, type PublishedReading } from './published-reading.js'
import { createReport, type HistoryReport } from './report.js'
import { checkHead, completenessOf, coversDay, EMPTY, type HeadFacts, type HistoryStatus, isComplete, type LastDayWork, statusOf } from './status.js'
import type { Store } from './store/store.js'
import { createReading, type Reading } from './volumes/reading.js'
import { createVolumes, type Completeness, type DailyVolume, type Volume24h } from './volumes/volumes.js'

export type { HistoryStatus, LastDayWork, Phase } from './status.js'

export type { PublishedReading }
export { executedPrice, type ExecutedPrice } from './rules/candles.js'
export { SCALE, sumOf } from './rules/fixed-point.js'
export type { PoolEvent, Trade } from './rules/types.js'
export type { ChainPosition, FirstEvent, PoolEventsQuery, TradesQuery } from './store/store.js'
export type { Reading } from './volumes/reading.js'
export { INTERVALS, type Interval, type TimedCandle } from './volumes/stretches.js'
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
  /** Unix ms of the chain, at which days and windows end; undefined: not known yet. Default: the wall clock's. */
  chainTime?: () => number | undefined
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
  /** For how long after the head was last reached the last 24 hours are given out, ms. */
  staleMs?: number
  /** For how long the chain itself has stood, as nodes that agree show, ms, 0 where it moves: for so long there has been no newer head. */
  haltedMs?: () => number
  /** For how long at least the chain has been past a slot, by what nodes have shown, ms. */
  pastMs?: (slot: number) => number
  /** Told of each finalized slot that is known to be the head's, before anything is made of it. */
  onHeadSlot?: (slot: number) => void
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
   * Per DAO, in raw units, up to the Unix second that `end` gives; it is asked once the head is known, as time may have passed and the chain gone on by then. Throws
   * WARMING_UP while 24 hours are not covered, HISTORY_UNAVAILABLE when the store or the head is behind, and what `end` throws.
   */
  last24h (end: () => number): Promise<Map<string, Volume24h>>
  /** Per DAO and UTC day since its launch, as far as it has been walked; the maps must not be changed. Throws WARMING_UP at the very start, HISTORY_UNAVAILABLE. */
  daily (): Promise<Map<string, DailyVolume>>
  /**
   * Trades, candles, windows and what else is told of single pools. All that one `work` reads is of one state; it may be run twice for that, and waits for
   * nothing but what it reads. Throws WARMING_UP while the head has not been reached, HISTORY_UNAVAILABLE when the store or the head is behind, and what `work` throws.
   */
  read<T> (work: (reading: Reading) => Promise<T>): Promise<T>
  /** What has been published for good, however old the head is. Throws WARMING_UP at the very start, HISTORY_UNAVAILABLE, and what `work` throws. */
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
  const { reader, program, daos, rate, basis, clock = systemClock, chainTime = clock.epoch, onLog = () => {} } = options
  const { pollMs = 2000, listeningMs = 30_000, checkMs = 30_000, staleMs = 60_000, isShared = false, haltedMs = () => 0, pastMs = () => 0, onHeadSlot = () => {}, pageSize, stepSize, onDecode, onReached, onProgress, onBound } = options
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
    await recomputeDaysIfNeeded(store, valuation, onLog)
    const writer = await createStepWriter(store, valuation, onLog, chainTime)
    const fetcher = createFetcher(reader, { program, eventAuthority: eventAuthority(program), clock, signal, onDecode })
    const walk = createSignatureWalk(reader, writer, fetcher, { program, pageSize, stepSize, clock, signal })
    const reconciler = createReconciler({ reader, fetcher, writer, store, daos, clock, chainTime, signal, onLog })
    const owners = createMissingOwners({ reader, writer, daos, signal })
    const publish = createPublisher(reader, store)
    const atHead = async (head: HeadReached) => {
      await onReached?.(head)
      const { state } = writer
      const { verifiedSlot, wasSearched, isWithheld } = reconciler
      await publish({ complete: isComplete(state), listed: state.indexedRanges.length > 0, verifiedSlot, sequenceGaps: [...reconciler.sequenceGaps().values()].flat(), searched: wasSearched, withheld: isWithheld, losses: state.losses, missing: state.missing })
    }
    const indexer = createIndexer({ reader, writer, walk, reconciler, owners, clock, chainTime, signal, onLog, onReached: atHead, onProgress, pollMs, listeningMs, checkMs, isFollowed, pastMs, onHeadSlot })
    indexer.listening(isListening)
    const complete = createCompleter({ reader, store, writer, program, eventAuthority: eventAuthority(program), signal })
    const background = () => runBackground({ readAgain: createReadAgain(store, writer), rollUp: createRollUp(store, writer, valuation), complete, clock, signal, onLog, pollMs })
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
        onLog({ level: 'error', code: 'retry', message: `${what}: ${messageOf(error)}; tried again in ${Math.round(delay)} ms`, detail: isServiceError(error) ? {} : { error } })
        await pause(clock, delay, signal)
      }
    }
  }

  /** Rows of two networks must never be mixed. The node may be away at the start, so this is made sure of before the first row is written. */
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

  const headOf = ({ reached }: Indexer): HeadFacts => ({ headAt: reached?.at ?? null, now: clock.now(), staleMs, haltedMs: haltedMs() })

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
      const { reached, lastDay } = indexer
      return {
        ...statusOf(state, { head: headOf(indexer), headSlot: reached?.slot ?? null, chainTime: chainTime(), sequenceGaps: reconciler.sequenceGaps(), lastDay }),
        signatures: indexer.walked,
        expected: reconciler.expected,
        searched: reconciler.searched,
        grownForms: running.writer.grownForms,
        leads: true,
        refusal: refusal ?? (isFull ? NO_ROOM : null)
      }
    },
    async last24h (end) {
      const now = begun()
      return await now.writer.read(async () => {
        if (!coversDay(now.writer.state, chainTime())) throw new ServiceError('WARMING_UP', 'the last 24 hours are not covered yet')
        checkHead(headOf(now.indexer))
        return await volumes.last24h(end(), known(now))
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
