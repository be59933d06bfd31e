import { setTimeout as wait } from 'node:timers/promises'
import t, { test } from 'tap'
import { isRefusal, parseDatabaseUrl, preparePostgres } from '../../../../lib/history/store/postgres-connection.js'
import { openPostgresEngine, openPostgresStore } from '../../../../scripts/open-engine.js'
import { openSession } from '../../../../lib/history/replicas/leader.js'
import { ask, newPlace, withoutPostgres } from '../../../support/history/postgres.js'
import { testStore } from './store-suite.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const skip = await withoutPostgres()
/** Longer than the server lets a silent session live, ms. */
const SILENT_MS = 9500

// begun before the other tests, so that nobody waits for it
const held = skip === false ? hold() : undefined

async function hold () {
  const engine = await openPostgresEngine(newPlace(t).url, PROGRAM)
  t.teardown(() => engine.release())
  return { engine, since: performance.now() }
}

if (skip !== false) test('PostgreSQL', { skip }, async () => {})
else {
  test('a server that is read-only passes by itself, a database that does not exist does not', async t => {
    const url = new URL(newPlace(t).url)
    const refused = (place: URL) =>
      preparePostgres(parseDatabaseUrl(place.href), PROGRAM).then(() => {}, (error: unknown) => error)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const readOnly = await refused(url)
    t.match(readOnly, { code: '25006' })
    t.notOk(isRefusal(readOnly))
    url.pathname = '/nobody_made_this'
    t.ok(isRefusal(await refused(url)))
  })

  testStore<string>({
    name: 'PostgreSQL',
    newPlace: async t => newPlace(t).url,
    open: async (url, identity) => await openPostgresStore({ url, ...identity })
  })
}

test(
  'one leads, and the next one once it has gone; whoever was replaced writes nothing, whatever he believes',
  { skip },
  async t => {
    const { url, schema } = newPlace(t)
    const place = parseDatabaseUrl(url)
    await preparePostgres(place, PROGRAM)
    const [first, second] = [await openSession(place), await openSession(place)]
    t.teardown(async () => { await first.release(); await second.release() })
    const put = (key: string) => async (
      trx: Parameters<Parameters<typeof first.writing>[0]>[0]
    ) => { await trx.insertInto('meta').values({ key, value: '' }).execute() }
    t.same([await first.tryToLead(), await second.tryToLead(), await first.tryToLead()], [true, false, true])
    await t.rejects(
      second.writing(put('by one who never led')), { code: 'HISTORY_UNAVAILABLE', message: /another process writes/ }
    )
    const third = await openSession(place)
    t.teardown(() => third.release())
    await first.writing(put('by the leader'))
    // As if the lock had been lost without the session: by a pooler that gives one connection to several, say
    await ask(`update "${schema}".meta set value = (value::int + 1)::text where key = 'epoch'`)
    await t.rejects(
      first.writing(put('by the one who was replaced')),
      { code: 'HISTORY_UNAVAILABLE', message: /another process writes/ }
    )
    t.ok(first.lost.aborted, 'and he gives up his session')
    while (!await third.tryToLead()) await wait(20)
    await third.writing(put('by the next'))
    const found = await ask(`select key from "${schema}".meta where key like 'by %' order by key`)
    t.same(found.map(({ key }) => key), ['by the leader', 'by the next'])
  }
)

test('many processes that start at once make the tables once', { skip }, async t => {
  const { url, schema } = newPlace(t)
  await Promise.all(Array.from({ length: 5 }, () => preparePostgres(parseDatabaseUrl(url), PROGRAM)))
  const versions = await ask(`select version from "${schema}".schema_version order by version`)
  t.equal(new Set(versions.map(({ version }) => version)).size, versions.length)
})

test('no read of trades, ranges, candles or days looks at a whole table, once there are rows', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const open = () => openPostgresStore({ url, program: PROGRAM })
  await (await open()).close()
  const rows = 40_000
  await ask(`insert into "${schema}".daos (id, address) select n, 'dao' || n from generate_series(1, 20) n`)
  await ask(
    `insert into "${schema}".events (revision, dao, seq, kind, slot, at, signature, event_index, side, input, output,
      block_index, maker, quote_reserves, base_reserves)
    select n, 1 + n % 20, 1 + n / 20, 'SpotSwap', 1000 + n, 5000000 + n * 60, 'signature' || n, 65537, 'buy', 10, 20,
      0, 'maker' || n % 97, 1, 1 from generate_series(0, ${rows - 1}) n`
  )
  await ask(
    `insert into "${schema}".makers (day, dao, maker)
    select n / 40, 1 + n % 20, 'maker' || n from generate_series(0, ${rows - 1}) n`
  )
  const sizes = { minutes: 60, hours: 3600, days: 86_400 }
  for (const [size, width] of Object.entries(sizes)) {
    await ask(
      `insert into "${schema}".candles (dao, width, start, base, quote, trades, fees, unknown_fees, revision)
      select 1 + n % 20, ${width}, n / 20 * ${width}, 1, 1, 1, 1, 0, ${size === 'days' ? 'n' : 'null'}
      from generate_series(0, ${rows - 1}) n`
    )
  }
  await ask(
    `insert into "${schema}".meta values ('revision', '${rows}') on conflict (key) do update set value = excluded.value`
  )
  const large = ['events', 'candles', 'makers']
  for (const table of large) await ask(`analyze "${schema}".${table}`)

  /** Scans of the large tables so far; a session adds its own when it ends. */
  async function scans (): Promise<number> {
    while ((await ask(
      'select from pg_stat_activity where application_name = $1', [`dao-market-data ${schema}`]
    )).length > 0) await wait(20)
    const [found] = await ask(
      'select sum(seq_scan)::int as n from pg_stat_user_tables where schemaname = $1 and relname = any($2)',
      [schema, large]
    )
    return found!.n as number
  }
  async function during (work: (store: Awaited<ReturnType<typeof open>>) => Promise<void>): Promise<number> {
    const before = await scans()
    const store = await open()
    await work(store)
    await store.close()
    return await scans() - before
  }
  const opening = await during(async () => {})
  const found = await during(async store => {
    const dao = 'dao7'
    t.equal((await store.trades({ dao, limit: 1000 })).length, 1000)
    t.equal((await store.trades({ dao, limit: 100, before: 900n })).length, 100)
    t.equal((await store.trades({ dao, limit: 100, since: 5_600_000, until: 5_700_000 })).length > 50, true)
    t.equal((await store.poolEvents({ from: 9000, to: 9999, limit: 10_000 })).length, 1000)
    t.equal((await store.poolEvents(
      { from: 9000, to: 9999, after: { slot: 9500, blockIndex: 0, eventIndex: 65_537 }, limit: 10_000 }
    )).length, 499)
    for (const [size, width] of [['minutes', 60], ['hours', 3600], ['days', 86_400]] as const) {
      t.equal((await store.candlesOf(dao, size, { from: 0, to: width * 10_000, limit: 1000 })).length, 1000)
      t.equal((await store.candles([{ dao, size, start: width }, { dao, size, start: 2 * width }])).length, 2)
      t.equal((await store.candlesOfAll(
        [dao, 'dao8'], size, { from: 100 * width, to: 200 * width }
      )).length, 200)
    }
    t.equal((await store.swapsOfAll([dao, 'dao8'], 5_600_000, 5_603_600)).length, 6)
    t.equal((await store.traders([dao, 'dao8'], 5_600_000, 5_686_400)).size, 2)
    t.equal((await store.daysOf(dao, { from: 0, to: 100 * 86_400, limit: 1000 })).length, 100)
    t.equal((await store.origins([{ dao, seq: 7n }])).length, 1)
    t.equal((await store.origins([{ dao, seq: 1n }])).length, 1)
    t.equal((await store.load()).firstSwaps.get(dao), 5_000_000 + 6 * 60)
    t.equal((await store.lastTrades(6_000_000, Array.from({ length: 20 }, (_, at) => `dao${at + 1}`))).length, 20)
    t.same(await store.incompleteSlot(), null)
    t.same(await store.untold(), false)
    t.same(await store.proposalEvents('p'), [])
    t.same(await store.trades({ dao, market: { proposal: 'p', market: 'pass' }, limit: 9 }), [])
    t.same(await store.otherFees(), [])
    await store.amend([{ dao, seq: 5n, maker: 'x', blockIndex: 0, liquidity: null }], [{ dao, day: 7, maker: 'x' }])
  })
  t.equal(found, opening)
  t.ok(await during(
    async store => { await store.swapsOfAll(Array.from({ length: 20 }, (_, at) => `dao${at + 1}`), 0, 1e9) }
  ) > opening, 'and one that has to is seen')
})

test('a store that is held and not used stays held', { skip }, async t => {
  const { engine, since } = await held!
  await wait(Math.max(0, SILENT_MS - (performance.now() - since)))
  t.equal((await engine.db.selectFrom('meta').selectAll().where('key', '=', 'program').execute()).length, 1)
})
