import pg from 'pg'
import { test, type Test } from 'tap'
import { ROUTER, startChain, until } from '../../helper.js'
import { newPlace, withoutPostgres } from '../../support/history/postgres.js'
import { createLink } from '../../support/link.js'
import type { Ready } from '../../../schemas/ready.js'
import { startServer } from '../reliability/process.js'
import { steadyNow } from '../../support/steady-time.js'

const skip = await withoutPostgres()

async function setUp (t: Test) {
  const { ledger, node } = await startChain(t)
  ledger.dao(
    { base: ledger.mint({ symbol: 'AAA' }), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  // a head is published once accounts of a later slot confirm it
  const moving = setInterval(() => ledger.advance(1), 1000)
  t.teardown(() => clearInterval(moving))
  return {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    RATE_LIMIT_ALLOW: '127.0.0.1'
  }
}

const messages = (server: ReturnType<typeof startServer>): string[] => server.lines().map(({ msg }) => msg)

test('a signal ends a start that waits for others, at once and with status 0', { skip }, async t => {
  const env = await setUp(t)
  const { url, schema } = newPlace(t)
  const other = new pg.Client({ connectionString: url.replace(/\?.*/, '') })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('select pg_advisory_lock(hashtextextended($1, 0))', [`dao-market-data tables ${schema}`])
  const server = startServer(t, { ...env, DATABASE_URL: url })
  await until(
    'it has begun',
    async () => (await other.query(
      `select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
    )).rows.length > 0
  )
  const at = steadyNow()
  server.child.kill('SIGTERM')
  const { code, ms } = await server.exit(at)
  t.equal(code, 0)
  t.ok(ms < 5_000, `${ms} ms`)
  t.ok(messages(server).includes('SIGTERM received before the service listens: it ends'))
})

/** A service on a database behind a link, once all that it answers is there. */
async function onLink (t: Test, settings = {}) {
  const env = { ...await setUp(t), ...settings }
  const place = newPlace(t)
  const database = new URL(place.url)
  const link = await createLink({ host: database.hostname, port: Number(database.port || 5432) })
  t.teardown(() => link.close())
  Object.assign(database, { hostname: '127.0.0.1', port: String(link.port) })
  const server = startServer(t, { ...env, DATABASE_URL: database.href })
  const url = await server.url()
  await until('the history is there', async () => (await fetch(`${url}/dexscreener/latest-block`)).status === 200)
  await until('the tickers are there', async () => (await fetch(`${url}/api/tickers`)).status === 200)
  return { link, server, url, place, env }
}

test('of a silent database what needs it is 503 in time, however many ask, ' +
  'and no fault of a node', { skip }, async t => {
  const { link, url } = await onLink(t)
  const [{ ticker_id: pair }] = await (await fetch(`${url}/api/tickers`)).json() as [{ ticker_id: string }]
  t.equal((await fetch(`${url}/api/proposals`)).status, 200)
  link.begin('silent')
  t.equal((await fetch(`${url}/api/proposals`)).status, 200, 'what is kept needs no database')
  const wrong: string[] = []
  async function ask (path: string): Promise<void> {
    const at = steadyNow()
    const { status } = await fetch(url + path)
    const ms = Math.round(steadyNow() - at)
    if (status !== 503 || ms > 10_000) wrong.push(`${path}: ${status} after ${ms} ms`)
  }
  const costly = Array.from({ length: 8 }, (_, at) => `/coingecko/historical_trades?ticker_id=${pair}&limit=${at}`)
  const asked = ['/api/pools', '/api/days', '/dexscreener/latest-block', ...costly]
  // also while some wait, and after the first have been refused
  const waves = [0, 3_000, 6_000].map(async ms => {
    await new Promise(resolve => { setTimeout(resolve, ms) })
    await Promise.all(asked.map(ask))
  })
  await Promise.all(waves)
  t.same(wrong, [])
})

/** Whether each group of paths answers, as one of it does, and as /ready tells. */
async function checkTold (t: Test, url: string, expected: Record<string, boolean>, when: string): Promise<void> {
  const { answers } = await (await fetch(`${url}/ready`)).json() as Ready
  for (const [path, does] of Object.entries(expected)) {
    t.equal((await fetch(url + path)).ok, does, `${path} ${when}`)
    const group = answers.find(({ paths }) => paths.some(begin => path.startsWith(begin)))
    t.equal(group?.ready, does, `${path} as told ${when}`)
  }
}

test('/ready tells of each group whether it answers: beside another basis, ' +
  'and of a silent database', { skip }, async t => {
  const { link, url, place, env } = await onLink(t, { STALE_IF_ERROR: '0' })
  const other = await startServer(t, { ...env, ROLE: 'api', VOLUME_BASIS: 'fees', DATABASE_URL: place.url }).url()
  await until('it has read the database', async () => (await fetch(`${other}/dexscreener/latest-block`)).ok)
  const none = { '/api/pools': false, '/api/proposals': false, '/api/tickers': false, '/api/volume/aggregate': false }
  await checkTold(t, other, { '/api/daos': true, ...none, '/dexscreener/latest-block': true }, 'beside another basis')
  link.begin('silent')
  await until('the tickers are too old', async () => !(await fetch(`${url}/api/tickers`)).ok)
  const silent = { '/api/daos': true, '/api/pools': false, '/dexscreener/latest-block': false }
  await checkTold(t, url, silent, 'while it is silent')
})

test('a database that works slowly is waited for', { skip }, async t => {
  const { url, place: { url: database, schema } } = await onLink(t)
  const [{ pool_id: pool }] = await (await fetch(`${url}/api/tickers`)).json() as [{ pool_id: string }]
  const other = new pg.Client({ connectionString: database.replace(/\?.*/, '') })
  await other.connect()
  t.teardown(() => other.end())
  await other.query('begin')
  // only trades are read from it: the first questions of a reading are answered
  await other.query(`lock table "${schema}".events in access exclusive mode`)
  let isLocked = true
  const asked = fetch(`${url}/api/pools/${pool}/trades`)
  setTimeout(() => {
    isLocked = false
    other.query('commit').catch(() => {})
  }, 5_500)
  const { status } = await asked
  t.equal(status, 200)
  t.notOk(isLocked, 'it had to wait')
})

test(
  'a database that falls silent does not hold up the end: it comes within 10 s, with status 0',
  { skip },
  async t => {
    const { link, server, url } = await onLink(t)
    link.begin('silent')
    let isWaiting = true
    const waiting = fetch(`${url}/dexscreener/latest-block`).catch(() => {}).finally(() => { isWaiting = false })
    await (await fetch(`${url}/ready`)).text()
    t.ok(isWaiting, 'what /ready tells is not asked of the database')
    const at = steadyNow()
    server.child.kill('SIGTERM')
    const { code, ms } = await server.exit(at)
    await waiting
    t.equal(code, 0)
    t.ok(ms < 10_000, `${ms} ms`)
    t.ok(messages(server).includes('the service has ended'))
  }
)
