import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import pg from 'pg'
import { createTurns } from '../../async.js'
import { systemClock } from '../../clock.js'
import type { LeaderSession } from './leader-loop.js'
import type { Engine } from '../store/create-store.js'
import { failed, unusable } from '../store/failures.js'
import { asPoolClient, configOf, isRefusedWrite, type PostgresLocation } from '../store/postgres-connection.js'
import { NUMERIC_COLUMNS, type Tables } from '../store/tables.js'

/** The server ends a silent session, ms: who is stopped or cut off does not keep the lead. */
const SILENT_MS = 8000
export const HEARTBEAT_MS = 2000
/** For the end of a connection that may no longer answer. */
const CLOSE_TIMEOUT_MS = 1000

/** A connection of its own, which may hold the lock by which one process of all writes. */
export interface Session extends LeaderSession {
  /** A write throws HISTORY_UNAVAILABLE, and writes nothing, when another has taken the lead. */
  engine: Engine
}

/** Throws as the driver. */
export async function openSession (place: PostgresLocation): Promise<Session> {
  const { schema } = place
  const settings = { idle_session_timeout: SILENT_MS, idle_in_transaction_session_timeout: SILENT_MS }
  const client = new pg.Client(configOf(place, settings))
  const gone = new AbortController()
  const lose = (cause: unknown) => gone.abort(cause)
  const end = async (cause: unknown = unusable('the connection was closed')) => {
    lose(cause)
    // also where a query hangs: the driver then drops the connection
    await Promise.race([client.end(), new Promise<void>(resolve => { systemClock.after(CLOSE_TIMEOUT_MS, resolve) })])
  }
  client.on('error', lose).on('end', () => lose(unusable('the connection has ended')))
  await client.connect()
  const connection = asPoolClient((text, parameters) => client.query(text, [...parameters]), () => {})
  const pool: PostgresPool = { connect: async () => connection, end: () => end() }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  /** Nothing else is asked on the connection while a transaction is open there. */
  const inTurn = createTurns()
  let epoch: string | undefined

  /** After anything but a refused write nobody knows what the server has done: the connection is given up. */
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
    // Fencing token: a write whose epoch no longer matches aborts
    const { rows: [next] } = await sql<{ value: string }>`
      insert into meta (key, value) values ('epoch', '1')
      on conflict (key) do update set value = (meta.value::bigint + 1)::text returning value`.execute(db)
    epoch = next!.value
    return true
  }

  async function writing (work: (trx: Kysely<Tables>) => Promise<void>): Promise<void> {
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
    engine: {
      db,
      types: NUMERIC_COLUMNS,
      reading: work => orLost(() => work(db)),
      writing: work => orLost(() => writing(work)),
      release: () => end()
    },
    close: () => end()
  }
}
