import type { Kysely, Transaction } from 'kysely'
import { createTurns } from '../../async.js'
import { hasNoRoom, NO_ROOM } from './no-room.js'
import { ServiceError } from '../../errors.js'
import { migrate } from './migrations.js'
import { readCandles, readCandlesOf, readCandlesOfAll, readDaysAfter, readMakers } from './candles.js'
import type { Numbers } from './inserts.js'
import type { Names } from './keys.js'
import { putMeta, readMeta, readRevision } from './meta.js'
import { putLate, putPublished, readPublished } from './published.js'
import {
  readOrigins, readRebuilding, readState, readSwapsOfAll, readSwapsPage, readTraders, readUnattributed, readValuation
} from './reads.js'
import type { Store } from './store.js'
import {
  readDaosChanged, readDaosTraded, readFeeRates, readFirstEvent, readIncomplete, readIncompleteSlots, readLastTrades, readPoolEvents,
  readTrades, readUnnamedTrades
} from './trade-reads.js'
import { putCompleted, putRebuilt, writeStep } from './writes.js'
import type { ColumnTypes, Tables } from './table-types.js'
import { putJudged, readEventsOf, readUnjudged, readUnreadable } from './unknown-kinds.js'

type Db = Kysely<Tables>

/** What an engine brings to the queries that all engines share. */
export interface Engine {
  db: Db
  types: ColumnTypes
  /**
   * Runs reads that belong together on one state of the store. Default: on `db`, for an engine whose only writer is
   * this process.
   */
  reading?: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  /** Runs the writes of a step in one transaction. Default: one of `db`. */
  writing?: (work: (trx: Transaction<Tables>) => Promise<void>) => Promise<void>
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
  if (meta.has('copying')) {
    throw new ServiceError(
      'HISTORY_UNAVAILABLE',
      'the history is an unfinished copy of another: run the copy again to finish it'
    )
  }
  for (const [key, value] of Object.entries(identity)) {
    const kept = meta.get(key)
    if (value !== undefined && kept !== undefined && kept !== value) {
      throw new ServiceError(
        'HISTORY_UNAVAILABLE',
        `the history belongs to another ${key}: it was made for ${kept}, the settings name ${value}`
      )
    }
  }
  const values = Object.fromEntries(Object.entries(identity).filter(([key, value]) => value !== undefined &&
    !meta.has(key)))
  // nothing is written where all is known: a store can be opened on a full disk
  if (Object.keys(values).length > 0) await db.transaction().execute(trx => putMeta(trx, values))
}

/**
 * Brings the tables up to date and binds them to the program, where one is given. Throws HISTORY_UNAVAILABLE when they
 * are of a newer version, hold another program's rows, or are an unfinished copy. Nobody else may do so at the same
 * time.
 */
export async function prepareTables ({ db, types }: Pick<Engine, 'db' | 'types'>, identity?: Identity): Promise<void> {
  await migrate(db, types)
  if (identity !== undefined) await bind(db, identity)
}

/** A store over an engine whose connection is open, its tables prepared and, where it writes, locked. */
export async function createStore (engine: Engine): Promise<Store> {
  const { db, types, release, reading = work => work(db), writing = work => db.transaction().execute(work) } = engine
  const ids = new Map<string, number>()
  const addresses = new Map<number, string>()
  const know = (id: number, address: string) => { ids.set(address, id); addresses.set(id, address) }
  const learn = async (db: Db) => {
    for (const row of await db.selectFrom('daos').select(['id', 'address']).execute()) know(Number(row.id), row.address)
  }
  const names: Names = {
    id: address => ids.get(address),
    address: id => addresses.get(id) ?? '',
    ids: list => list.map(address => ids.get(address)).filter(id => id !== undefined)
  }
  await learn(db)
  /** As `learn`, for those that another process has added. */
  const learnNew = async (db: Db) => {
    for (const row of await db.selectFrom('daos').select(['id', 'address']).where('id', '>', ids.size).execute()) {
      know(
        Number(row.id),
        row.address
      )
    }
  }
  let revision = await readRevision(db)

  /** Numbers of a step that may yet fail: they count only once it is committed. */
  async function step (work: (trx: Transaction<Tables>, numbers: Numbers) => Promise<void>): Promise<void> {
    const fresh = new Map<string, number>()
    let next = revision
    const numbers: Numbers = {
      dao: address => {
        const known = ids.get(address) ?? fresh.get(address)
        if (known !== undefined) return known
        fresh.set(address, ids.size + fresh.size + 1)
        return ids.size + fresh.size
      },
      revision: () => ++next,
      get fresh () { return Array.from(fresh, ([address, id]) => ({ id, address })) }
    }
    await writing(trx => work(trx, numbers))
    for (const [address, id] of fresh) know(id, address)
    revision = next
  }

  /** One step at a time: each takes its numbers where the one before has left off. */
  const inTurn = createTurns()

  async function guarded<T> (what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause
      if (hasNoRoom(cause)) throw new ServiceError('HISTORY_UNAVAILABLE', NO_ROOM, { cause })
      throw new ServiceError(
        'HISTORY_UNAVAILABLE',
        `the history can't be ${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause }
      )
    }
  }
  const read = <T>(work: (db: Db) => Promise<T>) => guarded('read', () => reading(work))
  const write = (work: (trx: Transaction<Tables>, numbers: Numbers) => Promise<void>) =>
    guarded('written', () => inTurn(() => step(work)))

  /** Of several statements, on one state of the store, with the DAOs that it knows then. */
  const whole = engine.reading ?? (<T>(work: (db: Db) => Promise<T>) => db.transaction().execute(work))
  const together = <T>(work: (db: Db) => Promise<T>) => guarded('read', () => whole(async db => {
    await learnNew(db)
    return await work(db)
  }))
  const ofDao = <T>(dao: string, work: (db: Db) => Promise<T>) => guarded('read', () => whole(async db => {
    if (!ids.has(dao)) await learnNew(db)
    return await work(db)
  }))

  return {
    load: () => read(async db => {
      await learn(db)
      return await readState(db, names)
    }),
    write: changes => write(async (trx, numbers) => {
      await writeStep(trx, types, changes, numbers)
      await putLate(trx, types, changes, numbers)
    }),
    valuation: () => read(readValuation),
    rebuilding: () => read(readRebuilding),
    writeRebuilt: page => write((trx, numbers) => putRebuilt(trx, types, page, numbers)),
    candles: (size, keys) => read(db => readCandles(db, names, types, size, keys)),
    candlesOf: (dao, size, range) => ofDao(dao, db => readCandlesOf(db, names, types, size, dao, range)),
    candlesOfAll: (daos, size, range) => together(db => readCandlesOfAll(db, names, types, size, daos, range)),
    swapsOfAll: (daos, from, to) => together(db => readSwapsOfAll(db, names, types, daos, from, to)),
    traders: (daos, from, to) => together(db => readTraders(db, names, types, daos, from, to)),
    makers: (dao, from, to) => ofDao(dao, db => readMakers(db, names, dao, from, to)),
    trades: query => ofDao(query.dao, db => readTrades(db, names, types, query)),
    poolEvents: query => together(db => readPoolEvents(db, names, types, query)),
    published: () => read(readPublished),
    publish: published => write(trx => putPublished(trx, published)),
    firstEvent: dao => ofDao(dao, db => readFirstEvent(db, names, dao)),
    feeRates: dao => ofDao(dao, db => readFeeRates(db, names, dao)),
    lastTrades: (at, daos) => together(db => readLastTrades(db, names, at, daos)),
    revision: () => read(readRevision),
    daosTraded: (from, to) => together(db => readDaosTraded(db, names, from, to)),
    daosChanged: (after, from, to) => together(db => readDaosChanged(db, names, after, from, to)),
    eventsOf: (dao, from, limit) => ofDao(dao, db => readEventsOf(db, names, dao, from, limit)),
    unjudged: limit => together(db => readUnjudged(db, names, limit)),
    judge: async found => {
      await write(async (trx, numbers) => {
        await putJudged(trx, names, found)
        await putMeta(trx, { revision: String(numbers.revision()) })
      })
      return await read(db => readUnreadable(db, names))
    },
    incomplete: query => together(db => readIncomplete(db, names, query)),
    complete: (events, makers) => write(async (trx, numbers) => {
      await putCompleted(trx, types, events, makers, numbers)
      await putMeta(trx, { revision: String(numbers.revision()) })
    }),
    incompleteSlots: () => together(readIncompleteSlots),
    unnamedTrades: dao => ofDao(dao, db => readUnnamedTrades(db, names, dao)),
    daysAfter: (after, limit) =>
      together(async db => await readDaysAfter(db, names, types, after, await readRevision(db), limit)),
    swapsPage: (after, limit) => together(db => readSwapsPage(db, names, types, after, limit)),
    origins: keys => read(db => readOrigins(db, names, types, keys)),
    unattributed: keys => read(db => readUnattributed(db, keys)),
    bindNetwork: genesis => guarded('written', async () => {
      const kept = (await reading(readMeta)).get('genesis')
      if (kept === genesis) return
      if (kept !== undefined) {
        throw new ServiceError(
          'WRONG_NETWORK',
          `the history belongs to another network: it was made for the one of genesis ${kept}, CHAIN_RPC_URL leads to ${genesis}`
        )
      }
      await writing(trx => putMeta(trx, { genesis }))
    }),
    close: () => guarded('closed', release)
  }
}
