import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { inspect } from 'node:util'
import { test } from 'tap'
import { systemClock } from '../../../lib/clock.js'
import { createNodeClient, type NodeClientOptions } from '../../../lib/chain/nodes.js'
import type { CallReport } from '../../../lib/chain/json-rpc.js'
import {
  answering, failure, RpcFault, send, startNode, success, type Behaviour, type Call
} from '../../support/node-server.js'
import { steadyAfter, steadyNow } from '../../support/steady-time.js'

// Each call sends its key along in every place where a URL can hold one.
const KEY = 'key-SECRET'
const withKey = (url: string) => url.replace('http://', `http://user-SECRET:${KEY}@`) + `path-SECRET?api-key=${KEY}`

/** For what is no matter of time: on a busy machine a call may take a second. */
const PATIENT = { callMs: 5_000, answerMs: 10_000 }
/** For a fault that is found by waiting for it. */
const CALL_MS = 400
/** What a busy machine adds to a deadline, ms. */
const SLACK_MS = 3_000

/** A client that tries twice. */
function client (urls: string[], over: Partial<NodeClientOptions> = {}) {
  const reports: CallReport[] = []
  const rpc = createNodeClient({
    urls: urls.map(withKey),
    ...PATIENT,
    retries: 1,
    watchMs: 0,
    rates: urls.map(() => 100_000),
    failures: 100,
    onCall: report => reports.push(report),
    clock: { ...systemClock, after: steadyAfter, random: () => 0.05 },
    ...over
  })
  return { transport: rpc, reports, rpc }
}

const good = answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : 42)
const dripping = (status: number): Behaviour => (_, res) => {
  res.writeHead(status)
  const timer = setInterval(() => res.write(' '), 20)
  res.on('close', () => clearInterval(timer))
}
const cut: Behaviour = (body, res) => {
  send(res, JSON.stringify(success((body as Call).id, 'a long text')).slice(0, -9))
}
const reset: Behaviour = (_, res) => {
  res.writeHead(200, { 'content-length': '1000' }).write('{"jsonrpc":')
  setTimeout(() => res.socket?.resetAndDestroy(), 10)
}
const bomb: Behaviour = (_, res) => {
  res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000, 32)))
}

interface Fault {
  name: string
  behave: Behaviour
  code: string
  outcome: string
  requests: number
  retryAfter?: number
  rests?: boolean
}

const faults: Fault[] = [
  { name: 'hang', behave: () => {}, code: 'NODE_UNAVAILABLE', outcome: 'timeout', requests: 2 },
  { name: 'slow drip', behave: dripping(200), code: 'NODE_UNAVAILABLE', outcome: 'timeout', requests: 2 },
  {
    name: 'reset before the answer',
    behave: (_, res) => { res.socket?.resetAndDestroy() },
    code: 'NODE_UNAVAILABLE',
    outcome: 'network',
    requests: 2
  },
  { name: 'reset mid-answer', behave: reset, code: 'NODE_UNAVAILABLE', outcome: 'network', requests: 2 },
  {
    name: '429, Retry-After that does not fit',
    behave: (_, res) => send(res, '', 429, { 'retry-after': '30' }),
    code: 'NODE_UNAVAILABLE',
    outcome: 'refused',
    requests: 1,
    retryAfter: 30,
    rests: true
  },
  { name: '500', behave: (_, res) => send(res, KEY, 500), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 2 },
  { name: '503 whose body drips', behave: dripping(503), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 2 },
  {
    name: '403', behave: (_, res) => send(res, 'blocked', 403), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 1
  },
  {
    name: '401',
    behave: (_, res) => send(res, `bad ${KEY}`, 401),
    code: 'NODE_UNAVAILABLE',
    outcome: 'http',
    requests: 1
  },
  {
    name: '413',
    behave: (_, res) => send(res, 'x'.repeat(200_000), 413),
    code: 'NODE_BAD_ANSWER',
    outcome: 'http',
    requests: 1
  },
  {
    name: 'redirect',
    behave: (_, res) => send(res, '', 307, { location: 'http://127.0.0.1:1/' }),
    code: 'NODE_UNAVAILABLE',
    outcome: 'http',
    requests: 1
  },
  {
    name: 'HTML',
    behave: (_, res) => send(res, `<html>${KEY}</html>`),
    code: 'NODE_BAD_ANSWER',
    outcome: 'not-json',
    requests: 2
  },
  { name: 'empty', behave: (_, res) => send(res, ''), code: 'NODE_BAD_ANSWER', outcome: 'not-json', requests: 2 },
  { name: 'truncated JSON', behave: cut, code: 'NODE_BAD_ANSWER', outcome: 'not-json', requests: 2 },
  {
    name: 'wrong id',
    behave: (_, res) => send(res, success(KEY, 1)),
    code: 'NODE_BAD_ANSWER',
    outcome: 'wrong-ids',
    requests: 2
  },
  {
    name: 'no result',
    behave: (body, res) => send(res, { id: (body as Call).id, [KEY]: 1 }),
    code: 'NODE_BAD_ANSWER',
    outcome: 'wrong-shape',
    requests: 2
  },
  {
    name: 'a list',
    behave: (body, res) => send(res, [success((body as Call).id, 1)]),
    code: 'NODE_BAD_ANSWER',
    outcome: 'wrong-shape',
    requests: 2
  },
  {
    name: 'too large',
    behave: (_, res) => send(res, ' '.repeat(5_000_000)),
    code: 'NODE_BAD_ANSWER',
    outcome: 'too-large',
    requests: 1
  },
  { name: 'too large when unpacked', behave: bomb, code: 'NODE_BAD_ANSWER', outcome: 'too-large', requests: 1 },
  {
    name: 'JSON-RPC error that stays',
    behave: answering(() => new RpcFault(-32602, KEY)),
    code: 'NODE_BAD_ANSWER',
    outcome: 'rpc-error',
    requests: 1
  },
  {
    name: 'JSON-RPC error that may pass',
    behave: answering(() => new RpcFault(-32005, KEY)),
    code: 'NODE_BAD_ANSWER',
    outcome: 'rpc-error',
    requests: 2
  }
]

for (const { name, behave, code, outcome, requests, retryAfter, rests } of faults) {
  test(`fault: ${name}`, async t => {
    const node = await startNode(t, behave)
    const isTimed = outcome === 'timeout'
    const { rpc, reports, transport } = client([node.url], { maxBytes: 1_000_000, ...(isTimed && { callMs: CALL_MS }) })
    t.teardown(transport.close)
    const begun = steadyNow()
    const error: unknown = await rpc.call('getSlot', []).catch((error: unknown) => error)
    t.match(error, { code, ...(retryAfter !== undefined && { retryAfter }) })
    t.ok(
      steadyNow() - begun < (isTimed ? requests * CALL_MS : PATIENT.answerMs) + SLACK_MS, 'within the deadlines'
    )
    t.equal(node.requests.length, requests)
    t.strictSame(reports.map(({ method, size, node, outcome }) => ({ method, size, node, outcome })),
      Array(requests).fill({ method: 'getSlot', size: 1, node: node.host, outcome }))
    t.notMatch(
      inspect([error, error instanceof Error && error.stack, reports], { depth: 20, showHidden: true }), /SECRET/
    )

    node.behave = good
    if (rests === true) {
      await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE' }, 'nothing is sent before the time it said')
    } else t.equal(await rpc.call('getSlot', []), 42, 'and all is well when the fault has ended')
  })

  test(`fault: ${name}: another node answers`, async t => {
    const bad = await startNode(t, (body, res, req) => Array.isArray(body) || body.method === 'getGenesisHash'
      ? good(body, res, req)
      : behave(body, res, req))
    const other = await startNode(t, good)
    const { rpc, transport } = client(
      [bad.url, other.url], { maxBytes: 1_000_000, ...(outcome === 'timeout' && { callMs: 1_000 }) }
    )
    t.teardown(transport.close)
    t.equal(await rpc.call('getSlot', []), 42)
  })
}

test('answers that come at once leave room for a small one: the largest are refused', async t => {
  const open: ServerResponse[] = []
  const node = await startNode(t, (body, res, req) => {
    if (Array.isArray(body) || body.method !== 'getBlock') return good(body, res, req)
    res.writeHead(200)
    res.write(`{"jsonrpc":"2.0","id":${String(body.id)},"result":"${'x'.repeat(300_000 + 10_000 * open.push(res))}`)
  })
  const { rpc, reports, transport } = client([node.url], { maxBytes: 1_000_000, retries: 0 })
  t.teardown(transport.close)
  const large = Array.from({ length: 8 }, () => rpc.call('getBlock', []).then(String, () => ''))
  while (open.length < 8 || reports.filter(({ outcome }) => outcome === 'too-large').length < 5) {
    await systemClock.sleep(5)
  }
  t.equal(await rpc.call('getSlot', []), 42)
  for (const res of open) res.end('"}')
  const held = (await Promise.all(large)).reduce((sum, { length }) => sum + length, 0)
  t.ok(held >= 300_000 && held < 1_000_000, `${held} bytes`)
})

test('fault: refused, and a host without an address', async t => {
  for (const url of ['http://127.0.0.1:1/', 'http://no-such-host.invalid/']) {
    const { rpc, reports, transport } = client([url])
    t.teardown(transport.close)
    const error: unknown = await rpc.call('getSlot', []).catch((error: unknown) => error)
    t.match(error, { code: 'NODE_UNAVAILABLE', message: /was not reached/ })
    t.match(reports, [{ outcome: 'network' }, { outcome: 'network' }])
    t.notMatch(inspect([error, reports], { depth: 20, showHidden: true }), /SECRET/)
  }
})

test('batches: what was answered is kept, and what failed is asked once more', async t => {
  const node = await startNode(t, (body, res) => send(res, Array.isArray(body)
    ? body.map(({ id }, i) => i === 1 ? failure(id, -32005) : success(id, i))
    : success(body.id, 'alone')))
  const { rpc, transport, reports } = client([node.url])
  t.teardown(transport.close)
  const calls = [0, 1, 2].map(() => ({ method: 'getTransaction', params: [] }))
  t.strictSame(await rpc.send(calls), [{ result: 0 }, { result: 'alone' }, { result: 2 }])
  t.match(
    reports,
    [{ method: 'getTransaction', size: 3, outcome: 'rpc-error' }, { method: 'getTransaction', size: 1, outcome: 'ok' }]
  )
  node.behave = (body, res) => {
    send(res, Array.isArray(body) ? body.map(({ id }) => failure(id, -32005)) : failure(body.id, -32005))
  }
  t.match(await rpc.send(calls), calls.map(() => ({ error: { code: 'NODE_BAD_ANSWER', message: /-32005/ } })))
  node.behave = (body, res) => send(res, Array.isArray(body) ? failure(null, -32600) : success(body.id, 1))
  t.strictSame(
    await rpc.send(calls), calls.map(() => ({ result: 1 })), 'a node that takes no batches is asked one by one'
  )
})

test('a node that fails at each batch is asked one by one', async t => {
  const failures: Array<[string, Behaviour]> = [
    ['status 500', (_, res) => send(res, KEY, 500)],
    ['connection', (_, res) => res.socket?.resetAndDestroy()],
    ['ids', (body, res) => send(res, (body as Call[]).map(() => success(0, 1)))],
    ['each member', (body, res) => send(res, (body as Call[]).map(({ id }) => failure(id, -32602)))]
  ]
  for (const [name, failing] of failures) {
    const node = await startNode(t, (body, res, req) =>
      Array.isArray(body) ? failing(body, res, req) : send(res, success(body.id, 1)))
    const { rpc, transport } = client([node.url])
    t.teardown(transport.close)
    t.strictSame(
      await rpc.send([0, 1, 2].map(() => ({ method: 'getTransaction', params: [] }))),
      [0, 1, 2].map(() => ({ result: 1 })),
      name
    )
  }
})

test('refusals without a Retry-After are waited for, and no fault', async t => {
  let refusals = 2
  const node = await startNode(t, (body, res, req) => refusals-- > 0 ? send(res, KEY, 429) : good(body, res, req))
  const { rpc, transport } = client([node.url], { failures: 1 })
  t.teardown(transport.close)
  t.equal(await rpc.call('getSlot', []), 42)
  t.match(transport.nodes(), [{ breaker: 'closed', refused: 2, waiting: 0 }])
})

test('a Retry-After of no time is no leave to ask again at once', async t => {
  const node = await startNode(t, (_, res) => send(res, '', 429, { 'retry-after': '0' }))
  const { rpc, transport } = client([node.url], { answerMs: 1_200 })
  t.teardown(transport.close)
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE' })
  t.ok(node.requests.length <= 3, `${node.requests.length} requests`)
})

test('another node answers while the first is left alone for its rate', async t => {
  const [first, second] = [await startNode(t, (body, res, req) => (body as Call).method === 'getGenesisHash'
    ? good(body, res, req)
    : send(res, '', 429, { 'retry-after': '30' })), await startNode(t, good)]
  const { rpc, transport } = client([first.url, second.url])
  t.teardown(transport.close)
  for (let i = 0; i < 5; i++) t.equal(await rpc.call('getSlot', []), 42)
  t.equal(first.requests.length, 2, 'its genesis hash, and one call')
})
