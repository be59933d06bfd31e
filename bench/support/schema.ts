/** A schema of PostgreSQL for one run. */
import pg from 'pg'

/** The same database with another schema. */
export function withSchema (database: string, schema: string): string {
  const url = new URL(database)
  url.searchParams.set('schema', schema)
  return url.href
}

export async function dropSchema (database: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  await client.query(`drop schema if exists "${schema}" cascade`)
  await client.end()
}
