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

/** Wait for a file that another process holds, ms: at the start, and later, when all that is asked waits, too. */
export const BUSY_MS = 5000
const BUSY_LATER_MS = 100
/** Compiled statements: more than a service has, some 120. */
const MAX_STATEMENTS = 200
/** Checking a larger file would delay each start by seconds. */
const CHECKED_BYTES = 64 * 1024 * 1024

/** A full or failing disk damages nothing. */
const IS_DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/

const damaged = (path: string, found: string) =>
  unusable(`the history is damaged: ${path} (${found}). Move the file away and it will be read from the chain again`)
const codeOf = (error: unknown) => error instanceof Error && 'code' in error ? String(error.code) : ''

/** With its parents. Node's `recursive` never ends where an existing folder takes no other, as /proc. */
function makeFolder (path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

/** By an exclusive transaction on a file beside the store: it ends with its holder, even if killed. */
function lock (folder: string): Database.Database {
  let file: Database.Database | undefined
  try {
    makeFolder(folder)
    file = new Database(join(folder, 'history.lock'))
    // without a journal, so that it can be taken on a full disk
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

/** Throws for a file that is no database, damaged or read-only. */
function prepareFile (file: Database.Database, path: string): void {
  try {
    // synchronous: a crash of the machine may lose the last steps, which are then walked again
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
    // `begin` alone is granted to who may only read
    file.exec('begin immediate; pragma user_version = 0; rollback')
  } catch (cause) {
    if (codeOf(cause).startsWith('SQLITE_READONLY')) throw unusable(`the history can't be written: ${path}`, cause)
    if (IS_DAMAGE.test(codeOf(cause))) throw damaged(path, messageOf(cause))
    throw cause
  }
}

/** Lets the event loop go between queries, which hold it: a step takes 0.1 s. */
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

/** `held`: the lock of a writer. */
export function engineOver (file: Database.Database, held?: Database.Database): Engine {
  // compiling costs as much as running
  const statements = new LRUCache<string, SqliteStatement>({
    max: MAX_STATEMENTS, memoMethod: sql => file.prepare(sql) as SqliteStatement
  })
  /** libsql ends the process when a closed file is used. */
  const mustBeOpen = () => { if (!file.open) throw new Error('the file is closed') }
  const database: SqliteDatabase = {
    close: () => file.close(),
    // a full disk has rolled back already: another rollback would fail, and hide why
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
      // not compiled: a kept statement that meets another process's lock stays active, and no transaction could end
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
      // after what is under way
      await db.connection().execute(async () => {
        try {
          if (held !== undefined) file.exec('pragma wal_checkpoint(truncate)')
        } catch (error) {
          // what stays in the log is read from there at the next start
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
 * Opens, or makes, `history.db` in `folder`, for this process alone. Throws HISTORY_UNAVAILABLE where it can't be
 * written, is taken, or is damaged.
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

/** As `openSqliteEngine`, of prepared tables. */
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
