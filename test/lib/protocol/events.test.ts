import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { eventAuthority } from '../../../lib/protocol/addresses.js'
import { decodeBase58 } from '../../../lib/protocol/events/base58.js'
import { decodeEvent } from '../../../lib/protocol/events/decode.js'
import { discriminatorOf } from '../../../lib/protocol/events/layouts.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { base58, createLedger, discriminator, FORGERIES } from '../../../simulator/index.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const AUTHORITY = 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC'
const RECORDING = resolve('../shared/fixtures/program-recording.json')

function market () {
  const ledger = createLedger({ seed: 5 })
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n })
  const json = (index = ledger.history.length - 1) => JSON.parse(ledger.history.json(index)) as RawTransaction
  const last = (index?: number) => readEvents(json(index), ledger.program, ledger.eventAuthority)
  return { ledger, dao, json, last }
}

/** The data of the newest event, to be bent. */
function dataOf (tx: RawTransaction): Buffer {
  return decodeBase58(tx.meta.innerInstructions!.at(-1)!.instructions.at(-1)!.data)!
}

test('the event authority is derived from the program', async t => {
  t.equal(eventAuthority(PROGRAM), AUTHORITY)
  t.throws(() => eventAuthority('not a key'))
})

test('base58 is the inverse of another implementation, both ways, and refuses what is none', async t => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 700 }), bytes => {
    const text = base58(bytes)
    return Buffer.compare(decodeBase58(text)!, Buffer.from(bytes)) === 0
  }))
  fc.assert(fc.property(fc.integer({ min: 0, max: 40 }), fc.uint8Array({ maxLength: 40 }), (zeros, bytes) => {
    const whole = Buffer.concat([Buffer.alloc(zeros), bytes])
    return decodeBase58(base58(whole))!.equals(whole)
  }))
  for (const text of ['0', 'O', 'I', 'l', '1 ', 'é', 'abc\u{1F600}', '1111_']) t.equal(decodeBase58(text), undefined, JSON.stringify(text))
  t.same(decodeBase58(''), Buffer.alloc(0))
})

test('discriminators are the hashes of the names', async t => {
  for (const name of ['SpotSwap', 'CollectFees', 'InitializeDao', 'ApplyLiquidation', 'FinalizeOptimisticProposal'] as const) {
    t.equal(discriminatorOf(name), discriminator('event', `${name}Event`).toString('hex'))
  }
})

test('the recording of the program: 92 swaps whose amounts fit its reserves', { skip: !existsSync(RECORDING) && 'the recording is not here' }, async t => {
  const { transactions } = JSON.parse(readFileSync(RECORDING, 'utf8')) as { transactions: RawTransaction[] }
  const events = transactions.flatMap(tx => readEvents(tx, PROGRAM, AUTHORITY))
  t.equal(events.length, 92)
  t.ok(events.every(({ name, raw }) => name === 'SpotSwap' && raw === null))
  t.same(events.map(({ seq }) => seq), events.map((_, at) => events[0]!.seq! + BigInt(at)))
  for (const [at, event] of events.entries()) {
    const before = events[at - 1]
    if (before === undefined) continue
    const side = event.swap!.side === 'buy' ? 'quote' : 'base'
    const fee = event.fees![side] - before.fees![side]
    t.equal(fee, event.swap!.input - event.swap!.input * 9950n / 10000n, `fee of event ${event.seq}`)
    t.equal(event.reserves![side] - before.reserves![side], event.swap!.input - fee)
  }
})

test('every event of the program, in every build, is understood', async t => {
  for (const layout of ['F0', 'F1', 'F2', 'F3'] as const) {
    const ledger = createLedger({ seed: 9 })
    const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n, layout, spendingMembers: 3 })
    dao.swap('buy', 1_000_000n)
    dao.initializeProposal()
    dao.stake()
    dao.unstake()
    dao.sponsor()
    dao.launchProposal()
    dao.swap('sell', 1_000_000n)
    dao.conditionalSwap('pass', 'buy', 1_000_000n)
    dao.finalizeProposal({ passed: true })
    dao.collectFees()
    dao.provideLiquidity(1_000_000n)
    dao.withdrawLiquidity(0.1)
    dao.updateDao()
    dao.initializeProposal()
    dao.removeProposal()
    dao.launchProposal()
    dao.cancelProposal()
    const events = Array.from({ length: ledger.history.length }, (_, at) => readEvents(JSON.parse(ledger.history.json(at)), ledger.program, ledger.eventAuthority)).flat()
    t.same(events.map(({ seq }) => Number(seq)), Array.from({ length: dao.seqNum }, (_, at) => at + 1), layout)
    t.same(events.filter(({ raw }) => raw !== null), [])
    t.ok(events.every(({ dao: found, name }) => found === dao.address || (found === null && /^(Stake|Unstake)/.test(name))))
    t.ok(events.every(({ keepsFees, fees }) => keepsFees || fees !== null))
    const lasting = events.findLast(({ fees, name }) => fees !== null && name !== 'InitializeDao')!
    t.same(lasting.fees, dao.feeBalances)
    t.same(lasting.reserves, dao.reserves)
    t.same(events.filter(({ swap }) => swap !== null).map(({ swap }) => swap), ledger.swaps.map(({ side, input, output }) => ({ side, input, output })))
  }
})

test('a swap of the first build carries no state', async t => {
  const { dao, json } = market()
  dao.swap('buy', 1_000_000n)
  const event = decodeEvent(dataOf(json()).subarray(0, 129))
  t.match(event, { name: 'SpotSwap', dao: dao.address, swap: { side: 'buy', input: 1_000_000n }, fees: null, reserves: null, raw: null })
})

test('swaps inside another program, through lookup tables, several in one transaction', async t => {
  const { ledger, dao, last } = market()
  const other = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 100_000_000n, baseReserves: 100_000_000n })
  ledger.transaction(() => { dao.swap('buy', 5_000_000n); other.swap('sell', 300n); dao.swap('sell', 7_000n) }, { via: 'aggregator' })
  const events = last()
  t.same(events.map(event => [event.dao, event.swap!.input]), [[dao.address, 5_000_000n], [other.address, 300n], [dao.address, 7_000n]])
  t.same(new Set(events.map(({ outer, inner }) => `${outer}.${inner}`)).size, 3)
})

test('look-alikes and failed transactions give nothing', async t => {
  const { ledger, dao, last, json } = market()
  for (const kind of FORGERIES) {
    ledger.forgedEvent(dao, kind)
    t.same(last(), [], kind)
  }
  dao.swap('buy', 1_000_000n, { failed: true })
  t.ok(json().meta.innerInstructions!.length > 0)
  t.same(last(), [])
})

test('what the node does not know, or sends in another shape, is an error and never "no events"', async t => {
  const { dao, json, last } = market()
  dao.swap('buy', 1_000_000n, { innerUnknown: true })
  t.throws(() => last(), { code: 'NODE_BAD_ANSWER' })
  dao.swap('buy', 1_000_000n, { via: 'aggregator', version: 0 })
  const read = (bend: (tx: any) => void) => {
    const tx = json()
    bend(tx)
    return readEvents(tx, PROGRAM, AUTHORITY)
  }
  t.equal(read(() => {}).length, 1)
  t.throws(() => read(tx => { tx.meta.loadedAddresses = null }), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => read(tx => { tx.meta = null }), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => read(tx => { delete tx.meta.err }), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => read(tx => { tx.transaction = undefined }), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => read(tx => { tx.meta.innerInstructions[0].instructions = 7 }), { code: 'NODE_BAD_ANSWER' })
  t.throws(() => read(tx => { tx.meta.innerInstructions.at(-1).instructions.at(-1).data = 'not base58: 0OIl' }), { code: 'NODE_BAD_ANSWER' })
})

test('an unknown event keeps its bytes, its number and where its DAO may stand', async t => {
  const { dao, last } = market()
  dao.unknownEvent()
  const [event] = last()
  t.match(event, { name: 'Unknown', seq: BigInt(dao.seqNum), dao: null, keepsFees: false, swap: null, fees: null })
  t.ok(event!.candidates.includes(dao.address))
  t.ok(event!.raw!.length > 40)
})

test('data that lie about their length or content are kept with the reason', async t => {
  const { dao, json } = market()
  dao.swap('buy', 1_000_000n)
  const data = dataOf(json())
  for (let length = 0; length < data.length; length++) {
    const event = decodeEvent(data.subarray(0, length))
    if (length === 129) continue
    t.ok(event.raw !== null && event.swap === null && event.fees === null, { message: `length ${length}`, diagnostic: false })
    if (length >= 16) t.equal(event.name, 'Unreadable')
    if (length >= 40) t.equal(event.seq, BigInt(dao.seqNum))
    if (length >= 72) t.equal(event.dao, dao.address)
  }
  t.match(decodeEvent(Buffer.concat([data, Buffer.alloc(1)])), { name: 'Unreadable', reason: 'SpotSwap of 407 bytes' })
  const bent = (at: number, ...bytes: number[]) => decodeEvent(Buffer.concat([data.subarray(0, at), Buffer.from(bytes), data.subarray(at + bytes.length)]))
  t.match(bent(104, 2), { name: 'Unreadable', reason: 'SpotSwap of type 2' })
  t.match(bent(129, 1), { name: 'Unreadable' }, 'a state that does not fit the length')
  t.match(bent(129, 9), { name: 'Unreadable' })
  t.match(bent(24, 255, 255, 255, 255, 255, 255, 255, 255), { name: 'Unreadable', at: null })
  t.match(bent(23, 255), { name: 'Unreadable', slot: null })
})

test('no mutation of an event makes the reader throw', async t => {
  const { dao, json } = market()
  dao.swap('buy', 1_000_000n)
  dao.launchProposal()
  const sources = [dataOf(json(2)), dataOf(json())]
  fc.assert(fc.property(fc.constantFrom(...sources), fc.array(fc.tuple(fc.nat(700), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }), fc.nat(720), (source, changes, length) => {
    const bytes = Buffer.from(source.subarray(0, length))
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
    const event = decodeEvent(bytes)
    return event.raw !== null || (event.seq !== null && event.at !== null)
  }), { numRuns: 2000 })
})
