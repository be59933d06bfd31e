import { isServiceError, ServiceError } from '../errors.js'
import { createHistory, EMPTY, type History, type HistoryOptions } from './history.js'
import { keepLead, type Term } from './leader.js'
import { backoff, sleep as realSleep } from './pause.js'
import { placeOf, unreachable } from './postgres-connection.js'
import { isRefusal, messageOf } from './postgres-errors.js'
import { createFollower, type Follower } from './postgres-follower.js'
import { createHeadWriter } from './postgres-head.js'
import { preparePostgres } from './postgres.js'
import { openPostgresReader, type PostgresReader } from './postgres-reader.js'
import { BEAT_MS, openSession, type Session } from './postgres-session.js'
import { createStore } from './store-queries.js'

export interface SharedHistoryOptions extends Omit<HistoryOptions, 'store' | 'onReached'> {
  /** A URL of PostgreSQL; `schema` in its query names the schema. */
  url: string
  /** Whether this process may be the one that writes. */
  writes: boolean
}

/** Between two looks at the database, where nobody tells that something was written; and the least time between two, ms. */
const LOOK_MS = 2000
const LEAST_MS = 250
/** For what is at work when the process ends, ms: a connection that does not answer must not hold it. */
const LAST_MS = 5000

/**
 * The history of a program in PostgreSQL, shared by any number of processes: one of them, chosen by a lock, follows the chain into it, and
 * all answer from it. A lost connection makes what needs the store fail with HISTORY_UNAVAILABLE until it is back.
 * Throws HISTORY_UNAVAILABLE when the tables are of a newer version or hold another program's rows; a database that can't be reached is waited for.
 */
export async function openSharedHistory (options: SharedHistoryOptions): Promise<History & { close (): Promise<void> }> {
  const { url, writes, program, rate, basis, now = Date.now, sleep = realSleep, staleMs = 60_000, checkMs = 30_000, daos, onFact = () => {} } = options
  const place = placeOf(url)
  const stopping = new AbortController()
  const { signal } = stopping
  let reader: PostgresReader | undefined
  let follower: Follower | undefined
  let leading: History | undefined
  let work: Promise<unknown> | undefined
  let look = () => {}
  let isAway = false

  async function open (): Promise<Follower> {
    await preparePostgres(place, { program })
    reader = await openPostgresReader(place)
    follower = createFollower({ reader, valuation: { rate, basis }, now, staleMs })
    return follower
  }

  let opening: Promise<Follower> | undefined
  async function connect (): Promise<Follower> {
    if (follower !== undefined) return follower
    opening ??= open().finally(() => { opening = undefined })
    return await opening
  }

  /** Told once when the database goes, and once when it is back. */
  function tell (error?: unknown): void {
    if (isAway === (error !== undefined)) return
    isAway = error !== undefined
    onFact(isAway
      ? { level: 'error', code: 'retry', message: `${messageOf(error)}; tried again until the database answers` }
      : { level: 'info', code: 'retry', message: 'the database answers again' })
  }

  async function follow (): Promise<void> {
    signal.addEventListener('abort', () => look(), { once: true })
    while (!signal.aborted) {
      const told = new AbortController()
      look = () => told.abort()
      try {
        await (await connect()).refresh()
        tell()
      } catch (error) {
        tell(error)
      }
      await sleep(LEAST_MS, signal)
      await sleep(LOOK_MS - LEAST_MS, told.signal)
    }
  }

  /** The accounts are looked at as often as the one who writes does: a process that nobody asks yet must become ready, too. */
  async function lookAtAccounts (): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        if (leading === undefined) await daos()
        failures = 0
      } catch (error) {
        if (failures++ === 0) onFact({ level: 'warn', code: 'retry', message: `${messageOf(error)}; tried again until the node answers` })
      }
      await sleep(failures === 0 ? checkMs : Math.min(backoff(failures), checkMs), signal)
    }
  }

  async function begin (session: Session): Promise<Term> {
    const store = await createStore(session.engine())
    const history = createHistory({ ...options, store, onReached: createHeadWriter(session.writing, now) })
    leading = history
    history.start()
    return {
      async stop () {
        leading = undefined
        await history.stop()
      }
    }
  }

  async function openLead (): Promise<Session> {
    await connect()
    return await openSession(place, () => look())
  }

  function reading (): Follower {
    if (signal.aborted) throw new ServiceError('SHUTTING_DOWN', 'the history is stopping')
    if (follower === undefined) throw new ServiceError('HISTORY_UNAVAILABLE', 'the database of the history has not been reached yet')
    return follower
  }

  try {
    await connect()
  } catch (error) {
    // What the operator must solve ends the start; a database that is away is waited for
    if (isServiceError(error)) throw error
    if (isRefusal(error)) throw unreachable("the database of the history can't be used", error)
    tell(error)
  }

  return {
    start () {
      work ??= Promise.all([follow(), lookAtAccounts(), keepLead({ open: openLead, begin, competes: writes, beatMs: BEAT_MS, sleep, signal, onFact })])
    },
    async stop () {
      stopping.abort()
      await Promise.race([work, realSleep(LAST_MS)])
    },
    wake: () => leading?.wake(),
    status: () => follower?.status() ?? EMPTY,
    last24h: async nowSeconds => await reading().last24h(nowSeconds),
    daily: async () => await reading().daily(),
    report: () => follower?.report() ?? new Map(),
    close: async () => { await Promise.race([reader?.store.close(), realSleep(LAST_MS)]) }
  }
}
