import { test } from 'tap'
import { createRpc } from '../../../lib/chain/json-rpc.js'
import { faultOf } from '../../../lib/chain/transport/fault.js'
import { answering, failure, RpcFault, send, startNode, success, type Call } from './node-server.js'

test('a call gives its result, a batch its replies in the order asked for', async t => {
  const node = await startNode(t, answering(({ method, params }) => method === 'bad' ? new RpcFault(-32602) : params[0]))
  const rpc = createRpc(node.url, fetch)
  t.equal(await rpc.call('getSlot', [7]), 7)
  t.equal(await rpc.call('getSlot', [null]), null)
  node.behave = (body, res) => send(res, (body as Call[]).map(({ id, method, params }) => method === 'bad' ? failure(id, -32602) : success(id, params[0])).reverse())
  t.strictSame(await rpc.batch([{ method: 'a', params: [1] }, { method: 'bad', params: [] }, { method: 'a', params: [3] }]),
    [{ result: 1 }, { error: { code: -32602, message: 'no' } }, { result: 3 }])
  t.strictSame(await rpc.batch([]), [])
})

test('a JSON-RPC error is NODE_BAD_ANSWER with its code, and without the words of the node', async t => {
  const node = await startNode(t, answering(() => new RpcFault(-32015, 'key-SECRET')))
  const error = await createRpc(node.url, fetch).call('getTransaction', []).catch((error: unknown) => error)
  t.match(error, { code: 'NODE_BAD_ANSWER', message: `node ${node.host} answered JSON-RPC error -32015` })
  t.strictSame(faultOf(error), { host: node.host, reason: 'rpc-error', rpcCode: -32015 })
})

test('an answer that is none', async t => {
  const node = await startNode(t, () => {})
  const rpc = createRpc(node.url, fetch)
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

test('a batch must be answered member by member, or refused as a whole', async t => {
  const node = await startNode(t, () => {})
  const rpc = createRpc(node.url, fetch)
  const cases: Array<[string, (body: Call[]) => unknown]> = [
    ['wrong-ids', body => body.slice(1).map(({ id }) => success(id, 1))],
    ['wrong-ids', body => [...body, ...body].map(({ id }) => success(id, 1))],
    ['wrong-ids', body => body.map(() => success(body[0]?.id, 1))],
    ['wrong-shape', body => body.map(({ id }) => ({ id }))],
    ['wrong-shape', body => success(body[0]?.id, 1)],
    ['rpc-error', () => failure(null, -32600)]
  ]
  for (const [reason, answer] of cases) {
    node.behave = (body, res) => send(res, answer(body as Call[]))
    const error = await rpc.batch([{ method: 'a', params: [] }, { method: 'a', params: [] }]).catch((error: unknown) => error)
    t.match(error, { code: 'NODE_BAD_ANSWER' })
    t.equal(faultOf(error)?.reason, reason)
  }
})

test('over a bare fetch: statuses, refused connections and abort', async t => {
  const node = await startNode(t, (_, res) => send(res, 'busy', 503))
  const rpc = createRpc(node.url, fetch)
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE', message: /HTTP 503$/ })
  node.behave = (_, res) => send(res, 'no', 413)
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_BAD_ANSWER', message: /HTTP 413$/ })
  node.behave = (_, res) => { res.writeHead(200, { 'content-length': '100' }).write('{'); setTimeout(() => res.destroy(), 20) }
  await t.rejects(rpc.call('getSlot', []), { code: 'NODE_UNAVAILABLE' })
  const refused = await createRpc('http://127.0.0.1:1/key-SECRET', fetch).call('getSlot', []).catch((error: unknown) => error)
  t.match(refused, { code: 'NODE_UNAVAILABLE', message: /^node 127\.0\.0\.1:1 was not reached/ })
  node.behave = () => {}
  const reason = new Error('enough')
  await t.rejects(rpc.call('getSlot', [], AbortSignal.abort(reason)), reason)
})
