import { test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { createRecorder } from '../../../lib/history/recorder.js'
import { openSqliteStore } from '../../../lib/history/sqlite.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { ratio } from '../../../lib/decimal.js'
import { createLedger } from '../../ledger/index.js'
import type { Fact } from '../../../lib/history/facts.js'

const VALUATION = { rate: ratio(1n, 200n), basis: 'auto' as const }

/** One DAO with a staked proposal, and its transactions as sightings. */
function staked () {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 11n, baseReserves: 10n ** 12n })
  dao.swap('buy', 400_000n)
  dao.initializeProposal()
  dao.stake()
  dao.unknownEvent()
  dao.swap('buy', 200_000n)
  const sightings = Array.from({ length: ledger.history.length }, (_, at) => {
    const tx = JSON.parse(ledger.history.json(at)) as RawTransaction
    return readEvents(tx, ledger.program, ledger.eventAuthority).map(event => ({ event, signature: ledger.history.signature(at), slot: tx.slot }))
  })
  return { ledger, dao, sightings: sightings.flat() }
}

test('an event that names no DAO waits for what tells it, and then takes its number', async t => {
  const { ledger, dao, sightings } = staked()
  // Accounts that tell nothing: as if the DAO's key were not among them
  const blind = sightings.map(sighting => ({ ...sighting, event: { ...sighting.event, accounts: [] } }))
  const [initialize, provide, swap, propose, stake, unknown, last] = blind as [typeof blind[0], ...Array<typeof blind[0]>] as Array<typeof blind[0]>
  const folder = t.testdir()
  const facts: Fact[] = []
  let store = await openSqliteStore({ folder, program: ledger.program })
  let recorder = await createRecorder(store, VALUATION, fact => { facts.push(fact) })
  t.equal(await recorder.commit({ events: [stake!, unknown!] }), 0)
  t.equal(recorder.state.intervals.size, 0)
  t.equal(facts.filter(({ code }) => code === 'unplaced').length, 2)
  await store.close()

  store = await openSqliteStore({ folder, program: ledger.program })
  recorder = await createRecorder(store, VALUATION, () => {})
  t.teardown(() => store.close())
  t.equal(await recorder.commit({ events: [last!] }), 2, 'the DAO of the last swap places the unknown event')
  t.same(recorder.state.intervals.get(dao.address)!.map(({ low, high }) => [low, high]), [[6n, 7n]])
  t.equal(await recorder.commit({ events: [propose!] }), 2, 'the proposal places the stake')
  t.equal(await recorder.commit({ events: [initialize!, provide!, swap!] }), 3)
  t.same(recorder.state.intervals.get(dao.address)!.map(({ low, high }) => [low, high]), [[1n, 7n]])
  t.same(await store.unplaced([...recorder.state.unplacedKeys, dao.address]), [])
  const { rows } = await store.swapsSince(0)
  t.same(rows.map(({ seq, fee }) => [seq, fee]).sort(), [[3n, 2000n], [7n, null]], 'what the unknown event did to the fees is not known')
})

test('an account on the chain places what waited for a DAO', async t => {
  const { ledger, dao, sightings } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const recorder = await createRecorder(store, VALUATION, () => {})
  const unknown = sightings.find(({ event }) => event.name === 'Unknown')!
  await recorder.commit({ events: [unknown] })
  t.equal(recorder.state.events, 0)
  await recorder.learn([ledger.newAddress(), dao.address])
  t.equal(recorder.state.events, 1)
  t.ok(recorder.isDao(dao.address))
  await recorder.learn([dao.address])
  t.equal(recorder.state.events, 1)
})

test('the only known DAO among the accounts of a transaction is the one that is staked for', async t => {
  const { ledger, dao, sightings } = staked()
  const stake = sightings.find(({ event }) => event.name === 'StakeToProposal')!
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const recorder = await createRecorder(store, VALUATION, () => {})
  const another = ledger.newAddress()
  await recorder.learn([dao.address, another])
  await recorder.commit({ events: [{ ...stake, event: { ...stake.event, accounts: [...stake.event.accounts, another] } }] })
  t.equal(recorder.state.events, 0, 'of two it may be either')
  await recorder.commit({ events: [stake] })
  t.equal(recorder.state.events, 1)
})

test('two events under one number: the first stays, and it is told', async t => {
  const { ledger, dao, sightings } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const facts: Fact[] = []
  const recorder = await createRecorder(store, VALUATION, fact => { facts.push(fact) })
  const swap = sightings.find(({ event }) => event.swap !== null)!
  await recorder.commit({ events: [swap, swap] })
  await recorder.commit({ events: [swap] })
  t.same(facts, [])
  await recorder.commit({ events: [{ ...swap, signature: 'another' }] })
  t.match(facts, [{ level: 'error', code: 'conflict', detail: { dao: dao.address } }])
  t.equal((await store.origins([{ dao: dao.address, seq: 3n }]))[0]!.signature, swap.signature)
})

test('an event that can not be read keeps its number and makes its DAO incomplete', async t => {
  const { ledger, dao, sightings } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const facts: Fact[] = []
  const recorder = await createRecorder(store, VALUATION, fact => { facts.push(fact) })
  const bent = sightings.map(sighting => sighting.event.seq === 3n
    ? { ...sighting, event: { ...sighting.event, name: 'Unreadable' as const, reason: 'SpotSwap of 300 bytes', raw: Buffer.alloc(3), swap: null, fees: null } }
    : sighting)
  await recorder.commit({ events: bent })
  t.match(facts, [{ code: 'unreadable', detail: { dao: dao.address } }])
  t.same([...recorder.state.unreadable.keys()], [dao.address])
  t.equal(recorder.state.intervals.get(dao.address)!.length, 1)
  t.same((await store.load()).unreadable, recorder.state.unreadable)
})
