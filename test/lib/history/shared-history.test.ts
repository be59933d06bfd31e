import { connect, createServer, type AddressInfo } from 'node:net'
import { test, type Test } from 'tap'
import { type Clock, systemClock } from '../../../lib/clock.js'
import { parseDecimal, toFixed, wholeTokens, type Rational } from '../../../lib/decimal.js'
import type { SignatureInfo } from '../../../lib/chain/types.js'
import type { LogEvent } from '../../../lib/history/log-events.js'
import type { History } from '../../../lib/history/history.js'
import { openSharedHistory, type SharedHistoryOptions } from '../../../lib/history/shared-history.js'
import { NO_ROOM } from '../../../lib/history/store/failures.js'
import { rebuildRollups } from '../../../scripts/rebuild-stored.js'
import { HEARTBEAT_MS } from '../../../lib/history/replicas/leader.js'
import { openPostgresStore } from '../../../scripts/open-engine.js'
import { createLedger, type Ledger } from '../../../simulator/index.js'
import { countOf } from '../../support/history/count.js'
import { ageTime } from '../../support/age-time.js'
import { accountsOf, settled, until, watch } from '../../support/history/history.js'
import { ask, cutAll, newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { ledgerReader } from '../../support/history/reader.js'
import { postgresRows, sqliteRows } from '../../support/history/rows.js'
import { makeYear } from '../../support/history/year.js'
import { createLink } from '../../support/link.js'
import { steadyNow } from '../../support/steady-time.js'

const skip = await withoutPostgres()
const shown = (value: Rational) => toFixed(wholeTokens(value, 6), 8)
const now = () => Date.now() / 1000

/** A clock on which what is long takes for ever: whoever is not told does not come to look in time. */
const patientClock: Clock = {
  ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms > 1_000 ? ms * 1_000 : ms, signal)
}

/** A ledger of the present: it ends a second ago. */
function present (): Ledger {
  const ledger = createLedger({ seed: 3, time: Math.floor(now()) - 3600 })
  for (let at = 0; at < 2; at++) {
    ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
    )
  }
  trade(ledger, 20)
  return ledger
}

/** Its head is of now, whether or not anybody has traded. */
const presentReader = (ledger: Ledger) => Object.assign(ledgerReader(ledger), { headTime: () => Math.floor(now()) })
/** And its accounts too. */
const presentAccounts = (ledger: Ledger): SharedHistoryOptions['daos'] => async final =>
  ({ ...await accountsOf(ledger)(final), time: Math.floor(now()) })

function trade (ledger: Ledger, times = 1): void {
  for (let at = 0; at < times; at++) {
    for (const dao of ledger.daos) {
      ledger.advance(1)
      dao.swap(at % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_000 + at))
    }
  }
}

async function share (t: Test, ledger: Ledger, url: string, options: Partial<SharedHistoryOptions> = {}) {
  const events: LogEvent[] = []
  const history = await openSharedHistory({
    url,
    writes: true,
    program: ledger.program,
    reader: presentReader(ledger),
    daos: presentAccounts(ledger),
    time: ageTime(Date.now),
    rate: parseDecimal('0.005')!,
    basis: 'input',
    pollMs: 50,
    checkMs: 100,
    onLog: event => { events.push(event) },
    ...options
  })
  t.teardown(async () => {
    await history.stop()
    await history.close()
  })
  return { history, events, leads: () => events.filter(({ code }) => code === 'leadership').length % 2 === 1 }
}

async function checkWindow (
  t: Test, ledger: Ledger, { history }: Awaited<ReturnType<typeof share>>, name: string
): Promise<void> {
  const volumes = (await history.last24h()).volumes
  for (const dao of ledger.daos) {
    const { base, quote, trades, complete } = volumes.get(dao.address)!
    const count = countOf(ledger.swaps.filter(swap => swap.dao === dao.address), { bps: 50n, basis: 'input' })
    t.same(
      [shown(base), shown(quote), trades, complete], [shown(count.base), shown(count.quote), count.trades, true], name
    )
  }
}

test('two stores fed the same chain are equal row for row', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const ledger = makeYear(5, 90)
  const store = await openPostgresStore({ url, program: ledger.program })
  const inPostgres = await watch(t, ledger, { store })
  const embedded = await watch(t, ledger)
  for (const { history, store } of await Promise.all(
    [inPostgres, embedded].map(async watched => { await settled(watched, ledger); return watched })
  )) {
    await history.stop()
    await store.close()
  }
  const [expected, found] = [sqliteRows(embedded.folder), await postgresRows(schema)]
  t.ok(expected.events!.length > 600)
  for (const [table, rows] of Object.entries(expected)) t.same(found[table], rows, table)
})

test(
  'one writes, all answer: volumes, days, report and status, and the other writes once the first has gone',
  { skip },
  async t => {
    const { url } = newPlace(t)
    const ledger = present()
    const first = await share(t, ledger, url)
    first.history.start()
    await until(() => first.history.status().complete && first.history.status().last24h)
    const second = await share(t, ledger, url)
    const reader = await share(t, ledger, url, { writes: false, clock: patientClock })
    for (const { history } of [second, reader]) history.start()
    for (const [name, shared] of Object.entries({ first, second, reader })) {
      await until(() => shared.history.status().swaps === ledger.swaps.length && shared.history.status().last24h)
      await checkWindow(t, ledger, shared, name)
      t.match(shared.history.status(), { complete: true, phase: 'following', missingEvents: 0, missingTransactions: 0 })
      t.equal((await shared.history.daily()).size, 2)
    }
    await until(() => reader.history.report().get(ledger.daos[0]!.address)?.indexed === BigInt(ledger.daos[0]!.seqNum))
    t.same([first.leads(), second.leads(), reader.leads()], [true, false, false])

    trade(ledger, 3)
    await until(() => reader.history.status().swaps === ledger.swaps.length)
    t.pass('readers are told, they need not look')
    await checkWindow(t, ledger, reader, 'what is new')

    await first.history.stop()
    trade(ledger, 2)
    await until(() => second.leads() && reader.history.status().swaps === ledger.swaps.length)
    await checkWindow(t, ledger, reader, 'of the second writer')
    t.not(reader.leads(), true)
    await t.rejects(first.history.last24h(), { code: 'SHUTTING_DOWN' })
  }
)

test('who reads another network than the stored one neither answers nor leads, and says so', { skip }, async t => {
  const { url } = newPlace(t)
  const ledger = present()
  const first = await share(t, ledger, url)
  first.history.start()
  await until(() => first.history.status().complete && first.history.status().last24h)
  let genesis = 'GenesisOfAnother'
  const reader = Object.assign(presentReader(ledger), { genesisHash: async () => genesis })
  const { history, leads } = await share(t, ledger, url, { reader })
  await t.rejects(history.last24h(), { code: 'WARMING_UP' }, 'before it is known which it reads')
  history.start()
  await until(() => history.status().refusal !== null)
  t.match(history.status().refusal, /made for the one of genesis .*, CHAIN_RPC_URL leads to GenesisOfAnother/)
  await t.rejects(history.last24h(), { code: 'WRONG_NETWORK' })
  await first.history.stop()
  await systemClock.sleep(HEARTBEAT_MS * 1.5)
  t.notOk(leads(), 'the lead is left to others')
  genesis = await presentReader(ledger).genesisHash()
  await until(() => history.status().refusal === null)
  t.equal((await history.last24h()).volumes.size, 2, 'and all once that is corrected')
  await until(leads)
})

test(
  'a past that the node has lost does not hide what is known of today, once it has been looked for, ' +
    'from whoever answers',
  { skip },
  async t => {
    const { url } = newPlace(t)
    const ledger = createLedger({ seed: 3, time: Math.floor(now()) - 3 * 86_400 })
    ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
    )
    trade(ledger, 5)
    const known = ledger.slot
    ledger.advance(86_400)
    trade(ledger, 5)
    ledger.advance(Math.floor(now()) - 600 - ledger.time)
    trade(ledger, 5)
    const forgetful = () => Object.assign(
      presentReader(ledger), { bendPage: (page: SignatureInfo[]) => page.filter(({ slot }) => slot > known) }
    )
    const today = async (history: History) => (await history.last24h()).volumes.get(ledger.daos[0]!.address)
    const writer = await share(t, ledger, url, { reader: forgetful() })
    const reader = await share(t, ledger, url, { reader: forgetful(), writes: false })
    for (const { history } of [writer, reader]) history.start()
    await until(
      () => reader.history.status().complete && reader.history.status().missingEvents === ledger.daos[0]!.seqNum - 10
    )
    await until(async () => (await today(reader.history))?.complete === true)
    t.equal((await today(reader.history))!.trades, 5)
    t.equal((await reader.history.daily()).get(ledger.daos[0]!.address)!.complete, false)
    const late = await share(t, ledger, url, { reader: forgetful() })
    await writer.history.stop()
    late.history.start()
    await until(() => late.leads())
    t.equal((await today(reader.history))!.complete, true, 'nor after another has taken the lead')
  }
)

test('what an account numbers and nobody lists is missing for whoever answers', { skip }, async t => {
  const { url } = newPlace(t)
  const ledger = present()
  const hidden = ledger.swaps.at(-1)!.signature
  const reader = () => Object.assign(
    presentReader(ledger), { bendPage: (page: SignatureInfo[]) => page.filter(({ signature }) => signature !== hidden) }
  )
  const writer = await share(t, ledger, url, { reader: reader() })
  const follower = await share(t, ledger, url, { reader: reader(), writes: false })
  for (const { history } of [writer, follower]) history.start()
  const made = ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
  await until(() => {
    const { complete, last24h, events, expected } = follower.history.status()
    return complete && last24h && events === made - 1 && expected === made
  })
  t.equal(follower.history.status().missingEvents, 1)
  const { volumes } = await follower.history.last24h()
  t.same(ledger.daos.map(({ address }) => volumes.get(address)!.complete), [true, false])
})

test('connections cut: the service goes on by itself, and nothing is lost or doubled', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const ledger = present()
  const shared = [await share(t, ledger, url), await share(t, ledger, url)]
  for (const { history } of shared) history.start()
  await until(() => shared.every(({ history }) => history.status().last24h))
  for (let round = 0; round < 2; round++) {
    trade(ledger, 3)
    const cut = await cutAll(schema)
    t.ok(cut >= 4, 'of each process one session and one reader at least')
    trade(ledger, 3)
    await until(() => shared.every(({ history }) => history.status().swaps === ledger.swaps.length))
    for (const each of shared) await checkWindow(t, ledger, each, `after cut ${round}`)
  }
  const [found] = await ask(
    `select count(*)::int as events, count(distinct (dao, seq))::int as numbers from "${schema}".events`
  )
  t.same(found, {
    events: ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0),
    numbers: ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
  })
})

/** To PostgreSQL; the next `cuts` commits of events arrive there, and their answers do not come back. */
async function loseAnswers (t: Test, { hostname, port }: URL) {
  const lost = { cuts: 0, port: 0 }
  const proxy = createServer(client => {
    const server = connect(Number(port || 5432), hostname)
    let holdsEvents = false
    let isCut = false
    client.on('data', piece => {
      holdsEvents ||= piece.includes('insert into "events"')
      if (holdsEvents && piece.includes('commit') && lost.cuts > 0) {
        lost.cuts--
        isCut = true
      }
      server.write(piece)
    })
    server.on('data', piece => { if (isCut) client.resetAndDestroy(); else client.write(piece) })
    client.on('error', () => {}).on('close', () => server.end())
    server.on('error', () => {}).on('close', () => client.destroy())
  })
  await new Promise<void>(resolve => { proxy.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => proxy.close())
  lost.port = (proxy.address() as AddressInfo).port
  return lost
}

test('a commit whose answer is lost is neither lost nor counted twice', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const ledger = present()
  const there = new URL(url)
  const lost = await loseAnswers(t, there)
  there.port = String(lost.port)
  const writer = await share(t, ledger, there.href)
  writer.history.start()
  await until(() => writer.history.status().last24h)
  for (let round = 0; round < 2; round++) {
    lost.cuts = 1
    trade(ledger, 3)
    await until(() => lost.cuts === 0 && writer.history.status().swaps === ledger.swaps.length)
    await checkWindow(t, ledger, writer, `after a lost answer ${round}`)
  }
  t.ok(writer.events.some(({ message }) => message.includes('has lost the lead')))
  const [found] = await ask(`select (select count(*)::int from "${schema}".events) as events,
    (select sum(trades)::int from "${schema}".candles where width = 86400) as trades`)
  t.same(found, { events: ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0), trades: ledger.swaps.length })
})

test('who writes a database without room says so, keeps the lead, ' +
  'and goes on once there is some', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const ledger = present()
  const { history, events } = await share(t, ledger, url)
  history.start()
  await until(() => history.status().last24h)
  // the server's own error for a full disk (SQLSTATE 53100)
  await ask(`create function "${schema}".full_disk() returns trigger language plpgsql as
    'begin raise exception ''could not extend file'' using errcode = ''53100''; end'`)
  await ask(`create trigger full_disk before insert on "${schema}".events execute function "${schema}".full_disk()`)
  trade(ledger, 3)
  await until(() => history.status().refusal === NO_ROOM)
  t.ok(events.some(({ code, message }) => code === 'retry' && message.startsWith(NO_ROOM)))
  await ask(`drop trigger full_disk on "${schema}".events`)
  await until(() => history.status().swaps === ledger.swaps.length)
  t.equal(history.status().refusal, null)
  t.equal(events.filter(({ code }) => code === 'leadership').length, 1, 'nobody took the lead in vain')
})

test('a rebuild that empties the candles is never read as no trades', { skip }, async t => {
  const { url, schema } = newPlace(t)
  const ledger = present()
  const first = await share(t, ledger, url)
  first.history.start()
  await until(() => first.history.status().complete && first.history.status().last24h)
  await first.history.stop()
  const { history } = await share(t, ledger, url, { writes: false })
  history.start()
  await until(() => history.status().last24h)
  const dao = ledger.daos[0]!.address
  const range = { from: 0, to: ledger.time + 60, limit: 999 }
  const candles = () => history.read(reading => reading.candles(dao, '1m', range))
  const expected = await candles()
  t.ok(expected.length > 0)

  const store = await openPostgresStore({ url, program: ledger.program })
  t.teardown(() => store.close())
  t.same(await candles(), expected)
  const emptying = async (granted: boolean) => (await ask(
    'select from pg_locks where relation = $1::regclass and mode = $2 and granted = $3',
    [`"${schema}".candles`, 'AccessExclusiveLock', granted]
  )).length > 0
  let rebuilt: number | undefined
  let rebuilding: Promise<void> | undefined
  t.same(await history.read(async reading => {
    rebuilding = rebuildRollups({ store }).then(swaps => { rebuilt = swaps })
    await until(async () => rebuilt !== undefined || await emptying(false))
    return await reading.candles(dao, '1m', range)
  }), expected, 'begun while one reads')
  await rebuilding
  t.equal(rebuilt, ledger.swaps.length)

  t.same(await candles(), expected)
  const begun = ask(`begin; truncate "${schema}".candles; delete from "${schema}".meta where key = 'valuation';
    update "${schema}".meta set value = (value::bigint + 1)::text where key = 'revision'; select pg_sleep(1); commit`)
  await until(() => emptying(true))
  await t.rejects(candles(), { code: 'WARMING_UP' }, 'begun before one reads')
  await begun
})

test('without a writer that reaches the head, nothing old is given out as new', { skip }, async t => {
  const { url } = newPlace(t)
  const ledger = present()
  const writer = await share(t, ledger, url)
  let passed = 0
  const reader = await share(t, ledger, url, { writes: false, time: ageTime(() => Date.now() + passed) })
  t.throws(() => reader.history.head(), { code: 'WARMING_UP' })
  await t.rejects(reader.history.last24h(), { code: 'WARMING_UP' })
  for (const { history } of [writer, reader]) history.start()
  await until(() => reader.history.status().last24h)
  await checkWindow(t, ledger, reader, 'fresh')
  await writer.history.stop()
  // what was written last may be read between the two
  await until(async () => reader.history.head().time === (await reader.history.last24h()).head.time)
  passed = 61_000
  await t.rejects(reader.history.last24h(), { code: 'HISTORY_UNAVAILABLE', message: /behind/ })
  await t.rejects(reader.history.daily(), { code: 'HISTORY_UNAVAILABLE' })
  t.ok(reader.history.status().headAge! > 60_000)
  const other = await share(t, ledger, url, { writes: false, rate: parseDecimal('0.0025')! })
  other.history.start()
  await until(() => other.history.daily().then(() => true, ({ code }) => code !== 'WARMING_UP'))
  await t.rejects(other.history.daily(), { code: 'HISTORY_UNAVAILABLE', message: /another PROTOCOL_FEE_RATE/ })
})

test(
  'a head that is old by the time of a process that only reads is old for it, whoever wrote it',
  { skip },
  async t => {
    const { url } = newPlace(t)
    const ledger = present()
    const writer = await share(t, ledger, url)
    let past = 0
    const reader = await share(t, ledger, url, { writes: false, time: ageTime(() => Date.now() + past) })
    for (const { history } of [writer, reader]) history.start()
    await until(() => reader.history.status().last24h)
    await checkWindow(t, ledger, reader, 'fresh')
    past = 90_000
    await t.rejects(reader.history.last24h(), { code: 'HISTORY_UNAVAILABLE', message: /behind/ })
    past = 15_000
    await until(() => !reader.history.status().isBehind)
    await checkWindow(t, ledger, reader, 'no longer than finality takes')
  }
)

test(
  'a database that is away is waited for, and its secrets are not told; one that says no ends the start',
  { skip },
  async t => {
    const { url } = newPlace(t)
    const ledger = present()
    const away = new URL(url)
    Object.assign(away, { port: '1', username: 'somebody', password: 'a-secret-word' })
    const { history, events } = await share(t, ledger, away.href)
    history.start()
    await t.rejects(history.last24h(), { code: 'HISTORY_UNAVAILABLE' })
    t.match(history.status(), { phase: 'starting', last24h: false })
    t.match(events[0], { level: 'error', code: 'retry', message: /ECONNREFUSED.*tried again/ })
    t.notMatch(JSON.stringify(events), /a-secret-word/)

    const wrong = new URL(url)
    wrong.pathname = '/no-such-database'
    await t.rejects(share(t, ledger, wrong.href), { code: 'HISTORY_UNAVAILABLE', message: /no-such-database/ })
    const unread = new URL(url)
    unread.searchParams.set('sslrootcert', '/no-such-file')
    await t.rejects(share(t, ledger, unread.href), { code: 'HISTORY_UNAVAILABLE', message: /ENOENT/ })
    const odd = new URL(url)
    odd.searchParams.set('schema', 'a"b')
    await t.rejects(
      share(t, ledger, odd.href), { code: 'HISTORY_UNAVAILABLE', message: /the schema in DATABASE_URL must be/ }
    )
    const mine = await openPostgresStore({ url, program: 'another' })
    await mine.close()
    await t.rejects(share(t, ledger, url), { code: 'HISTORY_UNAVAILABLE', message: /belongs to another program/ })
  }
)

test(
  'a connection that has gone silent is given up in time, and the answers come back by themselves',
  { skip },
  async t => {
    const { url } = newPlace(t)
    const ledger = present()
    const writer = await share(t, ledger, url)
    const database = new URL(url)
    const link = await createLink({ host: database.hostname, port: Number(database.port || 5432) })
    t.teardown(() => link.close())
    Object.assign(database, { hostname: '127.0.0.1', port: String(link.port) })
    // Limits as in any URL of the driver: not to wait for the usual ones here
    const reader = await share(t, ledger, `${database.href}&query_timeout=3000`, { writes: false })
    for (const { history } of [writer, reader]) history.start()
    await until(() => reader.history.status().last24h)
    await checkWindow(t, ledger, reader, 'before')
    const end = link.begin('silent')
    const begun = steadyNow()
    await t.rejects(reader.history.last24h(), { code: 'HISTORY_UNAVAILABLE' })
    t.ok(steadyNow() - begun < 15_000)
    trade(ledger, 1)
    end()
    await until(() => reader.history.status().swaps === ledger.swaps.length)
    await checkWindow(t, ledger, reader, 'after')
  }
)

test('reads go by an index, however many swaps there are', { skip }, async t => {
  const { url, schema } = newPlace(t)
  await (await openPostgresStore({ url, program: 'P' })).close()
  const events = `"${schema}".events`
  await ask(`insert into ${events} (revision, dao, seq, kind, slot, at, signature, event_index, side, reason)
    select n, n % 50, n, 'SpotSwap', n, 1700000000 + n, 's' || n, 0, 'buy', case when n % 5000 = 0 then 'odd' end
    from generate_series(1, 30000) n`)
  await ask(
    `insert into "${schema}".candles (dao, width, start, base, quote, trades, fees, unknown_fees, revision)
    select n % 50, 86400, n * 86400, 1, 1, 1, 1, 0, n from generate_series(1, 20000) n`
  )
  for (const table of ['events', 'candles']) await ask(`analyze "${schema}".${table}`)
  for (const [sql, index] of [
    [`select distinct dao from ${events} where at >= 1700029000 and at < 1700029100 and side is not null`, 'events_at'],
    [
      `select * from ${events} where revision > 29990 and revision <= 30000 and at > 1700000005 and side is not null`,
      'events_pkey'
    ],
    [`select * from ${events} where revision > 100 and side is not null order by revision limit 10`, 'events_pkey'],
    [`select dao, at from ${events} where reason is not null order by at`, 'events_odd'],
    [
      `select e.signature
      from (select * from unnest('{1,2}'::integer[], '{7,8}'::numeric(20, 0)[]) as keys (dao, seq)) wanted
      join ${events} e on e.dao = wanted.dao and e.seq = wanted.seq`,
      'events_dao_seq_key'
    ],
    [`update ${events} set fee = 1, revision = 40000 where dao = 1 and seq = 1`, 'events_dao_seq_key'],
    [`select * from "${schema}".candles where revision > 19990 and revision <= 20000`, 'candles_revision'],
    [
      `select d.*
      from (select * from unnest('{1,3}'::integer[], '{86400,172800}'::bigint[]) as keys (dao, start)) wanted
      join "${schema}".candles d on d.dao = wanted.dao and d.width = 86400 and d.start = wanted.start`,
      'candles_pkey'
    ]
  ] as const) {
    const plan = (await ask(`explain ${sql}`)).map(row => row['QUERY PLAN']).join('\n')
    t.match(plan, new RegExp(`(using|on) ${index}`), sql)
    t.notMatch(plan, /Seq Scan/, sql)
  }
})
