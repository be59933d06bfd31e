import { readFileSync } from 'node:fs'
import { test } from 'tap'
import type { Contract } from './contract/document.js'
import { build, historyComplete, patient, settings, startChain, until } from '../helper.js'

/** What strangers may plant: a market on which every question is as dear as it gets. */
const POOLS = 60
const TRADES = 3_000
const LONG = 'W\u0301'.repeat(1_000)
/** CPU of one answer, ms: beyond it, it is made in turns. */
const MOST = 60

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Contract
/** The stream has no end, and a place of its own for each who follows it. */
const paths = Object.keys(document.paths).filter(path => path !== '/api/stream')

async function hostileMarket (t: Parameters<typeof startChain>[0]) {
  const { ledger, node } = await startChain(t)
  const quote = ledger.usdc()
  const base = ledger.mint({ symbol: 'AAA' })
  const dao = ledger.dao({ base, quote, baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n })
  const first = ledger.slot
  for (let i = 0; i < POOLS; i++) {
    const own = i % 2 === 0
      ? base
      : ledger.mint({ symbol: LONG, name: LONG, program: 'token-2022', metadata: 'token-2022' })
    const dust = ledger.dao({ base: own, quote, baseReserves: 10_000_000_000n, quoteReserves: 1_000_000n })
    for (let j = 0; j < 5; j++) dust.swap('buy', 1_000n)
  }
  for (let i = 0; i < TRADES; i++) {
    if (i % 10 === 0) ledger.advance(0.4)
    dao.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n + BigInt(i))
  }
  dao.launchProposal()
  const last = ledger.slot
  const app = await build(t, {
    env: settings(t, node, ledger, { RATE_LIMIT_MAX: '1000000' }), now: () => ledger.time * 1000, pollMs: 20
  })
  await historyComplete(app)
  await until('all is published', async () => {
    ledger.advance(6)
    const { statusCode, payload } = await app.inject('/dexscreener/latest-block')
    return statusCode === 200 && (JSON.parse(payload) as { block: { blockNumber: number } }).block.blockNumber >= last
  })
  const date = new Date(ledger.time * 1000).toISOString().slice(0, 10)
  const [pool, pair, mint] = [dao.address, `${base.address}_${quote.address}`, base.address]
  const proposal = dao.proposal!.address
  const places: Record<string, string> = {
    pool_id: pool, ticker_id: pair, market_pair: pair, date, mint, mintAddress: mint, dao: pool, proposal
  }

  /** A question of a path that has not been asked before; `turn` tells it from the others. */
  function urlOf (path: string, turn: number): string {
    const url = path.replace(/\{(\w+)\}/g, (_place, name: string) => places[name] ?? `{${name}}`)
    const queries: Array<[RegExp, string]> = [
      [/\/events$/, `?fromBlock=${first - turn}&toBlock=${last}`],
      [/historical_trades$/, `?ticker_id=${pair}&limit=${1_000 - turn}`],
      [/coingecko\/orderbook$/, `?ticker_id=${pair}&depth=${500 - turn}`],
      [/cmc\/v1\/orderbook/, `?depth=${500 - turn}`],
      [/proposals\/\{proposal\}\/trades$/, `?market=pass&limit=${1_000 - turn}`],
      [/proposals\/\{proposal\}\/ohlcv$/, `?market=pass&limit=${1_000 - turn}`],
      [/\/trades$/, `?limit=${1_000 - turn}`],
      [/\/ohlcv$/, `?interval=1m&limit=${1_000 - turn}`],
      [/pools\/\{pool_id\}\/days$/, `?from=2020-01-0${turn + 1}`],
      [/\/quote$/, `?side=sell&amount=${turn + 1}`],
      [/\/api\/prices$/, `?mints=${mint}&at=${ledger.time - 60 - turn}`],
      [/\/asset$/, `?id=${mint}`],
      [/\/pair$/, `?id=${pool}`]
    ]
    return url + (queries.find(([form]) => form.test(path))?.[1] ?? '')
  }
  return { app, urlOf, pool }
}

test('on a hostile market no answer takes more than its share, or it is made in turns', async t => {
  const { app, urlOf, pool } = await hostileMarket(t)
  const card = '/market/pool/{pool_id}/card.png'

  // with the line full, of those who wait however long, what is made in turns is refused, and nothing else
  const { making } = app.budget
  const ends = [await making.enter('a'), await making.enter('b')]
  const waiting = Array.from({ length: 64 }, (_, at) => making.enter(`c${at}`, 'admitted').then(end => end()))
  const inTurns: string[] = []
  for (const path of [...paths, card]) {
    const { statusCode, headers } = await app.inject(path === card ? card.replace('{pool_id}', pool) : urlOf(path, 7))
    if (statusCode === 503 && headers['retry-after'] === '2') inTurns.push(path)
  }
  for (const end of ends) end()
  await Promise.all(waiting)
  const [, stated = ''] = /Made in turns,([^]*?)\n- /.exec(
    readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  )!
  for (const path of [...paths, card]) {
    t.equal(stated.includes(`\`${path}\``), inTurns.includes(path), `${path}: stated as made in turns, or not`)
  }

  for (const path of paths) {
    const answer = await patient(app, urlOf(path, 0))
    t.equal(answer.statusCode, 200, `${path}: ${answer.payload.slice(0, 100)}`)
    const costs: number[] = []
    for (let turn = 1; turn <= 5; turn++) {
      const begun = process.cpuUsage()
      await app.inject(urlOf(path, turn))
      const { user, system } = process.cpuUsage(begun)
      costs.push((user + system) / 1000)
    }
    const cost = costs.toSorted((a, b) => a - b)[2]!
    t.ok(cost <= MOST || inTurns.includes(path), `${path}: ${cost.toFixed(1)} ms`)
  }
})
