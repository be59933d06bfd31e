import { createTurns } from '../../async.js'
import { unusable } from '../../errors.js'
import { candleReads } from './candle-rows.js'
import { decisionReads } from './decisions.js'
import { eventReads } from './event-reads.js'
import { failed, hasNoRoom, NO_ROOM, otherNetwork } from './failures.js'
import { migrate } from './migrations.js'
import { stateReads } from './state.js'
import type { PublishedSlot } from './types.js'
import type { ColumnTypes, Db } from './tables.js'
import { putMeta, putRows, readMeta, revisionOf, type View, type Writing } from './view.js'
import { putAmended, putRebuilt, writeStep } from './writes.js'

export interface Engine {
  db: Db
  types: ColumnTypes
  /** Of one state. */
  reading: <T>(work: (db: Db) => Promise<T>) => Promise<T>
  /** One transaction. */
  writing: (work: (db: Db) => Promise<void>) => Promise<void>
  /** Releases lock and connection. */
  release (): Promise<void>
}

async function bind (db: Db, program: string, isAlone: boolean): Promise<void> {
  const meta = await readMeta(db)
  if (meta.has('copying')) {
    throw unusable('the history is an unfinished copy of another: run the copy again to finish it')
  }
  const kept = meta.get('program')
  // nothing is written: a store can be opened on a full disk
  if (kept === program) return
  if (kept !== undefined) {
    // an empty store, made by a first start with a wrong setting, may be taken over by who has it alone
    const event = await db.selectFrom('events').select('revision').limit(1).executeTakeFirst()
    if (!isAlone || event !== undefined || meta.has('indexedRanges')) {
      throw unusable(`the history belongs to another program: it was made for ${kept}, the settings name ${program}; ` +
        'another DATA_DIR or database begins a new one')
    }
    await db.deleteFrom('meta').where('key', '!=', 'revision').execute()
  }
  await putMeta(db, { program })
}

/**
 * Migrates the tables and binds them to `program`; one process at a time. `isAlone`: no other has them open. Throws
 * HISTORY_UNAVAILABLE for a newer version, another program, or an unfinished copy.
 */
export async function prepareTables (
  { db, types }: Pick<Engine, 'db' | 'types'>, program?: string, isAlone = false
): Promise<void> {
  await migrate(db, types)
  if (program !== undefined) await bind(db, program, isAlone)
}

/** Rows in, rows out, no rules. Every method throws HISTORY_UNAVAILABLE. */
export type Store = ReturnType<typeof createStore>

type Answered<R> = {
  [M in keyof R]: R[M] extends (view: View, ...args: infer A) => infer T ? (...args: A) => T : never
}

/** Over an engine whose tables are prepared by the first use and, where it writes, locked. */
export function createStore ({ types, reading, writing, release }: Omit<Engine, 'db'>) {
  const ids = new Map<string, number>()
  const addresses = new Map<number, string>()
  /** DAOs without a row yet: a step that fails leaves them to the next. */
  const fresh: Array<{ id: number, address: string }> = []
  const learn = async (db: Db): Promise<void> => {
    const stored = await db.selectFrom('daos').select(['id', 'address']).execute()
    // in a database that was restored a number may be another DAO's
    ids.clear()
    addresses.clear()
    for (const { id, address } of [...stored, ...fresh]) {
      ids.set(address, id)
      addresses.set(id, address)
    }
  }
  async function viewOf (db: Db): Promise<View> {
    if (ids.size === 0) await learn(db)
    return { db, types, idOf: address => ids.get(address) ?? 0, addressOf: id => addresses.get(id) ?? '' }
  }

  function numberOf (address: string): number {
    const known = ids.get(address)
    if (known !== undefined) return known
    const id = ids.size + 1
    ids.set(address, id)
    addresses.set(id, address)
    fresh.push({ id, address })
    return id
  }

  async function step (work: (to: Writing) => Promise<void>): Promise<void> {
    await writing(async trx => {
      const meta = await readMeta(trx)
      let revision = revisionOf(meta)
      const to = { ...await viewOf(trx), meta, numberOf, nextRevision: () => ++revision }
      await work(to)
      await putRows(to, 'daos', fresh, oc => oc.doNothing())
      await putMeta(trx, { revision: String(to.nextRevision()) })
    })
    fresh.length = 0
  }

  const inTurn = createTurns()
  let isFull = false

  async function guarded<T> (what: 'read' | 'written' | 'closed', work: () => Promise<T>): Promise<T> {
    try {
      const done = await work()
      if (what === 'written') isFull = false
      return done
    } catch (cause) {
      if (what === 'written') isFull = hasNoRoom(cause)
      throw hasNoRoom(cause) ? unusable(NO_ROOM, cause) : failed(`the history can't be ${what}`, cause)
    }
  }
  const read = <A extends unknown[], T>(answer: (view: View, ...args: A) => Promise<T>) =>
    (...args: A): Promise<T> => guarded('read', () => reading(async db => await answer(await viewOf(db), ...args)))
  const write = <A extends unknown[]>(puts: (to: Writing, ...args: A) => Promise<void>) =>
    (...args: A): Promise<void> => guarded('written', () => inTurn(() => step(to => puts(to, ...args))))
  /** Writes what is no row of the state: a revision more would have every follower read all of it again. */
  const note = (puts: (db: Db) => Promise<void>) => guarded('written', () => inTurn(() => writing(puts)))
  const answered = <R extends object>(reads: R) =>
    Object.fromEntries(Object.entries(reads).map(([name, answer]) => [name, read(answer)])) as Answered<R>

  return {
    ...answered({ ...stateReads, ...eventReads, ...candleReads, ...decisionReads }),
    /** With the DAOs, of which another process may have added some. */
    load: read(async view => {
      await learn(view.db)
      return await stateReads.load(view)
    }),
    write: write(writeStep),
    writeRebuilt: write(putRebuilt),
    /** Up to this slot, newer than the last, block ranges never change. */
    publish: (slot: PublishedSlot) => note(db => putMeta(db, { published: JSON.stringify(slot) })),
    /** How far the process that writes has come, as `leader` gives it. */
    tell: (progress: string) => note(db => putMeta(db, { progress })),
    amend: write(putAmended),
    /** By its genesis hash. Throws WRONG_NETWORK. */
    bindNetwork: (genesis: string) => guarded('written', async () => {
      const kept = (await reading(readMeta)).get('genesis')
      if (kept === genesis) return
      if (kept !== undefined) throw otherNetwork(kept, genesis)
      await writing(trx => putMeta(trx, { genesis }))
    }),
    /** Whether the last write was refused for want of room. */
    hasNoRoom: () => isFull,
    close: () => guarded('closed', release)
  }
}
