import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { isServiceError, ServiceError } from '../errors.js'
import { configOf, type PostgresPlace, placeOf, prepareSchema, unreachable } from './postgres-connection.js'
import { BEAT_MS, openSession } from './postgres-session.js'
import { createStore, type Engine, type Identity, prepareTables } from './store-queries.js'
import type { Store } from './store.js'
import { NUMERIC_COLUMNS, type Tables } from './tables.js'

/**
 * Brings the tables up to date and binds them to the program, one process at a time however many start at once.
 * Throws HISTORY_UNAVAILABLE when they are of a newer version or hold another program's rows; what the driver throws when it can't be reached.
 */
export async function preparePostgres (place: PostgresPlace, identity?: Identity): Promise<void> {
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
 * Takes the lead at `place` for what this process does alone, and keeps it until it is released. Throws HISTORY_UNAVAILABLE when another
 * process has it; what the driver throws when the server can't be reached. The tables must have been made.
 */
async function openEngine (place: PostgresPlace): Promise<Engine> {
  const session = await openSession(place)
  if (!await session.lead()) {
    await session.close()
    throw new ServiceError('HISTORY_UNAVAILABLE', `another process is writing the history in the schema ${place.schema}: stop it first`)
  }
  // A loss shows where the session is used next
  const beat = setInterval(() => { session.beat().catch(() => {}) }, BEAT_MS).unref()
  session.lost.addEventListener('abort', () => clearInterval(beat), { once: true })
  return session.engine()
}

/** Opens, or makes, the tables at a PostgreSQL URL for this process alone, whatever they hold. Throws HISTORY_UNAVAILABLE. */
export async function openPostgresEngine (url: string, identity?: Identity): Promise<Engine> {
  const place = placeOf(url)
  try {
    await preparePostgres(place, identity)
    return await openEngine(place)
  } catch (error) {
    throw isServiceError(error) ? error : unreachable("the history can't be opened", error)
  }
}

/**
 * Opens the store at a PostgreSQL URL for this process alone, as the embedded one is. Throws HISTORY_UNAVAILABLE, saying what to do, when
 * the server can't be reached, another process writes there, or the tables are of a newer version or hold another program's rows.
 */
export async function openPostgresStore ({ url, ...identity }: Identity & { url: string }): Promise<Store> {
  return await createStore(await openPostgresEngine(url, identity))
}
