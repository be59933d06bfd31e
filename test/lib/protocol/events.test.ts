import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { eventAuthority } from '../../../lib/protocol/addresses.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { base58, createLedger, FORGERIES } from '../../../simulator/index.js'
import { FORMS, sampleOf } from '../../support/event-forms.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
const AUTHORITY = 'DGEympSS4qLvdr9r3uGHTfACdN8snShk4iGdJtZPxuBC'
const RECORDING = resolve('../shared/fixtures/program-recording.json')

function market () {
  const ledger = createLedger({ seed: 5 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const json = (index = ledger.history.length - 1) => JSON.parse(ledger.history.json(index)) as RawTransaction
  const last = (index?: number) => readEvents(json(index), ledger.program, ledger.eventAuthority)
  return { ledger, dao, json, last }
}

test('the event authority is derived from the program', async t => {
  t.equal(eventAuthority(PROGRAM), AUTHORITY)
  t.throws(() => eventAuthority('not a key'))
})

test('the recording of the program: 92 swaps whose amounts fit its reserves', {
  skip: !existsSync(RECORDING) && 'the recording is not here'
}, async t => {
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
    const dao = ledger.dao({
      base: ledger.mint(),
      quote: ledger.usdc(),
      quoteReserves: 200_000_000_000n,
      baseReserves: 2_000_000_000_000n,
      layout,
      spendingMembers: 3
    })
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
    const events = Array.from(
      { length: ledger.history.length },
      (_, at) => readEvents(JSON.parse(ledger.history.json(at)), ledger.program, ledger.eventAuthority)
    ).flat()
    t.same(events.map(({ seq }) => Number(seq)), Array.from({ length: dao.seqNum }, (_, at) => at + 1), layout)
    t.same(events.filter(({ raw }) => raw !== null), [])
    t.ok(
      events.every(({ dao: found, name }) => found === dao.address || (found === null && /^(Stake|Unstake)/.test(name)))
    )
    t.ok(events.every(({ keepsFees, fees }) => keepsFees || fees !== null))
    const lasting = events.findLast(({ fees, name }) => fees !== null && name !== 'InitializeDao')!
    t.same(lasting.fees, dao.feeBalances)
    t.same(lasting.reserves, dao.reserves)
    t.same(
      events.filter(({ swap }) => swap !== null).map(({ swap }) => swap),
      ledger.swaps.map(({ side, input, output }) => ({ side, input, output }))
    )
  }
})

test('swaps inside another program, through lookup tables, several in one transaction', async t => {
  const { ledger, dao, last } = market()
  const other = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 100_000_000n, baseReserves: 100_000_000n }
  )
  ledger.transaction(
    () => { dao.swap('buy', 5_000_000n); other.swap('sell', 300n); dao.swap('sell', 7_000n) }, { via: 'aggregator' }
  )
  const events = last()
  t.same(
    events.map(event => [event.dao, event.swap!.input]),
    [[dao.address, 5_000_000n], [other.address, 300n], [dao.address, 7_000n]]
  )
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
  dao.swap('buy', 1_000_000n, { unexecuted: true })
  t.equal(json().meta.innerInstructions, null)
  t.same(last(), [], 'nor one that was never executed')
})

test('what the node does not know is an error and never "no events"', async t => {
  const { dao, json, last } = market()
  dao.swap('buy', 1_000_000n, { innerUnknown: true })
  const refuses = (what: string): { code: string, message: RegExp } => ({
    code: 'NODE_BAD_ANSWER', message: new RegExp(`^transaction .*: ${what}$`)
  })
  t.throws(() => last(), refuses('the node did not record its inner instructions'))
  dao.swap('buy', 1_000_000n, { via: 'aggregator', version: 0 })
  const read = (bend: (tx: any) => void) => {
    const tx = json()
    bend(tx)
    return readEvents(tx, PROGRAM, AUTHORITY)
  }
  t.equal(read(() => {}).length, 1)
  t.throws(
    () => read(tx => { tx.meta.loadedAddresses = null }), refuses('an instruction of an account that it does not list')
  )
  t.throws(
    () => read(tx => { tx.meta.innerInstructions.at(-1).instructions.at(-1).data = 'not base58: 0OIl' }),
    refuses('instruction data that are not base58')
  )
})

test('an unknown event keeps its bytes, its number and where its DAO may stand', async t => {
  const { dao, last } = market()
  dao.unknownEvent()
  const [event] = last()
  t.match(event, { name: 'Unknown', seq: BigInt(dao.seqNum), dao: null, keepsFees: false, swap: null, fees: null })
  t.ok(event!.candidates.includes(dao.address))
  t.ok(event!.raw!.length > 40)
})

test('who stakes tells of the DAO by the accounts that he calls with, whatever else is in the transaction', async t => {
  const { ledger, dao, last } = market()
  const another = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 11n, baseReserves: 10n ** 12n }
  )
  dao.initializeProposal()
  for (const via of ['direct', 'aggregator'] as const) {
    ledger.transaction(() => {
      another.swap('buy', 1_000_000n)
      dao.stake()
      another.initializeProposal()
      another.stake()
      another.removeProposal()
      dao.unstake()
    }, { via })
    t.same(last().map(({ name, dao }) => [name, dao]), [
      ['SpotSwap', another.address], ['StakeToProposal', dao.address], ['InitializeProposal', another.address],
      ['StakeToProposal', another.address], ['RemoveProposal', another.address], ['UnstakeFromProposal', dao.address]
    ])
  }
  const bare = JSON.parse(ledger.history.json(ledger.history.length - 1)) as RawTransaction
  for (const { instructions } of bare.meta.innerInstructions!) {
    for (const one of instructions) if (one.accounts.length > 1) one.programIdIndex = 0
  }
  t.equal(readEvents(bare, ledger.program, ledger.eventAuthority)[1]!.dao, null, 'a call of another program')
})

const KEYS = Array.from({ length: 12 }, (_, i) => base58(Buffer.alloc(32, 100 + i)))
const [PAYER, ROUTER, TOKENS, ...OTHERS] = KEYS as [string, string, string, ...string[]]
const UNKNOWN = Buffer.concat([Buffer.from('e445a52e51cb9a1d', 'hex'), Buffer.alloc(8, 0xab), Buffer.alloc(40)])

interface Called { program: string, keys: string[], data?: Buffer }
const event = (data = UNKNOWN): Called => ({ program: PROGRAM, keys: [AUTHORITY], data })

/** A transaction of one outer instruction and what it called, in the order of their calls. */
function transaction (outer: Called, inner: Called[]): RawTransaction {
  const accountKeys = [PAYER, PROGRAM, AUTHORITY, ...KEYS.slice(1)]
  const write = ({ program, keys, data = Buffer.alloc(9) }: Called) =>
    ({
      programIdIndex: accountKeys.indexOf(program),
      accounts: keys.map(key => accountKeys.indexOf(key)),
      data: base58(data)
    })
  return {
    slot: 1,
    blockTime: 1,
    transaction: {
      signatures: ['signature'],
      message: { accountKeys, instructions: [write({ program: ROUTER, keys: [] }), write(outer)] }
    },
    meta: {
      err: null,
      innerInstructions: [
        { index: 0, instructions: [write({ program: TOKENS, keys: [OTHERS[8]!] })] },
        { index: 1, instructions: inner.map(write) }
      ],
      loadedAddresses: null
    }
  } as unknown as RawTransaction
}

const [a, b, c] = OTHERS as [string, string, string]
const program = (...keys: string[]): Called => ({ program: PROGRAM, keys })
const token = (...keys: string[]): Called => ({ program: TOKENS, keys })

test(
  'an event knows its place, the keys of its transaction, and the keys at the usual places of its data',
  async t => {
    const seq = Buffer.alloc(8)
    seq.writeBigUInt64LE(9n)
    const data = Buffer.concat([
      UNKNOWN.subarray(0, 16), Buffer.alloc(16), seq, Buffer.alloc(32, 7), Buffer.alloc(32, 8), Buffer.alloc(5),
      Buffer.alloc(32, 103), Buffer.alloc(32, 104)
    ])
    const [found] = readEvents(transaction(program(a), [token(c), event(data)]), PROGRAM, AUTHORITY)
    t.match(found, { name: 'Unknown', outer: 1, inner: 1, seq: 9n, raw: data })
    t.same(found!.candidates, [base58(Buffer.alloc(32, 7)), base58(Buffer.alloc(32, 8))])
    t.same(found!.accounts, [PAYER, PROGRAM, AUTHORITY, ...KEYS.slice(1)])
  }
)

test(
  'a known event with a tail is understood; one that is cut, or of no known name, is not',
  async t => {
    const { data, keys } = sampleOf(FORMS.find(({ name }) => name === 'RemoveProposal')!)
    const read = (changed: Uint8Array) => readEvents(
      transaction(program(a, b), [event(Buffer.from(changed))]), PROGRAM, AUTHORITY
    )[0]!
    for (const tail of [0, 1, 40]) {
      const { name, dao, candidates, raw } = read(Buffer.concat([data, Buffer.alloc(tail)]))
      t.strictSame(
        { name, dao, candidates, raw },
        { name: 'RemoveProposal', dao: keys['dao'], candidates: [], raw: null }
      )
    }
    t.match(read(data.subarray(0, -1)), { name: 'Unreadable', dao: keys['dao'] })
    t.match(read(UNKNOWN), { name: 'Unknown', reason: 'of an unknown kind' })
  }
)

test('data too short for a tag are no event, those of a tag alone are one', async t => {
  for (const length of [0, 1, 7]) {
    t.same(readEvents(transaction(program(a), [event(UNKNOWN.subarray(0, length))]), PROGRAM, AUTHORITY), [])
  }
  t.match(
    readEvents(transaction(program(a), [event(UNKNOWN.subarray(0, 8))]), PROGRAM, AUTHORITY),
    [{ name: 'Unreadable', seq: null }]
  )
  for (let at = 0; at < 8; at++) {
    const data = Buffer.from(UNKNOWN)
    data[at]! ^= 1
    t.same(readEvents(transaction(program(a), [event(data)]), PROGRAM, AUTHORITY), [], `another byte ${at}`)
  }
})
