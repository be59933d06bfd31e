import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../lib/errors.js'
import { openPostgresReader } from '../lib/history/replicas/reader.js'
import { openPostgresEngine } from '../lib/history/replicas/leader-lock.js'
import { prepareTables, type Engine, type Store } from '../lib/history/store/create-store.js'
import { unusable } from '../lib/history/store/failures.js'
import { parseDatabaseUrl } from '../lib/history/store/postgres-connection.js'
import { openSqliteEngine } from '../lib/history/store/sqlite.js'
import { UsageError } from './command-line.js'

/** The store of a PostgreSQL database, to read. Throws HISTORY_UNAVAILABLE where there is none. */
export async function readPostgres (url: string): Promise<Store> {
  const { store } = openPostgresReader(parseDatabaseUrl(url))
  try {
    await store.revision()
    return store
  } catch (error) {
    await store.close()
    throw unusable(`there is no history to be read: ${messageOf((error as Error).cause)}`, error)
  }
}

/**
 * The store at sqlite:FOLDER or a postgres URL, for this process to write alone. Throws a UsageError or
 * HISTORY_UNAVAILABLE where there is none, unless it `mayBeNew`.
 */
export async function openEngine (place: string, { mayBeNew = false } = {}): Promise<Engine> {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) {
    // whoever opens to write makes the tables that are missing
    if (!mayBeNew) await (await readPostgres(place)).close()
    return await openPostgresEngine(place)
  }
  if (!place.startsWith('sqlite:')) throw new UsageError('a store is sqlite:FOLDER or a postgres URL')
  const folder = place.slice('sqlite:'.length)
  if (!mayBeNew && !existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history in ${folder}`)
  const engine = await openSqliteEngine(folder)
  await prepareTables(engine)
  return engine
}
