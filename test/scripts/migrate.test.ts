import { join } from 'node:path'
import { test } from 'tap'
import type { Seen } from '../../lib/history/answers.js'
import { createProgressWriter } from '../../lib/history/replicas/leader-progress.js'
import { openPostgresEngine, openPostgresStore } from '../../scripts/open-engine.js'
import { NO_OWNERS } from '../../lib/history/rules/completeness.js'
import { EMPTY_CANDLE } from '../../lib/history/rules/candles.js'
import { openSqliteEngine, openSqliteStore } from '../../lib/history/store/sqlite.js'
import type { RebuiltPage } from '../../lib/history/store/types.js'
import { copyStore, LEADER_NOTES, type CopyOptions } from '../../scripts/migrate/copy.js'
import { createStore, prepareTables } from '../../lib/history/store/create-store.js'
import { readMeta } from '../../lib/history/store/view.js'
import { settled, watch } from '../support/history/history.js'
import { ask, newPlace, withoutPostgres } from '../support/history/postgres.js'
import { postgresRows, sqliteRows } from '../support/history/rows.js'
import { runScript } from '../support/script-process.js'
import { makeYear } from '../support/history/year.js'

const skip = await withoutPostgres()
const ledger = makeYear(9, 60)
const { program } = ledger
const REBUILT: RebuiltPage = {
  valuation: { rate: { n: 1n, d: 200n }, basis: 'input' },
  isFirst: true,
  upTo: null,
  candles: [],
  makers: [],
  feeRates: [],
  rates: new Map()
}

async function copy (folder: string, url: string, options: Partial<CopyOptions> = {}, back = false) {
  const sqlite = await openSqliteEngine(folder)
  try {
    await prepareTables(sqlite)
    const postgres = await openPostgresEngine(url)
    try {
      return await copyStore(
        back ? { from: postgres, to: sqlite, ...options } : { from: sqlite, to: postgres, ...options }
      )
    } finally {
      await postgres.release()
    }
  } finally {
    await sqlite.release()
  }
}

/** As the process that leads there does. */
async function tellHowFar (url: string): Promise<void> {
  const engine = await openPostgresEngine(url)
  const moment = { slot: 5, time: 7 }
  const gap = { dao: program, from: 1n, to: 1n, since: null, until: null, fromSlot: 0, toSlot: 5 }
  await createProgressWriter(createStore(engine))({
    head: moment,
    lastDay: { left: 1, total: 2, secondsLeft: null },
    verifiedTo: moment,
    sequenceGaps: new Map([[program, [gap]]]),
    isLost: () => true,
    missingOwners: NO_OWNERS
  } as unknown as Seen)
  await engine.release()
}

test(
  'a history moves to PostgreSQL and back, goes on after an interruption, and is compared row by row',
  { skip },
  async t => {
    const { url, schema } = newPlace(t)
    const watched = await watch(t, ledger)
    await settled(watched, ledger)
    await watched.history.stop()
    await watched.store.close()
    const expected = sqliteRows(watched.folder)

    const interruption = new AbortController()
    await t.rejects(copy(
      watched.folder,
      url,
      { pageSize: 50, signal: interruption.signal, onProgress: rows => { if (rows >= 200) interruption.abort() } }
    ), { name: 'AbortError' })
    t.match(await ask(`select count(*)::int as n from "${schema}".events`), [{ n: 200 }])
    await t.rejects(openPostgresStore({ url, program }), { code: 'HISTORY_UNAVAILABLE', message: /unfinished copy/ })
    const seen: number[] = []
    const { rows } = await copy(watched.folder, url, { pageSize: 50, onProgress: rows => { seen.push(rows) } })
    t.equal(seen[0], 250, 'what was copied is not copied again')
    t.equal(rows.events, expected.events!.length)
    t.same(await postgresRows(schema), expected)

    const notesOf = async (): Promise<string[]> =>
      (await ask(`select key from "${schema}".meta order by key`) as Array<{ key: string }>).map(({ key }) => key)
    const before = await notesOf()
    await tellHowFar(url)
    const told = (await notesOf()).filter(key => !before.includes(key) && key !== 'epoch')
    t.same(told, [...LEADER_NOTES].sort(), 'what a leader tells')

    const back = join(watched.folder, 'back')
    await copy(back, url, {}, true)
    t.same(sqliteRows(back), expected)
    const kept = await openSqliteEngine(back)
    const meta = await kept.reading(readMeta)
    await kept.release()
    t.notOk(told.some(key => meta.has(key)), 'and nobody else may')
    const store = await openPostgresStore({ url, program })
    t.equal((await store.load()).events, ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0))
    await t.rejects(
      copy(back, url), { code: 'HISTORY_UNAVAILABLE', message: /another process is writing/ }, 'never beside a writer'
    )
    await store.close()
    await t.rejects(copy(back, url), { code: 'HISTORY_UNAVAILABLE', message: /holds a history of its own/ })

    const { url: other } = newPlace(t)
    await (await openPostgresStore({ url: other, program: 'another' })).close()
    await t.rejects(copy(back, other), { code: 'HISTORY_UNAVAILABLE', message: /belongs to another program/ })
    await t.rejects(
      copy(join(watched.folder, 'empty'), other),
      { code: 'HISTORY_UNAVAILABLE', message: /the source holds no history/ }
    )
  }
)

test('a source that has changed since an interruption is copied anew; a difference is found', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const young = makeYear(9, 30)
  const watched = await watch(t, young)
  await settled(watched, young)
  await watched.history.stop()
  await watched.store.close()
  const interruption = new AbortController()
  await t.rejects(
    copy(watched.folder, url, { pageSize: 50, signal: interruption.signal, onProgress: () => interruption.abort() })
  )
  const store = await openSqliteStore({ folder: watched.folder, program })
  const state = await store.load()
  await store.writeRebuilt({ ...REBUILT, valuation: { rate: state.valuation!.rate, basis: 'input' } })
  await store.close()
  t.ok(state.events > 100)
  await copy(watched.folder, url)
  t.same(await postgresRows(schema), sqliteRows(watched.folder))

  const { url: bent, schema: bentSchema } = newPlace(t)
  await (await openPostgresStore({ url: bent, program })).close()
  await ask(`create function "${bentSchema}".bend () returns trigger language plpgsql as $$ begin
    if new.seq = 3 then new.slot := new.slot + 1; end if; return new; end $$`)
  await ask(
    `create trigger bend before insert on "${bentSchema}".events for each row execute function "${bentSchema}".bend()`
  )
  await t.rejects(
    copy(watched.folder, bent),
    { code: 'HISTORY_UNAVAILABLE', message: /differs from the source: events, revision \d+/ }
  )
  await t.rejects(
    openPostgresStore({ url: bent, program }), { code: 'HISTORY_UNAVAILABLE', message: /unfinished copy/ }
  )
})

test('npm run migrate, with plain lines where no terminal shows them', { skip }, async t => {
  const { url } = newPlace(t)
  const folder = t.testdir({})
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runScript('scripts/migrate.ts', args)
    return code === 0 ? stdout : `failed: ${stderr}`
  }
  t.match(await run(), /failed: migrate --from sqlite:FOLDER --to postgres/)
  t.match(await run('--from', `sqlite:${join(folder, 'none')}`, '--to', url), /failed: there is no history in/)
  const nowhere = newPlace(t).url
  for (const time of ['once', 'once more, since the first has made nothing there']) {
    t.match(
      await run('--from', nowhere, '--to', `sqlite:${folder}`), /failed: there is no history to be read: relation/, time
    )
  }
  const store = await openSqliteStore({ folder, program })
  t.match(await run('--from', `sqlite:${folder}`, '--to', url), /failed: another process is using the history/)
  await store.writeRebuilt(
    {
      ...REBUILT,
      candles: [{ ...EMPTY_CANDLE, dao: 'A', size: 'days', start: 86_400, base: 1n, quote: 2n, trades: 1 }]
    }
  )
  await store.close()
  t.match(
    await run('--from', `sqlite:${folder}`, '--to', url),
    /^copied 1 of 2 rows, 50 %\ncopied 2 of 2 rows, 100 %\nThe history of .* can be used.\nrows: events 0, .*candles 1,.*daos 1,.*\n$/
  )
})
