import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import { configOf, createPool, type PostgresLocation, unreachable } from '../store/postgres-connection.js'
import { createStore } from '../store/create-store.js'
import type { Store } from '../store/store.js'
import { NUMERIC_COLUMNS, type Tables } from '../store/tables.js'

export interface PostgresReader {
  /** For reading only: what it writes would be refused. */
  store: Store
  /** Readings on one state of the database, those through `store` included. Throws HISTORY_UNAVAILABLE. */
  together<T> (work: (db: Kysely<Tables>) => Promise<T>): Promise<T>
}

/** The store of a process that leaves the writing to another; the tables exist. */
export async function openPostgresReader (place: PostgresLocation): Promise<PostgresReader> {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(configOf(place)) }) })
  const inside = new AsyncLocalStorage<Transaction<Tables>>()

  async function reading<T> (work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const opened = inside.getStore()
    if (opened !== undefined) return await work(opened)
    try {
      return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
    } catch (error) {
      throw unreachable("the history can't be read", error)
    }
  }

  try {
    const store = await createStore({
      db,
      types: NUMERIC_COLUMNS,
      reading,
      writing: async () => { throw new Error('this process does not write') },
      release: () => db.destroy()
    })
    return {
      store,
      together: async work => await reading(async trx => await inside.run(trx as Transaction<Tables>, work, trx))
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}
