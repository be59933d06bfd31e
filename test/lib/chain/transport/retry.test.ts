import { test } from 'tap'
import type { ServiceError } from '../../../../lib/errors.js'
import { createRetryBudget } from '../../../../lib/chain/transport/budget.js'
import { answerError, httpError, networkError, nodeError, transientError } from '../../../../lib/chain/transport/fault.js'
import { withRetry } from '../../../../lib/chain/transport/retry.js'
import { createFakeClock, type FakeClock } from '../fake-clock.js'

const down = networkError('h', new Error('x'))
const good = new Response('{}')

/** A fetch that throws each of `errors` once and then answers, under a retry wrapper with room to spare. */
function retrying (errors: ServiceError[], clock: FakeClock, over: { retries?: number, answerMs?: number, most?: number } = {}) {
  const asked: number[] = []
  const budget = createRetryBudget({ clock, ratio: 0.2, perSecond: 0, most: over.most ?? 100 })
  const fetch = withRetry(async () => {
    asked.push(clock.now())
    const error = errors.shift()
    if (error !== undefined) throw error
    return good
  }, { clock, budget, retries: over.retries ?? 4, answerMs: over.answerMs ?? 10_000, backoffMs: 200 })
  return { fetch, asked }
}

test('tries again after pauses of full jitter that double, as often as it may', async t => {
  const clock = createFakeClock(0.5)
  const { fetch, asked } = retrying([down, down, down], clock)
  t.equal(await fetch('x'), good)
  t.equal(asked.length, 4)
  t.strictSame(clock.slept, [100, 200, 400])
  await t.rejects(retrying(Array(5).fill(down), clock).fetch('x'), { code: 'NODE_UNAVAILABLE' })
  clock.slept.length = 0
  await retrying(Array(5).fill(down), clock, { retries: 6 }).fetch('x')
  t.strictSame(clock.slept, [100, 200, 400, 800, 1_000], 'but never longer than two seconds')
})

test('waits as long as the node asks, or not at all', async t => {
  const clock = createFakeClock(0)
  await retrying([httpError('h', 429, 3)], clock).fetch('x')
  t.strictSame(clock.slept, [3_000])
  const { fetch, asked } = retrying([httpError('h', 429, 60)], clock)
  await t.rejects(fetch('x'), { code: 'NODE_UNAVAILABLE', retryAfter: 60 })
  t.equal(asked.length, 1, 'it does not fit: stopped at once')
  t.equal(clock.slept.length, 1)
  const twice = retrying([httpError('h', 429, 6), httpError('h', 429, 6)], clock)
  await t.rejects(twice.fetch('x'), { code: 'NODE_UNAVAILABLE' })
  t.equal(twice.asked.length, 2, 'the second pause does not fit what is left')
})

test('what another try cannot mend is thrown at once', async t => {
  const hopeless = [
    httpError('h', 400), httpError('h', 403), httpError('h', 413), answerError('h', 'too-large', 'x'),
    nodeError('NODE_BAD_ANSWER', 'x', { host: 'h', reason: 'genesis' }), nodeError('BREAKER_OPEN', 'x', { host: 'h', reason: 'open' })
  ]
  for (const error of hopeless) {
    const { fetch, asked } = retrying([error], createFakeClock())
    await t.rejects(fetch('x'), { code: error.code })
    t.equal(asked.length, 1, error.message)
  }
  const hopeful = [
    httpError('h', 408), httpError('h', 503), answerError('h', 'not-json', 'x'), answerError('h', 'wrong-ids', 'x'), answerError('h', 'wrong-shape', 'x'),
    nodeError('NODE_UNAVAILABLE', 'x', { host: 'h', reason: 'behind' })
  ]
  for (const error of hopeful) t.equal(await retrying([error], createFakeClock()).fetch('x'), good, error.message)
})

test('a JSON-RPC error that does not pass is the answer', async t => {
  const answer = new Response('{"error":{}}')
  const busy = transientError('h', -32005, answer)
  t.equal(await retrying(Array(5).fill(busy), createFakeClock()).fetch('x'), answer)
})

test('a breaker that opens on the way does not hide why', async t => {
  const open = nodeError('BREAKER_OPEN', 'x', { host: 'h', reason: 'open' })
  await t.rejects(retrying([httpError('h', 500), open], createFakeClock()).fetch('x'), { code: 'NODE_UNAVAILABLE', message: /HTTP 500/ })
  const answer = new Response('{"error":{}}')
  t.equal(await retrying([transientError('h', -32005, answer), open], createFakeClock()).fetch('x'), answer)
})

test('a signal ends it between tries', async t => {
  const stop = new AbortController()
  const clock = createFakeClock()
  const reason = new Error('enough')
  const { fetch } = retrying([down, down], { ...clock, sleep: async (_, signal) => { stop.abort(reason); signal?.throwIfAborted() } })
  await t.rejects(fetch('x', { signal: stop.signal }), reason)
  const { fetch: again, asked } = retrying([down, down], clock)
  await t.rejects(again('x', { signal: stop.signal }), down)
  t.equal(asked.length, 1)
})

test('the budget is shared: a fifth of the calls, and a little for quiet times', async t => {
  const clock = createFakeClock()
  const budget = createRetryBudget({ clock, ratio: 0.2, perSecond: 0.5, most: 3 })
  let asked = 0
  const fetch = withRetry(async () => { asked++; throw down }, { clock: { ...clock, sleep: async () => {} }, budget, retries: 4, answerMs: 10_000, backoffMs: 200 })
  for (let call = 0; call < 100; call++) await t.rejects(fetch('x'), { code: 'NODE_UNAVAILABLE' })
  t.ok(asked >= 120 && asked <= 123, `${asked} requests for 100 calls`)
  clock.advance(2_000)
  t.ok(budget.spend(), 'one earned in two seconds')
  t.notOk(budget.spend())
  clock.advance(1_000_000)
  t.strictSame([1, 2, 3, 4].map(() => budget.spend()), [true, true, true, false], 'no more than the most is saved')
})
