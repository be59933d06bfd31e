import t, { type Test } from 'tap'
import { type LimitRule, createLimiter } from '../../simulator/limits.js'
import { CLOCK } from '../../simulator/clock-account.js'
import {
  type FaultKind, NEXT_RELEASE, type NodeOptions, createLedger, relaunchAddresses, startNode
} from '../../simulator/index.js'
import { lastEvent } from '../support/transaction-events.js'
import { createNodeService } from '../../simulator/service.js'
import { NODE_KINDS, type NodeKindName } from '../../simulator/kinds.js'

/** Nodes of every kind over ledgers of every kind: who behaves how. */

function make (options: NodeOptions = {}, versionOne = 0.5) {
  const ledger = createLedger({ seed: 5, versionOne })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  ledger.advance(4)
  let now = 0
  const service = createNodeService(ledger, { now: () => now, finalityLag: 0, ...options })
  let id = 0
  const call = (method: string, ...params: unknown[]): any => {
    const reply = service.answer(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
    return reply.kind === 'reply' ? { status: reply.status, headers: reply.headers, ...JSON.parse(reply.body) } : reply
  }
  const batch = (...methods: string[]): any => {
    const reply = service.answer(
      JSON.stringify(methods.map((method, at) => ({ jsonrpc: '2.0', id: at, method, params: [] })))
    )
    return reply.kind === 'reply'
      ? {
          status: reply.status, headers: reply.headers, body: JSON.parse(reply.body)
        }
      : reply
  }
  return { ledger, dao, service, call, batch, pass: (ms: number) => { now += ms } }
}

const ONE = { maxSupportedTransactionVersion: 1 }

t.test('versions: what a caller does not admit is refused, a block of it whole', async t => {
  const { ledger, dao, call } = make()
  const made = (['legacy', 0, 1] as const).map(
    version => dao.swap('buy', 1_000_000n, { version, via: version === 0 ? 'aggregator' : 'direct' }).signature
  )
  const code = (signature: string | undefined, admitted?: number) => call(
    'getTransaction', signature, admitted === undefined ? {} : { maxSupportedTransactionVersion: admitted }
  ).error?.code
  t.same(made.map(signature => code(signature)), [undefined, -32015, -32015])
  t.same(made.map(signature => code(signature, 0)), [undefined, undefined, -32015])
  t.same(made.map(signature => code(signature, 1)), [undefined, undefined, undefined])
  const { message } = call('getTransaction', made[2], ONE).result.transaction
  t.equal(call('getTransaction', made[2], ONE).result.version, 1)
  t.same(
    [message.addressTableLookups, message.instructions.length, typeof message.config.computeUnitLimit],
    [undefined, 1, 'number']
  )
  t.equal(
    call('getTransaction', made[2], ONE).result.meta.innerInstructions[0].index,
    0,
    'no instruction for the compute budget before it'
  )
  const block = { transactionDetails: 'signatures', rewards: false }
  t.equal(call('getBlock', ledger.slot, { ...block, maxSupportedTransactionVersion: 0 }).error.code, -32015)
  t.ok(call('getBlock', ledger.slot, { ...block, ...ONE }).result.signatures.length > 3)
})

t.test('the share of version 1 is what is asked for, and changes nothing else', async t => {
  const count = (share: number) => {
    const { ledger, dao } = make({}, share)
    for (let at = 0; at < 400; at++) dao.swap('buy', 1_000_000n)
    return {
      share: Array.from(
        { length: 400 }, (_, at) => ledger.history.version(ledger.history.length - 1 - at)
      ).filter(version => version === 1).length,
      swaps: ledger.swaps
    }
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
  for (const cursor of ['before', 'until']) {
    t.equal(call('getSignaturesForAddress', dao.address, { [cursor]: unknown }).error.code, -32020)
  }
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
  t.equal(call('getTransactionsForAddress', dao.address, {
    transactionDetails: 'full', ...ONE
  }).result.data.length, 1)
})

t.test('the bulk method: both orders, by slots', async t => {
  const { ledger, dao, call } = make({ bulk: { fullLimit: 100 } })
  const all: string[] = []
  for (let at = 0; at < 250; at++) {
    if (at % 3 === 0) ledger.advance(1)
    all.push(dao.swap('buy', 1_000_000n, { failed: at % 10 === 9 }).signature)
  }
  const read = (config: object): string[] => call('getTransactionsForAddress', dao.address, {
    transactionDetails: 'full', encoding: 'json', ...ONE, ...config
  }).result.data.map((entry: any) => entry.transaction.signatures[0])
  t.same(read({ limit: 100 }), all.slice(-100).reverse())
  const slotOf = (at: number) => ledger.history.slot(ledger.history.find(all[at]!)!)
  const inside = all.filter((_, at) => slotOf(at) >= slotOf(30) && slotOf(at) <= slotOf(60))
  const filters = { slot: { gte: slotOf(30), lte: slotOf(60) } }
  t.same(read({ sortOrder: 'asc', filters }), inside)
  t.same(read({ sortOrder: 'asc', limit: 5, filters }), inside.slice(0, 5))
  t.same(read({ sortOrder: 'desc', limit: 5, filters }), inside.slice(-5).reverse())
  t.equal(
    call('getTransactionsForAddress', dao.address, { transactionDetails: 'full', limit: 1000, ...ONE }).error.code,
    -32602,
    'a hundred at most'
  )
  t.equal(call(
    'getTransactionsForAddress',
    dao.address,
    { transactionDetails: 'full', limit: 100, maxSupportedTransactionVersion: 0 }
  ).error.code, -32015)
})

t.test('the bulk method in pages of a hundred, whatever was asked for', async t => {
  const { dao, call } = make({ bulk: { fullLimit: 1000, page: 100 } })
  for (let at = 0; at < 150; at++) dao.swap('buy', 1_000_000n)
  const { result } = call(
    'getTransactionsForAddress', dao.address, { limit: 1000, transactionDetails: 'full', ...ONE }
  )
  t.equal(result.data.length, 100)
})

t.test('transactions that were never executed: in the block, with an error and nothing else', async t => {
  const { ledger, dao, call } = make({ bulk: { fullLimit: 100 } })
  const { seqNum } = dao
  const { signature } = dao.swap('buy', 1_000_000n, { unexecuted: true })
  const after = dao.swap('buy', 1_000_000n)
  const { result } = call('getTransaction', signature, ONE)
  t.match(result.meta, {
    err: 'InsufficientFundsForFee',
    fee: 0,
    innerInstructions: null,
    logMessages: null,
    status: { Err: 'InsufficientFundsForFee' }
  })
  t.same(result.meta.preBalances, result.meta.postBalances)
  t.ok(result.transactionIndex < call('getTransaction', after.signature, ONE).result.transactionIndex)
  t.match(
    call('getSignaturesForAddress', dao.address, { limit: 2 }).result,
    [{ err: null }, { signature, err: 'InsufficientFundsForFee' }]
  )
  t.ok(
    call('getBlock', ledger.slot, { transactionDetails: 'signatures', ...ONE }).result.signatures.includes(signature)
  )
  t.match(call(
    'getTransactionsForAddress', dao.address, { transactionDetails: 'full', limit: 2, ...ONE }
  ).result.data, [{}, { meta: { fee: 0 } }])
  t.equal(dao.seqNum, seqNum + 1, 'it took no number')
  const young = createLedger({ time: Date.UTC(2026, 10, 20) / 1000 })
  const traded = young.dao(
    { base: young.mint(), quote: young.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const errors = Array.from({ length: 100 }, () => {
    traded.swap('buy', 1_000n, { failed: true })
    return young.history.error(young.history.length - 1)
  })
  const share = errors.filter(error => typeof error === 'string').length
  t.ok(share > 10 && share < 50, `${share} of 100 that fail since 2026-11-19`)
})

t.test('nodes of half the methods', async t => {
  const accounts = make({ kind: 'accounts' })
  const history = make({ kind: 'history' })
  const code = (
    { call }: typeof history, method: string, ...params: unknown[]
  ): number | undefined => call(method, ...params).error?.code
  const { dao, ledger } = history
  const { signature } = dao.swap('buy', 1_000_000n)
  t.equal(code(accounts, 'getMultipleAccounts', [dao.address], AT), undefined)
  for (const method of [
    'getSignaturesForAddress', 'getTransaction', 'getBlockTime', 'getBlock', 'getTransactionsForAddress'
  ]) t.equal(code(accounts, method, dao.address), -32601, method)
  for (const method of ['getMultipleAccounts', 'getAccountInfo', 'getProgramAccounts']) {
    t.equal(code(history, method, dao.address), -32601, method)
  }
  t.equal(code(history, 'getTransaction', signature, ONE), undefined)
  t.equal(code(history, 'getTransaction', signature, { ...ONE, minContextSlot: 1 }), -32602)
  t.equal(code(history, 'getBlock', ledger.slot, { transactionDetails: 'signatures', ...ONE }), undefined)
  t.equal(code(history, 'getBlock', ledger.slot, { transactionDetails: 'signatures', rewards: false, ...ONE }), -32602)
  t.equal(code(history, 'getSignaturesForAddress', dao.address, { minContextSlot: ledger.slot }), undefined)
  t.equal(code(history, 'getSignaturesForAddress', dao.address, { minContextSlot: ledger.slot + 1 }), -32000)
  t.equal(code(history, 'getBlockTime', ledger.slot + 1), -32009)
})

t.test('a node that stands or lags answers what was; two nodes over one ledger', async t => {
  const { ledger, dao, call, service } = make()
  const other = createNodeService(ledger, { finalityLag: 0 })
  const bytes = () => ledger.account(dao.address)!.data.toString('base64')
  const read = () => call('getMultipleAccounts', [dao.address], { encoding: 'base64', commitment: 'confirmed' }).result
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
  service.position.lag(10)
  t.match(read(), { context: { slot: moved }, value: [{ data: [second, 'base64'] }] })
  service.position.lag(10.2)
  t.match(read(), { context: { slot: moved - 1 }, value: [{ data: [first, 'base64'] }] })
  t.equal(call('getSignaturesForAddress', dao.address).result.length, 2)
  const born = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
  )
  const program = () => call(
    'getProgramAccounts', ledger.program, { encoding: 'base64', filters: [{ dataSize: 1205 }] }
  ).result.map((entry: any) => entry.pubkey)
  t.same(program(), [dao.address])
  service.thaw()
  t.same(program(), [dao.address, born.address])
})

/** What the Clock account says, with its owner; null: there is none. */
function clockOf (answer: any): { slot: number, time: number, owner: string } | null {
  const account = [answer.result.value].flat().at(-1)
  if (account === null) return null
  const data = Buffer.from(account.data[0], 'base64')
  return { slot: Number(data.readBigUInt64LE(0)), time: Number(data.readBigInt64LE(32)), owner: account.owner }
}
const utcOf = (answer: any): number => Date.parse(answer.headers.date) / 1000
const AT = { encoding: 'base64', commitment: 'confirmed' }
const FINAL = { ...AT, commitment: 'finalized' }

t.test('the Clock is of the bank that is asked, and Date is the truth', async t => {
  const { ledger, dao, call } = make({ finalityLag: 32 })
  ledger.advance(100)
  const { slot, time } = ledger
  t.same(
    clockOf(call('getAccountInfo', CLOCK, AT)), { slot, time, owner: 'Sysvar1111111111111111111111111111111111111' }
  )
  t.same(clockOf(call('getMultipleAccounts', [dao.address, CLOCK], AT)), clockOf(call('getAccountInfo', CLOCK, AT)))
  const final = call('getAccountInfo', CLOCK, FINAL)
  t.match(final.result, { context: { slot: slot - 32 }, value: { space: 40 } })
  t.match(clockOf(final), { slot: slot - 32, time: ledger.timeOf(slot - 32) })
  t.equal(utcOf(final), time)
  const data = Buffer.from(final.result.value.data[0], 'base64')
  const epoch = Math.floor((slot - 32) / 432_000)
  t.same([16, 24].map(at => Number(data.readBigUInt64LE(at))), [epoch, epoch + 1])
  t.equal(Number(data.readBigInt64LE(8)), ledger.timeOf(epoch * 432_000))
})

t.test('a node that lags, stops and catches up shows everything of then', async t => {
  const { ledger, dao, call, service } = make()
  const other = createNodeService(ledger, { finalityLag: 0 })
  ledger.advance(60)
  const old = { reserves: ledger.account(dao.address)!.data.toString('base64'), time: ledger.time }
  ledger.advance(40)
  const { signature } = dao.swap('buy', 1_000_000n)
  ledger.advance(20)
  const look = () => {
    const { slot, time } = clockOf(call('getAccountInfo', CLOCK, AT))!
    t.same(
      [call('getSlot', AT).result, call('getBlockTime', slot).result], [slot, time], 'slot, Clock and block time agree'
    )
    return time
  }
  service.position.lag(60)
  t.equal(look(), old.time)
  t.equal(call('getMultipleAccounts', [dao.address], AT).result.value[0].data[0], old.reserves)
  t.equal(call('getTransaction', signature, { ...ONE, commitment: 'confirmed' }).result, null)
  t.not(call('getSignaturesForAddress', dao.address, { commitment: 'confirmed' }).result[0].signature, signature)
  t.equal(utcOf(call('getSlot')), ledger.utc, 'its own clock goes right')
  t.match(call('getHealth').error, { code: -32005, data: { numSlotsBehind: ledger.slot - call('getSlot').result } })
  service.conditions.health = 'ok'
  t.equal(call('getHealth').result, 'ok')
  ledger.advance(100)
  t.equal(look(), ledger.time - 60, 'it stays so far behind')
  service.freeze()
  ledger.advance(7_140)
  t.equal(look(), ledger.time - 7_200)
  service.position.catchUp(10)
  ledger.advance(400)
  t.equal(look(), ledger.time - 3_600, 'ten seconds of the chain in one')
  ledger.advance(400)
  t.equal(look(), ledger.time)
  t.equal(JSON.parse((other.answer('{"id":1,"method":"getSlot"}') as any).body).result, ledger.slot)
})

t.test('what has not come so far refuses a call that asks for more', async t => {
  const { ledger, dao, call, service } = make({ bulk: { fullLimit: 100 }, finalityLag: 32 })
  const { signature } = dao.swap('buy', 1_000_000n)
  ledger.advance(60)
  const asked = (more: number, commitment: string) => {
    const config = { commitment, minContextSlot: service.methods.slotAt(commitment) + more, encoding: 'base64' }
    return [
      call('getAccountInfo', CLOCK, config), call('getMultipleAccounts', [CLOCK], config),
      call('getProgramAccounts', ledger.program, config),
      call('getSignaturesForAddress', dao.address, config),
      call('getTransaction', signature, { ...config, ...ONE, encoding: 'json' }),
      call('getTransactionsForAddress', dao.address, {
        ...config, ...ONE, encoding: 'json', transactionDetails: 'full'
      })
    ].map(({ error }) => error?.code)
  }
  for (const commitment of ['confirmed', 'finalized']) {
    t.same(asked(0, commitment), Array(6).fill(undefined))
    t.same(asked(1, commitment), Array(6).fill(-32016))
  }
  service.conditions.software = 'older'
  t.equal(asked(1, 'finalized')[4], undefined, 'getTransaction does not know it yet')
})

t.test('the Clock and Date with what can be wrong about them', async t => {
  const { ledger, dao, call, service } = make()
  const withFault = (kind: string, value?: unknown) => {
    service.fault({ kind: kind as FaultKind, times: 1, value })
    return call('getMultipleAccounts', [dao.address, CLOCK], AT)
  }
  t.equal(withFault('clock-refused').error.code, -32010)
  const missing = withFault('clock-missing')
  t.same([missing.result.value[0].owner, missing.result.value[1]], [ledger.program, null])
  t.equal(withFault('clock-short').result.value[1].space, 32)
  t.match(clockOf(withFault('clock-owner')), { owner: '11111111111111111111111111111111', time: ledger.time })
  t.match(clockOf(withFault('clock-ahead', 40)), { time: ledger.time + 40, slot: ledger.slot })
  service.fault({ kind: 'clock-refused' })
  t.equal(call('getMultipleAccounts', [dao.address], AT).error, undefined, 'other accounts are given')
  const { conditions } = service
  conditions.date = 'missing'
  t.equal(call('getSlot').headers.date, undefined)
  conditions.date = 'garbage'
  t.ok(Number.isNaN(utcOf(call('getSlot'))))
  conditions.date = { off: -3600 }
  t.equal(utcOf(call('getSlot')), ledger.utc - 3600)
  conditions.date = { standsAt: ledger.utc }
  ledger.advance(50)
  t.equal(utcOf(call('getSlot')), ledger.utc - 50)
  t.equal(utcOf(call('nonsense')), ledger.utc - 50, 'errors carry it too')
})

t.test('the chain\'s clock falls behind UTC and jumps back', async t => {
  const { ledger, dao, call } = make()
  const drift = () => utcOf(call('getSlot')) - clockOf(call('getAccountInfo', CLOCK, AT))!.time
  t.equal(drift(), 0)
  const [before, slot] = [ledger.time, ledger.slot]
  ledger.clockRate = 1 - 1800 / 86_400
  t.equal(ledger.time, before)
  ledger.advance(43_200)
  t.equal(drift(), 900)
  t.equal(ledger.slot - slot, 216_000, 'slots go on')
  t.equal(dao.swap('buy', 1_000n).time, ledger.time)
  ledger.advance(43_200)
  t.equal(drift(), 1800)
  ledger.correctClock()
  t.equal(drift(), 0)
  ledger.advance(4000)
  t.equal(drift(), 0)
})

t.test('slots of the past are as long as mainnet\'s were', async t => {
  const at = (text: string) => Date.parse(text) / 1000
  const ledger = createLedger({ time: at('2026-08-20T23:00:00Z'), eras: true })
  const slotsOf = (until: string) => {
    const { slot } = ledger
    ledger.advance(at(until) - ledger.time)
    t.equal(ledger.timeOf(ledger.slot), at(until))
    return ledger.slot - slot
  }
  const WEEK = 7 * 86_400_000
  t.ok(Math.abs(slotsOf('2026-08-21T00:00:00Z') - 3_600_000 / 400) <= 1)
  t.ok(Math.abs(slotsOf('2026-08-28T00:00:00Z') - WEEK / 350) <= 1)
  t.ok(Math.abs(slotsOf('2026-09-18T00:00:00Z') - 3 * WEEK / 300) <= 1)
  t.ok(Math.abs(slotsOf('2026-10-09T14:35:00Z') - (3 * WEEK + 52_500_000) / 250) <= 1)
  t.ok(Math.abs(slotsOf('2026-10-16T14:35:00Z') - WEEK / 200) <= 1)
})

t.test('slots that nobody was shown', async t => {
  const { ledger, call } = make()
  const { slot, time } = ledger
  ledger.slotMs = null
  ledger.advance(1200)
  t.match(clockOf(call('getAccountInfo', CLOCK, AT)), { slot, time })
  t.equal(call('getHealth').result, 'ok')
  ledger.slotMs = 200
  ledger.skipSlots(3000)
  ledger.advance(10)
  t.match(clockOf(call('getAccountInfo', CLOCK, AT)), { slot: slot + 3051, time: time + 1210 })
})

t.test('a chain that stands, and one of shorter slots', async t => {
  const { ledger, call } = make()
  const slot = ledger.slot
  ledger.slotMs = null
  ledger.advance(60)
  t.same(
    [ledger.slot, call('getSlot').result, ledger.time - call('getBlockTime', slot).result >= 60], [slot, slot, true]
  )
  ledger.slotMs = 150
  ledger.advance(15)
  t.equal(ledger.slot, slot + 101)
  t.ok(Math.abs(call('getBlockTime', ledger.slot).result - ledger.time) <= 1)
})

t.test('short and empty lists of accounts, a slot far too high', async t => {
  const { ledger, call, service } = make()
  ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const count = () => call(
    'getProgramAccounts', ledger.program, { encoding: 'base64', filters: [{ dataSize: 1205 }] }
  ).result.length
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
  const accounts = () => call(
    'getMultipleAccounts', [dao.address, dao.address], { encoding: 'base64' }
  ).result.value.map((account: unknown) => account !== null)
  t.same([accounts(), accounts()], [[true, false], [true, true]])
  service.conditions.finalizedAt = ledger.slot
  ledger.advance(60)
  t.same([
    call('getSlot', { commitment: 'confirmed' }).result > service.conditions.finalizedAt,
    call('getSlot', { commitment: 'finalized' }).result
  ], [true, service.conditions.finalizedAt])
})

t.test('limits by kind of node: what passes in ten seconds, and how the rest is refused', async (t: Test) => {
  const table: Array<[NodeKindName, {
    method: string
    passed: number
    status: number
    code: number
    retryAfter?: string
    headers?: boolean
  }]> = [
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
  t.match(limiter.take(limits, ['a']), {
    retryAfter: 1,
    headers: { 'x-ratelimit-method-limit': '3', 'x-ratelimit-method-remaining': '0', 'x-ratelimit-rps-limit': '5' }
  })
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
  ledger.upgradeProgram({ appended: { SpotSwapEvent: 40, '*': 3 }, layout: 'F3', room: 16 })
  t.equal(length(() => dao.swap('buy', 1_000_000n)), before + 40)
  t.equal(ledger.account(dao.address)!.data.length, 1263 + 16)
  const seq = dao.seqNum
  dao.unknownEvent({ event: { name: 'Anything', keyAt: 77, rest: 300 } })
  const event = lastEvent(ledger)
  t.same([event.length, dao.seqNum], [16 + 24 + 77 + 32 + 300 + 3, seq + 1])
})

t.test(
  'the next release: proposals and accounts have grown, a pool is emptied without a swap, a DAO is made by relaunch',
  async t => {
    const { ledger, dao, call } = make()
    const lengths = () => [
      dao.initializeProposal, () => dao.launchProposal(), () => dao.finalizeProposal({ passed: false })
    ].map(act => {
      act()
      return lastEvent(ledger).length
    })
    const before = lengths()
    ledger.upgradeProgram(NEXT_RELEASE)
    t.same(lengths(), [before[0]! + 34, before[1], before[2]! + 1])
    t.equal(ledger.account(dao.address)!.data.length, 1264)
    const swaps = ledger.swaps.length
    const held = dao.reserves
    t.match(dao.applyLiquidation(), held)
    t.same([dao.reserves, ledger.swaps.length, lastEvent(ledger).length], [{ base: 0n, quote: 0n }, swaps, 152 + 277])
    t.same(dao.vaults, dao.feeBalances, 'what is left is the protocol\'s')
    const base = ledger.mint({ supply: 10n ** 16n })
    const again = ledger.relaunch(
      { base, quote: ledger.usdc(), unclaimed: 7_000_000n, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n }
    )
    const { dao: address, vault, signer } = relaunchAddresses(base.address)
    t.same([again.address, again.creator], [address, signer])
    const [data] = call('getAccountInfo', vault, AT).result.value.data
    t.equal(Buffer.from(data, 'base64').readBigUInt64LE(64), 7_000_000n)
  }
)

t.test('hostile creators: a pool of one raw unit, dust, and names of any kind', async t => {
  const { ledger } = make()
  const base = ledger.mint({ symbol: '<b>"\u202e', name: '\u0000'.repeat(3), decimals: 0, supply: 2n ** 64n - 1n })
  const dao = ledger.dao(
    { base, quote: ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: 6 }), baseReserves: 1n, quoteReserves: 1n }
  )
  t.same(dao.reserves, { base: 1n, quote: 1n })
  const { output, fee } = dao.swap('buy', 1n)
  t.same([output, fee], [0n, 1n], 'a fee is rounded up, nothing is left to trade')
})

t.test('over HTTP the same: a limited node, and one that is changed while it runs', async t => {
  const ledger = createLedger()
  const node = await startNode(ledger, { kind: 'public' })
  t.teardown(() => node.close())
  const ask = () => fetch(
    node.url,
    { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBlockTime', params: [ledger.slot] }) }
  )
  for (let at = 0; at < 8; at++) t.equal((await ask()).status, 200)
  const refused = await ask()
  t.same(
    [refused.status, refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-method-limit')],
    [429, '10', '8']
  )
  node.conditions.limits = null
  t.equal((await ask()).status, 200)
})
