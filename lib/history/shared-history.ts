import { isServiceError, messageOf } from '../errors.js'
import { sleepUntil, systemClock } from '../clock.js'
import { createHistory, type History, type HistoryOptions } from './history.js'
import { createLane, createTask } from './indexing/work.js'
import { failed } from './store/failures.js'
import { isRefusal, parseDatabaseUrl, preparePostgres } from './store/postgres-connection.js'
import { createFollower, openPostgresReader } from './replicas/follower.js'
import { createProgressWriter } from './replicas/leader-progress.js'
import { openSession, runLeaderLoop, type Session } from './replicas/leader.js'
import { createStore } from './store/create-store.js'

export interface SharedHistoryOptions extends Omit<HistoryOptions, 'store' | 'onProgress'> {
  /** A URL of PostgreSQL; `schema` in its query names the schema. */
  url: string
  /** Whether this process may be the one that writes. */
  writes: boolean
  /** By when all must have ended, by the clock; told once it ends. */
  endsBy?: () => number
}

/** Between two looks at what is written. */
const LOOK_MS = 500
/** At the end for what is under way, and of that for closing connections, ms. */
const LAST_MS = 5000
const LAST_CLOSING_MS = 1000

/**
 * A history in PostgreSQL: one process, chosen by a lock, writes it, any number answer from it. Throws
 * HISTORY_UNAVAILABLE for tables of a newer version or another program; a database that is away is waited for.
 */
export async function openSharedHistory (
  options: SharedHistoryOptions
): Promise<History & { close (): Promise<void> }> {
  const { url, writes, program, rate, basis, time, daos, clock = systemClock, onLog = () => {} } = options
  const { staleMs = 60_000, checkMs = 20_000, endsBy = () => Infinity } = options
  const place = parseDatabaseUrl(url)
  const stopping = new AbortController()
  const { signal } = stopping
  let network: string | undefined
  const reader = openPostgresReader(place)
  const { refresh, ...answers } =
    createFollower({ reader, valuation: { rate, basis }, time, staleMs, signal, network: () => network })
  let leading: History | undefined
  let work: Promise<unknown> | undefined
  let isAway = false

  const until = (moment: number) =>
    new Promise<void>(resolve => { clock.after(Math.max(0, Math.min(LAST_MS, moment - clock.now())), resolve) })

  let preparing: Promise<void> | undefined
  /** Once; again after a failure. */
  function prepare (): Promise<void> {
    preparing ??= preparePostgres(place, program).catch((error: unknown) => {
      preparing = undefined
      throw error
    })
    return preparing
  }

  /** Logs once that the database is away, and once that it is back. */
  function tell (error?: unknown): void {
    if (isAway === (error !== undefined)) return
    isAway = error !== undefined
    onLog(isAway
      ? { level: 'error', code: 'retry', message: `${messageOf(error)}; tried again until the database answers` }
      : { level: 'info', code: 'retry', message: 'the database answers again' })
  }

  async function follow (): Promise<void> {
    while (!signal.aborted) {
      await prepare().then(refresh).then(() => tell(), tell)
      await sleepUntil(clock, LOOK_MS, signal)
    }
  }

  /** So that a process that nobody asks yet becomes ready, and notices another network. */
  async function lookAtAccounts (): Promise<number> {
    if (leading === undefined || network === undefined) {
      network = await options.reader.genesisHash({ priority: 'head', signal })
      await daos()
    }
    return clock.now() + checkMs
  }

  async function begin (session: Session): Promise<() => Promise<void>> {
    const store = createStore(session)
    const onProgress = createProgressWriter(store)
    const history = leading = createHistory({ ...options, store, isShared: true, onProgress })
    history.start()
    return async () => {
      leading = undefined
      await history.stop()
    }
  }

  try {
    await prepare()
  } catch (error) {
    if (isServiceError(error) || isRefusal(error)) throw failed("the database of the history can't be used", error)
    tell(error)
  }

  return {
    ...answers,
    start () {
      work ??= Promise.all([
        follow(),
        createLane([createTask(lookAtAccounts)], { clock, signal, onLog }).run(),
        writes && runLeaderLoop({
          open: () => prepare().then(() => openSession(place)),
          begin,
          isCurrent () {
            const { headAge = null, isBehind = true } = leading?.status() ?? {}
            return headAge !== null && !isBehind
          },
          refusal: () => answers.status().refusal,
          clock,
          signal,
          onLog
        })
      ])
    },
    async stop () {
      stopping.abort()
      await Promise.race([work, until(endsBy() - LAST_CLOSING_MS)])
    },
    wake: () => leading?.wake(),
    compare: accounts => leading?.compare(accounts),
    status () {
      const status = answers.status()
      return { ...status, leads: leading !== undefined, refusal: leading?.status().refusal ?? status.refusal }
    },
    close: async () => { await Promise.race([reader.store.close(), until(endsBy())]) }
  }
}
