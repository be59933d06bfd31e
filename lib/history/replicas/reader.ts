import { Kysely, PostgresDialect, sql } from 'kysely'
import { createTurns } from '../../async.js'
import { systemClock } from '../../clock.js'
import { failed, unusable } from '../store/failures.js'
import { configOf, createPool, type PostgresLocation } from '../store/postgres-connection.js'
import { createStore, type Store } from '../store/create-store.js'
import { NUMERIC_COLUMNS, type Tables } from '../store/tables.js'

export interface PostgresReader {
  /** For reading only: what it writes would be refused. */
  store: Store
  /**
   * Readings on one state of the database, those through `store` included; one `work` after the other, so that an older
   * state is never read after a newer one. Throws HISTORY_UNAVAILABLE.
   */
  together<T> (work: (db: Kysely<Tables>) => Promise<T>): Promise<T>
}

/** Longest wait for a turn, ms: of a silent database each reading takes seconds to fail. */
const PATIENCE_MS = 5_000

/** The store of a process that leaves the writing to another; the tables exist by the first use. */
export function openPostgresReader (place: PostgresLocation): PostgresReader {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(configOf(place)) }) })
  const turns = createTurns()
  let opened: Kysely<Tables> | undefined

  async function reading<T> (work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    if (opened !== undefined) return await work(opened)
    const transaction = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
    try {
      return await transaction.execute(async trx => {
        // a table that is truncated is empty for older states, too: the first that a rebuild empties waits for us,
        // or we for it, before our state is chosen
        await sql`lock table minutes in access share mode`.execute(trx)
        return await work(trx)
      })
    } catch (error) {
      throw failed("the history can't be read", error)
    }
  }

  return {
    store: createStore({
      types: NUMERIC_COLUMNS,
      reading,
      writing: async () => { throw new Error('this process does not write') },
      release: () => db.destroy()
    }),
    async together (work) {
      const asked = systemClock.now()
      return await turns(async () => {
        if (systemClock.now() - asked > PATIENCE_MS) {
          throw unusable('the database takes too long for those who asked before')
        }
        return await reading(async trx => {
          opened = trx
          try {
            return await work(trx)
          } finally {
            opened = undefined
          }
        })
      })
    }
  }
}
