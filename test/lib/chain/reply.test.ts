import { test } from 'tap'
import { createNodeClient } from '../../../lib/chain/nodes.js'
import { readAnswer } from '../../../lib/chain/json-rpc.js'
import { faultOf } from '../../../lib/chain/node-errors.js'
import { answering, failure, RpcFault, send, startNode, success, type Call } from '../../support/node-server.js'

/** A client that asks once. */
const client = (url: string) => createNodeClient(
  { urls: [url], retries: 0, watchMs: 0, rates: [100_000], failures: 1e9 }
)

test('a call gives its result, a batch its replies in the order asked for', async t => {
  const node = await startNode(
    t, answering(({ method, params }) => method === 'bad' ? new RpcFault(-32602) : params[0])
  )
  const rpc = client(node.url)
  t.equal(await rpc.call('getSlot', [7]), 7)
  t.equal(await rpc.call('getSlot', [null]), null)
  node.behave = (body, res) => send(res, (body as Call[]).map(
    ({ id, params }) => params[0] === 'bad' ? failure(id, -32602) : success(id, params[0])
  ).reverse())
  t.match(
    await rpc.send([1, 'bad', 3].map(value => ({ method: 'a', params: [value] }))),
    [{ result: 1 }, { error: { code: 'NODE_BAD_ANSWER' } }, { result: 3 }]
  )
  t.equal(node.requests.length, 3)
  t.strictSame(await rpc.send([]), [])
})

test('a JSON-RPC error is NODE_BAD_ANSWER with its code, and without the words of the node', async t => {
  const node = await startNode(t, answering(() => new RpcFault(-32015, 'key-SECRET')))
  const error = await client(node.url).call('getTransaction', []).catch((error: unknown) => error)
  t.match(error, { code: 'NODE_BAD_ANSWER', message: `node ${node.host} answered JSON-RPC error -32015` })
  t.strictSame(faultOf(error), { host: node.host, reason: 'rpc-error', rpcCode: -32015 })
})

test('an answer that is none', async t => {
  const node = await startNode(t, () => {})
  const rpc = client(node.url)
  const cases: Array<[string, (body: Call) => unknown]> = [
    ['not-json', () => '<html>busy</html>'],
    ['not-json', ({ id }) => JSON.stringify(success(id, 'long')).slice(0, -4)],
    ['wrong-ids', () => success('other', 1)],
    ['wrong-ids', () => success(null, 1)],
    ['wrong-shape', ({ id }) => ({ jsonrpc: '2.0', id })],
    ['wrong-shape', ({ id }) => ({ jsonrpc: '2.0', id, error: 'text' })],
    ['wrong-shape', ({ id }) => [success(id, 1)]],
    ['wrong-shape', () => 'null'],
    ['wrong-shape', () => '5']
  ]
  for (const [reason, answer] of cases) {
    node.behave = (body, res) => send(res, answer(body as Call))
    const error = await rpc.call('getSlot', []).catch((error: unknown) => error)
    t.match(error, { code: 'NODE_BAD_ANSWER' })
    t.equal(faultOf(error)?.reason, reason, JSON.stringify(answer({ id: 1, method: '', params: [] })))
  }
})

test('a batch must be answered member by member, or refused as a whole', t => {
  const ids = [1, 2]
  const cases: Array<[string, unknown]> = [
    ['wrong-ids', [success(2, 1)]],
    ['wrong-ids', [...ids, ...ids].map(id => success(id, 1))],
    ['wrong-ids', ids.map(() => success(1, 1))],
    ['wrong-shape', ids.map(id => ({ id }))],
    ['wrong-shape', success(1, 1)],
    ['batch', failure(null, -32600)],
    ['batch', failure(2, -32600)],
    ['batch', ids.map(id => failure(id, -32602, 'Batch size must not exceed 1'))],
    ['refused', failure(null, -32429)]
  ]
  for (const [reason, answer] of cases) {
    try {
      readAnswer('h', ids, answer)
      t.fail(reason)
    } catch (error) {
      t.equal(faultOf(error)?.reason, reason)
    }
  }
  t.end()
})

test('refusals for the rate are told from other errors by code or by words', t => {
  const reasonOf = (code: number, message: string) => {
    const [reply] = readAnswer('h', [1], failure(1, code, message))
    return 'error' in reply! ? faultOf(reply.error)?.reason : undefined
  }
  for (const [code, message] of [
    [-32429, ''], [429, ''], [-32005, 'Too many requests'], [-32007, '50/second request limit reached'],
    [-32005, 'rate limited']
  ] as const) {
    t.equal(reasonOf(code, message), 'refused', message)
  }
  for (const [code, message] of [
    [-32005, 'Node is behind by 42 slots'], [-32007, 'Slot 5 was skipped'], [-32602, 'Invalid param'],
    [-32015, 'Transaction version (2) is not supported'], [-32602, 'Too many inputs provided; max 50'],
    [-32012, 'scan aborted: The accumulated scan results exceeded the limit'], [-32602, 'limit exceeded: at most 100'],
    [-32600, 'Too many requests in a batch']
  ] as const) {
    t.equal(reasonOf(code, message), 'rpc-error', message)
  }
  t.end()
})

test('statuses, refused connections and abort', async t => {
  const node = await startNode(t, (_, res) => send(res, 'busy', 503))
  const rpc = client(node.url)
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE', message: /HTTP 503$/ })
  node.behave = (_, res) => send(res, 'no', 413)
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_BAD_ANSWER', message: /HTTP 413$/ })
  node.behave = (_, res) => {
    res.writeHead(200, { 'content-length': '100' }).write('{'); setTimeout(() => res.destroy(), 20)
  }
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE' })
  const refused = await client('http://127.0.0.1:1/key-SECRET').call('getSlot', []).catch((error: unknown) => error)
  t.match(refused, { code: 'NODE_UNAVAILABLE', message: /^node 127\.0\.0\.1:1 was not reached/ })
  node.behave = () => {}
  const reason = new Error('enough')
  await t.rejects(rpc.call('getSlot', [], { signal: AbortSignal.abort(reason) }), reason)
})
