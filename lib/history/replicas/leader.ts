import { sql } from 'kysely'
import pg from 'pg'
import { createTurns } from '../../async.js'
import { backoff } from '../../backoff.js'
import { type Clock, sleepUntil, systemClock } from '../../clock.js'
import { messageOf, unusable } from '../../errors.js'
import type { OnLog } from '../log-events.js'
import type { Engine } from '../store/create-store.js'
import { failed } from '../store/failures.js'
import { configOf, isRefusedWrite, type PostgresLocation, tablesOf } from '../store/postgres-connection.js'
import { type Db, NUMERIC_COLUMNS } from '../store/tables.js'

/** The server ends a silent session after so long, ms: who is stopped or cut off loses the lead. */
const SILENT_MS = 8000
export const HEARTBEAT_MS = 2000
/** For a connection that may no longer answer. */
const CLOSE_TIMEOUT_MS = 1000
/** Longest wait between two sessions, ms. */
const MAX_MS = 2000
/** Heartbeats for which who gave up the lead leaves it to others. */
const LEFT = 3
/** By when a leader has to reach the head, ms, as another may; twice as long each time: finality may stall for all. */
const PATIENCE_MS = 60_000

export interface LeaderSession extends Pick<Engine, 'release'> {
  /** Aborted, for what ended it, once the session and the lead are gone. */
  lost: AbortSignal
  /** Takes the lead if it is free, or keeps it. Throws when the session is lost. */
  tryToLead (): Promise<boolean>
}

/** Of a connection of its own. A write throws HISTORY_UNAVAILABLE where another leads. */
export type Session = LeaderSession & Engine

/** Throws as the driver. */
export async function openSession (place: PostgresLocation): Promise<Session> {
  const { schema } = place
  const settings = { idle_session_timeout: SILENT_MS, idle_in_transaction_session_timeout: SILENT_MS }
  const client = new pg.Client(configOf(place, settings))
  const gone = new AbortController()
  const lose = (cause: unknown) => gone.abort(cause)
  const end = async (cause: unknown = unusable('the connection was closed')) => {
    lose(cause)
    // after a query that hangs: until that has its limit the driver keeps the connection
    await Promise.race([client.end(), new Promise<void>(resolve => { systemClock.after(CLOSE_TIMEOUT_MS, resolve) })])
  }
  client.on('error', lose).on('end', () => lose(unusable('the connection has ended')))
  await client.connect()
  const db = tablesOf(client)
  const inTurn = createTurns()
  let epoch: string | undefined

  /** After any other failure than a refused write nobody knows what the server did: the connection is given up. */
  const orLost = <T>(work: () => Promise<T>): Promise<T> => inTurn(async () => {
    try {
      return await work()
    } catch (error) {
      if (isRefusedWrite(error)) throw error
      await end(error)
      throw failed("the database can't be used", error)
    }
  })

  async function lead (): Promise<boolean> {
    if (epoch !== undefined) {
      await sql`select`.execute(db)
      return true
    }
    const lock = `dao-market-data lead ${schema}`
    const { rows: [found] } = await sql<{ got: boolean }>`
      select pg_try_advisory_lock(hashtextextended(${lock}, 0)) as got`.execute(db)
    if (found?.got !== true) return false
    // the fencing token: `writing` aborts where it is no longer ours
    const { rows: [next] } = await sql<{ value: string }>`
      insert into meta (key, value) values ('epoch', '1')
      on conflict (key) do update set value = (meta.value::bigint + 1)::text returning value`.execute(db)
    epoch = next!.value
    return true
  }

  async function writing (work: (trx: Db) => Promise<void>): Promise<void> {
    await db.transaction().execute(async trx => {
      const { rows } = await sql`
        select from meta where key = 'epoch' and value = ${epoch ?? ''} for update`.execute(trx)
      if (rows.length === 0) throw unusable('another process writes the history now')
      await work(trx)
    })
  }

  return {
    lost: gone.signal,
    tryToLead: () => orLost(lead),
    db,
    types: NUMERIC_COLUMNS,
    reading: work => orLost(() => work(db)),
    writing: work => orLost(() => writing(work)),
    release: () => end()
  }
}

export interface LeaderOptions<S extends LeaderSession> {
  open (): Promise<S>
  /** Gives what ends it. */
  begin (session: S): Promise<() => Promise<void>>
  /** Whether it is at the head of the chain. */
  isCurrent (): boolean
  /** Why this process must not lead, if so. */
  refusal (): string | null
  heartbeatMs?: number
  clock: Clock
  signal: AbortSignal
  onLog: OnLog
}

/** Leads whenever the lead is free. Never throws. */
export async function runLeaderLoop<S extends LeaderSession> (
  { open, begin, isCurrent, refusal, heartbeatMs = HEARTBEAT_MS, clock, signal, onLog }: LeaderOptions<S>
): Promise<void> {
  /** Sessions in a row that ended before a heartbeat. */
  let failures = 0
  let isTold = false
  let patience = PATIENCE_MS

  /** Until the session ends; gives for how long the lead is left to others, ms. */
  async function keep (session: S): Promise<number> {
    let stop: (() => Promise<void>) | undefined
    let due = Infinity
    try {
      while (!signal.aborted && !session.lost.aborted) {
        if (refusal() !== null) return LEFT * heartbeatMs
        if (await session.tryToLead() && stop === undefined) {
          onLog({ level: 'info', code: 'leadership', message: 'this process writes the history from now on' })
          stop = await begin(session)
          due = clock.now() + patience
        }
        await sleepUntil(clock, heartbeatMs, AbortSignal.any([signal, session.lost]))
        if (session.lost.aborted) return 0
        failures = 0
        isTold = false
        if (isCurrent()) [due, patience] = [0, PATIENCE_MS]
        else if (clock.now() >= due) {
          if (due > 0) patience *= 2
          return LEFT * heartbeatMs
        }
      }
      return 0
    } finally {
      if (stop !== undefined) {
        if (!signal.aborted) {
          const cause = session.lost.aborted
            ? messageOf(session.lost.reason)
            : refusal() ?? 'it is not at the head of the chain'
          const message = `this process has lost the lead (${cause}): another may write the history now`
          onLog({ level: 'warn', code: 'leadership', message })
        }
        await stop()
      }
      await session.release()
    }
  }

  while (!signal.aborted) {
    let left = 0
    try {
      left = await keep(await open())
    } catch (error) {
      const message = `the database: ${messageOf(error)}; tried again until it answers`
      if (!isTold) onLog({ level: 'warn', code: 'retry', message })
      isTold = true
    }
    failures++
    await sleepUntil(clock, left + backoff(failures, clock, MAX_MS), signal)
  }
}
