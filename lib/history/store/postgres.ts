import { Kysely, PostgresDialect, sql } from 'kysely'
import { configOf, createPool, type PostgresLocation, prepareSchema } from './postgres-connection.js'
import { type Identity, prepareTables } from './create-store.js'
import { NUMERIC_COLUMNS, type Tables } from './table-types.js'

/** As `prepareTables`, one process at a time however many start at once. Throws what the driver throws, too. */
export async function preparePostgres (place: PostgresLocation, identity?: Identity): Promise<void> {
  // A migration of a large table takes its time, and so does waiting for the process that makes it
  const { query_timeout: _, ...config } = configOf(place, { statement_timeout: 0 })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(config, 1) }) })
  try {
    await db.connection().execute(async connection => {
      // Held until the connection is closed
      const lock = `dao-market-data tables ${place.schema}`
      await sql`select pg_advisory_lock(hashtextextended(${lock}, 0))`.execute(connection)
      await prepareSchema(connection, place.schema)
      await prepareTables({ db: connection, types: NUMERIC_COLUMNS }, identity)
    })
  } finally {
    await db.destroy()
  }
}
