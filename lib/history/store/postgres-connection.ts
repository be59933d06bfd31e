/** PostgreSQL: every wait has its limit, every loss is an error of the one who asked. */
import { Kysely, type PostgresPool, type PostgresPoolClient, sql, PostgresDialect } from 'kysely'
import pg, { type ClientConfig, type PoolConfig } from 'pg'
import { unusable } from '../../errors.js'
import { hasNoRoom } from './failures.js'
import { type Tables, NUMERIC_COLUMNS } from './tables.js'
import { prepareTables } from './create-store.js'

/** A schema of a database, so that several programs can share it. */
export interface PostgresLocation {
  config: ClientConfig
  schema: string
}

const DEFAULT_SCHEMA = 'history'
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/

const CONNECT_MS = 5000
/** The server ends a statement, ms; where its word does not come, we stop waiting. */
const STATEMENT_MS = 10_000
const ANSWER_MS = 12_000
const UNUSED_MS = 30_000
/** Connections of one process for its reads, short and few. */
const MOST = 4

/** Reads DATABASE_URL as the driver does, and `schema`. Throws HISTORY_UNAVAILABLE, not repeating it. */
export function parseDatabaseUrl (url: string): PostgresLocation {
  const parsed = new URL(url)
  const schema = parsed.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!SCHEMA.test(schema)) {
    throw unusable('the schema in DATABASE_URL must be of small letters, digits and underscores, 40 at most')
  }
  const options = parsed.searchParams.get('options') ?? ''
  // the driver lets the URL win over what is set beside it, and both have options
  for (const name of ['schema', 'options']) parsed.searchParams.delete(name)
  return { schema, config: { connectionString: parsed.href, options } }
}

/** SQL's bigint: slots, times and counts, all of them below 2^53. */
const INT8 = 20

/** Limits, and the schema where names are looked for. */
export function configOf ({ config, schema }: PostgresLocation, settings: Record<string, number> = {}): ClientConfig {
  const own = Object.entries({ statement_timeout: STATEMENT_MS, ...settings, search_path: `"${schema}"` })
  return {
    ...config,
    types: {
      getTypeParser: (type, form) => type === INT8 ? Number : pg.types.getTypeParser(type, form) as () => unknown
    },
    options: [config.options, ...own.map(([name, value]) => `-c ${name}=${value}`)].join(' '),
    application_name: `dao-market-data ${schema}`,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000
  }
}

/** As Kysely sees one; its cursors are not used. */
export const asPoolClient = (
  query: (text: string, parameters: readonly unknown[]) => Promise<pg.QueryResult>, release: () => void
): PostgresPoolClient =>
  ({ query, release }) as unknown as PostgresPoolClient

/** The tables by what connects to them. */
export const tablesOf = (pool: PostgresPool) => new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

/** A connection whose query got no answer is thrown away. */
export function createPool (config: ClientConfig, max = MOST): PostgresPool {
  const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: UNUSED_MS } satisfies PoolConfig)
  // a loss is told to whoever uses the connection; without a listener it would end the process
  pool.on('error', () => {})
  pool.on('connect', client => { client.on('error', () => {}) })
  return {
    async connect () {
      const client = await pool.connect()
      let broken = false
      return asPoolClient(async (text, parameters) => {
        try {
          return await client.query(text, [...parameters])
        } catch (error) {
          // what the server says of a statement leaves the connection in order; anything else does not
          broken ||= !(error instanceof pg.DatabaseError)
          throw error
        }
      }, () => client.release(broken))
    },
    end: () => pool.end()
  }
}

/** A row that breaks a rule (SQLSTATE class 23), or one without room: the connection is as good as before. */
export const isRefusedWrite = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ((error.code ?? '').startsWith('23') || hasNoRoom(error))

/** How SQLSTATEs begin that pass: connections, a read-only server, locks, resources, a server that starts or ends. */
const PASSING = ['08', '25006', '40', '53', '55', '57', '58', 'XX']

/** Whether user, database or rights are refused, or a file of the URL can't be read: trying again is in vain. */
export const isRefusal = (error: unknown): boolean => error instanceof pg.DatabaseError
  ? !PASSING.some(code => error.code?.startsWith(code))
  : (error as NodeJS.ErrnoException).syscall === 'open'

/** `prepareTables`, one process at a time however many start at once. Throws what the driver throws, too. */
export async function preparePostgres (place: PostgresLocation, program?: string): Promise<void> {
  const { schema } = place
  // a migration of a large table takes its time, and so does waiting for it
  const { query_timeout: _, ...config } = configOf(place, { statement_timeout: 0 })
  const db = tablesOf(createPool(config, 1))
  try {
    await db.connection().execute(async connection => {
      // held until the connection is closed
      const lock = `dao-market-data tables ${schema}`
      await sql`select pg_advisory_lock(hashtextextended(${lock}, 0))`.execute(connection)
      // only making one needs a right to
      const { rows } = await sql`select from pg_namespace where nspname = ${schema}`.execute(connection)
      if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(connection)
      await prepareTables({ db: connection, types: NUMERIC_COLUMNS }, program)
    })
  } finally {
    await db.destroy()
  }
}
