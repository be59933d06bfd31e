import { test } from 'tap'
import { createHistoryReader } from '../../../lib/chain/history.js'
import { createRpc } from '../../../lib/chain/json-rpc.js'
import { createFakeClock } from './fake-clock.js'
import { answering, failure, RpcFault, send, startNode, success, type Call } from './node-server.js'

const signatureOf = (n: number): string => String(n).replaceAll('0', 'z').padStart(88, 'a')
const signatures = (count: number): string[] => Array.from({ length: count }, (_, n) => signatureOf(n))

const transaction = (signature: unknown, slot = 5) => ({
  slot,
  blockTime: 1_700_000_000,
  transaction: { signatures: [signature], message: { accountKeys: ['a', 'b'] } },
  meta: { err: null, innerInstructions: [{ index: 0, instructions: [{ programIdIndex: 1, accounts: [0], data: 'x' }] }], loadedAddresses: { writable: [], readonly: [] } }
})

const sizes = (requests: Array<Call | Call[]>) => requests.map(body => Array.isArray(body) ? body.length : 0)

test('signatures: asks at finalized and reads each row', async t => {
  const node = await startNode(t, answering(() => [
    { signature: signatureOf(2), slot: 9, err: null, blockTime: 1_700_000_000, memo: null },
    { signature: signatureOf(1), slot: 8, err: { InstructionError: [0, 'x'] }, blockTime: null }
  ]))
  const reader = createHistoryReader(createRpc(node.url, fetch))
  t.strictSame(await reader.signatures('address', { before: 'b', until: 'u', limit: 2 }), [
    { signature: signatureOf(2), slot: 9, failed: false, blockTime: 1_700_000_000 },
    { signature: signatureOf(1), slot: 8, failed: true, blockTime: null }
  ])
  t.match(node.requests, [{ method: 'getSignaturesForAddress', params: ['address', { before: 'b', until: 'u', limit: 2, commitment: 'finalized' }] }])
  await reader.signatures('address', {})
  t.strictSame((node.requests[1] as Call).params, ['address', { limit: 1000, commitment: 'finalized' }])
})

test('signatures: a row with anything odd is refused, not guessed', async t => {
  const node = await startNode(t, () => {})
  const reader = createHistoryReader(createRpc(node.url, fetch))
  const good = { signature: signatureOf(1), slot: 8, err: null, blockTime: null }
  const odd: unknown[] = [
    null, 'rows', [null], [{}], [{ ...good, signature: 'short' }], [{ ...good, slot: '8' }], [{ ...good, slot: -1 }], [{ ...good, slot: 1.5 }],
    [{ ...good, err: undefined }], [{ ...good, blockTime: 'now' }], [good, { ...good, slot: null }]
  ]
  for (const result of odd) {
    node.behave = answering(() => result)
    await t.rejects(reader.signatures('address', {}), { code: 'NODE_BAD_ANSWER' }, JSON.stringify(result))
  }
})

test('signatures: a page that is not the one asked for is refused', async t => {
  const row = (n: number, slot: number) => ({ signature: signatureOf(n), slot, err: null, blockTime: null })
  const node = await startNode(t, answering(() => [row(3, 9), row(2, 9), row(1, 8)]))
  const reader = createHistoryReader(createRpc(node.url, fetch))
  t.equal((await reader.signatures('address', { limit: 3, before: signatureOf(4), until: signatureOf(5) })).length, 3)
  await t.rejects(reader.signatures('address', { limit: 2 }), { code: 'NODE_BAD_ANSWER', message: /more rows/ })
  await t.rejects(reader.signatures('address', { before: signatureOf(1) }), { code: 'NODE_BAD_ANSWER', message: /another page/ })
  await t.rejects(reader.signatures('address', { until: signatureOf(3) }), { code: 'NODE_BAD_ANSWER', message: /another page/ })
  node.behave = answering(() => [row(1, 8), row(2, 9)])
  await t.rejects(reader.signatures('address', {}), { code: 'NODE_BAD_ANSWER', message: /not newest first/ })
})

test('transactions: in order, by batches, null where the node has none', async t => {
  const node = await startNode(t, answering(({ params: [signature] }) => signature === signatureOf(3) ? null : transaction(signature)))
  const reader = createHistoryReader(createRpc(node.url, fetch), { batchSize: 4 })
  const asked = signatures(10)
  const found = await reader.transactions(asked)
  t.strictSame(found.map(each => each?.transaction.signatures[0] ?? null), asked.map((each, n) => n === 3 ? null : each))
  t.strictSame(sizes(node.requests), [4, 4, 2])
  t.match((node.requests[0] as Call[])[0], { method: 'getTransaction', params: [signatureOf(0), { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }] })
  t.strictSame(await reader.transactions([]), [])
})

test('transactions: what a node leaves out is null; what events need must be there', async t => {
  const node = await startNode(t, () => {})
  const reader = createHistoryReader(createRpc(node.url, fetch))
  const good = transaction(signatureOf(1))
  node.behave = answering(() => ({ ...good, blockTime: undefined, meta: { err: null } }))
  t.match(await reader.transactions([signatureOf(1)]), [{ blockTime: null, meta: { innerInstructions: null } }])
  const instruction = { programIdIndex: 1, accounts: [0], data: 'x' }
  const inner = (over: object) => ({ ...good, meta: { err: null, innerInstructions: [{ index: 0, instructions: [{ ...instruction, ...over }] }] } })
  const odd: unknown[] = [
    'text', [], {}, { ...good, slot: null }, { ...good, meta: null }, { ...good, transaction: null }, { ...good, blockTime: 'x' },
    { ...good, transaction: { signatures: [], message: { accountKeys: [] } } },
    { ...good, transaction: { signatures: [signatureOf(1)], message: {} } },
    { ...good, meta: { innerInstructions: [] } }, { ...good, meta: { err: null, innerInstructions: [{}] } },
    { ...good, meta: { err: null, innerInstructions: {} } }, { ...good, meta: { err: null, loadedAddresses: { writable: [] } } },
    inner({ programIdIndex: -1 }), inner({ accounts: ['a'] }), inner({ data: null }),
    transaction(signatureOf(2))
  ]
  for (const result of odd) {
    node.behave = answering(() => result)
    await t.rejects(reader.transactions([signatureOf(1)]), { code: 'NODE_BAD_ANSWER' }, JSON.stringify(result))
  }
})

test('transactions: a member that fails for now is asked again, never null', async t => {
  const clock = createFakeClock()
  let failures = 3
  const node = await startNode(t, answering(({ params: [signature] }) =>
    signature === signatureOf(1) && failures-- > 0 ? new RpcFault(-32005) : transaction(signature)))
  const reader = createHistoryReader(createRpc(node.url, fetch), { clock })
  const found = await reader.transactions(signatures(3))
  t.strictSame(found.map(each => each?.transaction.signatures[0]), signatures(3))
  t.strictSame(clock.slept, [200, 400, 800])
  t.strictSame(sizes(node.requests), [3, 0, 0, 0], 'only the one that failed')

  failures = Infinity
  await t.rejects(reader.transactions(signatures(3)), { code: 'NODE_UNAVAILABLE', message: /1 still refused after 5 attempts/ })
  node.behave = answering(() => new RpcFault(-32015))
  await t.rejects(reader.transactions(signatures(3)), { code: 'NODE_BAD_ANSWER', message: /-32015/ })
  await t.rejects(reader.transactions(signatures(1)), { code: 'NODE_BAD_ANSWER', message: /-32015/ })
})

test('transactions: a node that takes no batches is asked one by one, and this is remembered', async t => {
  const refusals: Array<[string, (res: Parameters<typeof send>[0], body: Call[]) => void]> = [
    ['an error for the whole', res => send(res, failure(null, -32600))],
    ['a single answer', (res, body) => send(res, success(body[0]?.id, null))],
    ['a status', res => send(res, 'no batches', 400)],
    ['members over the rate', (res, body) => send(res, body.map(({ id }, i) => i === 0 ? success(id, transaction(signatureOf(0))) : failure(id, -32429)))]
  ]
  for (const [name, refuse] of refusals) {
    const clock = createFakeClock()
    const single = answering(({ params: [signature] }) => transaction(signature))
    const node = await startNode(t, (body, res, req) => Array.isArray(body) ? refuse(res, body) : single(body, res, req))
    const reader = createHistoryReader(createRpc(node.url, fetch), { clock })
    for (const round of [1, 2]) {
      const found = await reader.transactions(signatures(5))
      t.strictSame(found.map(each => each?.transaction.signatures[0]), signatures(5), `${name}, round ${round}`)
    }
    t.equal(node.requests.filter(Array.isArray).length, 1, `${name}: one batch was tried`)
    clock.advance(600_000)
    await reader.transactions(signatures(5))
    t.equal(node.requests.filter(Array.isArray).length, 2, `${name}: and after ten minutes another`)
  }
})

test('transactions: 413 halves the batch', async t => {
  const good = answering(({ params: [signature] }) => transaction(signature))
  const node = await startNode(t, (body, res, req) => Array.isArray(body) && body.length > 3 ? send(res, 'too large', 413) : good(body, res, req))
  const reader = createHistoryReader(createRpc(node.url, fetch), { batchSize: 12, batchConcurrency: 1 })
  t.strictSame((await reader.transactions(signatures(12))).map(each => each?.transaction.signatures[0]), signatures(12))
  t.strictSame(sizes(node.requests), [12, 6, 6, 3, 3, 3, 3])
})

test('transactions: an outage ends the whole, and nothing more is asked', async t => {
  const node = await startNode(t, (_, res) => send(res, 'down', 503))
  const reader = createHistoryReader(createRpc(node.url, fetch), { batchSize: 1, concurrency: 2 })
  await t.rejects(reader.transactions(signatures(20)), { code: 'NODE_UNAVAILABLE' })
  t.ok(node.requests.length <= 3, `${node.requests.length} requests`)
})

test('transactions: single calls are bounded', async t => {
  let inFlight = 0
  let most = 0
  const node = await startNode(t, (body, res) => {
    most = Math.max(most, ++inFlight)
    setTimeout(() => { inFlight--; const { id, params } = body as Call; send(res, success(id, transaction(params[0]))) }, 5)
  })
  await createHistoryReader(createRpc(node.url, fetch), { batchSize: 1 }).transactions(signatures(40))
  t.equal(most, 8)
})

test('finalizedSlot', async t => {
  const node = await startNode(t, answering(() => 123))
  const reader = createHistoryReader(createRpc(node.url, fetch))
  t.equal(await reader.finalizedSlot(), 123)
  t.match(node.requests, [{ method: 'getSlot', params: [{ commitment: 'finalized' }] }])
  node.behave = answering(() => '123')
  await t.rejects(reader.finalizedSlot(), { code: 'NODE_BAD_ANSWER' })
})

test('a signal ends reads with its own reason', async t => {
  const node = await startNode(t, answering(() => new RpcFault(-32005)))
  const stop = new AbortController()
  const reader = createHistoryReader(createRpc(node.url, fetch), { signal: stop.signal })
  const reading = reader.transactions(signatures(2))
  const reason = new Error('closing')
  setTimeout(() => stop.abort(reason), 50)
  await t.rejects(reading, reason)
})
