import { join } from 'node:path'
import Database from 'libsql'
import { test, type Test } from 'tap'
import { rebuildRollups } from '../../scripts/rebuild-stored.js'
import { openPostgresStore } from '../../scripts/open-engine.js'
import { openSqliteStore } from '../../lib/history/store/sqlite.js'
import type { Store } from '../../lib/history/store/create-store.js'
import type { Ledger } from '../../simulator/index.js'
import { settled, watch } from '../support/history/history.js'
import { ask, newPlace, withoutPostgres } from '../support/history/postgres.js'
import { runScript } from '../support/script-process.js'
import { makeYear } from '../support/history/year.js'

const CANDLE =
  'dao, width, start, base, quote, trades, fees, unknown_fees, open_seq, open_quote, close_base, high_quote, ' +
    'high_base, low_quote, low_base, average_quote'
const COLUMNS = {
  candles: CANDLE,
  makers: 'dao, day, maker',
  fee_rates: 'dao, bps, from_slot, to_slot'
}

/** A store as `ledger` fills it, a way to its rows and one to damage it. */
interface Filled {
  store: string
  reopen (): Promise<Store>
  all (sql: string): Promise<Array<Record<string, unknown>>>
}

async function rowsOf ({ all }: Filled): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, columns] of Object.entries(COLUMNS)) {
    found[table] = (await all(`select ${columns} from ${table}`)).map(row => JSON.stringify(row)).sort()
  }
  found.rates = (await all("select value from meta where key = 'rates'")).map(row => JSON.stringify(row))
  return found
}

async function command (store: string): Promise<string> {
  const { code, stderr } = await runScript('scripts/rebuild-rollups.ts', ['--store', store])
  return code === 0 ? stderr : `failed: ${stderr}`
}

async function sees (t: Test, ledger: Ledger, filled: Filled): Promise<void> {
  const expected = await rowsOf(filled)
  for (const table of ['candles', 'makers', 'fee_rates']) t.ok(expected[table]!.length > 0, table)
  for (const sql of [
    "update candles set base = '1', trades = 7 where width = 86400",
    "update candles set quote = '1' where width = 60",
    'delete from candles where width = 3600 and start % 10800 = 0',
    'delete from candles where width = 60 and start % 28800 = 0',
    'delete from makers where day % 2 = 0', 'update fee_rates set to_slot = 1'
  ]) await filled.all(sql)
  t.notSame(await rowsOf(filled), expected)
  const store = await filled.reopen()
  t.match(await command(filled.store), /failed: another process is/, 'not beside another process')
  // Stopped at a few pages, then run again
  for (let stop = 1; stop < 4; stop++) {
    const stopping = new AbortController()
    const counted: number[] = []
    const onProgress = (done: number) => {
      counted.push(done)
      if (counted.length === stop) stopping.abort()
    }
    await t.rejects(
      rebuildRollups({ store, signal: stopping.signal, pageSize: 10, onProgress }), { name: 'AbortError' }
    )
    t.equal(counted[0], [10, 20, 40][stop - 1], 'it goes on where it was')
    t.equal((await store.load()).valuation, null)
  }
  await store.close()
  t.equal(await command(filled.store), `candles and day sums of ${ledger.swaps.length} trades made anew\n`)
  t.same(await rowsOf(filled), expected)
}

test('npm run rebuild-rollups: a damaged embedded store is made whole from its trades', async t => {
  const ledger = makeYear(8, 20)
  const folder = t.testdir()
  const watched = await watch(t, ledger, { folder })
  await settled(watched, ledger)
  await watched.history.stop()
  await watched.store.close()
  await sees(t, ledger, {
    store: `sqlite:${folder}`,
    reopen: () => openSqliteStore({ folder, program: ledger.program }),
    async all (sql) {
      const db = new Database(join(folder, 'history.db'))
      try {
        const statement = db.prepare(sql)
        if (statement.reader) return statement.all() as Array<Record<string, unknown>>
        statement.run()
        return []
      } finally {
        db.close()
      }
    }
  })
  t.match(await command('sqlite:nowhere'), /failed: there is no history in nowhere/)
})

test('npm run rebuild-rollups: and so is one in PostgreSQL', { skip: await withoutPostgres() }, async t => {
  const ledger = makeYear(8, 12)
  const { url, schema } = newPlace(t)
  const reopen = () => openPostgresStore({ url, program: ledger.program })
  const watched = await watch(t, ledger, { store: await reopen() })
  await settled(watched, ledger)
  await watched.history.stop()
  await watched.store.close()
  await sees(
    t, ledger, { store: url, reopen, all: sql => ask(sql.replace(/\b(from|update) (?=\w)/, `$1 "${schema}".`)) }
  )
})
