import { setTimeout } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { OverloadOptions } from '../../plugins/overload.js'
import { build, settings, startChain, until } from '../helper.js'

const BODY = '{"error":"Service temporarily unavailable. Please try again in a few moments."}'

async function setUp (t: Test, bounds: NonNullable<OverloadOptions['bounds']>) {
  const { ledger, node } = await startChain(t)
  const app = await build(t, { env: settings(t, node, ledger, { RATE_LIMIT_MAX: '100000' }), bounds })
  /** What is measured is looked at once a second. */
  const answers = (status: number) => until(`it answers ${status}`, async () => (await app.inject('/')).statusCode === status)
  return { app, answers }
}

for (const bounds of [{ heapBytes: 1 }, { residentBytes: 1 }]) {
  test(`beyond ${Object.keys(bounds).join()} requests get 503, the liveness probe 200`, async t => {
    const { app, answers } = await setUp(t, bounds)
    await answers(503)
    for (const url of ['/', '/api/tickers', '/nowhere', '/ready']) {
      const answer = await app.inject(url)
      t.same([answer.statusCode, answer.payload], [503, BODY], url)
      t.match(answer.headers, { 'retry-after': '5', 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
    }
    t.equal((await app.inject('/health')).statusCode, 200)
  })
}

test('a loop that is late sheds requests until it is not', async t => {
  const { app, answers } = await setUp(t, {})
  await answers(200)
  const end = Date.now() + 10_000
  let shed = 0
  while (shed === 0 && Date.now() < end) {
    const busy = Date.now() + 800
    while (Date.now() < busy);
    if ((await app.inject('/')).statusCode === 503) shed++
    await setTimeout(1)
  }
  t.ok(shed > 0, `${shed} of the requests were shed`)
  await answers(200)
  t.pass('and then no more')
})
