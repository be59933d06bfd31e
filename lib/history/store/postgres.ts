import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { configOf, type PostgresLocation, prepareSchema } from './postgres-connection.js'
import { type Identity, prepareTables } from './create-store.js'
import { NUMERIC_COLUMNS, type Tables } from './table-types.js'

/** As `prepareTables`, one process at a time however many start at once. Throws what the driver throws, too. */
export async function preparePostgres (place: PostgresLocation, identity?: Identity): Promise<void> {
  // A migration of a large table takes its time, and so does waiting for the process that makes it
  const { query_timeout: _, ...config } = configOf(place, { statement_timeout: 0 })
  const pool = new pg.Pool({ ...config, max: 1 })
  pool.on('error', () => {})
  pool.on('connect', client => { client.on('error', () => {}) })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.connection().execute(async connection => {
      // Held until the connection is closed
      await sql`select pg_advisory_lock(hashtextextended(${`dao-market-data tables ${place.schema}`}, 0))`.execute(
        connection
      )
      await prepareSchema(connection, place.schema)
      await prepareTables({ db: connection, types: NUMERIC_COLUMNS }, identity)
    })
  } finally {
    await db.destroy()
  }
}
