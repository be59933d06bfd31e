import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { withFailover } from '../../../lib/chain/failover.js'
import { failAll, httpError, networkError, nodeError, rpcError } from '../../../lib/chain/node-errors.js'
import { isRecord } from '../../../lib/chain/checks.js'
import type { Call, Question, Reply, SendOptions } from '../../../lib/chain/types.js'
import type { Moment } from '../../../lib/chain/moment.js'
import { createTimekeeper } from '../../../lib/chain/timekeeper.js'
import { createFakeClock, type FakeClock } from '../../support/fake-clock.js'

const open = (host: string, retryAfter: number) => nodeError(host, 'open', 'is open', {}, retryAfter)
const down = networkError('h', new Error('x'))
const OPTIONS = { priority: 'live', signal: new AbortController().signal } as const

interface Over { clock?: FakeClock, retries?: number }

/**
 * Nodes that give what `answers` says: an error, a value for any call, or what a function makes of a call; else their
 * own number.
 */
function nodes (count: number, { clock = createFakeClock(), retries = 0 }: Over = {}) {
  const answers: Array<ServiceError | ((call: Call) => Reply) | undefined> = Array.from({ length: count })
  const asked: number[] = []
  const shares: unknown[] = []
  const faults: string[] = []
  const hosts = answers.map((_, i) => `n${i}`)
  const time = createTimekeeper(hosts, clock)
  const { send, ask: put } = withFailover(hosts.map((host, i) => ({
    host,
    send: async (calls: readonly Call[], { shareMs }: SendOptions) => {
      asked.push(i)
      shares.push(shareMs)
      const answer = answers[i]
      if (typeof answer === 'function') return calls.map(answer)
      return answer === undefined ? calls.map(() => ({ result: i })) : failAll(calls, answer)
    }
  })), {
    clock, time, onFault: ({ message }) => { faults.push(message) }, retries
  })
  const ask = async (call: Partial<Call> = {}, options = {}): Promise<Reply> => (await send(
    [{ method: 'getSlot', params: [], ...call }], { ...OPTIONS, ...options }
  ))[0]!
  /** Asks for a moment; a node shows one of so many seconds ago, 2.5 slots a second. */
  const question: Question<string> = {
    calls: [{ method: 'getAccountInfo', params: [] }],
    commitment: 'confirmed',
    read ([result]) {
      if (!isRecord(result)) throw new ServiceError('NODE_BAD_ANSWER', 'no Clock')
      return result as { moment: Moment, value: string }
    }
  }
  const showing = (index: number, secondsAgo: number) => {
    answers[index] = () => ({ result: { moment: momentAgo(secondsAgo), value: `n${index}` } })
  }
  const momentAgo = (secondsAgo: number): Moment => {
    const time = Math.floor(clock.epoch() / 1000) - secondsAgo
    return { slot: Math.floor(2.5 * time), time }
  }
  const own = () => put(question, OPTIONS)
  return { send, ask, answers, asked, shares, faults, clock, time, question, showing, momentAgo, put: own }
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

test('who did not answer a method in time comes last for it for a minute, ' +
  'and has had no more than its share', async t => {
  const { ask, answers, asked, shares, clock } = nodes(3)
  const late = nodeError('h', 'timeout', 'is late')
  answers[0] = ({ method }) => method === 'getBlock' ? { error: late } : { result: 0 }
  t.strictSame(await ask({ method: 'getBlock' }, { deadline: clock.now() + 30_000 }), { result: 1 })
  t.strictSame(shares, [10_000, 15_000])
  t.strictSame(await ask({ method: 'getBlock' }), { result: 1 })
  t.strictSame(await ask(), { result: 0 })
  answers[0] = undefined
  clock.advance(60_000)
  t.strictSame(await ask({ method: 'getBlock' }), { result: 0 })
  t.strictSame(asked, [0, 1, 1, 0, 0])

  const ended = new AbortController()
  answers[0] = () => { ended.abort(late); return { error: late } }
  t.match(await ask({}, { signal: ended.signal }), { error: late })
  answers[0] = undefined
  t.strictSame(await ask(), { result: 0 }, 'the end of all that was to be had blames none')
})

test('every error goes to the next node, call by call, and nothing that was answered is lost', async t => {
  const { send, answers } = nodes(2)
  for (const code of [-32000, -32003, -32005, -32010, -32011, -32015, -32016, -32019, -32020, -32602, -32601]) {
    answers[0] = ({ params }) => params[0] === 1 ? { error: rpcError('n0', code) } : { result: 'first' }
    t.strictSame(
      await send([0, 1, 2].map(i => ({ method: 'getTransaction', params: [i] })), OPTIONS),
      [{ result: 'first' }, { result: 1 }, { result: 'first' }],
      String(code)
    )
  }
})

test('what is doubted is believed only where every node says it', async t => {
  const { ask, answers, asked } = nodes(2)
  const read = (value: unknown) => ({ value, doubt: Number(value === null) })
  answers[0] = () => ({ result: null })
  t.strictSame(await ask({ read }), { result: 1 })
  answers[1] = answers[0]
  t.strictSame(await ask({ read }), { result: null })
  t.strictSame(asked, [0, 1, 0, 1])
  t.strictSame(await ask(), { result: null }, 'without a doubt it is the answer')
  answers[0] = () => ({ result: 'unreadable' })
  t.strictSame(
    await ask({ read: value => ({ value, doubt: value === null ? 1 : 2 }) }),
    { result: null },
    'the least doubted of what all give'
  )
  const unusable = new ServiceError('NODE_BAD_ANSWER', 'odd')
  const readOrNone = (value: unknown) => value === null ? { value, doubt: 1 } : unusable
  t.strictSame(await ask({ read: readOrNone }), { result: null }, 'or what can be used at all')
  answers[1] = answers[0]
  t.strictSame(await ask({ read: readOrNone }), { error: unusable })
})

test('a cursor is unknown where all nodes say so, and not where one of them can\'t say', async t => {
  const { ask, answers } = nodes(2)
  answers[0] = answers[1] = rpcError('n', -32020)
  t.match(await ask(), { error: { cause: { rpcCode: -32020 } } })
  for (const error of [down, open('n1', 1), httpError('n1', 403)]) {
    answers[1] = error
    t.strictSame(await ask(), { error })
  }
  answers[1] = rpcError('n1', -32601)
  t.match(await ask(), { error: { cause: { rpcCode: -32020 } } }, 'who does not offer the method knows none')
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

test(
  'a node without a method that every node should have is asked for others, and a minute later for that again',
  async t => {
    const { send, ask, answers, asked, clock } = nodes(2)
    answers[0] = ({ method }) =>
      method === 'getSignaturesForAddress' ? { error: rpcError('n0', -32601) } : { result: 0 }
    const call = { method: 'getSignaturesForAddress' }
    t.strictSame(await ask(call), { result: 1 })
    t.strictSame(await ask(call), { result: 1 })
    t.strictSame(asked, [0, 1, 1])
    t.strictSame(
      await send([{ method: 'getSlot', params: [] }, { ...call, params: [] }], OPTIONS), [{ result: 0 }, { result: 1 }]
    )
    clock.advance(60_000)
    asked.length = 0
    await ask(call)
    t.strictSame(asked, [0, 1])
    answers[0] = httpError('n0', 403)
    await ask()
    answers[0] = undefined
    t.strictSame(await ask(), { result: 0 }, 'another refusal says nothing of the method')
  }
)

test('a node alone is asked for all that every node should have: there is nobody else', async t => {
  const { ask, answers, asked } = nodes(1)
  answers[0] = rpcError('n0', -32601)
  t.match(await ask(), { error: { cause: { reason: 'unsupported' } } })
  answers[0] = undefined
  t.strictSame(await ask(), { result: 0 })
  t.strictSame(asked, [0, 0])
})

test('the first current answer is the answer: nobody else is asked', async t => {
  const { put, showing, asked, clock, momentAgo } = nodes(2)
  showing(0, 15)
  showing(1, 0)
  t.strictSame(await put(), { moment: momentAgo(15), value: 'n0', readAt: clock.now() })
  t.strictSame(asked, [0])
})

test(
  'where the first is older, the youngest answer wins, and whoever was older is asked last for a minute',
  async t => {
    const { put, showing, asked, clock } = nodes(3)
    showing(0, 3 * 3600)
    showing(1, 100)
    showing(2, 2)
    t.match(await put(), { value: 'n2' })
    t.strictSame(asked, [0, 1, 2])
    t.match(await put(), { value: 'n2' })
    t.strictSame(asked.slice(3), [2])
    clock.advance(60_000)
    asked.length = 0
    showing(0, 0)
    t.match(await put(), { value: 'n0' }, 'then it is asked again')
    t.strictSame(asked, [0])
  }
)

test(
  'the youngest of those that are all old is given with its moment: what may be made of it is for others to say',
  async t => {
    const { put, showing, asked, momentAgo } = nodes(3)
    showing(0, 80)
    showing(1, 50)
    showing(2, 300)
    t.match(await put(), { value: 'n1', moment: momentAgo(50) })
    t.match(await put(), { value: 'n1' })
    t.strictSame(asked, [0, 1, 2, 1, 0, 2], 'the others are asked after it, in case they have caught up')
  }
)

test('two that show nearly the same are no older than each other', async t => {
  const { put, showing, asked } = nodes(2)
  showing(0, 63)
  showing(1, 60)
  t.match(await put(), { value: 'n1' })
  await put()
  t.strictSame(asked, [0, 1, 0, 1], 'moments count whole seconds, and nodes are asked one after the other')
})

test('what can\'t be read is told once while it lasts, and the next node is asked', async t => {
  const { put, showing, answers, faults } = nodes(2)
  answers[0] = () => ({ result: 'no record' })
  showing(1, 1)
  for (let time = 0; time < 3; time++) t.match(await put(), { value: 'n1' })
  t.strictSame(faults, ['no Clock'])
  showing(0, 1)
  t.match(await put(), { value: 'n0' })
  answers[0] = () => ({ result: 'no record' })
  await put()
  t.strictSame(faults, ['no Clock', 'no Clock'], 'it was right in between')
})

test('a moment of the future is refused, and told once; alone, it is a failure', async t => {
  const { put, showing, answers, faults, asked, clock } = nodes(2)
  showing(0, -61)
  showing(1, 4)
  for (let time = 0; time < 2; time++) t.match(await put(), { value: 'n1' })
  t.match(faults, [/^node n0 shows a moment of the future, 00:17:41 UTC$/])
  t.equal(faults.length, 1)
  clock.advance(1_000)
  showing(0, -61)
  t.match(await put(), { value: 'n1' })
  t.equal(faults.length, 1, 'a second later it is the same')
  answers[1] = httpError('n1', 404)
  await t.rejects(put(), { code: 'NODE_BAD_ANSWER', cause: { host: 'n0', reason: 'moment' } })
  asked.length = 0
  showing(0, -29)
  t.match(await put(), { value: 'n0' }, 'as far as clocks may be apart')
})

test(
  'a question that fails everywhere is asked again as any call is, and fails with what has most to hope from',
  async t => {
    const { put, answers, clock, momentAgo } = nodes(2, { retries: 4 })
    let failures = 2
    answers[0] = down
    answers[1] = () => failures-- > 0 ? { error: down } : { result: { moment: momentAgo(0), value: 'at last' } }
    t.match(await put(), { value: 'at last' })
    t.strictSame(clock.slept, [100, 200])
    const hopeless = nodes(2, { retries: 4 })
    hopeless.answers[0] = open('n0', 3)
    hopeless.answers[1] = httpError('n1', 404)
    await t.rejects(hopeless.put(), { code: 'NODE_UNAVAILABLE', message: /^node n1/ })
    t.strictSame(hopeless.clock.slept, [])
  }
)

test('the error is the one with most to hope from', async t => {
  const { ask, answers } = nodes(3)
  answers.splice(0, 3, open('a', 4), open('b', 2), open('c', 3))
  t.match(await ask(), { error: { code: 'BREAKER_OPEN', retryAfter: 2 } })
  answers.splice(0, 3, open('a', 1), httpError('b', 404), httpError('c', 400))
  t.match(await ask(), { error: { code: 'NODE_UNAVAILABLE', message: /^node b/ } })
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
    httpError('h', 307), httpError('h', 400), httpError('h', 402), httpError('h', 413), httpError('h', 429),
    nodeError('h', 'too-large', 'x'), rpcError('h', -32602), rpcError('h', -32015),
    nodeError('h', 'genesis', 'x'), open('h', 1)
  ]
  for (const error of hopeless) {
    const { ask, answers, asked } = nodes(1, { retries: 2 })
    answers[0] = error
    t.strictSame(await ask(), { error })
    t.equal(asked.length, 1, error.message)
  }
  const hopeful = [
    httpError('h', 408), httpError('h', 503), nodeError('h', 'not-json', 'x'), nodeError('h', 'wrong-ids', 'x'),
    nodeError('h', 'wrong-shape', 'x'),
    rpcError('h', -32005), rpcError('h', -32016)
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
