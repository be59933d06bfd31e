import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { systemClock } from '../lib/clock.js'
import { messageOf, unusable } from '../lib/errors.js'
import { openPostgresReader } from '../lib/history/replicas/follower.js'
import { HEARTBEAT_MS, openSession } from '../lib/history/replicas/leader.js'
import { createStore, prepareTables, type Engine, type Store } from '../lib/history/store/create-store.js'
import { failed } from '../lib/history/store/failures.js'
import { parseDatabaseUrl, preparePostgres } from '../lib/history/store/postgres-connection.js'
import { BUSY_MS, engineOver, openSqliteEngine } from '../lib/history/store/sqlite.js'
import { UsageError } from './command-line.js'

/** The store of a PostgreSQL database, to read. Throws HISTORY_UNAVAILABLE where there is none. */
async function readPostgres (url: string): Promise<Store> {
  const { store } = openPostgresReader(parseDatabaseUrl(url))
  try {
    await store.revision()
    return store
  } catch (error) {
    await store.close()
    throw unusable(`there is no history to be read: ${messageOf((error as Error).cause)}`, error)
  }
}

/** For one process alone: opens, or makes, the tables and leads until it is closed. Throws HISTORY_UNAVAILABLE. */
export async function openPostgresEngine (url: string, program?: string): Promise<Engine> {
  const place = parseDatabaseUrl(url)
  try {
    await preparePostgres(place, program)
    const session = await openSession(place)
    if (!await session.tryToLead()) {
      await session.release()
      throw unusable(`another process is writing the history in the schema ${place.schema}: stop it first`)
    }
    // a loss shows where the session is used next
    const beat = (): void => {
      if (session.lost.aborted) return
      session.tryToLead().catch(() => {})
      systemClock.after(HEARTBEAT_MS, beat)
    }
    systemClock.after(HEARTBEAT_MS, beat)
    return session
  } catch (error) {
    throw failed("the history can't be opened", error)
  }
}

/** As `openPostgresEngine`. */
export async function openPostgresStore ({ url, program }: { url: string, program: string }): Promise<Store> {
  return createStore(await openPostgresEngine(url, program))
}

/** The folder of sqlite:FOLDER; undefined: it is a postgres URL. Throws a UsageError where there is neither. */
function folderOf (place: string, mayBeNew = false): string | undefined {
  if (/^postgres(ql)?:/.test(place) && URL.canParse(place)) return undefined
  const folder = place.replace(/^sqlite:/, '')
  if (folder === place) throw new UsageError('a store is sqlite:FOLDER or a postgres URL')
  if (!mayBeNew && !existsSync(join(folder, 'history.db'))) throw new UsageError(`there is no history in ${folder}`)
  return folder
}

/** The store at sqlite:FOLDER or a postgres URL, to read beside its writer. Throws as `openEngine` does. */
export async function openReader (place: string): Promise<Store> {
  const folder = folderOf(place)
  if (folder === undefined) return await readPostgres(place)
  const path = join(folder, 'history.db')
  try {
    const file = new Database(path, { readonly: true })
    file.exec(`pragma busy_timeout = ${BUSY_MS}`)
    return createStore(engineOver(file))
  } catch (error) {
    throw failed(`the history can't be read: ${path}`, error)
  }
}

/**
 * The store at sqlite:FOLDER or a postgres URL, for this process to write alone. Throws a UsageError or
 * HISTORY_UNAVAILABLE where there is none, unless it `mayBeNew`.
 */
export async function openEngine (place: string, { mayBeNew = false } = {}): Promise<Engine> {
  const folder = folderOf(place, mayBeNew)
  if (folder === undefined) {
    // whoever opens to write makes the tables that are missing
    if (!mayBeNew) await (await readPostgres(place)).close()
    return await openPostgresEngine(place)
  }
  const engine = await openSqliteEngine(folder)
  await prepareTables(engine)
  return engine
}
