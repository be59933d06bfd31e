import { setTimeout as delay } from 'node:timers/promises'
import { test, type Test } from 'tap'
import { systemClock } from '../../../lib/clock.js'
import { createAccountReader } from '../../../lib/chain/accounts.js'
import type { Moment } from '../../../lib/chain/moment.js'
import { createHistoryReader } from '../../../lib/chain/transactions.js'
import { createNodeClient, type NodeClientOptions } from '../../../lib/chain/nodes.js'
import { clockAnswer } from '../../support/clock-account.js'
import { createFakeClock } from '../../support/fake-clock.js'
import { answering, type Behaviour, RpcFault, send, startNode } from '../../support/node-server.js'
import { until } from '../../support/until.js'
import { steadyClock, steadyNow } from '../../support/steady-time.js'

const hash = '1'.repeat(32)
const good = (value: unknown) => answering(({ method }) => method === 'getGenesisHash' ? hash : value)

function client (t: Test, options: NodeClientOptions) {
  const rpc = createNodeClient({ retries: 0, watchMs: 0, rates: options.urls.map(() => 100_000), ...options })
  t.teardown(rpc.close)
  return { rpc, transport: rpc }
}

test('user and password of a URL become a header', async t => {
  const node = await startNode(t, answering(() => 7))
  const { rpc } = client(t, { urls: [node.url.replace('//', '//user:p%40ss@')] })
  let authorization: string | undefined
  const { behave } = node
  node.behave = (body, res, req) => { authorization = req.headers.authorization; behave(body, res, req) }
  t.equal(await rpc.call('getSlot', []), 7)
  t.equal(authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`)
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

test('however long a fault was, its node is asked again within 2 s', async t => {
  const clock = createFakeClock(1)
  const node = await startNode(t, (_, res) => send(res, '', 500))
  const { rpc } = client(t, { urls: [node.url], failures: 1, clock })
  for (let seconds = 0; seconds < 120; seconds++) {
    await t.rejects(rpc.call('getSlot', []))
    clock.advance(1_000)
  }
  node.behave = good(1)
  clock.advance(2_000)
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
  t.match(
    first.requests.slice(-2), [{ method: 'getGenesisHash' }, { method: 'getSlot' }], 'asked for its cluster again'
  )
})

test('refuses a node of another cluster', async t => {
  const clock = createFakeClock(1)
  const at = (slot: number, genesis = hash) => answering(
    ({ method }) => method === 'getGenesisHash' ? genesis : { context: { slot }, value: slot }
  )
  const [first, second] = [await startNode(t, at(1_000)), await startNode(t, at(1_000, '2'.repeat(32)))]
  const { rpc } = client(t, { urls: [first.url, second.url], clock })
  t.match(await rpc.call('getBalance', []), { value: 1_000 })
  first.behave = (_, res) => send(res, '', 404)
  await t.rejects(rpc.call('getBalance', []), { code: 'NODE_UNAVAILABLE' })
  t.match(second.requests, [{ method: 'getGenesisHash' }], 'the other was asked for its cluster and for nothing else')
  second.behave = at(1_000)
  t.match(await rpc.call('getBalance', []), { value: 1_000 })
})

const seconds = () => Math.floor(Date.now() / 1000)
/** A moment of so many seconds ago, at 2.5 slots a second. */
const ago = (secondsAgo: number): Moment => ({
  slot: 400_000_000 + Math.floor(2.5 * (seconds() - secondsAgo - 1_700_000_000)), time: seconds() - secondsAgo
})

interface Shown {
  secondsAgo?: number
  finalizedAgo?: number
  owner?: string
  bytes?: number
  health?: () => unknown
}

/** A node that shows a state of so many seconds ago, or that has something wrong with what dates it. */
const showing = (
  { secondsAgo = 0, finalizedAgo = secondsAgo, health = () => 'ok', ...clock }: Shown
): Behaviour => answering(call => {
  if (call.method === 'getGenesisHash') return hash
  if (call.method === 'getHealth') return health()
  const { commitment } = (call.params[1] ?? {}) as { commitment?: string }
  return clockAnswer(call, ago(commitment === 'finalized' ? finalizedAgo : secondsAgo), clock) ?? call.method
})

/** A client of nodes that show these, with what it tells of their faults. */
async function datedClient (t: Test, shown: readonly Shown[], options: Partial<NodeClientOptions> = {}) {
  const nodes = await Promise.all(shown.map(async one => await startNode(t, showing(one))))
  const faults: string[] = []
  const { rpc } = client(t, {
    urls: nodes.map(({ url }) => url),
    clock: createFakeClock(1),
    timeClock: systemClock,
    onFault: ({ message }) => { faults.push(message) },
    ...options
  })
  return { rpc, nodes, faults, accounts: createAccountReader(rpc), history: createHistoryReader(rpc) }
}

/** How old a moment is, within what a second may be cut to. */
const isOld = (t: Test, { moment }: { moment: Moment }, secondsAgo: number, what?: string) =>
  t.ok(
    Math.abs(seconds() - secondsAgo - moment.time) <= 2, what ?? `${seconds() - moment.time} s old, not ${secondsAgo}`
  )

test('of two nodes whose first stopped three hours ago the second answers, accounts and head alike', async t => {
  const { accounts, history, nodes } = await datedClient(t, [{ secondsAgo: 10_800 }, { secondsAgo: 1 }])
  isOld(t, await accounts.accounts([['a']]), 1)
  const asked = nodes[0]!.requests.length
  isOld(t, await history.head(), 1)
  isOld(t, await accounts.accounts([['a'], ['b', 'c']]), 1)
  t.equal(nodes[0]!.requests.length, asked, 'the older one is asked last for a minute')
  nodes[0]!.behave = showing({})
  nodes[1]!.behave = showing({ secondsAgo: 50 })
  isOld(t, await accounts.accounts([['a']]), 0, 'and is asked again when the other one is old')
})

test('a node whose finality has stopped has accounts that are as good as before', async t => {
  const { rpc, accounts, history } = await datedClient(t, [{ secondsAgo: 1, finalizedAgo: 400 }], { failures: 1 })
  for (let time = 0; time < 3; time++) {
    isOld(t, await history.head(), 400)
    isOld(t, await accounts.accounts([['a']]), 1)
  }
  t.match(rpc.nodes(), [{ breaker: 'closed', slot: ago(1).slot }])
  t.ok(rpc.nodes()[0]!.lagMs! < 5_000)
})

test('what dates an answer wrongly is named once, with the next node asked', async t => {
  const cases: Array<[Shown, RegExp]> = [
    [{ owner: 'Somebody' }, /a Clock of another owner/],
    [{ bytes: 32 }, /a Clock of 32 bytes/],
    [{ secondsAgo: -3600 }, /^node 127\.0\.0\.1:\d+ shows a moment of the future, \d\d:\d\d:\d\d UTC$/]
  ]
  for (const [shown, message] of cases) {
    const { rpc, accounts, history, faults, nodes } = await datedClient(t, [shown, { secondsAgo: 2 }], { failures: 1 })
    const answers = [await accounts.accounts([['a']]), await accounts.accounts([['a']]), await history.head()]
    t.match(faults, [message])
    t.equal(faults.length, 1)
    for (const answer of answers) isOld(t, answer, 2)
    t.ok(nodes[1]!.requests.length >= 3)
    t.match(
      rpc.nodes(), [{ breaker: 'closed' }, { breaker: 'closed' }], 'it is no illness: what needs no date is asked of it'
    )
    t.equal(await rpc.call('getSlot', []), 'getSlot')
  }
})

test('a node without one method is not ill: its breaker stays closed, and all else is asked of it', async t => {
  const { rpc, nodes, accounts } = await datedClient(t, [{}, {}], { failures: 1 })
  const { behave } = nodes[0]!
  nodes[0]!.behave = (body, res, req) => {
    if (!Array.isArray(body) && body.method === 'getSignaturesForAddress') {
      answering(() =>
        new RpcFault(-32601))(body, res, req)
    } else behave(body, res, req)
  }
  for (let time = 0; time < 5; time++) t.equal(await rpc.call('getSignaturesForAddress', []), 'getSignaturesForAddress')
  const asked = nodes[0]!.requests.flat().filter(({ method }) => method === 'getSignaturesForAddress').length
  t.equal(asked, 1, 'then not for a minute')
  t.match(rpc.nodes(), [{ breaker: 'closed' }, { breaker: 'closed' }])
  const others = nodes[1]!.requests.length
  await accounts.accounts([['a']])
  t.equal(nodes[1]!.requests.length, others)
})

test(
  'a scan that was aborted, storage that is not reached, a body cut short: the next node answers, ' +
    'and the first is asked again',
  async t => {
    const cut: Behaviour = (body, res) => {
      send(
        res, JSON.stringify({ jsonrpc: '2.0', id: (body as { id: unknown }).id, result: 'a long text' }).slice(0, -9)
      )
    }
    for (const fault of [answering(() => new RpcFault(-32012)), answering(() => new RpcFault(-32019)), cut]) {
      const [first, second] = [await startNode(t, good('first')), await startNode(t, good('second'))]
      const { rpc } = client(t, { urls: [first.url, second.url], failures: fault === cut ? 2 : 1 })
      t.equal(await rpc.call('getTransaction', []), 'first')
      first.behave = fault
      t.equal(await rpc.call('getTransaction', []), 'second')
      t.match(rpc.nodes(), [{ breaker: 'closed' }, { breaker: 'closed' }])
      first.behave = good('first')
      t.equal(await rpc.call('getTransaction', []), 'first', 'neither the node nor the method is ill')
    }
  }
)

test('a scan that was aborted is tried once more where there is no other node', async t => {
  let faults = 1
  const node = await startNode(t, answering(() => faults-- > 0 ? new RpcFault(-32012) : 'scanned'))
  const { rpc } = client(t, { urls: [node.url], retries: 1, clock: createFakeClock() })
  t.equal(await rpc.call('getProgramAccounts', []), 'scanned')
})

test(
  'each node is asked for its moment and its health; one that hangs costs nobody anything',
  async t => {
    const clock = createFakeClock(1)
    let says: unknown = 'ok'
    const { rpc, nodes, accounts } = await datedClient(
      t, [{ secondsAgo: 1 }, { secondsAgo: 2, health: () => says }], { clock, watchMs: 25_000 }
    )
    await accounts.accounts([['a']])
    t.match(rpc.nodes(), [{ slot: Number }, { slot: undefined, lagMs: undefined }])
    const looked = () => nodes.map(
      ({ requests }) => requests.flat().filter(({ method }) => method === 'getHealth').length
    )
    clock.advance(8_000)
    await until(
      'both are watched closer while they are not known to be current',
      () => rpc.nodes().every(({ slot }) => slot !== undefined)
    )
    await until('for their health, too', () => looked().every(times => times > 0))
    t.ok(rpc.nodes()[1]!.lagMs! >= 1_000 && rpc.nodes()[1]!.lagMs! < 5_000)

    says = new RpcFault(-32005)
    nodes[0]!.behave = () => {}
    const before = looked()
    await until('they are asked again', () => { clock.advance(5_000); return looked()[1]! > before[1]! })
    t.ok(clock.timers() > 0)
    rpc.close()
  }
)

test('a caller that leaves ends its call at once, and the node is not blamed', async t => {
  const node = await startNode(t, () => {})
  const outcomes: string[] = []
  const { rpc, transport } = client(
    t, { urls: [node.url], failures: 1, onCall: ({ outcome }) => outcomes.push(outcome) }
  )
  const stop = new AbortController()
  const reason = new Error('gone')
  const call = rpc.call('getSlot', [], { signal: stop.signal })
  const left = t.rejects(call, reason)
  await until('the node has been asked', () => node.requests.length === 1)
  stop.abort(reason)
  await left
  await until('it is reported', () => outcomes.length > 0)
  t.strictSame(outcomes, ['aborted'])
  t.equal(transport.nodes()[0]?.breaker, 'closed')
})

test('a caller that leaves during a pause ends it', async t => {
  const node = await startNode(t, (_, res) => send(res, '', 429, { 'retry-after': '5' }))
  const { rpc } = client(t, { urls: [node.url], retries: 3 })
  const begun = steadyNow()
  await t.rejects(rpc.call('getSlot', [], { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
  t.ok(steadyNow() - begun < 1_000)
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
  const clock = {
    ...systemClock,
    after (ms: number, action: () => void) {
      timers++; const cancel =
    systemClock.after(ms, action); return () => { timers--; cancel() }
    }
  }
  const { rpc } = client(t, { urls: [node.url], callMs: 10_000, answerMs: 100, clock })
  const calls = Array.from(
    { length: 30 }, () => rpc.call('getSlot', [], { signal: stop.signal }).catch((error: unknown) => error)
  )
  for (const error of await Promise.all(calls)) {
    t.match(error, { code: 'NODE_UNAVAILABLE', message: `node ${node.host} gave no answer within 100 ms` })
  }
  await until('no timer is left', () => timers === 0)
  t.strictSame(warnings, [])
})

test('500 calls at once', async t => {
  const node = await startNode(t, good(1))
  const { rpc } = client(t, { urls: [node.url], batchSize: 1, clock: steadyClock })
  const answers = await Promise.all(Array.from({ length: 500 }, () => rpc.call('getSlot', [])))
  t.ok(answers.every(answer => answer === 1))
  t.equal(node.requests.length, 500)
})
