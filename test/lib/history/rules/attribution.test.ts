import { test } from 'tap'
import type { RawTransaction } from '../../../../lib/chain/types.js'
import { createStepWriter } from '../../../../lib/history/indexing/step-writer.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../../lib/protocol/events.js'
import { ratio } from '../../../../lib/decimal.js'
import { createLedger } from '../../../../simulator/index.js'
import type { LogEvent } from '../../../../lib/history/log-events.js'

const VALUATION = { rate: ratio(1n, 200n), basis: 'input' as const }

/** One DAO with a staked proposal, and its transactions as sightings. */
function staked () {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 11n, baseReserves: 10n ** 12n })
  dao.swap('buy', 400_000n)
  dao.initializeProposal()
  dao.stake()
  dao.unknownEvent()
  dao.swap('buy', 200_000n)
  const located = Array.from({ length: ledger.history.length }, (_, at) => {
    const tx = JSON.parse(ledger.history.json(at)) as RawTransaction
    return readEvents(tx, ledger.program, ledger.eventAuthority).map(event => ({ event, signature: ledger.history.signature(at), slot: tx.slot }))
  })
  return { ledger, dao, located: located.flat() }
}

test('an event that names no DAO waits for what tells it, and then takes its number', async t => {
  const { ledger, dao, located } = staked()
  // Accounts that tell nothing: as if the DAO's key were not among them
  const blind = located.map(event => ({ ...event, event: { ...event.event, accounts: [] } }))
  const [initialize, provide, swap, propose, stake, unknown, last] = blind as [typeof blind[0], ...Array<typeof blind[0]>] as Array<typeof blind[0]>
  const folder = t.testdir()
  const events: LogEvent[] = []
  let store = await openSqliteStore({ folder, program: ledger.program })
  let writer = await createStepWriter(store, VALUATION, event => { events.push(event) })
  t.equal(await writer.commit({ events: [stake!, unknown!] }), 0)
  t.equal(writer.state.sequenceRanges.size, 0)
  t.equal(events.filter(({ code }) => code === 'unattributed').length, 2)
  await store.close()

  store = await openSqliteStore({ folder, program: ledger.program })
  writer = await createStepWriter(store, VALUATION, () => {})
  t.teardown(() => store.close())
  t.equal(await writer.commit({ events: [last!] }), 2, 'the DAO of the last swap places the unknown event')
  t.same(writer.state.sequenceRanges.get(dao.address)!.map(({ first, last }) => [first, last]), [[6n, 7n]])
  t.equal(await writer.commit({ events: [propose!] }), 2, 'the proposal places the stake')
  t.equal(await writer.commit({ events: [initialize!, provide!, swap!] }), 3)
  t.same(writer.state.sequenceRanges.get(dao.address)!.map(({ first, last }) => [first, last]), [[1n, 7n]])
  t.same(await store.unattributed([...writer.state.unattributedKeys, dao.address]), [])
  const { rows } = await store.swapsSince(0)
  t.same(rows.map(({ seq, fee }) => [seq, fee]).sort(), [[3n, 2000n], [7n, null]], 'what the unknown event did to the fees is not known')
})

test('an account on the chain places what waited for a DAO', async t => {
  const { ledger, dao, located } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, VALUATION, () => {})
  const unknown = located.find(({ event }) => event.name === 'Unknown')!
  await writer.commit({ events: [unknown] })
  t.equal(writer.state.events, 0)
  await writer.learn([ledger.newAddress(), dao.address])
  t.equal(writer.state.events, 1)
  t.ok(writer.isDao(dao.address))
  await writer.learn([dao.address])
  t.equal(writer.state.events, 1)
})

test('the only known DAO among the accounts of a transaction is the one that is staked for', async t => {
  const { ledger, dao, located } = staked()
  const stake = located.find(({ event }) => event.name === 'StakeToProposal')!
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, VALUATION, () => {})
  const another = ledger.newAddress()
  await writer.learn([dao.address, another])
  await writer.commit({ events: [{ ...stake, event: { ...stake.event, accounts: [...stake.event.accounts, another] } }] })
  t.equal(writer.state.events, 0, 'of two it may be either')
  await writer.commit({ events: [stake] })
  t.equal(writer.state.events, 1)
})

test('two events under one number: the first stays, and it is told', async t => {
  const { ledger, dao, located } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const events: LogEvent[] = []
  const writer = await createStepWriter(store, VALUATION, event => { events.push(event) })
  const swap = located.find(({ event }) => event.swap !== null)!
  await writer.commit({ events: [swap, swap] })
  await writer.commit({ events: [swap] })
  t.same(events, [])
  await writer.commit({ events: [{ ...swap, signature: 'another' }] })
  t.match(events, [{ level: 'error', code: 'conflict', detail: { dao: dao.address } }])
  t.equal((await store.origins([{ dao: dao.address, seq: 3n }]))[0]!.signature, swap.signature)
})

test('an event that can not be read keeps its number and makes its DAO incomplete', async t => {
  const { ledger, dao, located } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const events: LogEvent[] = []
  const writer = await createStepWriter(store, VALUATION, event => { events.push(event) })
  const bent = located.map(event => event.event.seq === 3n
    ? { ...event, event: { ...event.event, name: 'Unreadable' as const, reason: 'SpotSwap of 300 bytes', raw: Buffer.alloc(3), swap: null, fees: null } }
    : event)
  await writer.commit({ events: bent })
  t.match(events, [{ code: 'unreadable', detail: { dao: dao.address } }])
  t.same([...writer.state.unreadable.keys()], [dao.address])
  t.equal(writer.state.sequenceRanges.get(dao.address)!.length, 1)
  t.same((await store.load()).unreadable, writer.state.unreadable)
})
