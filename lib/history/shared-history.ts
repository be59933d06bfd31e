import { isServiceError, messageOf, ServiceError } from '../errors.js'
import { systemClock } from '../clock.js'
import { backoff } from '../backoff.js'
import { createHistory, type History, type HistoryOptions } from './history.js'
import { runLeaderLoop, type Leadership } from './replicas/leader-loop.js'
import { pause } from './pause.js'
import { EMPTY } from './status.js'
import { isRefusal, parseDatabaseUrl, unreachable } from './store/postgres-connection.js'
import { createFollower, type Follower } from './replicas/follower.js'
import { createProgressWriter } from './replicas/leader-progress.js'
import { preparePostgres } from './store/postgres.js'
import { openPostgresReader, type PostgresReader } from './replicas/reader.js'
import { readSharedState, type SharedStateRow, writeSharedState } from './replicas/shared-state.js'
import { countSessions, HEARTBEAT_MS, openSession, type Session } from './replicas/leader-lock.js'
import { createStore } from './store/create-store.js'

export interface SharedHistoryOptions extends Omit<HistoryOptions, 'store' | 'onReached' | 'onProgress'> {
  /** A URL of PostgreSQL; `schema` in its query names the schema. */
  url: string
  /** Whether this process may be the one that writes. */
  writes: boolean
  /** Reads the state of all DAOs anew where it is about to be too old for others; says whether there is a new one. Default: nothing is read. */
  renew?: () => Promise<boolean>
  /** By when all must have ended, by the clock; told once it ends. Default: no such moment. */
  endsBy?: () => number
}

/** The state of all DAOs, which the process that writes reads for all. See `StatePlace` of the state now. */
export interface SharedStatePlace {
  publishes (): Promise<boolean>
  publish (state: { slot: number, seenAt: number, bytes: Buffer }): Promise<void>
  read (knownSlot: number | undefined): Promise<SharedStateRow | undefined>
}

/** Between two looks at the database, where nobody tells that something was written; and the least time between two, ms. */
const LOOK_MS = 2000
const MIN_MS = 250
/** For what is at work when the process ends, ms, and of that for the connections alone: one that does not answer must not hold it. */
const LAST_MS = 5000
const LAST_CLOSING_MS = 1000
/** Between two looks whether the state that others take must be renewed, and before another attempt where a node stands or fails; ms. */
const RENEW_MS = 500
const RENEW_FAILED_MS = 2000
/** For how long it is taken for true that others are there, ms. */
const COUNT_MS = 2000

/**
 * The history of a program in PostgreSQL, shared by any number of processes: one of them, chosen by a lock, follows the chain into it, and
 * all answer from it. A lost connection makes what needs the store fail with HISTORY_UNAVAILABLE until it is back.
 * Throws HISTORY_UNAVAILABLE when the tables are of a newer version or hold another program's rows; a database that can't be reached is waited for.
 */
export async function openSharedHistory (options: SharedHistoryOptions): Promise<History & { state: SharedStatePlace, close (): Promise<void> }> {
  const { url, writes, program, rate, basis, clock = systemClock, chainTime = clock.epoch, staleMs = 60_000, haltedMs = () => 0, pastMs, onHeadSlot, checkMs = 30_000, daos, renew = async () => true, endsBy = () => Infinity, onLog = () => {} } = options
  const place = parseDatabaseUrl(url)
  const stopping = new AbortController()
  const { signal } = stopping
  let reader: PostgresReader | undefined
  let follower: Follower | undefined
  let leading: History | undefined
  /** The fencing token of the lead, once this process's nodes are known to be of the right network. */
  let token: string | undefined
  let work: Promise<unknown> | undefined
  let isListening = false
  let look = () => {}
  let isAway = false

  const until = (moment: number) => new Promise<void>(resolve => { clock.after(Math.max(0, Math.min(LAST_MS, moment - clock.now())), resolve) })

  async function open (): Promise<Follower> {
    await preparePostgres(place, { program })
    reader = await openPostgresReader(place)
    follower = createFollower({ reader, valuation: { rate, basis }, clock, chainTime, staleMs, haltedMs, ...(pastMs !== undefined && { pastMs }), ...(onHeadSlot !== undefined && { onHeadSlot }) })
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
    onLog(isAway
      ? { level: 'error', code: 'retry', message: `${messageOf(error)}; tried again until the database answers` }
      : { level: 'info', code: 'retry', message: 'the database answers again' })
  }

  async function follow (): Promise<void> {
    while (!signal.aborted) {
      const told = new AbortController()
      look = () => told.abort()
      try {
        await (await connect()).refresh()
        tell()
      } catch (error) {
        tell(error)
      }
      await pause(clock, MIN_MS, signal)
      await pause(clock, LOOK_MS - MIN_MS, told.signal, signal)
    }
  }

  /** The accounts are looked at as often as the one who writes does: a process that nobody asks yet must become ready, too. */
  async function lookAtAccounts (): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      try {
        if (leading === undefined) await daos()
        failures = 0
      } catch (error) {
        if (failures++ === 0) onLog({ level: 'warn', code: 'retry', message: `${messageOf(error)}; tried again until the node answers` })
      }
      await pause(clock, failures === 0 ? checkMs : backoff(failures, { random: clock.random, maxMs: checkMs }), signal)
    }
  }

  async function begin (session: Session): Promise<Leadership> {
    const store = await createStore(session.engine())
    const progress = createProgressWriter(session.writing, clock)
    const history = createHistory({ ...options, store, isShared: true, onReached: progress.reached, onProgress: progress.progress, onBound: () => { if (leading === history) token = session.token() } })
    leading = history
    history.listening(isListening)
    history.start()
    return {
      async stop () {
        leading = token = undefined
        await history.stop()
      }
    }
  }

  let counted: { sessions: number, at: number } | undefined

  /** Whether this process reads the state for others. */
  async function publishes (): Promise<boolean> {
    if (token === undefined || reader === undefined) return false
    if (counted === undefined || clock.now() - counted.at >= COUNT_MS) {
      counted = { sessions: await reader.alone(db => countSessions(db, place.schema)), at: clock.now() }
    }
    return counted.sessions > 1
  }

  /** While others are there the state is read before it is too old for them, also where nobody asks this process. */
  async function keepRenewing (): Promise<void> {
    while (!signal.aborted) {
      let delay = RENEW_MS
      try {
        if (await publishes() && !signal.aborted && !await renew()) delay = RENEW_FAILED_MS
      } catch {
        delay = RENEW_FAILED_MS   // told by what looks at the database, and by what reads the state
      }
      await pause(clock, delay, signal)
    }
  }

  const state: SharedStatePlace = {
    publishes,
    async publish (found) {
      if (token === undefined || reader === undefined) throw new ServiceError('HISTORY_UNAVAILABLE', 'this process does not write the history now')
      await writeSharedState(reader, clock, token, found)
    },
    // the one who leads reads for the others
    read: async knownSlot => leading !== undefined || reader === undefined || signal.aborted ? undefined : await readSharedState(reader, clock, knownSlot)
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
    state,
    start () {
      work ??= Promise.all([follow(), lookAtAccounts(), keepRenewing(), runLeaderLoop({ open: openLead, begin, competes: writes, heartbeatMs: HEARTBEAT_MS, clock, signal, onLog })])
    },
    async stop () {
      stopping.abort()
      await Promise.race([work, until(endsBy() - LAST_CLOSING_MS)])
    },
    wake: () => leading?.wake(),
    listening (is) {
      isListening = is
      leading?.listening(is)
    },
    status: () => ({ ...follower?.status() ?? EMPTY, leads: leading !== undefined, refusal: leading?.status().refusal ?? null }),
    last24h: async end => await reading().last24h(end),
    daily: async () => await reading().daily(),
    published: async work => await reading().published(work),
    read: async work => await reading().read(work),
    report: () => follower?.report() ?? new Map(),
    close: async () => { await Promise.race([reader?.store.close(), until(endsBy())]) }
  }
}
