import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { placeOf } from '../../../lib/history/postgres-connection.js'
import { openPostgresEngine, openPostgresStore, preparePostgres } from '../../../lib/history/postgres.js'
import { openSession } from '../../../lib/history/postgres-session.js'
import { ask, newPlace, withoutPostgres } from './support/postgres.js'
import { testStore } from './store-suite.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const skip = await withoutPostgres()
if (skip !== false) test('PostgreSQL', { skip }, async () => {})
else {
  testStore<string>({
    name: 'PostgreSQL',
    newPlace: async t => newPlace(t).url,
    open: async (url, identity) => await openPostgresStore({ url, ...identity })
  })
}

test('one leads, and the next one once it has gone; whoever was replaced writes nothing, whatever he believes', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const place = placeOf(url)
  await preparePostgres(place, { program: PROGRAM })
  const [first, second] = [await openSession(place), await openSession(place)]
  t.teardown(async () => { await first.close(); await second.close() })
  const put = (key: string) => async (trx: Parameters<Parameters<typeof first.writing>[0]>[0]) => { await trx.insertInto('meta').values({ key, value: '' }).execute() }
  t.same([await first.lead(), await second.lead(), await first.lead()], [true, false, true])
  await t.rejects(second.writing(put('by one who never led')), { code: 'HISTORY_UNAVAILABLE', message: /another process writes/ })
  const third = await openSession(place)
  t.teardown(() => third.close())
  await first.writing(put('by the leader'))
  // As if the lock had been lost without the session: by a pooler that gives one connection to several, say
  await ask(`update "${schema}".meta set value = (value::int + 1)::text where key = 'epoch'`)
  await t.rejects(first.writing(put('by the one who was replaced')), { code: 'HISTORY_UNAVAILABLE', message: /another process writes/ })
  t.ok(first.lost.aborted, 'and he gives up his session')
  while (!await third.lead()) await wait(20)
  await third.writing(put('by the next'))
  const found = await ask(`select key from "${schema}".meta where key like 'by %' order by key`)
  t.same(found.map(({ key }) => key), ['by the leader', 'by the next'])
})

test('many processes that start at once make the tables once', { skip }, async t => {
  const { url, schema } = newPlace(t)
  await Promise.all(Array.from({ length: 5 }, () => preparePostgres(placeOf(url), { program: PROGRAM })))
  const versions = await ask(`select version from "${schema}".schema_version order by version`)
  t.equal(new Set(versions.map(({ version }) => version)).size, versions.length)
})

test('a store that is held and not used stays held', { skip, timeout: 30_000 }, async t => {
  const engine = await openPostgresEngine(newPlace(t).url, { program: PROGRAM })
  t.teardown(() => engine.release())
  await wait(9500)   // longer than the server lets a silent session live
  t.equal((await engine.db.selectFrom('meta').selectAll().where('key', '=', 'program').execute()).length, 1)
})
