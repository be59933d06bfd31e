import { gzipSync } from 'node:zlib'
import { inspect } from 'node:util'
import { test } from 'tap'
import { createRpc } from '../../../../lib/chain/json-rpc.js'
import { systemClock } from '../../../../lib/chain/transport/clock.js'
import { createTransport, type CallReport, type TransportOptions } from '../../../../lib/chain/transport/index.js'
import { answering, failure, RpcFault, send, startNode, success, type Behaviour, type Call } from '../node-server.js'

// Each call sends its key along in every place where a URL can hold one.
const KEY = 'key-SECRET'
const withKey = (url: string) => url.replace('http://', `http://user-SECRET:${KEY}@`) + `path-SECRET?api-key=${KEY}`

/** A client over a transport that waits little. */
function client (urls: string[], over: Partial<TransportOptions> = {}) {
  const reports: CallReport[] = []
  const transport = createTransport({
    urls: urls.map(withKey),
    callMs: 400,
    answerMs: 1_000,
    retries: 1,
    failures: 100,
    onCall: report => reports.push(report),
    clock: { ...systemClock, random: () => 0.05 },
    ...over
  })
  return { transport, reports, rpc: createRpc(withKey(urls[0]!), transport.fetch) }
}

const good = answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : 42)
const dripping = (status: number): Behaviour => (_, res) => {
  res.writeHead(status)
  const timer = setInterval(() => res.write(' '), 20)
  res.on('close', () => clearInterval(timer))
}
const cut: Behaviour = (body, res) => { send(res, JSON.stringify(success((body as Call).id, 'a long text')).slice(0, -9)) }
const reset: Behaviour = (_, res) => {
  res.writeHead(200, { 'content-length': '1000' }).write('{"jsonrpc":')
  setTimeout(() => res.socket?.resetAndDestroy(), 10)
}
const bomb: Behaviour = (_, res) => { res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000, 32))) }

interface Fault { name: string, behave: Behaviour, code: string, outcome: string, requests: number, retryAfter?: number }

const faults: Fault[] = [
  { name: 'hang', behave: () => {}, code: 'NODE_UNAVAILABLE', outcome: 'timeout', requests: 2 },
  { name: 'slow drip', behave: dripping(200), code: 'NODE_UNAVAILABLE', outcome: 'timeout', requests: 2 },
  { name: 'reset before the answer', behave: (_, res) => { res.socket?.resetAndDestroy() }, code: 'NODE_UNAVAILABLE', outcome: 'network', requests: 2 },
  { name: 'reset mid-answer', behave: reset, code: 'NODE_UNAVAILABLE', outcome: 'network', requests: 2 },
  { name: '429', behave: (_, res) => send(res, KEY, 429), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 2 },
  { name: '429, Retry-After that does not fit', behave: (_, res) => send(res, '', 429, { 'retry-after': '30' }), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 1, retryAfter: 30 },
  { name: '500', behave: (_, res) => send(res, KEY, 500), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 2 },
  { name: '503 whose body drips', behave: dripping(503), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 2 },
  { name: '403', behave: (_, res) => send(res, 'blocked', 403), code: 'NODE_UNAVAILABLE', outcome: 'http', requests: 1 },
  { name: '401', behave: (_, res) => send(res, `bad ${KEY}`, 401), code: 'NODE_BAD_ANSWER', outcome: 'http', requests: 1 },
  { name: '413', behave: (_, res) => send(res, 'x'.repeat(200_000), 413), code: 'NODE_BAD_ANSWER', outcome: 'http', requests: 1 },
  { name: 'redirect', behave: (_, res) => send(res, '', 307, { location: 'http://127.0.0.1:1/' }), code: 'NODE_BAD_ANSWER', outcome: 'http', requests: 1 },
  { name: 'HTML', behave: (_, res) => send(res, `<html>${KEY}</html>`), code: 'NODE_BAD_ANSWER', outcome: 'not-json', requests: 2 },
  { name: 'empty', behave: (_, res) => send(res, ''), code: 'NODE_BAD_ANSWER', outcome: 'not-json', requests: 2 },
  { name: 'truncated JSON', behave: cut, code: 'NODE_BAD_ANSWER', outcome: 'not-json', requests: 2 },
  { name: 'wrong id', behave: (_, res) => send(res, success(KEY, 1)), code: 'NODE_BAD_ANSWER', outcome: 'wrong-ids', requests: 2 },
  { name: 'no result', behave: (body, res) => send(res, { id: (body as Call).id, [KEY]: 1 }), code: 'NODE_BAD_ANSWER', outcome: 'wrong-shape', requests: 2 },
  { name: 'a list', behave: (body, res) => send(res, [success((body as Call).id, 1)]), code: 'NODE_BAD_ANSWER', outcome: 'wrong-shape', requests: 2 },
  { name: 'too large', behave: (_, res) => send(res, ' '.repeat(5_000_000)), code: 'NODE_BAD_ANSWER', outcome: 'too-large', requests: 1 },
  { name: 'too large, as it says itself', behave: (_, res) => { res.writeHead(200, { 'content-length': '5000000' }).write('{') }, code: 'NODE_BAD_ANSWER', outcome: 'too-large', requests: 1 },
  { name: 'too large when unpacked', behave: bomb, code: 'NODE_BAD_ANSWER', outcome: 'too-large', requests: 1 },
  { name: 'JSON-RPC error that stays', behave: answering(() => new RpcFault(-32602, KEY)), code: 'NODE_BAD_ANSWER', outcome: 'rpc-error', requests: 1 },
  { name: 'JSON-RPC error that may pass', behave: answering(() => new RpcFault(-32005, KEY)), code: 'NODE_BAD_ANSWER', outcome: 'rpc-error', requests: 2 }
]

for (const { name, behave, code, outcome, requests, retryAfter } of faults) {
  test(`fault: ${name}`, async t => {
    const node = await startNode(t, behave)
    const { rpc, reports, transport } = client([node.url], { maxBytes: 1_000_000 })
    t.teardown(transport.close)
    const begun = performance.now()
    const error: unknown = await rpc.call('getSlot', []).catch((error: unknown) => error)
    t.match(error, { code, ...(retryAfter !== undefined && { retryAfter }) })
    t.ok(performance.now() - begun < 1_200, 'within the deadline of the answer')
    t.equal(node.requests.length, requests)
    t.strictSame(reports.map(({ method, size, node, outcome }) => ({ method, size, node, outcome })),
      Array(requests).fill({ method: 'getSlot', size: 1, node: node.host, outcome }))
    t.notMatch(inspect([error, error instanceof Error && error.stack, reports], { depth: 20, showHidden: true }), /SECRET/)

    node.behave = good
    t.equal(await rpc.call('getSlot', []), 42, 'and all is well when the fault has ended')
  })

  test(`fault: ${name}: another node answers`, async t => {
    const bad = await startNode(t, (body, res, req) => Array.isArray(body) || body.method === 'getGenesisHash' ? good(body, res, req) : behave(body, res, req))
    const other = await startNode(t, good)
    const { rpc, transport } = client([bad.url, other.url], { maxBytes: 1_000_000 })
    t.teardown(transport.close)
    if (name === 'JSON-RPC error that stays') return await t.rejects(rpc.call('getSlot', []), { code: 'NODE_BAD_ANSWER' }, 'every node would say the same')
    t.equal(await rpc.call('getSlot', []), 42)
  })
}

test('fault: refused, and a host without an address', async t => {
  for (const url of ['http://127.0.0.1:1/', 'http://no-such-host.invalid/']) {
    const { rpc, reports, transport } = client([url], { callMs: 3_000, answerMs: 5_000 })
    t.teardown(transport.close)
    const error: unknown = await rpc.call('getSlot', []).catch((error: unknown) => error)
    t.match(error, { code: 'NODE_UNAVAILABLE', message: /was not reached/ })
    t.match(reports, [{ outcome: 'network' }, { outcome: 'network' }])
    t.notMatch(inspect([error, reports], { depth: 20, showHidden: true }), /SECRET/)
  }
})

test('batches: members that fail are the caller\'s, unless all of them do', async t => {
  const node = await startNode(t, (body, res) => send(res, (body as Call[]).map(({ id }, i) => i === 1 ? failure(id, -32005) : success(id, i))))
  const { rpc, transport, reports } = client([node.url])
  t.teardown(transport.close)
  const calls = [0, 1, 2].map(() => ({ method: 'getTransaction', params: [] }))
  t.strictSame(await rpc.batch(calls), [{ result: 0 }, { error: { code: -32005, message: 'no' } }, { result: 2 }])
  t.match(reports, [{ method: 'getTransaction', size: 3, outcome: 'ok' }])
  node.behave = (body, res) => { send(res, (body as Call[]).map(({ id }) => failure(id, -32005))) }
  t.match(await rpc.batch(calls), [{ error: { code: -32005 } }, { error: { code: -32005 } }, { error: { code: -32005 } }])
  t.equal(node.requests.length, 3, 'tried once more')
  node.behave = (_, res) => send(res, failure(null, -32600))
  await t.rejects(rpc.batch(calls), { code: 'NODE_BAD_ANSWER', message: /refused a batch with JSON-RPC error -32600/ })
  t.equal(node.requests.length, 4)
  node.behave = (body, res) => send(res, (body as Call[]).slice(1).map(({ id }) => success(id, 1)))
  await t.rejects(rpc.batch(calls), { code: 'NODE_BAD_ANSWER', message: /other ids/ })
})
