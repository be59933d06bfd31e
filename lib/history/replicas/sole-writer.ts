/** PostgreSQL for one process alone: `npm run backfill`, `npm run migrate`. */
import { systemClock } from '../../clock.js'
import { createStore, type Engine } from '../store/create-store.js'
import { failed, unusable } from '../store/failures.js'
import { parseDatabaseUrl, preparePostgres } from '../store/postgres-connection.js'
import type { Store } from '../store/store.js'
import { HEARTBEAT_MS, openSession } from './leader-lock.js'

/** Opens, or makes, the tables and leads until the engine is closed. Throws HISTORY_UNAVAILABLE. */
export async function openPostgresEngine (url: string, program?: string): Promise<Engine> {
  const place = parseDatabaseUrl(url)
  try {
    await preparePostgres(place, program)
    const session = await openSession(place)
    if (!await session.tryToLead()) {
      await session.close()
      throw unusable(`another process is writing the history in the schema ${place.schema}: stop it first`)
    }
    // a loss shows where the session is used next
    const beat = (): void => {
      if (session.lost.aborted) return
      session.tryToLead().catch(() => {})
      systemClock.after(HEARTBEAT_MS, beat)
    }
    systemClock.after(HEARTBEAT_MS, beat)
    return session.engine
  } catch (error) {
    throw failed("the history can't be opened", error)
  }
}

/** As `openPostgresEngine`. */
export async function openPostgresStore ({ url, program }: { url: string, program: string }): Promise<Store> {
  return await createStore(await openPostgresEngine(url, program))
}
