import { once } from 'node:events'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { type FaultRule, createLedger, startNode } from '../../simulator/index.js'

async function start (t: Test) {
  const ledger = createLedger({ seed: 12 })
  const quote = ledger.usdc()
  const daos = [1, 2].map(
    () => ledger.dao({ base: ledger.mint(), quote, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  )
  const signatures = Array.from({ length: 8 }, (_, i) => {
    ledger.advance(10)
    return daos[i % 2]!.swap('buy', 1_000_000n).signature
  })
  const node = await startNode(ledger, { finalityLag: 0 })
  t.teardown(() => node.close())
  const send = (body: unknown, signal: AbortSignal | null = null) => fetch(
    node.url, { method: 'POST', body: JSON.stringify(body), signal }
  )
  const question = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 7, method, params })
  const call = async (
    method: string, ...params: unknown[]
  ) => await (await send(question(method, params))).json() as any
  const withFault = async <T>(rule: FaultRule, ask: () => Promise<T>): Promise<T> => {
    const fault = node.faults.set(rule)
    try {
      return await ask()
    } finally {
      node.faults.clear(fault)
    }
  }
  return { ledger, daos, signatures, node, send, question, call, withFault }
}

t.test('connections that break, answers that are none', async t => {
  const { send, question, withFault, node } = await start(t)
  const ask = (signal?: AbortSignal) => send(question('getSlot'), signal)
  await t.rejects(withFault({ kind: 'refuse' }, ask))
  await t.rejects(withFault({ kind: 'reset' }, async () => (await ask()).text()))
  await t.rejects(withFault({ kind: 'hang' }, () => ask(AbortSignal.timeout(50))), { name: 'TimeoutError' })
  await t.rejects(
    withFault({ kind: 'drip', value: 20 }, async () => (await ask(AbortSignal.timeout(100))).text()),
    { name: 'TimeoutError' }
  )
  t.match(await withFault({ kind: 'drip', value: 1 }, async () => (await ask()).json()), { id: 7 })
  for (const value of [403, 500, 502, 503]) t.equal((await withFault({ kind: 'status', value }, ask)).status, value)
  const limited = await withFault({ kind: 'rate-limit', value: 3 }, ask)
  t.same([limited.status, limited.headers.get('retry-after')], [429, '3'])
  t.equal((await withFault({ kind: 'rate-limit' }, ask)).headers.get('retry-after'), null)
  const html = await withFault({ kind: 'html' }, ask)
  t.same([html.status, html.headers.get('content-type')], [200, 'text/html'])
  await t.rejects(withFault({ kind: 'truncated' }, async () => (await ask()).json()), { name: 'SyntaxError' })
  t.ok((await withFault({ kind: 'oversize', value: 1_000_000 }, async () => (await ask()).text())).length > 1_000_000)
  t.equal(node.faults.active.length, 0)
  t.equal((await ask()).status, 200)
})

t.test('after, times, and the method', async t => {
  const { send, question, node } = await start(t)
  const status = async (method: string) => (await send(question(method))).status
  const fault = node.faults.set({ kind: 'status', method: /^getS/, after: 1, times: 2 })
  t.same([
    await status('getSlot'), await status('getHealth'), await status('getSlot'), await status('getSlot'),
    await status('getSlot')
  ], [200, 200, 500, 500, 200])
  t.same([fault.seen, fault.fired], [3, 2])
  node.faults.set({ kind: 'status', method: 'getHealth' })
  node.faults.clear()
  t.equal(await status('getHealth'), 200)
})

t.test('batches that come back in part, short, or in another order', async t => {
  const { send, question, withFault } = await start(t)
  const batch = async () => await (await send([0, 1, 2].map(id => ({ ...question('getSlot'), id })))).json() as any[]
  t.match(
    await withFault({ kind: 'batch-partial' }, batch),
    [{ id: 0, error: undefined }, { id: 1, error: { code: -32005 } }, { id: 2, error: undefined }]
  )
  t.same((await withFault({ kind: 'batch-missing', value: 0 }, batch)).map(({ id }) => id), [1, 2])
  t.same((await withFault({ kind: 'batch-shuffled' }, batch)).map(({ id }) => id), [2, 1, 0])
})

t.test('answers that are wrong', async t => {
  const { ledger, daos, call, withFault } = await start(t)
  const keys = daos.map(({ address }) => address)
  const accounts = () => call('getMultipleAccounts', keys, { encoding: 'base64' })
  const genuine = (await accounts()).result
  t.match(await withFault({ kind: 'rpc-error', value: -32005 }, accounts), { error: { code: -32005 } })
  t.match(await withFault({ kind: 'wrong-id' }, accounts), { id: 'another-question', result: genuine })
  t.equal((await withFault({ kind: 'wrong-slot', value: 5 }, accounts)).result.context.slot, ledger.slot - 5)
  t.equal((await withFault({ kind: 'wrong-slot', value: 5 }, () => call('getSlot'))).result, ledger.slot - 5)
  t.notOk('value' in (await withFault({ kind: 'missing-field' }, accounts)).result)
  t.notOk('slot' in (await withFault({ kind: 'missing-field', value: 'context.slot' }, accounts)).result.context)
  t.equal((await withFault({ kind: 'null-value' }, accounts)).result.value, null)
  t.match(
    (await withFault({ kind: 'wrong-owner' }, accounts)).result.value,
    [{ owner: '11111111111111111111111111111111' }, { owner: '11111111111111111111111111111111' }]
  )
  t.same((await withFault({ kind: 'swapped-accounts' }, accounts)).result.value, genuine.value.toReversed())
  const ofProgram = () => call(
    'getProgramAccounts', ledger.program, { encoding: 'base64', filters: [{ dataSize: 1205 }] }
  )
  const [first, second] = (await ofProgram()).result
  t.same(
    (await withFault({ kind: 'swapped-accounts' }, ofProgram)).result,
    [{ ...first, account: second.account }, { ...second, account: first.account }]
  )
})

t.test('a history that is wrong', async t => {
  const { ledger, signatures, call, withFault } = await start(t)
  const get = () => call('getTransaction', signatures[4], { maxSupportedTransactionVersion: 1 })
  t.equal((await withFault({ kind: 'null-transaction' }, get)).result, null)
  t.same((await withFault({ kind: 'other-signature' }, get)).result.transaction.signatures, [signatures[3]])
  t.equal((await withFault({ kind: 'inner-null' }, get)).result.meta.innerInstructions, null)
  t.notOk('meta' in (await withFault({ kind: 'missing-field' }, get)).result)
  t.same((await get()).result.transaction.signatures, [signatures[4]])

  const page = async (config: object = {}) => (await call(
    'getSignaturesForAddress', ledger.program, { limit: 4, ...config }
  )).result.map((entry: any) => entry.signature)
  const newest = signatures.slice(4).toReversed()
  t.same(await withFault({ kind: 'repeat-page' }, () => page({ before: signatures[4] })), newest)
  t.same(await withFault({ kind: 'wrong-order' }, page), newest.toReversed())
  t.same(await withFault({ kind: 'short-page' }, page), newest.slice(0, 2))
  t.same(await withFault({ kind: 'short-page', value: 3 }, page), newest.slice(0, 3))
  const slot = ledger.history.slot(ledger.history.find(signatures[6]!)!)
  t.same(await withFault({ kind: 'pruned', value: slot }, page), newest.slice(0, 2))
  t.equal((await withFault({ kind: 'pruned', value: slot }, get)).result, null)
  const second = (at: number) => ledger.history.time(ledger.history.find(signatures[at]!)!)
  const hole = { kind: 'hole', value: [second(4), second(6)] } as const
  t.same(await withFault(hole, page), [signatures[7]])
  t.equal((await withFault(hole, get)).result, null)
  t.same(await withFault({ kind: 'jump-back', value: 12 }, page), signatures.slice(2, 6).toReversed())
  t.equal(
    (await withFault({ kind: 'jump-back', value: 12 }, () => call('getSlot'))).result,
    ledger.slotAt(ledger.elapsed - 12_000)
  )
})

t.test('subscriptions: logs, and the end', async t => {
  const { ledger, daos, node } = await start(t)
  const open = async () => {
    const socket = new WebSocket(node.wsUrl)
    const messages: any[] = []
    socket.on('message', data => messages.push(JSON.parse(String(data))))
    socket.on('error', () => {})
    await once(socket, 'open')
    let id = 0
    const ask = async (method: string, ...params: unknown[]) => {
      const mine = ++id
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: mine, method, params }))
      while (!messages.some(message => message.id === mine)) await once(socket, 'message')
      return messages.find(message => message.id === mine)
    }
    /** Everything that has been sent is here once a ping comes back. */
    const settle = async () => {
      socket.ping()
      await once(socket, 'pong')
    }
    return { socket, messages, ask, settle }
  }
  const { socket, messages, ask, settle } = await open()
  const of = (method: string) => messages.filter(
    message => message.method === method
  ).map(({ params }) => params.result)
  await ask('logsSubscribe', { mentions: [ledger.program] }, { commitment: 'confirmed' })
  t.match(await ask('blockSubscribe', 'all'), { error: { code: -32601 } })
  t.same([node.ws.connections, node.ws.subscriptions], [1, 1])

  const { signature } = daos[0]!.swap('buy', 1_000_000n)
  ledger.transaction(() => { daos[1]!.swap('buy', 5n) }, { failed: true })
  ledger.advance(1)
  await settle()
  t.match(of('logsNotification'), [
    { context: { slot: ledger.slot - 5 }, value: { signature, err: null, logs: [] } },
    { value: { err: { InstructionError: [1, { Custom: 6005 }] } } }
  ])

  const { notifications } = node.ws
  node.ws.leftOut = 2
  daos[0]!.swap('buy', 1_000_000n)
  daos[0]!.swap('buy', 1_000_000n)
  await settle()
  t.equal(node.ws.notifications - notifications, 1, 'every second one is left out')
  node.ws.leftOut = 0

  node.ws.drop()
  await once(socket, 'close')
  t.same([node.ws.connections, node.ws.subscriptions], [0, 0])
})

t.test('finalized subscribers wait for finality', async t => {
  const ledger = createLedger()
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const node = await startNode(ledger)
  t.teardown(() => node.close())
  const socket = new WebSocket(node.wsUrl)
  const messages: any[] = []
  socket.on('message', data => messages.push(JSON.parse(String(data))))
  await once(socket, 'open')
  socket.send(JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params: [{ mentions: [dao.address] }, { commitment: 'finalized' }]
  }))
  await once(socket, 'message')
  const { signature } = dao.swap('buy', 1n)
  socket.ping()
  await once(socket, 'pong')
  t.equal(messages.length, 1)
  ledger.advance(13)
  await once(socket, 'message')
  t.match(messages[1], { method: 'logsNotification', params: { result: { value: { signature } } } })
})
