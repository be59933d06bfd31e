import type { FastifyInstance } from 'fastify'
import { test, type Test } from 'tap'
import { serveRecording } from '../../lib/recording/serve.js'
import { SERVICE_VERSION } from '../../lib/version.js'
import type { Ticker } from '../../schemas/ticker.js'
import { build, historyComplete, ROUTER, until } from '../helper.js'
import { expected, HOW, NO_MINT, simulated } from './simulated.js'

/** Headers that belong to the answer; the others depend on what was asked before, or on the connection. */
const HEADERS = ['content-type', 'cache-control', 'age', 'etag', 'vary', 'retry-after', 'x-history-complete', 'x-history-missing', 'x-other-pools']

/** What differs between two runs of the process, or between two releases. */
const VOLATILE: Array<[RegExp | string, string]> = [
  [/"timestamp":"[^"]+"/, '"timestamp":"<now>"'],
  [/"uptime":[\d.]+/, '"uptime":"<seconds>"'],
  [`"version":"${SERVICE_VERSION}"`, '"version":"<version>"']
]

/** The whole service on the recording, at the recorded time, with nothing else to reach; and the questions it had no answer to. */
async function replayed (t: Test): Promise<{ app: FastifyInstance, missing: string[] }> {
  const recording = await simulated()
  const missing: string[] = []
  const node = await serveRecording(recording, { onMissing: message => missing.push(message) })
  t.teardown(() => node.close())
  const env = {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: recording.program,
    ROUTER_ADDRESS: ROUTER,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PROTOCOL_FEE_RATE: '0.005',
    DATA_DIR: t.testdir()
  }
  const app = await build(t, { env, now: () => recording.time * 1000, pollMs: 20 })
  await historyComplete(app)
  const { addresses } = recording.programAccounts[0]!
  await until('every DAO is compared with its account', () => app.history.report().size === addresses.length)
  return { app, missing }
}

async function ask (app: FastifyInstance, path: string): Promise<string> {
  const { statusCode, headers, payload } = await app.inject(path)
  const lines = HEADERS.filter(name => headers[name] !== undefined).map(name => `${name}: ${String(headers[name])}\n`)
  const body = VOLATILE.reduce((text, [what, instead]) => text.replace(what, instead), payload)
  return `GET ${path}\n\n${statusCode}\n${lines.join('')}\n${body}\n`
}

test('every endpoint answers as it did, byte for byte', async t => {
  const { app, missing } = await replayed(t)
  const tickers = (await app.inject('/api/tickers')).json<Ticker[]>()
  const of = (symbol: string): Ticker => tickers.find(({ base_symbol: found }) => found === symbol)!
  const paths = {
    root: '/',
    health: '/health',
    ready: '/ready',
    tickers: '/api/tickers',
    ticker: `/api/tickers/${of('CEDAR').ticker_id}`,
    'ticker-of-several-pools': `/api/tickers/${of('ALDER').ticker_id}`,
    'ticker-unknown': `/api/tickers/${NO_MINT}_${NO_MINT}`,
    'ticker-malformed': '/api/tickers/x',
    supply: `/api/supply/${of('ALDER').base_currency}`,
    'supply-launched': `/api/supply/${of('CEDAR').base_currency}`,
    'supply-launched-later': `/api/supply/${of('FIR').base_currency}`,
    'supply-total': `/api/supply/${of('CEDAR').base_currency}/total`,
    'supply-circulating': `/api/supply/${of('CEDAR').base_currency}/circulating`,
    'supply-unknown': `/api/supply/${NO_MINT}`,
    'supply-malformed': '/api/supply/x',
    'volume-aggregate': '/api/volume/aggregate',
    daos: '/api/daos',
    'no-such-path': '/api/nothing'
  }
  for (const [name, path] of Object.entries(paths)) {
    const found = await ask(app, path)
    t.equal(found, expected(name, found), name, { hint: HOW })
  }
  t.same(missing, [])
})

test('what the recording has no answer to is an error that names it, never a zero', async t => {
  const { app, missing } = await replayed(t)
  const answer = await app.inject('/api/supply/4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T')
  t.same([answer.statusCode, answer.payload], [500, '{"error":"Failed to fetch DAO data from blockchain"}'])
  t.same(missing, ['not in the recording: account 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T'])
})
