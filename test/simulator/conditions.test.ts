import t, { type Test } from 'tap'
import { type LimitRule, createLimiter } from '../../simulator/limits.js'
import { type NodeOptions, createLedger, startNode } from '../../simulator/index.js'
import { lastEvent } from '../../simulator/inspect.js'
import { createNodeService } from '../../simulator/service.js'
import { NODE_KINDS, type NodeKindName } from '../../simulator/kinds.js'

/** Nodes of every kind over ledgers of every kind: who behaves how. */

function make (options: NodeOptions = {}, versionOne = 0.5) {
  const ledger = createLedger({ seed: 5, versionOne })
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  ledger.advance(4)
  let now = 0
  const service = createNodeService(ledger, { now: () => now, ...options })
  let id = 0
  const call = (method: string, ...params: unknown[]): any => {
    const reply = service.answer(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
    return reply.kind === 'reply' ? { status: reply.status, headers: reply.headers, ...JSON.parse(reply.body) } : reply
  }
  const batch = (...methods: string[]): any => {
    const reply = service.answer(JSON.stringify(methods.map((method, at) => ({ jsonrpc: '2.0', id: at, method, params: [] }))))
    return reply.kind === 'reply' ? { status: reply.status, headers: reply.headers, body: JSON.parse(reply.body) } : reply
  }
  return { ledger, dao, service, call, batch, pass: (ms: number) => { now += ms } }
}

const ONE = { maxSupportedTransactionVersion: 1 }

t.test('versions: what a caller does not admit is refused, a block of it whole', async t => {
  const { ledger, dao, call } = make()
  const made = (['legacy', 0, 1] as const).map(version => dao.swap('buy', 1_000_000n, { version, via: version === 0 ? 'aggregator' : 'direct' }).signature)
  const code = (signature: string | undefined, admitted?: number) => call('getTransaction', signature, admitted === undefined ? {} : { maxSupportedTransactionVersion: admitted }).error?.code
  t.same(made.map(signature => code(signature)), [undefined, -32015, -32015])
  t.same(made.map(signature => code(signature, 0)), [undefined, undefined, -32015])
  t.same(made.map(signature => code(signature, 1)), [undefined, undefined, undefined])
  const { message } = call('getTransaction', made[2], ONE).result.transaction
  t.equal(call('getTransaction', made[2], ONE).result.version, 1)
  t.same([message.addressTableLookups, message.instructions.length, typeof message.config.computeUnitLimit], [undefined, 1, 'number'])
  t.equal(call('getTransaction', made[2], ONE).result.meta.innerInstructions[0].index, 0, 'no instruction for the compute budget before it')
  const block = { transactionDetails: 'signatures', rewards: false }
  t.equal(call('getBlock', ledger.slot, { ...block, maxSupportedTransactionVersion: 0 }).error.code, -32015)
  t.ok(call('getBlock', ledger.slot, { ...block, ...ONE }).result.signatures.length > 3)
})

t.test('the share of version 1 is what is asked for, and changes nothing else', async t => {
  const count = (share: number) => {
    const { ledger, dao } = make({}, share)
    for (let at = 0; at < 400; at++) dao.swap('buy', 1_000_000n)
    return { share: Array.from({ length: 400 }, (_, at) => ledger.history.version(ledger.history.length - 1 - at)).filter(version => version === 1).length, swaps: ledger.swaps }
  }
  const [none, some, all] = [count(0), count(0.4), count(1)]
  t.same([none.share, all.share], [0, 400])
  t.ok(some.share > 120 && some.share < 200, `${some.share} of 400`)
  t.same(some.swaps, none.swaps)
})

t.test('places in the block: rising, with other programs between, and in each answer of today\'s software', async t => {
  const { ledger, dao, call, service } = make()
  const made = Array.from({ length: 6 }, () => dao.swap('buy', 1_000_000n).signature)
  const { result } = call('getSignaturesForAddress', dao.address, { limit: 6 })
  const places = result.map((entry: any) => entry.transactionIndex).toReversed()
  t.same(places, [...new Set(places)].sort((a: any, b: any) => a - b))
  t.notSame(places, [0, 1, 2, 3, 4, 5])
  const { signatures } = call('getBlock', ledger.slot, { transactionDetails: 'signatures', ...ONE }).result
  t.same(made.map(signature => signatures.indexOf(signature)), places)
  t.same(made.map(signature => call('getTransaction', signature, ONE).result.transactionIndex), places)
  service.conditions.software = 'older'
  t.notOk('transactionIndex' in call('getSignaturesForAddress', dao.address).result[0])
  t.notOk('transactionIndex' in call('getTransaction', made[0], ONE).result)
  t.equal(call('getBlock', ledger.slot - 1, { transactionDetails: 'signatures' }).error.code, -32007)
  t.equal(call('getBlock', ledger.slot + 1, { transactionDetails: 'signatures' }).error.code, -32004)
})

t.test('cursors that a node does not know: an error today, an empty list before', async t => {
  const { dao, call, service } = make()
  const { signature } = dao.swap('buy', 1_000_000n)
  const unknown = signature.replace(/^../, '3z')
  for (const cursor of ['before', 'until']) t.equal(call('getSignaturesForAddress', dao.address, { [cursor]: unknown }).error.code, -32020)
  service.conditions.software = 'older'
  t.same(call('getSignaturesForAddress', dao.address, { before: unknown }).result, [])
  t.ok(call('getSignaturesForAddress', dao.address, { until: unknown }).result.length > 0)
})

t.test('retention: older signatures and transactions are gone, and cursors among them unknown', async t => {
  const { ledger, dao, call, service } = make()
  const old = dao.swap('buy', 1_000_000n).signature
  ledger.advance(100)
  const young = dao.swap('buy', 1_000_000n).signature
  service.conditions.retention = 100
  t.same(call('getSignaturesForAddress', dao.address).result.map((entry: any) => entry.signature), [young])
  t.equal(call('getTransaction', old, ONE).result, null)
  t.equal(call('getSignaturesForAddress', dao.address, { until: old }).error.code, -32020)
  t.same(call('getTransactionsForAddress', dao.address, {}).error.code, -32601, 'unless offered')
  service.conditions.bulk = { fullLimit: 1000 }
  t.equal(call('getTransactionsForAddress', dao.address, {}).result.data.length, 1)
})

t.test('the bulk method: both orders page without losing or repeating, by slots too', async t => {
  const { ledger, dao, call } = make({ bulk: { fullLimit: 100 } })
  const all: string[] = []
  for (let at = 0; at < 250; at++) {
    if (at % 3 === 0) ledger.advance(1)
    all.push(dao.swap('buy', 1_000_000n, { failed: at % 10 === 9 }).signature)
  }
  const read = (config: object): string[] => {
    const found: string[] = []
    for (let token: string | null | undefined; token !== null;) {
      const { data, paginationToken } = call('getTransactionsForAddress', dao.address, { transactionDetails: 'full', encoding: 'json', ...ONE, ...config, ...token === undefined ? {} : { paginationToken: token } }).result
      found.push(...data.map((entry: any) => entry.transaction.signatures[0]))
      token = paginationToken
    }
    return found
  }
  t.same(read({ sortOrder: 'asc', limit: 37 }).slice(-250), all)
  t.same(read({ sortOrder: 'desc', limit: 100 }).slice(0, 250), all.toReversed())
  t.equal(read({ filters: { status: 'failed' } }).length, 25)
  const slotOf = (at: number) => ledger.history.slot(ledger.history.find(all[at]!)!)
  const inside = all.filter((_, at) => slotOf(at) > slotOf(30) && slotOf(at) <= slotOf(60))
  t.same(read({ sortOrder: 'asc', limit: 5, filters: { slot: { gt: slotOf(30), lte: slotOf(60) } } }), inside)
  t.equal(call('getTransactionsForAddress', dao.address, { transactionDetails: 'full', limit: 1000, ...ONE }).error.code, -32602, 'a hundred at most')
  t.equal(call('getTransactionsForAddress', dao.address, { transactionDetails: 'full', limit: 100, maxSupportedTransactionVersion: 0 }).error.code, -32015)
  const rows = call('getTransactionsForAddress', dao.address, { limit: 1000 }).result.data
  t.match(rows[0], { signature: all.at(-1), confirmationStatus: 'finalized', transactionIndex: Number })
  const { call: denied } = make({ bulk: 'forbidden' })
  t.equal(denied('getTransactionsForAddress', dao.address).error.code, -32603)
})

t.test('a node that stands or lags answers what was; two nodes over one ledger', async t => {
  const { ledger, dao, call, service } = make()
  const other = createNodeService(ledger)
  const bytes = () => ledger.account(dao.address)!.data.toString('base64')
  const read = () => call('getMultipleAccounts', [dao.address], { encoding: 'base64', commitment: 'confirmed' }).result
  service.states.keep()
  const [first, stood] = [bytes(), ledger.slot]
  service.freeze()
  ledger.advance(10)
  dao.swap('buy', 1_000_000n)
  const [second, moved] = [bytes(), ledger.slot]
  ledger.advance(10)
  t.match(read(), { context: { slot: stood }, value: [{ data: [first, 'base64'] }] })
  t.equal(JSON.parse((other.answer('{"id":1,"method":"getSlot"}') as any).body).result, ledger.slot)
  service.thaw()
  t.match(read(), { context: { slot: ledger.slot }, value: [{ data: [second, 'base64'] }] })
  service.conditions.lag = ledger.slot - moved
  t.match(read(), { context: { slot: moved }, value: [{ data: [second, 'base64'] }] })
  service.conditions.lag++
  t.match(read(), { context: { slot: moved - 1 }, value: [{ data: [first, 'base64'] }] })
  t.equal(call('getSignaturesForAddress', dao.address).result.length, 2)
  const born = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const program = () => call('getProgramAccounts', ledger.program, { encoding: 'base64', filters: [{ dataSize: 1205 }] }).result.map((entry: any) => entry.pubkey)
  t.same(program(), [dao.address])
  service.conditions.lag = 0
  t.same(program(), [dao.address, born.address])
})

t.test('a chain that stands, and one of shorter slots', async t => {
  const { ledger, call } = make()
  const slot = ledger.slot
  ledger.slotMs = null
  ledger.advance(60)
  t.same([ledger.slot, call('getSlot').result, ledger.time - call('getBlockTime', slot).result >= 60], [slot, slot, true])
  ledger.slotMs = 150
  ledger.advance(15)
  t.equal(ledger.slot, slot + 101)
  t.ok(Math.abs(call('getBlockTime', ledger.slot).result - ledger.time) <= 1)
})

t.test('short and empty lists of accounts, a slot far too high', async t => {
  const { ledger, call, service } = make()
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const count = () => call('getProgramAccounts', ledger.program, { encoding: 'base64', filters: [{ dataSize: 1205 }] }).result.length
  t.equal(count(), 2)
  service.fault({ kind: 'short-accounts', value: 1, times: 1 })
  service.fault({ kind: 'slot-jump-ahead', method: 'getSlot', times: 1, value: 5_000_000 })
  t.equal(count(), 1)
  t.equal(call('getSlot').result, ledger.slot + 5_000_000)
  service.faults.clear()
  service.fault({ kind: 'short-accounts', times: 1 })
  t.same([count(), count(), call('getSlot').result], [0, 2, ledger.slot])
})

t.test('signatures in no list, an account that is said not to be, finality that stands', async t => {
  const { ledger, dao, call, service } = make()
  for (let at = 0; at < 20; at++) { ledger.advance(1); dao.swap('buy', 1_000n) }
  const listed = () => call('getSignaturesForAddress', dao.address).result.length
  const all = listed()
  service.fault({ kind: 'skipped-signatures', value: 2 })
  const some = listed()
  t.ok(some > 0 && some < all, `${some} of ${all}`)
  t.equal(listed(), some, 'always the same ones')
  service.fault({ kind: 'no-account', value: 1, times: 1 })
  const accounts = () => call('getMultipleAccounts', [dao.address, dao.address], { encoding: 'base64' }).result.value.map((account: unknown) => account !== null)
  t.same([accounts(), accounts()], [[true, false], [true, true]])
  service.conditions.finalizedAt = ledger.slot
  ledger.advance(60)
  t.same([call('getSlot', { commitment: 'confirmed' }).result > service.conditions.finalizedAt, call('getSlot', { commitment: 'finalized' }).result], [true, service.conditions.finalizedAt])
})

t.test('limits by kind of node: what passes in ten seconds, and how the rest is refused', async (t: Test) => {
  const table: Array<[NodeKindName, { method: string, passed: number, status: number, code: number, retryAfter?: string, headers?: boolean }]> = [
    ['public', { method: 'getTransaction', passed: 10, status: 429, code: 429, retryAfter: '10', headers: true }],
    ['documented', { method: 'getTransaction', passed: 40, status: 429, code: 429, retryAfter: '10', headers: true }],
    ['small', { method: 'getSlot', passed: 10, status: 429, code: 429 }],
    ['plan', { method: 'getSlot', passed: 50, status: 200, code: -32429 }]
  ]
  for (const [kind, { method, passed, status, code, retryAfter, headers = false }] of table) {
    const { call, pass, service } = make({ kind })
    const ask = () => call(method, ...method === 'getTransaction' ? ['1'.repeat(64)] : [])
    const replies = Array.from({ length: passed + 5 }, ask)
    t.equal(replies.filter(reply => reply.error === undefined).length, passed, kind)
    t.match(replies.at(-1), { status, error: { code } }, kind)
    t.equal(replies.at(-1).headers['retry-after'], retryAfter, kind)
    t.equal('x-ratelimit-method-limit' in replies.at(-1).headers, headers, kind)
    t.same([service.limiter.total, service.limiter.totalRefused], [passed, 5], kind)
    pass(NODE_KINDS[kind].limits!.rules[0].windowMs)
    t.equal(ask().error, undefined, `${kind}: in the next window`)
  }
  const { call } = make({ kind: 'own' })
  t.equal(Array.from({ length: 2000 }, () => call('getSlot')).filter(reply => reply.error !== undefined).length, 0)
})

t.test('batches: counted by member, one over refuses the whole or itself, too many or any refused', async t => {
  const rules = [{ calls: 3, windowMs: 1000 }]
  const common = { refusal: 'http-429', retryAfter: 'left', headers: false } as const
  const five = Array(5).fill('getSlot')
  const whole = make({ limits: { ...common, rules, batch: 'whole' } })
  t.match(whole.batch(...five), { status: 429, headers: { 'retry-after': '1' } })
  const member = make({ limits: { ...common, rules, batch: 'member' } })
  t.same(member.batch(...five).body.map((reply: any) => reply.error?.code), [undefined, undefined, undefined, 429, 429])
  t.equal(member.batch(...five).status, 429, 'none is let through')
  const coded = make({ limits: { ...common, refusal: -32005, rules, batch: 'whole' } })
  t.same(coded.batch(...five).body.map((reply: any) => reply.error.code), Array(5).fill(-32005))
  t.equal(make({ maxBatch: 0 }).batch('getSlot').status, 400)
  t.equal(make({ maxBatch: 4 }).batch(...five).status, 413)
  t.equal(make({ maxBatch: 5 }).batch(...five).status, 200)
})

t.test('a rule for each method, and one for all of them', async t => {
  let now = 0
  const limiter = createLimiter(() => now)
  const rules: LimitRule[] = [{ calls: 5, windowMs: 1000 }, { each: true, calls: 3, windowMs: 2000 }]
  const limits = { rules, refusal: 'http-429', retryAfter: 'left', headers: true, batch: 'member' } as const
  const take = (...methods: string[]) => limiter.take(limits, methods).refused
  t.same(take('a', 'a', 'a', 'a', 'b', 'b', 'b'), [false, false, false, true, false, false, true])
  now = 1000
  t.same(take('a', 'b', 'c'), [true, false, false])
  t.match(limiter.take(limits, ['a']), { retryAfter: 1, headers: { 'x-ratelimit-method-limit': '3', 'x-ratelimit-method-remaining': '0', 'x-ratelimit-rps-limit': '5' } })
  now = 2000
  t.same(take('a'), [false])
})

t.test('an upgrade in the middle: events and accounts grow; events that nobody knows', async t => {
  const { ledger, dao } = make()
  const length = (act: () => unknown) => {
    act()
    return lastEvent(ledger).length
  }
  const before = length(() => dao.swap('buy', 1_000_000n))
  ledger.upgradeProgram({ grown: { SpotSwapEvent: 40, '*': 3 }, layout: 'F3', room: 16 })
  t.equal(length(() => dao.swap('buy', 1_000_000n)), before + 40)
  t.equal(ledger.account(dao.address)!.data.length, 1263 + 16)
  const seq = dao.seqNum
  dao.unknownEvent({ event: { name: 'Anything', keyAt: 77, rest: 300 } })
  const event = lastEvent(ledger)
  t.same([event.length, dao.seqNum], [16 + 24 + 77 + 32 + 300 + 3, seq + 1])
  dao.unknownEvent({ event: { bare: true, keyAt: null, rest: 5 } })
  t.same([lastEvent(ledger).length, dao.seqNum], [16 + 5 + 3, seq + 1], 'takes no number')
})

t.test('hostile creators: a pool of one raw unit, dust, and names of any kind', async t => {
  const { ledger } = make()
  const base = ledger.mint({ symbol: '<b>"\u202e', name: '\u0000'.repeat(3), decimals: 0, supply: 2n ** 64n - 1n })
  const dao = ledger.dao({ base, quote: ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: 6 }), baseReserves: 1n, quoteReserves: 1n })
  t.same(dao.reserves, { base: 1n, quote: 1n })
  const { output, fee } = dao.swap('buy', 1n)
  t.same([output, fee], [0n, 1n], 'a fee is rounded up, nothing is left to trade')
})

t.test('over HTTP the same: a limited node, and one that is changed while it runs', async t => {
  const ledger = createLedger()
  const node = await startNode(ledger, { kind: 'public' })
  t.teardown(() => node.close())
  const ask = () => fetch(node.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBlockTime', params: [ledger.slot] }) })
  for (let at = 0; at < 8; at++) t.equal((await ask()).status, 200)
  const refused = await ask()
  t.same([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-method-limit')], [429, '10', '8'])
  node.conditions.limits = null
  t.equal((await ask()).status, 200)
})
