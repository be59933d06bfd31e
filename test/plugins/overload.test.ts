import { setTimeout } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { OverloadOptions } from '../../plugins/overload.js'
import { build, historyComplete, settings, startChain, until } from '../helper.js'
import { steadyNow } from '../support/steady-time.js'

const BODY = '{"error":"Service temporarily unavailable. Please try again in a few moments."}'

const COSTLY = '/coingecko/historical_trades?ticker_id='

async function setUp (t: Test, bounds: NonNullable<OverloadOptions['bounds']>) {
  const { ledger, node } = await startChain(t)
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), bounds })
  await historyComplete(app)
  const costly = `${COSTLY}${dao.base.address}_${dao.quote.address}`
  const ask = async (url = costly, remoteAddress = '10.0.0.1') => await app.inject({ url, remoteAddress })
  /** What is measured is looked at once a second. */
  const answers = (status: number) => until(`it answers ${status}`, async () => (await ask()).statusCode === status)
  return { app, ask, answers, costly }
}

for (const bounds of [{ heapBytes: 1 }, { residentBytes: 1 }]) {
  test(`beyond ${Object.keys(bounds).join()} what costs work of its own gets 503, lists and probes 200`, async t => {
    const { ask, answers } = await setUp(t, bounds)
    await answers(503)
    const answer = await ask()
    t.same([answer.statusCode, answer.payload], [503, BODY])
    t.match(answer.headers, { 'retry-after': '5', 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
    for (const url of ['/', '/api/tickers', '/health', '/coingecko/pairs']) {
      t.equal((await ask(url)).statusCode, 200, url)
    }
    t.equal((await ask('/nowhere')).statusCode, 404)
  })
}

test('a loop that is late sheds what made it late, for who asked for it, until it is not', async t => {
  const { app, ask, answers } = await setUp(t, { delay: 100 })
  await answers(200)
  const busy = (ms: number) => {
    const end = Date.now() + ms
    while (Date.now() < end);
  }
  const end = steadyNow() + 20_000
  let shed = 0
  const others: number[] = []
  while (shed === 0 && steadyNow() < end) {
    await app.budget.making.run('10.0.0.1', () => busy(800))
    if ((await ask()).statusCode === 503) {
      shed++
      others.push((await ask(undefined, '10.0.0.2')).statusCode, (await ask('/api/tickers')).statusCode)
    }
    await setTimeout(1)
  }
  t.equal(shed, 1)
  t.same(others, [200, 200], 'another client, and a list')
  await answers(200)
  t.pass('and then no more')
})
