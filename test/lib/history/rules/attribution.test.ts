import { join } from 'node:path'
import { test } from 'tap'
import type { RawTransaction } from '../../../../lib/chain/types.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { attribute, type Directory } from '../../../../lib/history/rules/attribution.js'
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
      event => ({ event, signature: ledger.history.signature(at) })
    )
  })
  return { ledger, dao, located: located.flat() }
}

test('an event that is not understood has its place as soon as its DAO is known, ' +
  'by an event or by its account', async t => {
  const { ledger, dao, located } = staked()
  const unknown = located.find(({ event }) => event.name === 'Unknown')!
  const swap = located.at(-1)!
  const root = t.testdir()
  const written = async (folder: string) => {
    const store = await openSqliteStore({ folder: join(root, folder), program: ledger.program })
    t.teardown(() => store.close())
    const events: LogEvent[] = []
    return { writer: await createStepWriter(store, VALUATION, event => { events.push(event) }), events }
  }
  const { writer, events } = await written('event')
  t.equal(await writer.commit({ events: [unknown] }), 0)
  t.same(events.map(({ code }) => code), ['unattributed'])
  t.equal(writer.state.sequenceRanges.size, 0)
  await writer.commit({ events: [swap, { ...swap, event: { ...swap.event, seq: 5n } }] })
  t.match([...writer.sequenceGaps.values()], [], 'as far as is known all may be to come')
  t.equal(await writer.commit({ events: [unknown] }), 1, 'when its transaction is read again')
  t.same(writer.state.sequenceRanges.get(dao.address)!.map(({ first, last }) => [first, last]), [[5n, 7n]])

  const { writer: other } = await written('account')
  await other.commit({ events: [], ended: true, numbersAhead: new Map([[dao.address, 7n]]) })
  t.same(
    other.sequenceGaps.get(dao.address)!.map(({ from, to }) => [from, to]), [[1n, 7n]], 'which its account asks for'
  )
  t.equal(await other.commit({ events: [unknown] }), 1)
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
          candidates: [event.event.dao!],
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

const DIRECTORY: Directory = {
  isDao: address => ['A', 'B'].includes(address),
  fits: (_, seq, slot) => seq === 7n && slot === 70
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
const given = (rest: Partial<ProgramEvent>, blockIndex?: number | null) => attribute(
  { event: { ...EVENT, ...rest }, signature: 's', ...(blockIndex !== undefined && { blockIndex }) }, DIRECTORY
)
const daoOf = (rest: Partial<ProgramEvent>): string | undefined => given(rest)?.event.dao

test('an event that is understood is the DAO\'s that it names', t => {
  t.equal(daoOf({ dao: 'X' }), 'X', 'an event tells of a DAO that is not known yet')
  t.equal(daoOf({ dao: 'X', candidates: ['A'] }), 'X')
  t.end()
})

test('one that names none, or is not understood, is the only DAO\'s whose key stands in it, ' +
  'or the only one\'s beside it, if its number fits', t => {
  for (const name of ['Unknown', 'Unreadable'] as const) {
    const of = (rest: Partial<ProgramEvent>) => daoOf({ name, reason: 'odd', ...rest })
    t.equal(of({ dao: 'X', candidates: ['X', 'B'] }), 'B', 'its bytes may be elsewhere')
    t.equal(of({ dao: 'A', candidates: ['x', 'A'] }), 'A')
    t.equal(of({ candidates: ['A', 'A'] }), 'A', 'named twice')
    t.equal(of({ candidates: ['A', 'B'] }), undefined, 'of two it may be either')
    t.equal(of({ candidates: ['x'], accounts: ['y', 'A'] }), 'A', 'of a transaction of one alone')
    t.equal(of({ accounts: ['A', 'B'] }), undefined, 'of a transaction of two')
    t.equal(of({ candidates: ['A'], seq: 8n }), undefined, 'a number that is stored, or of another slot')
  }
  t.equal(daoOf({ proposal: 'P', accounts: ['y', 'A'] }), 'A')
  t.equal(daoOf({ proposal: 'P', accounts: ['A', 'B'] }), undefined)
  t.end()
})

test('without a number or a time nothing has a place', t => {
  for (const nothing of [{ seq: null }, { at: null }, { slot: null }]) {
    t.equal(daoOf({ name: 'Unreadable', reason: 'odd', candidates: ['A'], ...nothing }), undefined)
    t.equal(daoOf({ dao: 'A', ...nothing }), undefined)
  }
  t.end()
})

test('what is stored of an event that has its DAO', t => {
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
  t.end()
})
