import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Kysely, type KyselyPlugin, sql, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely'
import Database from 'libsql'
import { LRUCache } from 'lru-cache'
import { createPauses } from '../../async.js'
import { messageOf, unusable } from '../../errors.js'
import { createStore, type Engine, prepareTables, type Store } from './create-store.js'
import { failed, hasNoRoom } from './failures.js'
import { TEXT_COLUMNS, type Tables } from './tables.js'

/** For a file that another process holds, ms: at the opening, and later, when all that is asked waits with it. */
export const BUSY_MS = 5000
const BUSY_LATER_MS = 100
/** Statements that are kept compiled: more than a service has, some 120. */
const MAX_STATEMENTS = 200
/** To check a larger file would delay each start by seconds. */
const CHECKED_BYTES = 64 * 1024 * 1024

/** A disk without room, or one that fails, damages nothing. */
const IS_DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/

const damaged = (path: string, found: string) =>
  unusable(`the history is damaged: ${path} (${found}). Move the file away and it will be read from the chain again`)
const codeOf = (error: unknown) => error instanceof Error && 'code' in error ? String(error.code) : ''

/** A folder with its parents. Node's `recursive` tries for ever where one that exists takes no other, as /proc. */
function makeFolder (path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/**
 * Takes the folder by an exclusive transaction on a small database: it ends with its holder, however that ends, and
 * leaves the store readable.
 */
function lock (folder: string): Database.Database {
  let file: Database.Database | undefined
  try {
    makeFolder(folder)
    file = new Database(join(folder, 'history.lock'))
    // nothing is written to it: without a journal it can be taken on a full disk
    file.exec('pragma journal_mode = off; begin exclusive')
    return file
  } catch (cause) {
    file?.close()
    if (codeOf(cause).startsWith('SQLITE_BUSY')) {
      throw unusable(`another process is using the history in ${folder}: stop it first, or set another DATA_DIR`, cause)
    }
    throw failed(`the folder of the history can't be made, written or locked: ${folder}`, cause)
  }
}

/** Throws where it is no database, damaged or read-only. */
function prepareFile (file: Database.Database, path: string): void {
  try {
    // synchronous: a crash of the machine loses at most the last steps, which are then walked again
    file.exec(`
      pragma busy_timeout = ${BUSY_MS};
      pragma journal_mode = wal;
      pragma synchronous = normal;
      pragma temp_store = memory;
      pragma journal_size_limit = 67108864`)
    if (statSync(path).size <= CHECKED_BYTES) {
      const [found] = file.prepare('pragma quick_check(1)').all() as Array<{ quick_check: string }>
      if (found?.quick_check !== 'ok') throw damaged(path, found?.quick_check ?? 'no answer to the check')
    }
    // to begin alone is granted to who may only read
    file.exec('begin immediate; pragma user_version = 0; rollback')
  } catch (cause) {
    if (codeOf(cause).startsWith('SQLITE_READONLY')) throw unusable(`the history can't be written: ${path}`, cause)
    if (IS_DAMAGE.test(codeOf(cause))) throw damaged(path, messageOf(cause))
    throw cause
  }
}

/** Lets the event loop go between queries, which hold it: a step takes 0.1 s, the last trades of 1,000 DAOs 70 ms. */
function lettingGo (): KyselyPlugin {
  const pause = createPauses()
  return {
    transformQuery: ({ node }) => node,
    async transformResult ({ result }) {
      await pause()
      return result
    }
  }
}

/** `held`: the lock of who writes it. */
export function engineOver (file: Database.Database, held?: Database.Database): Engine {
  // to compile one costs as much as to run it
  const statements = new LRUCache<string, SqliteStatement>({
    max: MAX_STATEMENTS, memoMethod: sql => file.prepare(sql) as SqliteStatement
  })
  /** Throws where it is not: libsql ends the process where a closed file is asked. */
  const mustBeOpen = () => { if (!file.open) throw new Error('the file is closed') }
  const database: SqliteDatabase = {
    close: () => file.close(),
    // a full disk has undone the transaction already: a rollback that fails would hide why
    prepare (sql) {
      mustBeOpen()
      return statements.memo(sql === 'rollback' && !file.inTransaction ? 'select 1' : sql)
    }
  }
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
  const plugin = lettingGo()
  return {
    db,
    types: TEXT_COLUMNS,
    reading: work => db.transaction().execute(trx => work(trx.withPlugin(plugin))),
    writing: work => db.connection().execute(async connection => {
      mustBeOpen()
      // a compiled statement that meets another process's lock stays active, and no transaction could end any more: the
      // lock is taken before any, by one that is not kept
      file.exec('begin immediate')
      try {
        await work(connection.withPlugin(plugin))
        await sql`commit`.execute(connection)
      } catch (error) {
        await sql`rollback`.execute(connection)
        throw error
      }
    }),
    async release () {
      if (!file.open) return
      // once what is under way has ended
      await db.connection().execute(async () => {
        try {
          if (held !== undefined) file.exec('pragma wal_checkpoint(truncate)')
        } catch (error) {
          // what is in the log beside the file is read from there at the next start
          if (!hasNoRoom(error)) throw error
        } finally {
          await db.destroy()
          held?.close()
        }
      })
    }
  }
}

/**
 * Opens, or makes, `history.db` in `folder` and takes the folder for this process alone. Throws HISTORY_UNAVAILABLE
 * where it can't be written, is taken, or is damaged.
 */
export async function openSqliteEngine (folder: string): Promise<Engine> {
  const held = lock(folder)
  const path = join(folder, 'history.db')
  let file: Database.Database | undefined
  try {
    file = new Database(path)
    prepareFile(file, path)
    return engineOver(file, held)
  } catch (error) {
    file?.close()
    held.close()
    throw failed(`the history can't be opened: ${path}`, error)
  }
}

/** As `openSqliteEngine`, with the tables prepared. */
export async function openSqliteStore ({ folder, program }: { folder: string, program: string }): Promise<Store> {
  const engine = await openSqliteEngine(folder)
  try {
    await prepareTables(engine, program, true)
    await sql`pragma busy_timeout = ${sql.lit(BUSY_LATER_MS)}`.execute(engine.db)
    return createStore(engine)
  } catch (error) {
    await engine.release()
    throw failed(`the history can't be opened: ${folder}`, error)
  }
}
