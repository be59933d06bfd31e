import { test } from 'tap'
import { isServiceError } from '../../../lib/errors.js'
import { createHistoryReader, type HistoryReader } from '../../../lib/chain/transactions.js'
import { systemClock } from '../../../lib/clock.js'
import { createNodeClient, type NodeClientOptions } from '../../../lib/chain/nodes.js'
import { CLOCK } from '../../../lib/chain/accounts.js'
import { clockAnswer } from '../../support/clock-account.js'
import { answering, failure, RpcFault, send, startNode, success, type Call } from '../../support/node-server.js'

const signatureOf = (n: number): string => String(n).replaceAll('0', 'z').padStart(88, 'a')
const signatures = (count: number): string[] => Array.from({ length: count }, (_, n) => signatureOf(n))

const transaction = (signature: unknown, slot = 5) => ({
  slot,
  blockTime: 1_700_000_000,
  transaction: { signatures: [signature], message: { accountKeys: ['a', 'b'] } },
  meta: {
    err: null,
    innerInstructions: [{ index: 0, instructions: [{ programIdIndex: 1, accounts: [0], data: 'x' }] }],
    loadedAddresses: { writable: [], readonly: [] }
  }
})

/** The signature that an outcome carries; null or the code of an error as it is. */
const given = (outcome: Awaited<ReturnType<HistoryReader['transactions']>>[number]) => isServiceError(outcome)
  ? outcome.code
  : outcome && outcome.transaction.signatures[0]

/** A reader over a client that asks once, at any rate. */
const readerOf = (url: string, options: Partial<NodeClientOptions> = {}) =>
  createHistoryReader(
    createNodeClient({ urls: [url], retries: 0, watchMs: 0, rates: [1_000_000], failures: 1e9, ...options })
  )

const sizes = (requests: Array<Call | Call[]>) => requests.map(body => Array.isArray(body) ? body.length : 0)

test('signatures: asks at finalized and reads each row', async t => {
  const node = await startNode(t, answering(() => [
    { signature: signatureOf(2), slot: 9, err: null, blockTime: 1_700_000_000, memo: null },
    { signature: signatureOf(1), slot: 8, err: { InstructionError: [0, 'x'] }, blockTime: 0 }
  ]))
  const reader = readerOf(node.url)
  t.strictSame(await reader.signatures('address', { before: { signature: 'b', slot: 9 }, limit: 2 }), [
    { signature: signatureOf(2), slot: 9, failed: false, blockTime: 1_700_000_000, transactionIndex: null },
    { signature: signatureOf(1), slot: 8, failed: true, blockTime: null, transactionIndex: null }
  ])
  t.match(node.requests, [{
    method: 'getSignaturesForAddress',
    params: ['address', { before: 'b', limit: 2, commitment: 'finalized' }]
  }])
  await reader.signatures('address', { minSlot: 9 })
  t.strictSame(
    (node.requests[1] as Call).params, ['address', { limit: 1000, commitment: 'finalized', minContextSlot: 9 }]
  )
  await reader.signatures('address', {})
  t.strictSame((node.requests[2] as Call).params, ['address', { limit: 1000, commitment: 'finalized' }])
})

test('signatures: a row with anything odd is refused, not guessed', async t => {
  const node = await startNode(t, () => {})
  const reader = readerOf(node.url)
  const good = { signature: signatureOf(1), slot: 8, err: null, blockTime: null }
  const odd: unknown[] = [
    null, 'rows', [null], [{}], [{ ...good, signature: 'short' }], [{ ...good, slot: '8' }], [{ ...good, slot: -1 }],
    [{ ...good, slot: 1.5 }],
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
  const reader = readerOf(node.url)
  t.equal((await reader.signatures('address', { limit: 3, before: { signature: signatureOf(4), slot: 9 } })).length, 3)
  const refused = { code: 'NODE_BAD_ANSWER', message: /out of order/ }
  for (const before of [{ signature: signatureOf(1), slot: 8 }, { signature: signatureOf(4), slot: 8 }]) {
    await t.rejects(reader.signatures('address', { before }), refused, 'on it, above it')
  }
  node.behave = answering(() => [row(1, 8), row(2, 9)])
  await t.rejects(reader.signatures('address', {}), refused)
})

test('signatures: what two archives of a node both have counts once', async t => {
  const row = (n: number) => ({ signature: signatureOf(n), slot: n, err: null, blockTime: n })
  const node = await startNode(t, answering(() => [9, 8, 7, 8, 7, 7, 6].map(row)))
  const found = await readerOf(node.url).signatures('address', { before: { signature: signatureOf(10), slot: 10 } })
  t.strictSame(found.map(({ slot }) => slot), [9, 8, 7, 6])
})

test('transactions: in order, by batches, null where the node has none', async t => {
  const node = await startNode(
    t, answering(({ params: [signature] }) => signature === signatureOf(3) ? null : transaction(signature))
  )
  const reader = readerOf(node.url, { batchSize: 4 })
  const asked = signatures(10)
  const found = await reader.transactions(asked)
  t.strictSame(found.map(given), asked.map((each, n) => n === 3 ? null : each))
  t.strictSame(sizes(node.requests), [4, 4, 2])
  t.match((node.requests[0] as Call[])[0], {
    method: 'getTransaction',
    params: [signatureOf(0), { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 1 }]
  })
  t.strictSame(await reader.transactions([]), [])
})

test('transactions: what a node leaves out is null; what events need must be there', async t => {
  const node = await startNode(t, () => {})
  const reader = readerOf(node.url)
  const good = transaction(signatureOf(1))
  node.behave = answering(() => ({ ...good, blockTime: undefined, meta: { err: null } }))
  t.match(await reader.transactions([signatureOf(1)]), [{ blockTime: null, meta: { innerInstructions: null } }])
  node.behave = answering(() => ({
    ...good,
    transactionIndex: 3,
    meta: { err: 'InsufficientFundsForFee', fee: 0, innerInstructions: null, logMessages: null }
  }))
  t.match(
    await reader.transactions([signatureOf(1)]),
    [{ transactionIndex: 3, meta: { err: 'InsufficientFundsForFee' } }],
    'never executed'
  )
  const instruction = { programIdIndex: 1, accounts: [0], data: 'x' }
  const inner = (over: object) => ({
    ...good, meta: { err: null, innerInstructions: [{ index: 0, instructions: [{ ...instruction, ...over }] }] }
  })
  const odd: unknown[] = [
    'text', [], {}, { ...good, slot: null }, { ...good, meta: null }, { ...good, transaction: null },
    { ...good, blockTime: 'x' },
    { ...good, transaction: { signatures: [], message: { accountKeys: [] } } },
    { ...good, transaction: { signatures: [signatureOf(1)], message: {} } },
    { ...good, meta: { innerInstructions: [] } }, { ...good, meta: { err: null, innerInstructions: [{}] } },
    { ...good, meta: { err: null, innerInstructions: {} } },
    { ...good, meta: { err: null, loadedAddresses: { writable: [] } } },
    inner({ programIdIndex: -1 }), inner({ accounts: ['a'] }), inner({ data: null }),
    transaction(signatureOf(2))
  ]
  for (const result of odd) {
    node.behave = answering(() => result)
    t.match(await reader.transactions([signatureOf(1)]), [{ code: 'NODE_BAD_ANSWER' }], JSON.stringify(result))
  }
})

test('transactions: a member that fails for now is asked again, never null, and its neighbours are kept', async t => {
  let failures = 3
  const node = await startNode(t, answering(({ params: [signature] }) =>
    signature === signatureOf(1) && failures-- > 0 ? new RpcFault(-32005) : transaction(signature)))
  const reader = readerOf(node.url, { retries: 4 })
  const found = await reader.transactions(signatures(3))
  t.strictSame(found.map(given), signatures(3))
  t.strictSame(sizes(node.requests), [3, 0, 0, 0], 'only the one that failed')

  failures = Infinity
  t.strictSame(
    (await reader.transactions(signatures(3))).map(given),
    [signatureOf(0), undefined, signatureOf(2)],
    'its neighbours are kept'
  )
  await t.rejects(reader.transactions([signatureOf(1)]), { code: 'NODE_BAD_ANSWER', message: /-32005/ })
  node.behave = answering(() => new RpcFault(-32015))
  t.match(await reader.transactions(signatures(3)), signatures(3).map(() => ({ code: 'VERSION_UNSUPPORTED' })))
})

test('transactions: a node that takes no batches is asked one by one, and this is remembered', async t => {
  const refusals: Array<[string, (res: Parameters<typeof send>[0], body: Call[]) => void]> = [
    ['an error for the whole', res => send(res, failure(null, -32600))],
    ['a single answer', (res, body) => send(res, success(body[0]?.id, null))],
    ['a status', res => send(res, 'no batches', 400)]
  ]
  for (const [name, refuse] of refusals) {
    let ahead = 0
    const clock = { ...systemClock, now: () => performance.now() + ahead }
    const single = answering(({ params: [signature] }) => transaction(signature))
    const node = await startNode(
      t, (body, res, req) => Array.isArray(body) ? refuse(res, body) : single(body, res, req)
    )
    const reader = readerOf(node.url, { clock })
    for (const round of [1, 2]) {
      const found = await reader.transactions(signatures(5))
      t.strictSame(found.map(given), signatures(5), `${name}, round ${round}`)
    }
    t.equal(node.requests.filter(Array.isArray).length, 1, `${name}: one batch was tried`)
    ahead = 60_000
    await reader.transactions(signatures(5))
    t.equal(node.requests.filter(Array.isArray).length, 2, `${name}: and after a minute another`)
  }
})

test('transactions: 413 for a batch, and they are asked one by one', async t => {
  const good = answering(({ params: [signature] }) => transaction(signature))
  const node = await startNode(
    t, (body, res, req) => Array.isArray(body) && body.length > 3 ? send(res, 'too large', 413) : good(body, res, req)
  )
  const reader = readerOf(node.url, { batchSize: 12 })
  t.strictSame((await reader.transactions(signatures(12))).map(given), signatures(12))
  t.strictSame(sizes(node.requests), [12, ...Array<number>(12).fill(0)])
})

test('transactions: an outage ends the whole, and nothing more is asked', async t => {
  const node = await startNode(t, (_, res) => send(res, 'down', 503))
  await t.rejects(
    readerOf(node.url, { batchSize: 1 }).transactions(signatures(100), { priority: 'past' }),
    { code: 'NODE_UNAVAILABLE' }
  )
  t.ok(node.requests.length <= 24, `${node.requests.length} requests`)
})

test('transactions: requests in flight are bounded', async t => {
  let inFlight = 0
  let most = 0
  const node = await startNode(t, (body, res) => {
    most = Math.max(most, ++inFlight)
    setTimeout(
      () => { inFlight--; const { id, params } = body as Call; send(res, success(id, transaction(params[0]))) }, 5
    )
  })
  await readerOf(node.url, { batchSize: 1 }).transactions(signatures(100), { priority: 'past' })
  t.ok(most > 4 && most <= 24, `${most} at most`)
})

test('signatures: an unknown cursor is CURSOR_UNKNOWN, the place in the block is read', async t => {
  const node = await startNode(t, answering(() => new RpcFault(-32020)))
  const reader = readerOf(node.url)
  await t.rejects(
    reader.signatures('address', { before: { signature: signatureOf(1), slot: 9 } }), { code: 'CURSOR_UNKNOWN' }
  )
  node.behave = answering(
    () => [{ signature: signatureOf(2), slot: 9, err: null, blockTime: null, transactionIndex: 7 }]
  )
  t.match(await reader.signatures('address', {}), [{ transactionIndex: 7 }])
})

test('signatures: an empty list is taken for the end where no other node lists more', async t => {
  const row = { signature: signatureOf(2), slot: 9, err: null, blockTime: null }
  const older = await startNode(t, answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : []))
  const other = await startNode(t, answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : [row]))
  const reader = readerOf(older.url, { urls: [older.url, other.url] })
  const before = { signature: signatureOf(3), slot: 9 }
  t.match(await reader.signatures('address', { before }), [{ signature: signatureOf(2) }])
  t.match(
    await reader.signatures('address', {}), [{ signature: signatureOf(2) }],
    'nor may one that began from a snapshot know what was before'
  )
  t.same(await readerOf(older.url).signatures('address', { before }), [], 'a node alone is all there is')
  other.behave = answering(() => new RpcFault(-32020))
  t.same(await reader.signatures('address', { before }), [])
})

test('signatures: where a list begins below what is known already, another node is asked', async t => {
  const nodes = await Promise.all([8, 9].map(async slot => await startNode(t, answering(({ method }) =>
    method === 'getGenesisHash' ? '1'.repeat(32) : [{ signature: signatureOf(slot), slot, err: null }]))))
  const reader = readerOf(nodes[0]!.url, { urls: nodes.map(({ url }) => url) })
  const newest = async (since?: number) =>
    (await reader.signatures('address', { minSlot: 9, since })).map(({ slot }) => slot)
  t.strictSame(await newest(), [8], 'of a node that ignores minContextSlot')
  t.strictSame(await newest(9), [9])
  t.strictSame(await newest(10), [8], 'where none has more, the first tells as much as any')
})

test('signatures: where a page lies above the cursor, another node is asked', async t => {
  const nodes = await Promise.all([[9, 8], [6, 5]].map(async slots => await startNode(t, answering(({ method }) =>
    method === 'getGenesisHash'
      ? '1'.repeat(32)
      : slots.map(slot => ({ signature: signatureOf(slot), slot, err: null }))))))
  const reader = readerOf(nodes[0]!.url, { urls: nodes.map(({ url }) => url) })
  const page = await reader.signatures('address', { before: { signature: signatureOf(7), slot: 7 } })
  t.strictSame(page.map(({ slot }) => slot), [6, 5])
})

test('bulk: whole transactions with their places, held to what was asked for', async t => {
  const entry = (n: number, slot: number, transactionIndex: number) => ({
    ...transaction(signatureOf(n), slot), transactionIndex, version: 1
  })
  const node = await startNode(
    t, answering(() => ({ data: [entry(1, 5, 3), entry(2, 5, 4), entry(3, 6, 0)] }))
  )
  const reader = readerOf(node.url)
  const slots = { gte: 5, lte: 9 }
  const page = { order: 'asc', slots } as const
  t.match(
    await reader.bulk('address', page),
    [{ slot: 5, transactionIndex: 3 }, { transactionIndex: 4 }, { slot: 6 }]
  )
  t.match((node.requests[0] as Call).params, ['address', {
    transactionDetails: 'full',
    sortOrder: 'asc',
    limit: 1000,
    commitment: 'finalized',
    maxSupportedTransactionVersion: 1,
    filters: { slot: slots, status: 'any' }
  }])
  await t.rejects(reader.bulk('address', { order: 'desc', slots }), { code: 'NODE_BAD_ANSWER', message: /order/ })
  await t.rejects(
    reader.bulk('address', { order: 'asc', slots: { gte: 6, lte: 9 } }),
    { code: 'NODE_BAD_ANSWER', message: /not asked for/ }
  )
  for (const odd of [null, {}, { data: [{}] }, { data: [transaction(signatureOf(1))] }]) {
    node.behave = answering(() => odd)
    await t.rejects(reader.bulk('address', page), { code: 'NODE_BAD_ANSWER' }, JSON.stringify(odd))
  }
  node.behave = answering(() => ({ data: [] }))
  t.strictSame(await reader.bulk('address', page), [])
})

test(
  'bulk: a node that takes a hundred at most is asked for a hundred; one that does not offer it is left in peace',
  async t => {
    const node = await startNode(
      t, answering(({ params }) => (params[1] as { limit: number }).limit > 100 ? new RpcFault(-32602) : { data: [] })
    )
    const reader = readerOf(node.url)
    const page = { order: 'asc', slots: { gte: 5, lte: 9 } } as const
    t.strictSame(await reader.bulk('address', page), [])
    await reader.bulk('address', page)
    t.strictSame(node.requests.map(body => ((body as Call).params[1] as { limit: number }).limit), [1000, 100, 100])
    for (const refuse of [
      answering(() => new RpcFault(-32601)),
      (_: unknown, res: Parameters<typeof send>[0]) => send(res, 'upgrade your plan', 403)
    ]) {
      const poor = await startNode(t, refuse)
      const client = createNodeClient({ urls: [poor.url], retries: 0, watchMs: 0, failures: 1, rates: [1_000] })
      t.teardown(client.close)
      const other = createHistoryReader(client)
      t.equal(await other.bulk('address', page), undefined)
      t.equal(await other.bulk('address', page), undefined)
      t.equal(poor.requests.length, 1)
      t.match(client.nodes(), [{ breaker: 'closed' }], 'and it is no fault of the node')
    }
  }
)

test('blocks: signatures in order, times, and nothing where there is none', async t => {
  const node = await startNode(
    t, answering(({ method }) => method === 'getBlock' ? { signatures: signatures(3) } : 1_700_000_000)
  )
  const reader = readerOf(node.url)
  t.strictSame(await reader.blockSignatures(5), signatures(3))
  t.equal(await reader.blockTime(5), 1_700_000_000)
  for (const code of [-32001, -32004, -32007, -32009, -32011]) {
    node.behave = answering(() => new RpcFault(code))
    t.equal(await reader.blockSignatures(5), null)
    t.equal(await reader.blockTime(5), null)
  }
  node.behave = answering(() => ({ signatures: ['x'] }))
  await t.rejects(reader.blockSignatures(5), { code: 'NODE_BAD_ANSWER' })
  for (const time of [0, -1, 1.5, '1700000000']) {
    node.behave = answering(() => time)
    await t.rejects(reader.blockTime(5), { code: 'NODE_BAD_ANSWER' }, `a block of ${time}`)
  }
})

test('blocks: no optional field is sent that a node of the history alone refuses', async t => {
  const node = await startNode(t, answering(() => ({ signatures: signatures(2) })))
  await readerOf(node.url).blockSignatures(5)
  const config = { commitment: 'finalized', transactionDetails: 'signatures', maxSupportedTransactionVersion: 1 }
  t.strictSame(node.requests.map(body => (body as Call).params), [[5, config]])
})

test('the head is the Clock at `finalized`, in one call', async t => {
  const moment = { slot: 123, time: Math.floor(Date.now() / 1000) - 7 }
  const node = await startNode(t, answering(call => clockAnswer(call, moment)))
  const reader = readerOf(node.url)
  t.match(await reader.head(), { moment, value: null })
  t.match(
    node.requests, [{ method: 'getAccountInfo', params: [CLOCK, { commitment: 'finalized', encoding: 'base64' }] }]
  )
  node.behave = answering(call => clockAnswer(call, moment, { bytes: 32 }))
  await t.rejects(reader.head(), { code: 'NODE_BAD_ANSWER', message: /a Clock of 32 bytes/ })
})

test('from where on each node has transactions, as far as they tell', async t => {
  const nodes = await Promise.all([7, 'seven', new RpcFault(-32601), 3].map(async first =>
    await startNode(t, answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : first))))
  const rpc = createNodeClient(
    { urls: nodes.map(({ url }) => url), rates: nodes.map(() => 100_000), retries: 0, watchMs: 0 }
  )
  t.teardown(rpc.close)
  t.same(await createHistoryReader(rpc).firstAvailableBlocks(), [7, 3])
})

test('a transaction that one node gives unreadably, and the other never, is told as such at once', async t => {
  const given = [{ slot: 5 }, new RpcFault(-32603)]
  const nodes = await Promise.all(given.map(async answer =>
    await startNode(t, answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : answer))))
  const rpc = createNodeClient({ urls: nodes.map(({ url }) => url), rates: nodes.map(() => 100_000), watchMs: 0 })
  t.teardown(rpc.close)
  const [outcome] = await createHistoryReader(rpc).transactions([signatureOf(1)])
  t.match(outcome, { code: 'NODE_BAD_ANSWER', message: /parts are missing/ })
  t.same(nodes.map(({ requests }) => requests.length), [2, 2], 'of each the network and the transaction')
})

test('signatures of each node: what any lists, no further than where the first list ends', async t => {
  const row = ([n, slot]: readonly number[]) => ({ signature: signatureOf(n!), slot, err: null })
  const lists: unknown[] = [
    [[9, 9], [7, 7], [5, 5]].map(row),
    [[8, 8], [7, 7], [6, 6]].map(row),
    [[4, 4], [5, 5]].map(row),   // out of order
    new RpcFault(-32601),
    [[9, 9], [2, 2]].map(row)
  ]
  const nodes = await Promise.all(lists.map(async (_, at) =>
    await startNode(t, answering(({ method }) => method === 'getGenesisHash' ? '1'.repeat(32) : lists[at]))))
  const rpc = createNodeClient(
    { urls: nodes.map(({ url }) => url), rates: nodes.map(() => 100_000), retries: 0, watchMs: 0 }
  )
  t.teardown(rpc.close)
  const reader = createHistoryReader(rpc)
  const slots = async () => (await reader.signatures('address', { isOfEach: true })).map(({ slot }) => slot)
  t.same(await slots(), [9, 8, 7, 6])
  lists.fill([], 1, 3)
  t.same(await slots(), [9, 7, 5])
  lists.fill(new RpcFault(-32020))
  await t.rejects(slots(), { code: 'CURSOR_UNKNOWN' })
})

test('a signal ends reads with its own reason', async t => {
  const node = await startNode(t, answering(() => new RpcFault(-32005)))
  const stop = new AbortController()
  const reading = readerOf(node.url, { retries: 20 }).transactions(signatures(2), { signal: stop.signal })
  const reason = new Error('closing')
  setTimeout(() => stop.abort(reason), 50)
  await t.rejects(reading, reason)
})
