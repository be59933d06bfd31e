/** Every wait has its limit, every loss of a connection is an error of who uses it. */
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely'
import pg, { type ClientConfig } from 'pg'
import { unusable } from '../../errors.js'
import { hasNoRoom } from './failures.js'
import { type Tables, NUMERIC_COLUMNS } from './tables.js'
import { prepareTables } from './create-store.js'

/** `schema`: so that several programs can share a database. */
export interface PostgresLocation {
  config: ClientConfig
  schema: string
}

const DEFAULT_SCHEMA = 'history'
const SCHEMA = /^[a-z_][a-z0-9_]{0,39}$/

const CONNECT_MS = 5000
/** The server ends a statement, ms; if it does not answer, we stop waiting. */
const STATEMENT_MS = 10_000
const ANSWER_MS = 12_000

/** Reads DATABASE_URL, with its `schema`. Throws HISTORY_UNAVAILABLE, never repeating its password. */
export function parseDatabaseUrl (url: string): PostgresLocation {
  const parsed = new URL(url)
  const schema = parsed.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!SCHEMA.test(schema)) {
    throw unusable('the schema in DATABASE_URL must be of small letters, digits and underscores, 40 at most')
  }
  const options = parsed.searchParams.get('options') ?? ''
  // in the driver the URL's options would replace ours
  for (const name of ['schema', 'options']) parsed.searchParams.delete(name)
  return { schema, config: { connectionString: parsed.href, options } }
}

/** SQL's bigint: slots, times and counts, all of them below 2^53. */
const INT8 = 20

export function configOf ({ config, schema }: PostgresLocation, settings: Record<string, number> = {}): ClientConfig {
  const own = Object.entries({ statement_timeout: STATEMENT_MS, ...settings, search_path: `"${schema}"` })
  return {
    ...config,
    types: {
      getTypeParser: (type, form) => type === INT8 ? Number : pg.types.getTypeParser(type, form) as () => unknown
    },
    options: [config.options, ...own.map(([name, value]) => `-c ${name}=${value}`)].join(' '),
    application_name: `dao-market-data ${schema}`,
    // what is asked together is sent together, and a connection whose query gets no answer is closed
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000
  }
}

/** Over one connection. */
export function tablesOf (client: pg.ClientBase) {
  const connection = {
    query: (text: string, parameters: readonly unknown[]) => client.query(text, [...parameters]), release () {}
  } as unknown as PostgresPoolClient   // without cursors
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: async () => connection, end: async () => {} } })
  })
}

/** A row that breaks a constraint (SQLSTATE class 23) or finds no room: the connection is as good as before. */
export const isRefusedWrite = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && ((error.code ?? '').startsWith('23') || hasNoRoom(error))

/** SQLSTATEs that pass, by prefix: connections, a read-only server, locks, resources, a server that starts or ends. */
const PASSING = ['08', '25006', '40', '53', '55', '57', '58', 'XX']

/** Whether trying again is in vain: user, database or rights are refused, or a file of the URL can't be read. */
export const isRefusal = (error: unknown): boolean => error instanceof pg.DatabaseError
  ? !PASSING.some(code => error.code?.startsWith(code))
  : (error as NodeJS.ErrnoException).syscall === 'open'

/** `prepareTables`, one process at a time. Throws what the driver throws, too. */
export async function preparePostgres (place: PostgresLocation, program?: string): Promise<void> {
  const { schema } = place
  // a migration of a large table may take long
  const { query_timeout: _, ...config } = configOf(place, { statement_timeout: 0 })
  const client = new pg.Client(config).on('error', () => {})
  try {
    await client.connect()
    const db = tablesOf(client)
    // held until the connection is closed
    const lock = `dao-market-data tables ${schema}`
    await sql`select pg_advisory_lock(hashtextextended(${lock}, 0))`.execute(db)
    // making one needs a right that the user may lack
    const { rows } = await sql`select from pg_namespace where nspname = ${schema}`.execute(db)
    if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(db)
    await prepareTables({ db, types: NUMERIC_COLUMNS }, program)
  } finally {
    await client.end()
  }
}
