import type { FastifyInstance } from 'fastify'
import { test, type Test } from 'tap'
import { serveRecording } from '../../../scripts/recording/replay.js'
import { SERVICE_VERSION } from '../../../lib/package.js'
import type { Ticker } from '../../../schemas/ticker.js'
import { build, historyComplete, ROUTER, until } from '../../helper.js'
import { expected, HOW, NO_MINT, simulated } from './simulated.js'

/** Headers that belong to the answer; the others depend on what was asked before, or on the connection. */
const HEADERS = [
  'content-type', 'cache-control', 'age', 'etag', 'vary', 'retry-after', 'x-history-complete', 'x-history-missing',
  'x-other-pools'
]

/** What differs between two runs of the process, or between two releases. */
const VOLATILE: Array<[RegExp | string, string]> = [
  [/"timestamp":"[^"]+"/, '"timestamp":"<now>"'],
  [/"uptime":[\d.]+/, '"uptime":"<seconds>"'],
  [/"age_seconds":[\d.]+/, '"age_seconds":"<seconds>"'],
  [/"head_age_seconds":[\d.]+/, '"head_age_seconds":"<seconds>"'],
  [/"head_slot":\d+/, '"head_slot":"<slot>"'],
  [/"snapshot":\{"slot":\d+/, '"snapshot":{"slot":"<slot>"'],
  [`"version":"${SERVICE_VERSION}"`, '"version":"<version>"']
]

/**
 * How long before the recorded time the service begins, and how long before it time jumps there: longer than a response
 * lives, shorter than a head may be out of reach, ms.
 */
const BEFORE = 600_000
const LAST_JUMP = 30_000
/** What a state has left of its life while nobody renews it, ms. */
const RENEWED = 5_000

/**
 * The whole service on the recording, which ends at the recorded time, with nothing else to reach; and the questions it
 * had no answer to.
 */
async function replayed (t: Test): Promise<{ app: FastifyInstance, missing: string[] }> {
  const recording = await simulated()
  const missing: string[] = []
  const end = recording.time * 1000
  let from = end - BEFORE
  let begun = performance.now()
  const jump = (to: number): void => { [from, begun] = [to, performance.now()] }
  const now = (): number => from === end ? end : from + performance.now() - begun
  const node = await serveRecording(recording, { now, onMissing: message => missing.push(message) })
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
  const app = await build(t, { env, now, pollMs: 20 })
  await historyComplete(app)
  jump(end - LAST_JUMP)
  await until('the head is reached again', () => (app.history.status().headAge ?? Infinity) < LAST_JUMP / 10)
  const { addresses } = recording.programAccounts[0]!
  await until('every DAO is compared with its account', () => app.history.report().size === addresses.length)
  // a state that is new is not being read: what is read from here on is read at the recorded time
  const { snapshot } = app.cache
  await until('the state is read again', () => snapshot.get([]).then(() => snapshot.peek()!.left > RENEWED))
  jump(end)
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
