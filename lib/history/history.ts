import { systemClock } from '../clock.js'
import { isServiceError, warmingUp } from '../errors.js'
import type { VolumeRule } from '../market/volume.js'
import { type Answers, createAnswers, type Seen } from './answers.js'
import type { Context } from './indexing/context.js'
import { createFetcher } from './indexing/fetch.js'
import { createIndexer, type Indexer, type IndexerOptions } from './indexing/indexer.js'
import { createStepWriter, type StepWriter } from './indexing/commit.js'
import { createLane, createTask } from './indexing/work.js'
import { rebuildIfNeeded } from './rebuild.js'
import type { Accounts } from './rules/rows.js'
import type { Freshness } from './status.js'
import { NO_ROOM } from './store/failures.js'
import { createVolumes } from './volumes/volumes.js'

export type { HistoryReport, PublishedReading } from './answers.js'
export type { HistoryStatus, LastDayWork, Phase } from './status.js'
export { comparePrices, executedPrice, type ExecutedPrice, type TimedCandle } from './rules/candles.js'
export { SCALE, sumOf } from './rules/fixed-point.js'
export type { Accounts, MarketKey, OtherFees, PoolEvent, ProposalEvent, Trade } from './rules/rows.js'
export type { ChainPosition, PoolEventsQuery, TradesQuery } from './store/types.js'
export { INTERVALS, type Interval, type Reading } from './volumes/reading.js'
export { isWalked } from './rules/completeness.js'
export type { DayVolume } from './volumes/daily.js'
export type { PoolWindow } from './volumes/volumes.js'

export interface HistoryOptions extends IndexerOptions, VolumeRule, Pick<Freshness, 'time'>,
  Pick<Context, 'reader' | 'store' | 'program' | 'daos'>,
  Partial<Pick<Freshness, 'staleMs'> & Pick<Context, 'clock' | 'onLog'>> {}

export interface History extends Answers {
  /** Resolves once `report` knows what is stored. */
  loaded: Promise<void>
  start (): void
  /** Leaves the store open. */
  stop (): Promise<void>
  /** The head may have moved. */
  wake (): void
  /** Compares what is stored with accounts that were read. */
  compare (accounts: Accounts): void
}

interface Running { writer: StepWriter, indexer: Indexer }

/** Between two tries at a store of another network, ms. */
const REFUSED_MS = 60_000

/** Once started, follows the chain into `store`; answers from it. */
export function createHistory (options: HistoryOptions): History {
  const { reader, store, program, daos, rate, basis, time, clock = systemClock, onLog = () => {} } = options
  const { staleMs = 60_000 } = options
  const valuation = { rate, basis }
  const stopping = new AbortController()
  const { signal } = stopping
  const volumes = createVolumes(store, valuation)
  let running: Running | undefined
  let work: Promise<void> | undefined
  let refusal: string | null = null
  let tellLoaded = () => {}
  const loaded = new Promise<void>(resolve => { tellLoaded = resolve })

  async function bindNetwork (): Promise<void> {
    const genesis = await reader.genesisHash({ priority: 'head', signal })
    refusal = null
    await store.bindNetwork(genesis).catch((error: unknown) => {
      if (!isServiceError(error, 'WRONG_NETWORK')) throw error
      refusal = error.message
    })
  }

  async function run (): Promise<number> {
    await bindNetwork()
    if (refusal !== null) {
      onLog({ level: 'error', code: 'retry', message: `${refusal}; tried again in ${REFUSED_MS} ms` })
      return clock.now() + REFUSED_MS
    }
    await rebuildIfNeeded(valuation, { store, clock, signal, onLog })
    const known = { reader, store, program, daos, clock, signal, onLog }
    const writer = await createStepWriter(store, valuation, onLog)
    const indexer = createIndexer({ ...known, writer, fetcher: createFetcher(known) }, options)
    running = { writer, indexer }
    tellLoaded()
    await indexer.run()
    return Infinity
  }

  const lane = createLane([createTask(run)], { clock, signal, onLog })

  const seenOf = ({ indexer }: Running): Seen => ({ ...indexer.progress(), volumes })

  const answers = createAnswers({
    store,
    valuation,
    time,
    staleMs,
    signal,
    last: () => running && seenOf(running),
    async seeing (work) {
      const now = running
      if (now === undefined) throw warmingUp('the history is starting')
      return await now.writer.read(() => work(seenOf(now)))
    }
  })

  return {
    ...answers,
    loaded,
    start () { work ??= lane.run() },
    async stop () {
      stopping.abort()
      await work
    },
    wake: () => running?.indexer.wake(),
    compare (accounts) {
      if (running === undefined) lane.again()
      else running.indexer.compare(accounts)
    },
    status () {
      return {
        ...answers.status(),
        ...running?.indexer.done(),
        leads: true,
        refusal: refusal ?? (store.hasNoRoom() ? NO_ROOM : null)
      }
    },
    async published (work) {
      running?.indexer.follow()
      return await answers.published(work)
    }
  }
}
