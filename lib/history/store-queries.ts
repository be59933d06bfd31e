import type { Kysely } from 'kysely'
import { ServiceError } from '../errors.js'
import { migrate } from './migrations.js'
import { valuationOf } from './rows.js'
import type { Store } from './store.js'
import {
  readChange, readDays, readDaysAfter, readMeta, readOrigins, readState, readSwapsAfter, readSwapsPage, readSwapsSince, readUnplaced, type Names
} from './store-reads.js'
import { clearSums, putDays, putMeta, putRates, writeStep, type Numbers } from './store-writes.js'
import { fractionText } from './sums.js'
import type { ColumnTypes, Tables } from './tables.js'

/** What an engine brings to the queries that all engines share. */
export interface Engine {
  db: Kysely<Tables>
  types: ColumnTypes
  /** Gives the lock and the connection back. */
  release (): Promise<void>
}

/** What a store is bound to: rows of another program, or of another network, must never be mixed in. */
export interface Identity {
  program: string
  /** Genesis hash of the network, where it is known. */
  genesis?: string
}

async function bind (db: Kysely<Tables>, identity: Identity): Promise<void> {
  const meta = await readMeta(db)
  for (const [key, value] of Object.entries(identity)) {
    const kept = meta.get(key)
    if (value !== undefined && kept !== undefined && kept !== value) {
      throw new ServiceError('HISTORY_UNAVAILABLE', `the history belongs to another ${key}: it was made for ${kept}, the settings name ${value}`)
    }
  }
  const values = Object.fromEntries(Object.entries(identity).filter(([, value]) => value !== undefined))
  await db.transaction().execute(trx => putMeta(trx, values))
}

/** A store over an engine whose connection is open and, where it writes, locked. Brings the tables up to date first. */
export async function createStore ({ db, types, release }: Engine, identity: Identity): Promise<Store> {
  await migrate(db, types)
  await bind(db, identity)
  const ids = new Map<string, number>()
  const addresses = new Map<number, string>()
  const know = (id: number, address: string) => { ids.set(address, id); addresses.set(id, address) }
  const learn = async () => { for (const row of await db.selectFrom('daos').select(['id', 'address']).execute()) know(Number(row.id), row.address) }
  const names: Names = { id: address => ids.get(address), address: id => addresses.get(id) ?? '' }
  await learn()
  let change = await readChange(db)

  /** Numbers of a step that may yet fail: they count only once it is committed. */
  async function step (work: (numbers: Numbers) => Promise<void>): Promise<void> {
    const fresh = new Map<string, number>()
    let next = change
    await work({
      dao: address => {
        const known = ids.get(address) ?? fresh.get(address)
        if (known !== undefined) return known
        fresh.set(address, ids.size + fresh.size + 1)
        return ids.size + fresh.size
      },
      change: () => ++next,
      get fresh () { return Array.from(fresh, ([address, id]) => ({ id, address })) }
    })
    for (const [address, id] of fresh) know(id, address)
    change = next
  }

  /** A reader beside the writer meets DAOs that it has not seen yet. */
  async function named<T extends { rows: ReadonlyArray<{ dao: string }> } | null> (read: () => Promise<T>): Promise<T> {
    const found = await read()
    if (found === null || found.rows.every(({ dao }) => dao !== '')) return found
    await learn()
    return await read()
  }

  async function guarded<T> (what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      throw new ServiceError('HISTORY_UNAVAILABLE', `the history can't be ${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  }
  const read = <T>(work: () => Promise<T>) => guarded('read', work)

  return {
    load: () => read(() => readState(db, names)),
    write: changes => guarded('written', () => step(numbers => db.transaction().execute(trx => writeStep(trx, changes, numbers)))),
    valuation: () => read(async () => {
      const noted = (await readMeta(db)).get('valuation')
      return noted === undefined ? null : valuationOf(noted)
    }),
    revalue: (valuation, days, rates) => guarded('written', () => step(numbers => db.transaction().execute(async trx => {
      await clearSums(trx)
      await putDays(trx, days, numbers)
      await putRates(trx, Array.from(rates, ([bps, swaps]) => ({ bps, swaps })))
      await putMeta(trx, { valuation: `${valuation.basis} ${fractionText(valuation.rate)}`, change: String(numbers.change()) })
    }))),
    days: keys => read(() => readDays(db, names, keys)),
    daysAfter: after => read(() => named(() => readDaysAfter(db, names, after))),
    swapsSince: at => read(() => named(() => readSwapsSince(db, names, at))),
    swapsAfter: (after, at) => read(() => named(() => readSwapsAfter(db, names, after, at))),
    swapsPage: (after, limit) => read(() => named(() => readSwapsPage(db, names, after, limit))),
    origins: keys => read(() => readOrigins(db, names, types, keys)),
    unplaced: keys => read(() => readUnplaced(db, keys)),
    close: () => guarded('closed', release)
  }
}
