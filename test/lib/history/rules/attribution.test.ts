import { test } from 'tap'
import type { RawTransaction } from '../../../../lib/chain/types.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { attribute, attributeLater, type Directory } from '../../../../lib/history/rules/attribution.js'
import type { UnattributedEvent } from '../../../../lib/history/rules/rows.js'
import { type ProgramEvent, readEvents } from '../../../../lib/protocol/events.js'
import { ratio } from '../../../../lib/decimal.js'
import { createLedger } from '../../../../simulator/index.js'
import type { LogEvent } from '../../../../lib/history/log-events.js'

const VALUATION = { rate: ratio(1n, 200n), basis: 'input' as const }

/** One DAO with a staked proposal, and its transactions as sightings. */
function staked () {
  const ledger = createLedger({ seed: 8 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 11n, baseReserves: 10n ** 12n }
  )
  dao.swap('buy', 400_000n)
  dao.initializeProposal()
  dao.stake()
  dao.unknownEvent()
  dao.swap('buy', 200_000n)
  const located = Array.from({ length: ledger.history.length }, (_, at) => {
    const tx = JSON.parse(ledger.history.json(at)) as RawTransaction
    return readEvents(tx, ledger.program, ledger.eventAuthority).map(
      event => ({ event, signature: ledger.history.signature(at), slot: tx.slot })
    )
  })
  return { ledger, dao, located: located.flat() }
}

test('an event that names no DAO waits for what tells it, and then takes its number', async t => {
  const { ledger, dao, located } = staked()
  // Accounts that tell nothing: as if the DAO's key were not among them
  const blind = located.map(({ event, ...rest }) => ({
    ...rest, event: { ...event, accounts: [], ...(event.name === 'StakeToProposal' && { dao: null }) }
  }))
  const [
    initialize, provide, swap, propose, stake, unknown, last
  ] = blind as [typeof blind[0], ...Array<typeof blind[0]>] as Array<typeof blind[0]>
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
  t.same(await store.unattributed([stake!.event.proposal!, dao.address]), [])
  const { rows } = await store.swapsPage(0, 99)
  t.same(
    rows.map(({ seq, swap }) => [seq, swap.fee]).sort(),
    [[3n, 2000n], [7n, null]],
    'what the unknown event did to the fees is not known'
  )
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

test('the only DAO of a transaction is meant once all are known', async t => {
  const { ledger, dao, located } = staked()
  const [swap, unknown] = ['SpotSwap', 'Unknown'].map(name => located.find(({ event }) => event.name === name)!)
  const nameless = { ...unknown!, event: { ...unknown!.event, candidates: [] } }
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, VALUATION, () => {})
  await writer.commit({ events: [swap!, nameless] })
  t.equal(writer.state.events, 1, 'it may be of one that no event has named yet')
  await writer.learn([dao.address])
  await writer.commit({ events: [nameless] })
  t.equal(writer.state.events, 2)
})

test('two events under one number: the first stays', async t => {
  const { ledger, dao, located } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const events: LogEvent[] = []
  const writer = await createStepWriter(store, VALUATION, event => { events.push(event) })
  const swap = located.find(({ event }) => event.swap !== null)!
  await writer.commit({ events: [swap, swap] })
  await writer.commit({ events: [swap] })
  await writer.commit({ events: [{ ...swap, signature: 'another' }] })
  t.equal(writer.state.events, 1)
  t.equal((await store.origins([{ dao: dao.address, seq: 3n }]))[0]!.signature, swap.signature)
})

test('an event that can not be read keeps its number and makes its DAO incomplete', async t => {
  const { ledger, dao, located } = staked()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const events: LogEvent[] = []
  const writer = await createStepWriter(store, VALUATION, event => { events.push(event) })
  const bent = located.map(event => event.event.seq === 3n
    ? {
        ...event,
        event: {
          ...event.event,
          name: 'Unreadable' as const,
          reason: 'SpotSwap of 300 bytes',
          raw: Buffer.alloc(3),
          swap: null,
          fees: null
        }
      }
    : event)
  await writer.commit({ events: bent })
  t.match(events, [{ code: 'unreadable', detail: { dao: dao.address } }])
  t.same([...writer.state.unreadable.keys()], [dao.address])
  t.equal(writer.state.sequenceRanges.get(dao.address)!.length, 1)
  t.same((await store.load()).unreadable, writer.state.unreadable)
})

/** DAOs A and B; proposal P is A's, Q is B's; C is a DAO into whose sequence nothing fits. */
const DIRECTORY: Directory = {
  isDao: address => ['A', 'B', 'C'].includes(address),
  daoOfProposal: proposal => ({ P: 'A', Q: 'B' })[proposal],
  knowsAll: true,
  fits: (dao, seq, slot) => dao !== 'C' && seq === 7n && slot === 70
}
const EVENT: ProgramEvent = {
  name: 'StakeToProposal',
  slot: 70,
  at: 700,
  seq: 7n,
  dao: null,
  proposal: null,
  user: null,
  candidates: [],
  fees: null,
  reserves: null,
  keepsFees: true,
  swap: null,
  liquidity: null,
  facts: null,
  reason: null,
  raw: null,
  outer: 2,
  inner: 3,
  accounts: ['payer']
}
const given = (rest: Partial<ProgramEvent>, blockIndex?: number | null, directory = DIRECTORY) => attribute(
  { event: { ...EVENT, ...rest }, signature: 's', slot: 71, ...(blockIndex !== undefined && { blockIndex }) }, directory
)
const daoOf = (rest: Partial<ProgramEvent>): string | undefined => {
  const row = given(rest)
  return 'event' in row ? row.event.dao : undefined
}
const keysOf = (rest: Partial<ProgramEvent>): readonly string[] | undefined => {
  const row = given(rest)
  return 'keys' in row ? row.keys : undefined
}

test('an event that is understood is its own DAO\'s, or its proposal\'s', t => {
  t.equal(daoOf({ dao: 'X' }), 'X', 'an event tells of a DAO that is not known yet')
  t.equal(daoOf({ proposal: 'Q', accounts: ['A'] }), 'B')
  t.same(keysOf({ proposal: 'new', accounts: ['A'] }), ['new'], 'accounts of others may be beside it')
  t.same(keysOf({ proposal: 'new' }), ['new'])
  t.same(keysOf({ accounts: ['A'] }), [], 'without a proposal nothing can tell')
  t.end()
})

test(
  'one that is not understood is the DAO\'s whose key stands in it, or the only one\'s of its transaction, and only where its number fits',
  t => {
    for (const name of ['Unknown', 'Unreadable'] as const) {
      t.equal(daoOf({ name, dao: 'A', seq: 1n }), 'A', 'its own word, where that is a DAO')
      t.equal(daoOf({ name, dao: 'X', candidates: ['X', 'B'] }), 'B', 'a word that is no DAO')
      t.equal(daoOf({ name, candidates: ['P'], accounts: ['B'] }), 'A', 'a proposal of its')
      t.equal(daoOf({ name, candidates: ['A', 'P'] }), 'A', 'named twice')
      t.equal(daoOf({ name, candidates: ['C', 'A'] }), 'A', 'the one that its number fits')
      t.equal(daoOf({ name, candidates: ['A', 'B'], accounts: ['A'] }), undefined, 'of two it may be either')
      t.equal(daoOf({ name, candidates: ['x'], accounts: ['y', 'A'] }), 'A', 'of a transaction of one alone')
      t.equal(daoOf({ name, accounts: ['A', 'C'] }), undefined, 'of a transaction of two')
      t.match(
        given({ name, candidates: ['x'], accounts: ['A'] }, null, { ...DIRECTORY, knowsAll: false }), { keys: ['x'] },
        'of one alone as far as is known'
      )
      t.equal(daoOf({ name, accounts: ['C'] }), undefined)
      t.equal(daoOf({ name, candidates: ['A'], seq: 8n }), undefined, 'a number that does not fit')
      t.same(keysOf({ name, candidates: ['x', 'y', 'z'] }), ['x', 'y'], 'it waits for either of two keys')
      for (const nothing of [{ seq: null }, { at: null }, { slot: null }]) {
        t.same(keysOf({ name, candidates: ['A'], ...nothing }), [], 'without a number or a time nothing places it')
      }
      for (const nothing of [{ seq: null }, { at: null }, { slot: null }]) {
        t.same(keysOf({ name, dao: 'A', candidates: ['A'], ...nothing }), [])
      }
    }
    t.end()
  }
)

test('what is stored of an event that has its DAO, and of one that waits', t => {
  const swap = { side: 'buy' as const, input: 5n, output: 4n }
  t.same(given({ dao: 'A', name: 'SpotSwap', user: 'U', swap, keepsFees: false }, 9), {
    keepsFees: false,
    event: {
      kind: 'SpotSwap',
      signature: 's',
      eventIndex: 2 * 65_536 + 3,
      reason: null,
      raw: null,
      dao: 'A',
      seq: 7n,
      at: 700,
      slot: 70,
      fees: null,
      reserves: null,
      blockIndex: 9,
      maker: 'U',
      liquidity: null,
      facts: null,
      swap: { ...swap, fee: null }
    }
  })
  t.match(
    given({ dao: 'A' }),
    { event: { maker: 'payer', blockIndex: null, swap: null } },
    'who pays for the transaction acted, where nobody is named'
  )
  t.match(given({ dao: 'A', accounts: [] }), { event: { maker: null } })
  t.same(given({ proposal: 'new' }), {
    kind: 'StakeToProposal',
    signature: 's',
    eventIndex: 131_075,
    reason: null,
    raw: null,
    slot: 71,
    seq: 7n,
    at: 700,
    keepsFees: true,
    keys: ['new']
  })
  t.end()
})

test('a waiting row takes its place once one of its keys is a DAO\'s or its proposal\'s', t => {
  const waiting = given({ proposal: 'new' }) as UnattributedEvent
  t.equal(attributeLater(waiting, DIRECTORY), undefined)
  t.equal(attributeLater({ ...waiting, keys: ['x', 'Q'] }, DIRECTORY)?.event.dao, 'B')
  t.equal(attributeLater({ ...waiting, keys: ['Q', 'B'] }, DIRECTORY)?.event.dao, 'B')
  t.equal(attributeLater({ ...waiting, keys: ['Q', 'A'] }, DIRECTORY), undefined, 'two are none, as they are at once')
  t.equal(attributeLater({ ...waiting, keys: ['x', 'A'] }, DIRECTORY)?.event.dao, 'A')
  t.equal(attributeLater({ ...waiting, keys: ['A', 'B'] }, DIRECTORY), undefined)
  for (const nothing of [{ seq: null }, { at: null }]) {
    t.equal(attributeLater({ ...waiting, keys: ['A'], ...nothing }, DIRECTORY), undefined)
  }
  t.match(
    attributeLater({ ...waiting, keys: ['A'] }, DIRECTORY),
    { keepsFees: true, event: { seq: 7n, at: 700, slot: 71, swap: null, fees: null, maker: null } }
  )
  t.end()
})
