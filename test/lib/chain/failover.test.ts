import { test } from 'tap'
import type { ServiceError } from '../../../lib/errors.js'
import { withFailover } from '../../../lib/chain/failover.js'
import { answerError, httpError, networkError, nodeError, rpcError } from '../../../lib/chain/node-errors.js'
import { createRetryBudget } from '../../../lib/chain/retry-budget.js'
import { failAll, type Call, type Reply } from '../../../lib/chain/rpc.js'
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js'

const open = (host: string, retryAfter: number) => nodeError('BREAKER_OPEN', 'is open', { host, reason: 'open' }, retryAfter)
const down = networkError('h', new Error('x'))
const OPTIONS = { priority: 'live', signal: new AbortController().signal } as const

interface Over { clock?: FakeClock, retries?: number, most?: number }

/** Nodes that give what `answers` says: an error, a value for any call, or what a function makes of a call; else their own number. */
function nodes (count: number, { clock = createFakeClock(), retries = 0, most = 100 }: Over = {}) {
  const answers: Array<ServiceError | ((call: Call) => Reply) | undefined> = Array.from({ length: count })
  const asked: number[] = []
  const passedOver = new Set<number>()
  const send = withFailover(answers.map((_, i) => ({
    host: `n${i}`,
    passedOver: () => passedOver.has(i),
    send: async calls => {
      asked.push(i)
      const answer = answers[i]
      if (typeof answer === 'function') return calls.map(answer)
      return answer === undefined ? calls.map(() => ({ result: i })) : failAll(calls, answer)
    }
  })), { clock, budget: createRetryBudget({ clock, ratio: 0.2, perSecond: 0, most }), retries, backoffMs: 200 })
  const ask = async (call: Partial<Call> = {}, options = {}): Promise<Reply> => (await send([{ method: 'getSlot', params: [], ...call }], { ...OPTIONS, ...options }))[0]!
  return { send, ask, answers, asked, passedOver, clock }
}

test('in order of preference, and back to the first as soon as it answers', async t => {
  const { ask, answers, asked } = nodes(3)
  t.strictSame(await ask(), { result: 0 })
  answers[0] = down
  answers[1] = httpError('b', 404)
  t.strictSame(await ask(), { result: 2 })
  answers[0] = undefined
  t.strictSame(await ask(), { result: 0 })
  t.strictSame(asked, [0, 0, 1, 2, 0])
})

test('one that stands still or lags comes last until it moves', async t => {
  const { ask, passedOver } = nodes(2)
  passedOver.add(0)
  t.strictSame(await ask(), { result: 1 })
  passedOver.clear()
  t.strictSame(await ask(), { result: 0 })
})

test('a node that asked to be left alone comes last until then', async t => {
  const { ask, answers, asked, clock } = nodes(3)
  answers[0] = httpError('a', 503, 30)
  t.strictSame(await ask(), { result: 1 })
  answers[0] = undefined
  t.strictSame(await ask(), { result: 1 })
  answers[1] = answers[2] = down
  t.strictSame(await ask(), { result: 0 }, 'rather the rested one than none')
  clock.advance(30_000)
  t.strictSame(await ask(), { result: 0 })
  t.strictSame(asked, [0, 1, 1, 1, 2, 0, 0])
})

test('every error goes to the next node, call by call, and nothing that was answered is lost', async t => {
  const { send, answers } = nodes(2)
  for (const code of [-32000, -32003, -32005, -32010, -32011, -32015, -32016, -32019, -32020, -32601, -32602]) {
    answers[0] = ({ params }) => params[0] === 1 ? { error: rpcError('n0', code) } : { result: 'first' }
    t.strictSame(await send([0, 1, 2].map(i => ({ method: 'getTransaction', params: [i] })), OPTIONS), [{ result: 'first' }, { result: 1 }, { result: 'first' }], String(code))
  }
})

test('what is doubted is believed only where every node says it', async t => {
  const { ask, answers, asked } = nodes(2)
  const doubt = (result: unknown) => result === null
  answers[0] = () => ({ result: null })
  t.strictSame(await ask({ doubt }), { result: 1 })
  answers[1] = answers[0]
  t.strictSame(await ask({ doubt }), { result: null })
  t.strictSame(asked, [0, 1, 0, 1])
  t.strictSame(await ask(), { result: null }, 'without a doubt it is the answer')
})

test('a cursor is unknown where all nodes say so, and not where one of them can\'t say', async t => {
  const { ask, answers } = nodes(2)
  answers[0] = answers[1] = rpcError('n', -32020)
  t.match(await ask(), { error: { cause: { rpcCode: -32020 } } })
  for (const error of [down, open('n1', 1), httpError('n1', 403)]) {
    answers[1] = error
    t.strictSame(await ask(), { error })
  }
})

test('a method that a node does not offer is not asked of it again for an hour', async t => {
  const { ask, answers, asked, clock } = nodes(2)
  const call = { method: 'getTransactionsForAddress' }
  answers[0] = rpcError('n0', -32601)
  t.strictSame(await ask(call), { result: 1 })
  t.strictSame(await ask(call), { result: 1 })
  t.strictSame(asked, [0, 1, 1])
  answers[1] = httpError('n1', 403)
  t.match(await ask(call), { error: { cause: { reason: 'unsupported' } } })
  t.match(await ask(call), { error: { cause: { reason: 'unsupported' } } })
  t.equal(asked.length, 4)
  answers[0] = answers[1] = undefined
  t.strictSame(await ask(), { result: 0 }, 'other methods are asked as ever')
  clock.advance(3_600_000)
  t.strictSame(await ask(call), { result: 0 })
})

test('the error is the one with most to hope from', async t => {
  const { ask, answers } = nodes(3)
  answers.splice(0, 3, open('a', 4), open('b', 2), open('c', 3))
  t.match(await ask(), { error: { code: 'BREAKER_OPEN', retryAfter: 2 } })
  answers.splice(0, 3, open('a', 1), httpError('b', 404), httpError('c', 400))
  t.match(await ask(), { error: { code: 'NODE_BAD_ANSWER', message: /^node b/ } })
  answers.splice(0, 3, httpError('a', 404), httpError('b', 503, 5), httpError('c', 503, 4))
  t.match(await ask(), { error: { code: 'NODE_UNAVAILABLE', retryAfter: 4 } })
})

test('tries again after pauses of full jitter that double, as often as it may', async t => {
  const one = nodes(1, { retries: 4 })
  let failures = 3
  one.answers[0] = () => failures-- > 0 ? { error: down } : { result: 'at last' }
  t.strictSame(await one.ask(), { result: 'at last' })
  t.strictSame(one.clock.slept, [100, 200, 400])
  failures = 5
  t.match(await one.ask(), { error: { code: 'NODE_UNAVAILABLE' } })
  const patient = nodes(1, { retries: 6 })
  patient.answers[0] = down
  await patient.ask()
  t.strictSame(patient.clock.slept, [100, 200, 400, 800, 1_000, 1_000], 'but never longer than two seconds')
})

test('waits as long as the node asks, or not at all', async t => {
  const clock = createFakeClock(0)
  const { ask, answers, asked } = nodes(1, { clock, retries: 4 })
  let error = httpError('h', 503, 3)
  let failures = 1
  answers[0] = () => failures-- > 0 ? { error } : { result: 1 }
  t.strictSame(await ask({}, { deadline: clock.now() + 10_000 }), { result: 1 })
  t.strictSame(clock.slept, [3_000])
  error = httpError('h', 503, 60)
  failures = 1
  t.match(await ask({}, { deadline: clock.now() + 10_000 }), { error: { retryAfter: 60 } })
  t.equal(asked.length, 3, 'it does not fit: stopped at once')
})

test('only what may pass is tried again', async t => {
  const hopeless = [
    httpError('h', 400), httpError('h', 403), httpError('h', 413), httpError('h', 429), answerError('h', 'too-large', 'x'), rpcError('h', -32602), rpcError('h', -32015),
    nodeError('NODE_BAD_ANSWER', 'x', { host: 'h', reason: 'genesis' }), open('h', 1)
  ]
  for (const error of hopeless) {
    const { ask, answers, asked } = nodes(1, { retries: 2 })
    answers[0] = error
    t.strictSame(await ask(), { error })
    t.equal(asked.length, 1, error.message)
  }
  const hopeful = [
    httpError('h', 408), httpError('h', 503), answerError('h', 'not-json', 'x'), answerError('h', 'wrong-ids', 'x'), answerError('h', 'wrong-shape', 'x'),
    rpcError('h', -32005), nodeError('NODE_UNAVAILABLE', 'x', { host: 'h', reason: 'behind' })
  ]
  for (const error of hopeful) {
    const { ask, answers } = nodes(1, { retries: 1 })
    let failures = 1
    answers[0] = () => failures-- > 0 ? { error } : { result: 1 }
    t.strictSame(await ask(), { result: 1 }, error.message)
  }
})

test('a breaker that opens on the way does not hide why', async t => {
  const { ask, answers } = nodes(1, { retries: 3 })
  const errors = [httpError('h', 500), open('h', 1)]
  answers[0] = () => ({ error: errors.shift()! })
  t.match(await ask(), { error: { code: 'NODE_UNAVAILABLE', message: /HTTP 500/ } })
})

test('the budget is shared: a fifth of the calls', async t => {
  const { ask, answers, asked } = nodes(1, { retries: 4, most: 3 })
  answers[0] = down
  for (let call = 0; call < 100; call++) await ask()
  t.ok(asked.length >= 120 && asked.length <= 123, `${asked.length} requests for 100 calls`)
})

test('budget: what quiet times earn, and no more than the most', t => {
  const clock = createFakeClock()
  const budget = createRetryBudget({ clock, ratio: 0.2, perSecond: 0.5, most: 3 })
  t.strictSame([1, 2, 3, 4].map(() => budget.spend()), [true, true, true, false])
  clock.advance(2_000)
  t.strictSame([budget.spend(), budget.spend()], [true, false], 'one earned in two seconds')
  clock.advance(1_000_000)
  t.strictSame([1, 2, 3, 4].map(() => budget.spend()), [true, true, true, false])
  t.end()
})
