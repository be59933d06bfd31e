import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { systemClock } from '../../../lib/clock.js'
import { createNodeClient, type NodeClientOptions } from '../../../lib/chain/client.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { answering, type Behaviour, RpcFault, send, startNode } from '../../support/node-server.js'
import { until } from '../../support/until.js'

const hash = '1'.repeat(32)
const good = (value: unknown) => answering(({ method }) => method === 'getGenesisHash' ? hash : value)

function client (t: Test, options: NodeClientOptions) {
  const rpc = createNodeClient({ retries: 0, watchMs: 0, rates: options.urls.map(() => 100_000), ...options })
  t.teardown(rpc.close)
  return { rpc, transport: rpc }
}

test('user and password of a URL become a header', async t => {
  const node = await startNode(t, answering(() => 7))
  const { rpc } = client(t, { urls: [node.url.replace('//', '//user:pass@')] })
  let authorization: string | undefined
  const { behave } = node
  node.behave = (body, res, req) => { authorization = req.headers.authorization; behave(body, res, req) }
  t.equal(await rpc.call('getSlot', []), 7)
  t.equal(authorization, `Basic ${Buffer.from('user:pass').toString('base64')}`)
})

test('a breaker opens after failures in a row, answers BREAKER_OPEN without asking, and closes by a probe', async t => {
  const clock = createFakeClock(1)
  const node = await startNode(t, (_, res) => send(res, '', 500))
  const { rpc, transport } = client(t, { urls: [node.url], failures: 3, clock })
  for (let i = 0; i < 3; i++) await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE' })
  t.match(transport.nodes(), [{ node: node.host, breaker: 'open' }])
  await t.rejects(rpc.call('getSlot', []), { code: 'BREAKER_OPEN', retryAfter: 1 })
  t.equal(node.requests.length, 3)
  node.behave = good(1)
  clock.advance(1_000)
  t.match(transport.nodes(), [{ node: node.host, breaker: 'half-open' }])
  t.equal(await rpc.call('getSlot', []), 1)
  t.match(transport.nodes(), [{ node: node.host, breaker: 'closed' }])
  t.equal(clock.timers(), 0)
})

test('after any fault the service recovers within 5 s, as the longest pause is that', async t => {
  const clock = createFakeClock(1)
  const node = await startNode(t, (_, res) => send(res, '', 500))
  const { rpc } = client(t, { urls: [node.url], failures: 1, clock })
  for (let seconds = 0; seconds < 120; seconds++) {
    await t.rejects(rpc.call('getSlot', []))
    clock.advance(1_000)
  }
  node.behave = good(1)
  clock.advance(5_000)
  t.equal(await rpc.call('getSlot', []), 1)
})

test('falls over to the second node and comes back when the breaker of the first closes', async t => {
  const clock = createFakeClock(1)
  const [first, second] = [await startNode(t, good('first')), await startNode(t, good('second'))]
  const { rpc, transport } = client(t, { urls: [first.url, second.url], failures: 2, clock })
  t.equal(await rpc.call('getSlot', []), 'first')
  first.behave = (_, res) => send(res, '', 500)
  for (let i = 0; i < 5; i++) t.equal(await rpc.call('getSlot', []), 'second')
  t.equal(first.requests.length, 4, 'genesis, one answer, two failures, then left alone')
  t.equal(transport.nodes()[0]?.breaker, 'open')
  first.behave = good('first')
  t.equal(await rpc.call('getSlot', []), 'second')
  clock.advance(1_000)
  t.equal(await rpc.call('getSlot', []), 'first')
  t.match(first.requests.slice(-2), [{ method: 'getGenesisHash' }, { method: 'getSlot' }], 'asked for its cluster again')
})

test('refuses a node of another cluster, and one that lags', async t => {
  const clock = createFakeClock(1)
  const at = (slot: number, genesis = hash) => answering(({ method }) => method === 'getGenesisHash' ? genesis : { context: { slot }, value: slot })
  const [first, second] = [await startNode(t, at(1_000)), await startNode(t, at(1_000, '2'.repeat(32)))]
  const { rpc } = client(t, { urls: [first.url, second.url], clock })
  t.match(await rpc.call('getBalance', []), { value: 1_000 })
  first.behave = (_, res) => send(res, '', 404)
  await t.rejects(rpc.call('getBalance', []), { code: 'NODE_BAD_ANSWER' })
  t.match(second.requests, [{ method: 'getGenesisHash' }], 'the other was asked for its cluster and for nothing else')
  second.behave = at(849)
  await t.rejects(rpc.call('getBalance', []), { code: 'NODE_UNAVAILABLE', message: /behind the other nodes by 60 s/ })
  second.behave = at(850)
  t.match(await rpc.call('getBalance', []), { value: 850 })
})

test('before the first answer is believed every node is asked where it is; one that does not say is waited for 2 s', async t => {
  const at = (slot: number) => answering(({ method }) => method === 'getGenesisHash' ? hash : method === 'getSlot' ? slot : { context: { slot }, value: slot })
  const [first, second] = [await startNode(t, at(1_000)), await startNode(t, at(1_900))]
  const { rpc } = client(t, { urls: [first.url, second.url], clock: createFakeClock(1), watchMs: 4_000 })
  t.match(await rpc.call('getBalance', []), { value: 1_900 }, 'the preferred one is six minutes behind')

  second.behave = () => {}
  const clock = createFakeClock(1)
  const alone = client(t, { urls: [first.url, second.url], clock, watchMs: 4_000 })
  const before = second.requests.length
  const asked = alone.rpc.call('getBalance', [])
  await until('the other one is asked', () => second.requests.length > before)
  clock.advance(2_000)
  t.match(await asked, { value: 1_000 })
})

test('a node alone that does not say where it is costs the first answer 2 s, and no other; one that refuses to say, nothing', async t => {
  const clock = createFakeClock(1)
  const node = await startNode(t, () => {})
  const rest = good({ context: { slot: 1_000 }, value: 7 })
  const { rpc } = client(t, { urls: [node.url], clock, watchMs: 4_000 })
  const hanging: Behaviour = (body, res, req) => { if (Array.isArray(body) || body.method !== 'getSlot') rest(body, res, req) }
  node.behave = hanging
  const asked = rpc.call('getBalance', [])
  await until('it is asked where it is', () => node.requests.length > 0)
  clock.advance(2_000)
  t.match(await asked, { value: 7 })
  t.match(await rpc.call('getBalance', []), { value: 7 })
  t.match(rpc.nodes(), [{ breaker: 'closed', slot: 1_000 }])

  const before = clock.now()
  for (const refuse of [answering(() => new RpcFault(-32601, 'Method not found')), (_: unknown, res: ServerResponse) => send(res, '', 403)]) {
    const other = client(t, { urls: [node.url], clock, watchMs: 4_000 })
    node.behave = (body, res, req) => (!Array.isArray(body) && body.method === 'getSlot' ? refuse : rest)(body, res, req)
    t.match(await other.rpc.call('getBalance', []), { value: 7 })
  }
  t.ok(clock.now() - before < 2_000)
})

test('a node whose finality stands is refused for that alone, from the first answer on: its accounts are as good as before', async t => {
  const clock = createFakeClock(1)
  const node = await startNode(t, answering(({ method, params }) => method !== 'getSlot'
    ? { context: { slot: 2_000 }, value: 7 }
    : (params[0] as { commitment: string }).commitment === 'confirmed' ? 2_000 : 1_000))
  const { rpc } = client(t, { urls: [node.url], failures: 3, clock, watchMs: 4_000 })
  for (let time = 0; time < 5; time++) {
    await t.rejects(rpc.call('getSlot', [{ commitment: 'finalized' }]), { code: 'NODE_UNAVAILABLE', message: /has a finalized slot that is behind by 400 s/ })
  }
  t.match(rpc.nodes(), [{ breaker: 'closed' }])
  t.match(await rpc.call('getBalance', []), { value: 7 })
})

test('a caller that leaves ends its call at once, and the node is not blamed', async t => {
  const node = await startNode(t, () => {})
  const outcomes: string[] = []
  const { rpc, transport } = client(t, { urls: [node.url], failures: 1, onCall: ({ outcome }) => outcomes.push(outcome) })
  const stop = new AbortController()
  const reason = new Error('gone')
  const call = rpc.call('getSlot', [], { signal: stop.signal })
  setTimeout(() => stop.abort(reason), 30)
  await t.rejects(call, reason)
  await delay(10)
  t.strictSame(outcomes, ['aborted'])
  t.equal(transport.nodes()[0]?.breaker, 'closed')
})

test('a caller that leaves during a pause ends it', async t => {
  const node = await startNode(t, (_, res) => send(res, '', 429, { 'retry-after': '5' }))
  const { rpc } = client(t, { urls: [node.url], retries: 3 })
  const begun = performance.now()
  await t.rejects(rpc.call('getSlot', [], { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
  t.ok(performance.now() - begun < 1_000)
})

test('close ends what runs and refuses what comes: SHUTTING_DOWN', async t => {
  const node = await startNode(t, () => {})
  const { rpc, transport } = client(t, { urls: [node.url, node.url] })
  const calls = Array.from({ length: 50 }, () => rpc.call('getSlot', []).catch((error: unknown) => error))
  await delay(30)
  transport.close()
  for (const error of await Promise.all(calls)) t.match(error, { code: 'SHUTTING_DOWN' })
  await t.rejects(rpc.call('getSlot', []), { code: 'SHUTTING_DOWN' })
})

test('an answer as a whole ends at its deadline, with nothing left behind', async t => {
  const warnings: Error[] = []
  const count = (warning: Error) => { warnings.push(warning) }
  process.on('warning', count)
  t.teardown(() => process.off('warning', count))
  const node = await startNode(t, () => {})
  const stop = new AbortController()
  let timers = 0
  const clock = { ...systemClock, after (ms: number, action: () => void) { timers++; const cancel = systemClock.after(ms, action); return () => { timers--; cancel() } } }
  const { rpc } = client(t, { urls: [node.url], callMs: 10_000, answerMs: 100, clock })
  const calls = Array.from({ length: 30 }, () => rpc.call('getSlot', [], { signal: stop.signal }).catch((error: unknown) => error))
  for (const error of await Promise.all(calls)) t.match(error, { code: 'NODE_UNAVAILABLE', message: `node ${node.host} gave no answer within 100 ms` })
  await delay(10)
  t.equal(timers, 0)
  t.strictSame(warnings, [])
})

test('500 calls at once, and writes are refused', async t => {
  const node = await startNode(t, good(1))
  const { rpc } = client(t, { urls: [node.url], batchSize: 1 })
  const answers = await Promise.all(Array.from({ length: 500 }, () => rpc.call('getSlot', [])))
  t.ok(answers.every(answer => answer === 1))
  await t.rejects(rpc.call('sendTransaction', []), { name: 'TypeError' })
  t.equal(node.requests.length, 500)
})

test('without a usable URL there is no transport, and it is not repeated', t => {
  t.throws(() => createNodeClient({ urls: [] }), { message: 'no node' })
  t.throws(() => createNodeClient({ urls: ['http://a.example', 'SECRET'] }), { message: 'node 2 has no http or https URL' })
  t.end()
})
