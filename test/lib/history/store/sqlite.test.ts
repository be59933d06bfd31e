import { spawnSync } from 'node:child_process'
import {
  chmodSync, chownSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync, closeSync,
  statSync
} from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import Database from 'libsql'
import { test } from 'tap'
import { SCHEMA_VERSION } from '../../../../lib/history/store/migrations.js'
import { openSqliteEngine, openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { compiledFile } from '../../../support/compiled.js'
import { testStore } from './store-suite.js'

testStore<string>({
  name: 'SQLite',
  newPlace: async t => t.testdir(),
  open: async (folder, identity) => await openSqliteStore({ folder, ...identity })
})

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
/** A user of no rights. */
const NOBODY = 65_534
const open = (folder: string) => openSqliteStore({ folder, program: PROGRAM })

test('what is being written as it closes is written, and what comes later is refused', async t => {
  const folder = t.testdir()
  const { db, writing, release } = await openSqliteEngine(folder)
  await sql`create table numbers (n integer)`.execute(db)
  const some = JSON.stringify(Array.from({ length: 500 }, (_, n) => n))
  let isOver = false
  const step = writing(async trx => {
    for (let i = 0; i < 300; i++) await sql`insert into numbers select value from json_each(${some})`.execute(trx)
    isOver = true
  })
  await new Promise(resolve => setImmediate(resolve))
  t.notOk(isOver, 'others have their turn meanwhile')
  const closed = release()
  const late = writing(async trx => { await sql`delete from numbers`.execute(trx) })
  await Promise.all([step, closed, t.rejects(late, /closed/)])
  const again = await openSqliteEngine(folder)
  const { rows } = await sql`select count(*) as n from numbers`.execute(again.db)
  t.same(rows, [{ n: 150_000 }])
  await again.release()
})

test('makes its folder, and leaves all in one file when closed', async t => {
  const folder = join(t.testdir(), 'a', 'b')
  const store = await open(folder)
  await store.close()
  // The driver lets go of its side files when its statements are collected; what matters is that nothing is left in
  // them
  t.same(readdirSync(folder).filter(
    name => !name.endsWith('-shm') && (!name.endsWith('-wal') || statSync(join(folder, name)).size > 0)
  ).sort(), ['history.db', 'history.lock'])
})

test('refuses a second opener, of this process or another, and not after the first is gone', async t => {
  const folder = t.testdir()
  const store = await open(folder)
  const refusal = {
    code: 'HISTORY_UNAVAILABLE',
    message: /another process is using the history in .*: stop it first, or set another DATA_DIR/
  }
  await t.rejects(open(folder), refusal)
  const compiled = JSON.stringify(compiledFile('lib/history/store/sqlite.ts'))
  const script = `import { openSqliteEngine, openSqliteStore } from ${compiled}
    await openSqliteStore({ folder: ${JSON.stringify(folder)}, program: '${PROGRAM}' }).catch(error => {
      console.log(error.code, error.message)
    })`
  const other = () => spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stdout
  t.match(other(), /HISTORY_UNAVAILABLE another process is using/)
  await store.close()
  t.equal(other(), '')
  await (await open(folder)).close()
})

test('a file that another process is writing is refused soon, read meanwhile, ' +
  'and written again afterwards', async t => {
  const folder = t.testdir()
  const store = await open(folder)
  await store.bindNetwork('one')
  const other = new Database(join(folder, 'history.db'))
  other.exec('begin immediate')
  const begun = performance.now()
  for (let time = 0; time < 2; time++) {
    await t.rejects(store.publish({ slot: 7, at: 70 }), { code: 'HISTORY_UNAVAILABLE', message: /locked/ })
    t.equal(await store.revision(), 0)
  }
  t.ok(performance.now() - begun < 4_000, 'all that is asked waits with it')
  other.exec('rollback')
  await store.publish({ slot: 7, at: 70 })
  t.equal(await store.revision(), 0)
  other.close()
  await store.close()
})

test('refuses a folder that it can not write', async t => {
  const folder = t.testdir({ file: 'not a folder' })
  await t.rejects(open(join(folder, 'file')), { code: 'HISTORY_UNAVAILABLE', message: /folder/ })
  await t.rejects(open(join(folder, 'file', 'below')), { code: 'HISTORY_UNAVAILABLE', message: /can't be made/ })
  mkdirSync(join(folder, 'taken', 'history.lock'), { recursive: true })
  await t.rejects(open(join(folder, 'taken')), { code: 'HISTORY_UNAVAILABLE', message: /can't be/ })
  mkdirSync(join(folder, 'other', 'history.db'), { recursive: true })
  await t.rejects(open(join(folder, 'other')), { code: 'HISTORY_UNAVAILABLE', message: /can't be opened|damaged/ })
})

test('refuses a store that it may only read', async t => {
  const folder = t.testdir()
  await (await open(folder)).close()
  chmodSync(join(folder, 'history.db'), 0o444)
  // root may write everywhere
  const user = process.geteuid!()
  if (user === 0) {
    chownSync(folder, NOBODY, NOBODY)
    process.seteuid!(NOBODY)
  }
  try {
    await t.rejects(open(folder), { code: 'HISTORY_UNAVAILABLE', message: /^the history can't be written: / })
  } finally {
    process.seteuid!(user)
  }
})

test('refuses what is no store, and one that is damaged; and lets go of the lock', async t => {
  const folder = t.testdir({ 'history.db': 'x'.repeat(10_000) })
  const damaged = { code: 'HISTORY_UNAVAILABLE', message: /the history is damaged: .*history\.db.*Move the file away/ }
  await t.rejects(open(folder), damaged)
  writeFileSync(join(folder, 'history.db'), '')
  await (await open(folder)).close()

  const path = join(folder, 'history.db')
  const size = statSync(path).size
  const file = openSync(path, 'r+')
  // Pages of tables and indexes; the header stays
  for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(64, 0xee), 0, 64, at)
  closeSync(file)
  await t.rejects(open(folder), damaged)
  const header = readFileSync(path)
  writeFileSync(path, header.subarray(0, 3000))
  await t.rejects(open(folder), { code: 'HISTORY_UNAVAILABLE' })
})

test('what a start with a wrong setting has made is no other program\'s, and takes another network', async t => {
  const folder = t.testdir()
  const mistaken = await openSqliteStore({ folder, program: 'mistaken' })
  await mistaken.bindNetwork('G1')
  await mistaken.close()
  const store = await openSqliteStore({ folder, program: 'meant' })
  await store.bindNetwork('G2')
  await t.rejects(store.bindNetwork('G1'), { code: 'WRONG_NETWORK' })
  await store.close()
})

test('refuses a store of a newer version', async t => {
  const folder = t.testdir()
  await (await open(folder)).close()
  const db = new Database(join(folder, 'history.db'))
  t.match(db.prepare('select max(version) as version from schema_version').all(), [{ version: SCHEMA_VERSION }])
  db.exec(`insert into schema_version values (${SCHEMA_VERSION + 1})`)
  db.close()
  await t.rejects(
    open(folder),
    {
      code: 'HISTORY_UNAVAILABLE',
      message: `the history was written by a newer version of this service (schema ${SCHEMA_VERSION + 1}, ` +
        `this one knows ${SCHEMA_VERSION}): update the service`
    }
  )
  t.ok(existsSync(join(folder, 'history.db')))
})

test('refuses a store that no release has written, and leaves it as it is', async t => {
  const folder = t.testdir()
  await (await open(folder)).close()
  const db = new Database(join(folder, 'history.db'))
  db.exec('delete from schema_version; insert into schema_version values (2), (8)')
  db.close()
  await t.rejects(open(folder), {
    code: 'HISTORY_UNAVAILABLE',
    message: 'the history was written by a version of this service that was never released (schema 8): delete it, ' +
      'it is read from the chain again'
  })
  t.ok(existsSync(join(folder, 'history.db')))
})

test('no statement that a read of trades, ranges, candles or days makes looks at a whole table', async t => {
  const folder = t.testdir()
  await (await open(folder)).close()
  const db = new Database(join(folder, 'history.db'))
  db.exec("insert into daos (id, address) values (1, 'dao'); insert into meta (key, value) values ('revision', '2')")
  db.exec(
    `insert into events (revision, dao, seq, kind, slot, at, signature, event_index, side, input, output, maker,
      block_index, quote_reserves, base_reserves)
    values
      (1, 1, '00000000000000000005', 'SpotSwap', 5, 5, 's', 1, 'buy', '1', '1', 'm', 0, '1', '1'),
      (2, 1, '00000000000000000006', 'FinalizeProposal', 6, 6, 's', 1, null, null, null, 'm', 0, '2', '2')`
  )
  const made = new Set<string>()
  let compiled = 0
  const { prepare } = Database.prototype
  t.teardown(() => { Database.prototype.prepare = prepare })
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    made.add(sql)
    compiled++
    return prepare.call(this, sql)
  } as typeof prepare
  const store = await open(folder)
  made.clear()
  const dao = 'dao'
  await store.trades({ dao, limit: 1000 })
  await store.trades({ dao, limit: 100, before: 9n })
  await store.trades({ dao, limit: 100, before: 9n, since: 1, until: 9 })
  await store.trades({ dao, limit: 100, side: 'buy', since: 1 })
  t.equal((await store.poolEvents({ from: 1, to: 9, limit: 10 })).length, 2)
  await store.poolEvents({ from: 1, to: 9, after: { slot: 5, blockIndex: 0, eventIndex: 0 }, limit: 10 })
  for (const size of ['minutes', 'hours', 'days'] as const) {
    await store.candlesOf(dao, size, { from: 0, to: 86_400, limit: 1000 })
    await store.candles([{ dao, size, start: 86_400 }])
    await store.candlesOfAll([dao], size, { from: 0, to: 86_400 })
  }
  await store.swapsOfAll([dao], 0, 9)
  await store.traders([dao], 0, 9)
  await store.daysOf(dao, { from: 0, to: 86_400, limit: 1000 })
  await store.origins([{ dao, seq: 7n }])
  await store.feeRates(dao)
  await store.lastTrades(6, [dao])
  await store.daosTraded(1, 9)
  await store.daosTraded(1, 9, 0)
  await store.swapsPage(0, 9)
  await store.daysAfter(0, 9)
  await store.incompleteSlot()
  const market = { proposal: 'p', market: 'pass' } as const
  await store.trades({ dao, market, limit: 100 })
  await store.trades({ dao, market, limit: 100, before: 9n, since: 1, until: 9 })
  await store.untold()
  await store.untold(dao)
  await store.proposalEvents()
  await store.proposalEvents('p')
  await store.otherFees()
  await store.incomplete(0, 9, { slot: 9, revision: 9 })
  await store.load()
  const before = compiled
  await store.lastTrades(5, [dao])
  t.equal(compiled, before, 'each is compiled once')
  await store.close()
  const reads = [...made].filter(sql => /^\s*(select|with)/i.test(sql))
  t.ok(reads.length > 25, `${reads.length} statements`)
  // Small tables, an index that holds but a few rows, and rows that have been found already may be looked through
  const scans = (sql: string) => (db.prepare(`explain query plan ${sql}`).all() as Array<{
    detail: string
  }>).map(({ detail }) => detail)
    .filter(
      line =>
        /SCAN (?!CONSTANT|wanted|json_each|daos|meta|found|sequence_ranges|events USING (COVERING )?INDEX events_(odd|incomplete|untold|proposals|other_fees))|TEMP B-TREE FOR (?!DISTINCT|GROUP BY|count)/.test(line)
    )
  for (const sql of reads) if (!/"(fee_rates|missing)"/.test(sql)) t.same(scans(sql), [], sql)
  t.not(scans("select * from events where maker = 'm'").length, 0, 'and one that has to is seen')
  db.close()
})
