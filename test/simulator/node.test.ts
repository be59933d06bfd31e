import { Connection, PublicKey } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { FORGERIES, PROGRAMS, type NodeOptions, createLedger, startNode } from '../../simulator/index.js'
import { eventsOf } from '../support/transaction-events.js'

const RESERVES = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n }

async function start (t: Test, options: NodeOptions = {}) {
  const ledger = createLedger({ seed: 11, versionOne: 0 })
  const dao = ledger.dao({ base: ledger.mint({ symbol: 'AAA' }), quote: ledger.usdc(), ...RESERVES })
  const node = await startNode(ledger, { finalityLag: 0, ...options })
  t.teardown(() => node.close())
  const connection = new Connection(node.url, { commitment: 'confirmed', disableRetryOnRateLimit: true })
  const post = async (body: unknown) => {
    const response = await fetch(
      node.url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
    )
    return await response.json() as any
  }
  const call = (method: string, ...params: unknown[]) => post({ jsonrpc: '2.0', id: 7, method, params })
  return { ledger, dao, node, connection, post, call }
}

t.test('accounts, as the usual client reads them', async t => {
  const { ledger, dao, node, connection, call } = await start(t)
  const program = new PublicKey(ledger.program)
  const found = await connection.getProgramAccounts(
    program, { filters: [{ memcmp: { offset: 0, bytes: 'UGeq4Q9YNpY' } }] }
  )
  t.same(
    found.map(({ pubkey, account }) => [pubkey.toBase58(), account.data]),
    [[dao.address, ledger.account(dao.address)!.data]]
  )
  t.equal((await connection.getProgramAccounts(program)).length, 2, 'the position too')
  t.equal((await connection.getProgramAccounts(program, { filters: [{ dataSize: 88 }] })).length, 1)
  const sliced = await connection.getProgramAccounts(
    program, { filters: [{ dataSize: 1205 }], dataSlice: { offset: 109, length: 16 } }
  )
  t.same(sliced[0]!.account.data, ledger.account(dao.address)!.data.subarray(109, 125))
  const withContext = await connection.getProgramAccounts(program, { withContext: true })
  t.equal(withContext.context.slot, ledger.slot)

  const keys = [dao.base.address, PROGRAMS.squads, dao.base.metadataAccount!].map(address => new PublicKey(address))
  const { context, value } = await connection.getMultipleAccountsInfoAndContext(keys)
  t.same([context.slot, value.map(account => account?.data.length)], [ledger.slot, [82, undefined, 679]])
  t.equal(value[0]!.owner.toBase58(), PROGRAMS.token)
  t.match(
    await call('getMultipleAccounts', Array(101).fill(dao.address), { encoding: 'base64' }), { error: { code: -32602 } }
  )
  t.match(await call('getMultipleAccounts', ['x'], { encoding: 'base64' }), { error: { code: -32602 } })
  t.match(await call('getAccountInfo', dao.address), { error: { code: -32602 } }, 'nothing but base64')
  ledger.setAccount(dao.address, { owner: ledger.program, data: Buffer.from('00', 'hex') })
  t.equal((await connection.getAccountInfo(new PublicKey(dao.address)))!.data.length, 1)
  ledger.setAccount(dao.address, null)
  t.equal(await connection.getAccountInfo(new PublicKey(dao.address)), null)
  ledger.setAccount(dao.address, undefined)
  t.equal((await connection.getAccountInfo(new PublicKey(dao.address)))!.data.length, 1205)
  t.match(node.calls, { getProgramAccounts: 5, getAccountInfo: 4 })
})

t.test('signatures page newest first, by program, by DAO, by anything mentioned', async t => {
  const { ledger, dao, connection, call } = await start(t)
  const other = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), ...RESERVES })
  const made = Array.from({ length: 25 }, (_, i) => {
    ledger.advance(i % 2)
    return (i % 3 === 0 ? other : dao).swap('buy', 1_000_000n).signature
  })
  const program = new PublicKey(ledger.program)
  const all = await connection.getSignaturesForAddress(program)
  t.same(all.slice(0, 25).map(({ signature }) => signature), made.toReversed())
  t.equal(all.length, 29, 'two initializations and two deposits')
  t.match(all[0], { slot: ledger.slot, err: null, blockTime: ledger.time, confirmationStatus: 'finalized' })
  const page = await connection.getSignaturesForAddress(program, { before: made[20]!, until: made[10]!, limit: 5 })
  t.same(page.map(({ signature }) => signature), made.slice(15, 20).toReversed())
  t.equal((await connection.getSignaturesForAddress(program, { before: made[20]!, until: made[10]! })).length, 9)
  const ofDao = await connection.getSignaturesForAddress(new PublicKey(other.address), { limit: 9 })
  t.same(ofDao.map(({ signature }) => signature), made.filter((_, i) => i % 3 === 0).toReversed())
  t.same(await connection.getSignaturesForAddress(new PublicKey(ledger.newAddress())), [])
  t.match(await call('getSignaturesForAddress', dao.address, { limit: 1001 }), { error: { code: -32602 } })
  t.match(await call('getSignaturesForAddress', dao.address, { commitment: 'processed' }), { error: { code: -32602 } })
})

t.test('transactions: plain, several events, through lookup tables, failed, without block time', async t => {
  const { ledger, dao, connection, call } = await start(t)
  const get = (signature: string) => connection.getTransaction(
    signature, { maxSupportedTransactionVersion: 0, commitment: 'confirmed' }
  )
  const { signature } = dao.swap('buy', 1_000_000n)
  const plain = (await get(signature))!
  t.same([
    plain.version, plain.transaction.signatures,
    plain.meta!.innerInstructions!.map(({ index, instructions }) => [index, instructions.length])
  ], ['legacy', [signature], [[1, 3]]])
  const both = ledger.transaction(() => {
    dao.swap('buy', 1_000_000n)
    dao.swap('sell', 2_000_000n)
  }, { via: 'aggregator' })
  const routed = (await get(both.signature))!
  t.equal(eventsOf(ledger).length, 2)
  t.equal(routed.version, 0)
  t.ok(routed.meta!.loadedAddresses!.writable.some(key => key.toBase58() === dao.address))
  t.ok(routed.meta!.loadedAddresses!.readonly.some(key => key.toBase58() === ledger.program))
  t.match(await call('getTransaction', both.signature, { encoding: 'json' }), { error: { code: -32015 } })
  t.ok((await connection.getSignaturesForAddress(
    new PublicKey(dao.address), { limit: 1 }
  ))[0]!.signature === both.signature, 'loaded addresses are indexed')

  const before = {
    ...dao.reserves, seq: dao.seqNum, swaps: ledger.swaps.length, data: ledger.account(dao.address)!.data
  }
  const failed = ledger.transaction(() => { dao.swap('buy', 10n ** 9n) }, { failed: true })
  t.same(
    { ...dao.reserves, seq: dao.seqNum, swaps: ledger.swaps.length, data: ledger.account(dao.address)!.data }, before
  )
  t.match(
    (await get(failed.signature))!.meta,
    { err: { InstructionError: [1, { Custom: 6005 }] }, innerInstructions: [{ index: 1 }] }
  )
  t.throws(() => ledger.transaction(() => {
    dao.swap('buy', 10n ** 9n)
    throw new Error('stop')
  }), { message: 'stop' })
  t.same(dao.reserves, { base: before.base, quote: before.quote }, 'nothing of a transaction that was given up')

  const bare = dao.swap('buy', 5n, { blockTime: null, innerUnknown: true })
  t.match(await get(bare.signature), { blockTime: null, meta: { innerInstructions: null } })
  t.equal((await connection.getSignaturesForAddress(new PublicKey(dao.address), { limit: 1 }))[0]!.blockTime, null)
  t.equal(await get(plain.transaction.signatures[0]!.replace(/^../, '3z')), null)
})

t.test('commitment: finalized lags, and a minimum slot is held', async t => {
  const { ledger, dao, connection, call } = await start(t, { finalityLag: 32 })
  ledger.advance(60)
  const { signature } = dao.swap('buy', 1_000_000n)
  t.equal(await connection.getSlot('finalized'), ledger.slot - 32)
  t.equal(await connection.getSlot('confirmed'), ledger.slot)
  const finalized = { commitment: 'finalized', maxSupportedTransactionVersion: 0 } as const
  t.equal(await connection.getTransaction(signature, finalized), null)
  t.not(
    (await connection.getSignaturesForAddress(new PublicKey(dao.address), {}, 'finalized'))[0]!.signature, signature
  )
  t.match(
    (await connection.getSignaturesForAddress(new PublicKey(dao.address)))[0],
    { signature, confirmationStatus: 'confirmed' }
  )
  ledger.advance(12.8)
  t.ok(await connection.getTransaction(signature, finalized))
  t.match(await call(
    'getMultipleAccounts',
    [dao.address],
    { encoding: 'base64', commitment: 'confirmed', minContextSlot: ledger.slot + 1 }
  ), { error: { code: -32016 } })
})

t.test('batches, other methods, and what is no question', async t => {
  const { ledger, node, post, call } = await start(t)
  const batch = await post([
    { jsonrpc: '2.0', id: 'a', method: 'getSlot', params: [] },
    { jsonrpc: '2.0', id: 'b', method: 'nonsense' },
    { jsonrpc: '2.0', id: 'c', method: 'getHealth' }
  ])
  t.match(batch, [{ id: 'a', result: ledger.slot }, { id: 'b', error: { code: -32601 } }, { id: 'c', result: 'ok' }])
  t.same(
    [node.requests, node.calls.getSlot, node.calls.nonsense, node.log.map(({ method }) => method)],
    [1, 1, 1, ['getSlot', 'nonsense', 'getHealth']]
  )
  t.equal((await call('getBlockTime', ledger.slot - 10)).result, ledger.time - 2)
  for (const method of ['getGenesisHash', 'getFirstAvailableBlock']) {
    t.ok((await call(method)).result !== undefined, method)
  }
  t.match(await post('{"oops'), { error: { code: -32700 } })
  t.match(await post({ id: 1 }), { error: { code: -32600 } })
  t.equal((await fetch(node.url)).status, 405)
  node.reset()
  t.same([node.requests, node.calls.getSlot], [0, 0])
})

t.test('look-alikes of events are there, and none is genuine', async t => {
  const { ledger, dao } = await start(t)
  const state = { ...dao.reserves, seq: dao.seqNum }
  for (const kind of FORGERIES) {
    const { signature } = ledger.forgedEvent(dao, kind)
    const index = ledger.history.find(signature)!
    t.equal(eventsOf(ledger, index).length, 0, kind)
    t.ok(ledger.history.addresses(index).includes(ledger.program), 'found by the program\'s signatures')
  }
  t.same({ ...dao.reserves, seq: dao.seqNum }, state)
  t.equal(ledger.swaps.length, 0)
})

t.test('unplugged and plugged in again on the same port', async t => {
  const { node, call } = await start(t)
  await node.stop()
  await t.rejects(call('getHealth'))
  await node.restart()
  t.equal((await call('getHealth')).result, 'ok')
})
