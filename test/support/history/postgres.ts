/** A schema of its own for each test, where a PostgreSQL answers. */
import pg from 'pg'
import type { Test } from 'tap'

const SERVER = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

/** Where none listens that is told at once; one that is there may be late on a busy machine. */
const PATIENCE_MS = 60_000

/**
 * Why tests with PostgreSQL are left out here, in words; false where they run. Where CI is set they always run, and
 * fail without one.
 */
export async function withoutPostgres (): Promise<string | false> {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: PATIENCE_MS })
  try {
    await client.connect()
    await client.end()
    return false
  } catch (error) {
    if (process.env.CI !== undefined && process.env.CI !== '') throw error
    return 'no PostgreSQL answers at 127.0.0.1:5432 (or at TEST_DATABASE_URL): the tests that need one are left out'
  }
}

/** One statement of the test's own. */
export async function ask (text: string, values: unknown[] = []): Promise<Array<Record<string, unknown>>> {
  const client = new pg.Client({ connectionString: SERVER })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Ends every connection of the service to a schema; gives their number. */
export async function cutAll (schema: string): Promise<number> {
  return (await ask(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [`dao-market-data ${schema}`]
  )).length
}

let made = 0

/** The URL of a schema that goes with the test. */
export function newPlace (t: Test): { url: string, schema: string } {
  const schema = `t${process.pid}_${Date.now().toString(36)}_${made++}`
  t.teardown(() => ask(`drop schema if exists "${schema}" cascade`))
  const url = new URL(SERVER)
  url.searchParams.set('schema', schema)
  return { url: url.href, schema }
}
