/** PostgreSQL for one process alone: `npm run backfill`, `npm run migrate`. */
import { systemClock } from '../../clock.js'
import { createStore, type Engine } from '../store/create-store.js'
import { failed, unusable } from '../store/failures.js'
import { preparePostgres, parseDatabaseUrl, type PostgresLocation } from '../store/postgres-connection.js'
import type { Store } from '../store/store.js'
import { HEARTBEAT_MS, openSession } from './leader-lock.js'

/** Leads until the engine is closed. Throws HISTORY_UNAVAILABLE when another process does. */
async function openEngine (place: PostgresLocation): Promise<Engine> {
  const session = await openSession(place)
  if (!await session.tryToLead()) {
    await session.close()
    throw unusable(`another process is writing the history in the schema ${place.schema}: stop it first`)
  }
  // A loss shows where the session is used next
  const beat = (): void => {
    if (session.lost.aborted) return
    session.tryToLead().catch(() => {})
    systemClock.after(HEARTBEAT_MS, beat)
  }
  systemClock.after(HEARTBEAT_MS, beat)
  return session.engine
}

/** Opens, or makes, the tables for this process alone. Throws HISTORY_UNAVAILABLE. */
export async function openPostgresEngine (url: string, program?: string): Promise<Engine> {
  const place = parseDatabaseUrl(url)
  try {
    await preparePostgres(place, program)
    return await openEngine(place)
  } catch (error) {
    throw failed("the history can't be opened", error)
  }
}

/** Opens the store at a PostgreSQL URL for this process alone. Throws HISTORY_UNAVAILABLE. */
export async function openPostgresStore ({ url, program }: { url: string, program: string }): Promise<Store> {
  return await createStore(await openPostgresEngine(url, program))
}
