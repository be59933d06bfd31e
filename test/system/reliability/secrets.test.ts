import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { createRedactor, secretsOf } from '../../../lib/secrets.js'
import { ROUTER, startChain, until } from '../../helper.js'
import type { FaultRule } from '../../../simulator/index.js'
import { freePort } from '../../support/free-port.js'
import { startServer } from './process.js'
import { createWorld } from './truth.js'

/** A key for each place in which a URL can hold one. */
const KEY = 'SeCrEt'
const hide = (url: string, path = true): string => {
  const address = new URL(url)
  address.username = path ? `${KEY}-user` : 'market'
  address.password = `${KEY}-password%2F`
  if (path) address.pathname = `/v2/${KEY}-path`
  address.search = `?api-key=${KEY}-query`
  return address.href
}

test('no log line, answer or metric of the real process holds a key, whatever the node does', async t => {
  const { ledger, node } = await startChain(t)
  const world = createWorld(ledger)
  const metricsPort = await freePort()
  // its path is told with the error: one of the test's own name would hold the key
  const folder = mkdtempSync(join(tmpdir(), 'crash-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const crash = join(folder, 'crash.mjs')
  // the worst case: an error that carries the setting itself, as the platform's errors do, and that nothing catches
  writeFileSync(
    crash,
    "process.on('SIGWINCH', () => { throw Object.assign(new Error('Invalid URL ' + process.env.CHAIN_RPC_URL), " +
      '{ input: process.env.CHAIN_WS_URL }) })'
  )
  const server = startServer(t, {
    CHAIN_RPC_URL: `${hide(node.url)},${hide('http://127.0.0.1:9')}`,
    CHAIN_WS_URL: hide(node.wsUrl),
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    RATE_LIMIT_MAX: '100000',
    METRICS_PORT: String(metricsPort),
    LOG_LEVEL: 'trace',
    NODE_OPTIONS: `--import ${crash}`
  })
  const url = await server.url()
  let seen = ''
  const ask = async (address: string): Promise<void> => {
    const answer = await fetch(address, { headers: { 'x-forwarded-for': '1.2.3.4' } })
    seen += `${JSON.stringify([...answer.headers])}\n${await answer.text()}\n`
  }
  const faults: Array<FaultRule | undefined> = [
    undefined, { kind: 'refuse' }, { kind: 'reset' }, { kind: 'status' }, { kind: 'rate-limit', value: 1 },
    { kind: 'html' }, { kind: 'truncated' }, { kind: 'wrong-id' }, { kind: 'rpc-error' }, { kind: 'missing-field' },
    { kind: 'wrong-owner' }
  ]
  for (const fault of faults) {
    const active = fault && node.fault(fault)
    node.ws.drop()
    const paths = [
      '/', '/health', '/ready', '/nowhere', '/api/tickers', '/api/daos', '/api/volume/aggregate',
      `/api/supply/${ledger.newAddress()}`, `/api/supply/${world.plain.address}/total`, '/documentation/json'
    ]
    await Promise.all([...paths.map(path => ask(url + path)), ask(`http://127.0.0.1:${metricsPort}/metrics`)])
    await setTimeout(150)
    node.faults.clear(active)
  }
  await node.stop()
  await ask(`${url}/api/supply/${ledger.newAddress()}`)
  await until('the log has met the faults', () => server.output().includes('was not reached'))
  server.child.kill('SIGWINCH')
  t.equal((await server.exit()).code, 1)
  t.match(server.output(), /an error that nothing caught/)
  t.match(server.output(), /Invalid URL http:\/\/\[hidden\]/, 'the last net holds')
  t.match(seen, /http_requests_total/)
  t.notMatch(server.output(), new RegExp(KEY, 'i'))
  t.notMatch(seen, new RegExp(KEY, 'i'))
})

test('wrong settings are told without their values', async t => {
  for (const wrong of [
    {
      CHAIN_RPC_URL: `htp://${KEY}-host/${KEY}`,
      CHAIN_WS_URL: `${KEY} is no url`,
      DATABASE_URL: `mysql://user:${KEY}@host/db`,
      REDIS_URL: `http://:${KEY}@host`
    },
    {
      CHAIN_RPC_URL: `http://host:99999/${KEY}`,
      CHAIN_WS_URL: `http://host/${KEY}`,
      DATABASE_URL: KEY,
      REDIS_URL: `redis//${KEY}`
    }
  ]) {
    const server = startServer(t, { ...wrong, FACTORY_ADDRESS: ROUTER, ROUTER_ADDRESS: ROUTER })
    t.equal((await server.exit()).code, 1)
    t.equal(server.lines().filter(({ level }) => level >= 50).length, 4, server.output())
    t.notMatch(server.output(), new RegExp(KEY, 'i'))
  }
})

test('stores that are away are told without their passwords', async t => {
  const { ledger, node } = await startChain(t)
  const base = {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    LOG_LEVEL: 'trace'
  }
  const stores: Array<Record<string, string>> = [
    { DATABASE_URL: hide('postgres://127.0.0.1:9/test', false) }, { REDIS_URL: hide('redis://127.0.0.1:9/0', false) }
  ]
  for (const env of stores) {
    const server = startServer(t, { ...base, ...env })
    await Promise.race([server.exit(), until(
      'it tells that the store is away', () => server.lines().some(({ level }) => level >= 40), 30_000
    ).then(() => setTimeout(2_000))])
    t.ok(server.lines().some(({ level }) => level >= 40), server.output())
    t.notMatch(server.output(), new RegExp(KEY, 'i'), Object.keys(env).join())
  }
})

test('secrets are found in every part and spelling, and nothing else is hidden', async t => {
  const secrets = secretsOf({
    CHAIN_RPC_URL: ' https://rpc.example.com/v2/path-key?api-key=query-key , ' +
      'https://user-name:pass%21word@other.example.com:8899/',
    DATABASE_URL: 'postgres://tickers:it%27s"quoted@db.example.com/market?password=in-query',
    REDIS_URL: '',
    PORT: '12345',
    FACTORY_ADDRESS: 'not-secret'
  })
  const redact = createRedactor(secrets)
  const shown = 'https://rpc.example.com/v2 other.example.com:8899 db.example.com/market 12345 not-secret /api/tickers'
  t.equal(redact(shown), shown)
  for (const secret of [
    'path-key', 'query-key', 'api-key=query-key', 'user-name', 'pass%21word', 'pass!word', 'it\'s"quoted', 'in-query',
    JSON.stringify('it\'s"quoted')
  ]) {
    t.notMatch(redact(`a ${secret} b`), secret)
  }
  t.same(
    secretsOf({ CHAIN_RPC_URL: 'no url at all' }),
    ['no url at all', 'no%20url%20at%20all'].sort((a, b) => b.length - a.length)
  )
})
