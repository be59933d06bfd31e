import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { isServiceError, ServiceError } from '../errors.js'
import { configOf, type PostgresPlace, placeOf, prepareSchema, unreachable } from './postgres-connection.js'
import { openSession, type Session } from './postgres-session.js'
import { createStore, type Identity, prepareTables } from './store-queries.js'
import type { Store } from './store.js'
import { NUMERIC_COLUMNS, type Tables } from './tables.js'

/**
 * Brings the tables up to date and binds them to the program, one process at a time however many start at once.
 * Throws HISTORY_UNAVAILABLE when they are of a newer version or hold another program's rows; what the driver throws when it can't be reached.
 */
export async function preparePostgres (place: PostgresPlace, identity: Identity): Promise<void> {
  // A migration of a large table takes its time, and so does waiting for the process that makes it
  const { query_timeout: _, ...config } = configOf(place, { statement_timeout: 0 })
  const pool = new pg.Pool({ ...config, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', client => { client.on('error', () => {}) })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.connection().execute(async connection => {
      // Held until the connection is closed
      await sql`select pg_advisory_lock(hashtextextended(${`dao-market-data tables ${place.schema}`}, 0))`.execute(connection)
      await prepareSchema(connection, place.schema)
      await prepareTables({ db: connection, types: NUMERIC_COLUMNS }, identity)
    })
  } finally {
    await db.destroy()
  }
}

/**
 * Opens a session and takes the lead, or gives up at once. Throws HISTORY_UNAVAILABLE when the server can't be reached or another process
 * has the lead. The tables must have been made.
 */
export async function openLeadingSession (place: PostgresPlace): Promise<Session> {
  const session = await openSession(place)
  if (await session.lead()) return session
  await session.close()
  throw new ServiceError('HISTORY_UNAVAILABLE', `another process is writing the history in the schema ${place.schema}: stop it first`)
}

/**
 * Opens the store at a PostgreSQL URL for this process alone, as the embedded one is. Throws HISTORY_UNAVAILABLE, saying what to do, when
 * the server can't be reached, another process writes there, or the tables are of a newer version or hold another program's rows.
 */
export async function openPostgresStore ({ url, ...identity }: Identity & { url: string }): Promise<Store> {
  const place = placeOf(url)
  let session: Session | undefined
  try {
    await preparePostgres(place, identity)
    session = await openLeadingSession(place)
    return await createStore(session.engine())
  } catch (error) {
    await session?.close()
    throw isServiceError(error) ? error : unreachable("the history can't be opened", error)
  }
}
