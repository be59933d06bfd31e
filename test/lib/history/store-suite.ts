/** What every engine must do, as tests. An engine gives a way to open its store; `place` names what is opened, again or by another. */
import { test, type Test } from 'tap'
import { ratio } from '../../../lib/decimal.js'
import type { Identity } from '../../../lib/history/store-queries.js'
import type { Interval, Store, StepChanges, StoredEvent } from '../../../lib/history/store.js'

export interface EngineUnderTest<Place> {
  name: string
  /** Somewhere new and empty; gone after the test. */
  newPlace (t: Test): Promise<Place>
  open (place: Place, identity: Identity): Promise<Store>
}

const U64 = (1n << 64n) - 1n
const PROGRAM = { program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq' }
const [A, B] = ['DaoA1111111111111111111111111111111111111', 'daoA1111111111111111111111111111111111111']

const nothing: StepChanges = {
  events: [],
  fees: [],
  intervals: [],
  days: [],
  rates: [],
  firstSwaps: [],
  proposals: [],
  unplaced: [],
  placed: [],
  missing: [],
  found: [],
  segments: null,
  ended: false,
  events_total: 0,
  swaps_total: 0
}

const event = (seq: bigint, rest: Partial<StoredEvent> = {}): StoredEvent => ({
  dao: A,
  seq,
  kind: 'SpotSwap',
  slot: 400_000_000,
  at: 1_767_225_600,
  signature: `signature${seq}`,
  place: 65_537,
  swap: { side: 'sell', input: U64, output: U64 - 1n, fee: null },
  fees: { quote: U64, base: 0n },
  reserves: { quote: 1n, base: U64 },
  reason: null,
  raw: null,
  ...rest
})

const interval = (low: bigint, high: bigint, rest: Partial<Interval> = {}): Interval => ({
  low, high, lowSlot: 1, highSlot: 2, lowAt: 3, highAt: 4, through: false, top: { quote: U64, base: 0n }, open: null, ...rest
})

export function testStore<Place> ({ name, newPlace, open }: EngineUnderTest<Place>): void {
  async function opened (t: Test) {
    const place = await newPlace(t)
    let store = await open(place, PROGRAM)
    t.teardown(() => store.close().catch(() => {}))
    return {
      place,
      get store () { return store },
      async reopen () {
        await store.close()
        store = await open(place, PROGRAM)
        return store
      }
    }
  }

  test(`${name}: an empty store`, async t => {
    const { store } = await opened(t)
    t.same(await store.load(), {
      segments: [], ended: false, intervals: new Map(), proposals: new Map(), unplacedKeys: new Set(), missing: [], rates: new Map(), firstSwaps: new Map(), unreadable: new Map(), events: 0, swaps: 0
    })
    t.equal(await store.valuation(), null)
    t.same(await store.swapsSince(0), { change: 0, rows: [] })
    t.same(await store.swapsAfter(0, 0), { change: 0, rows: [] })
    t.same(await store.daysAfter(0), { change: 0, rows: [] })
    t.same(await store.days([{ dao: A, day: 1 }]), [])
    t.same(await store.origins([{ dao: A, seq: 1n }]), [])
    t.same(await store.unplaced(['x']), [])
  })

  test(`${name}: numbers of all 64 bits, and sums beyond, come back as they went in`, async t => {
    const place = await opened(t)
    const open = { seq: U64 - 2n, at: 5, side: 'sell' as const, input: U64, output: 0n, post: U64 }
    await place.store.write({
      ...nothing,
      events: [event(U64), event(U64 - 1n), event(1n), event(2n), event(10n), event(9n, { dao: B })],
      intervals: [{ dao: A, put: [interval(U64 - 1n, U64, { open }), interval(9n, 10n, { through: true, top: null }), interval(1n, 2n)], drop: [] }],
      days: [{ dao: A, day: 20_000, base: U64 * U64 * 10n ** 30n, quote: 0n, trades: 3 }],
      events_total: 6,
      swaps_total: 6
    })
    const store = await place.reopen()
    const { rows } = await store.swapsSince(0)
    const sorted = rows.filter(({ dao }) => dao === A).map(({ seq }) => seq).sort((a, b) => a < b ? -1 : 1)
    t.same(sorted, [1n, 2n, 10n, U64 - 1n, U64])
    t.match(rows.find(({ seq }) => seq === U64), { dao: A, at: 1_767_225_600, side: 'sell', input: U64, output: U64 - 1n, fee: null })
    t.same(rows.filter(({ dao }) => dao === B).map(({ seq }) => seq), [9n], 'addresses differ in case')
    const { intervals, events, swaps } = await store.load()
    t.same(intervals.get(A), [interval(1n, 2n), interval(9n, 10n, { through: true, top: null }), interval(U64 - 1n, U64, { open })], 'in the order of the numbers')
    t.same([events, swaps], [6, 6])
    t.same(await store.days([{ dao: A, day: 20_000 }, { dao: A, day: 20_001 }, { dao: B, day: 20_000 }]), [{ dao: A, day: 20_000, base: U64 * U64 * 10n ** 30n, quote: 0n, trades: 3 }])
    t.same(await store.origins([{ dao: A, seq: U64 }, { dao: A, seq: 3n }, { dao: B, seq: 9n }]).then(rows => rows.map(({ dao, seq, signature, place }) => [dao, seq, signature, place]).sort()),
      [[A, U64, `signature${U64}`, 65_537], [B, 9n, 'signature9', 65_537]].sort())
  })

  test(`${name}: readers find what has come or changed, once`, async t => {
    const { store } = await opened(t)
    await store.write({ ...nothing, events: [event(1n), event(2n, { at: 100 }), event(3n, { kind: 'CollectFees', swap: null })], days: [{ dao: A, day: 1, base: 1n, quote: 2n, trades: 1 }] })
    const first = await store.swapsSince(100)
    t.same(first.rows.map(({ seq }) => seq), [1n], 'later than, and swaps only')
    t.same((await store.swapsAfter(first.change, 0))!.rows, [])
    await store.write({ ...nothing, fees: [{ dao: A, seq: 2n, fee: 77n }], events: [event(4n)], days: [{ dao: A, day: 2, base: 5n, quote: 6n, trades: 1 }] })
    const next = (await store.swapsAfter(first.change, 0))!
    t.same(next.rows.map(({ seq, fee }) => [seq, fee]).sort(), [[2n, 77n], [4n, null]])
    t.same((await store.swapsAfter(first.change, 100))!.rows.map(({ seq }) => seq), [4n])
    const days = await store.daysAfter(0)
    t.same(days.rows.map(({ day }) => day).sort(), [1, 2])
    await store.write({ ...nothing, days: [{ dao: A, day: 1, base: 9n, quote: 9n, trades: 2 }] })
    t.same((await store.daysAfter(days.change)).rows, [{ dao: A, day: 1, base: 9n, quote: 9n, trades: 2 }])
    const seen: bigint[] = []
    for (let after = 0; ;) {
      const { change, rows } = await store.swapsPage(after, 2)
      if (rows.length === 0) break
      seen.push(...rows.map(({ seq }) => seq))
      after = change
    }
    t.same(seen.sort(), [1n, 2n, 4n])
  })

  test(`${name}: a step is written whole or not at all`, async t => {
    const { store } = await opened(t)
    await store.write({ ...nothing, events: [event(1n)], events_total: 1 })
    const before = await store.swapsSince(0)
    await t.rejects(store.write({
      ...nothing, events: [event(2n, { dao: B }), event(1n)], days: [{ dao: B, day: 1, base: 1n, quote: 1n, trades: 1 }], segments: [], ended: true, events_total: 3
    }), { name: 'ServiceError', code: 'HISTORY_UNAVAILABLE' }, 'one number twice')
    t.same(await store.swapsSince(0), before)
    t.match(await store.load(), { ended: false, events: 1 })
    await store.write({ ...nothing, events: [event(2n, { dao: B })], events_total: 2 })
    t.same((await store.swapsSince(0)).rows.map(({ dao }) => dao).sort(), [A, B].sort(), 'and the next step finds its numbers free')
  })

  test(`${name}: runs, segments, proposals, oddities and missing transactions`, async t => {
    const place = await opened(t)
    const raw = Buffer.from([0, 255, 1])
    const waiting = { signature: 's', place: 1, kind: 'StakeToProposal', seq: 5n, slot: 7, at: 8, keepsFees: true, keys: ['P'], reason: null, raw: null }
    const odd = { signature: 's', place: 2, kind: 'Unreadable', seq: null, slot: 7, at: null, keepsFees: false, keys: [], reason: 'short', raw }
    const segment = { newest: 'n', newestSlot: 9, oldest: 'o', oldestSlot: 3, oldestTime: null, anchor: null }
    await place.store.write({
      ...nothing,
      events: [event(1n), event(3n), event(5n, { kind: 'Unreadable', swap: null, fees: null, reserves: null, reason: 'odd', raw, at: 50 })],
      intervals: [{ dao: A, put: [interval(1n, 1n), interval(3n, 3n), interval(5n, 5n)], drop: [] }],
      rates: [{ bps: '25', swaps: 2 }],
      firstSwaps: [{ dao: A, at: 33 }],
      proposals: [{ proposal: 'P', dao: A }],
      unplaced: [waiting, odd],
      missing: [{ signature: 'm', slot: 4, at: null, reason: 'null' }, { signature: 'k', slot: 5, at: 6, reason: 'null' }],
      segments: [segment],
      ended: true
    })
    let state = await (await place.reopen()).load()
    t.same(state.segments, [segment])
    t.same([state.ended, state.proposals.get('P'), state.rates.get('25'), state.firstSwaps.get(A), state.unreadable.get(A)], [true, A, 2, 33, 50])
    t.same(state.missing.map(({ signature }) => signature), ['k', 'm'])
    t.same([...state.unplacedKeys], ['P'])
    t.same(await place.store.unplaced(['P', 'Q']), [waiting])
    await place.store.write({
      ...nothing,
      intervals: [{ dao: A, put: [interval(1n, 3n)], drop: [3n] }],
      rates: [{ bps: '25', swaps: 1 }],
      firstSwaps: [{ dao: A, at: 22 }],
      placed: [{ signature: 's', place: 1 }],
      missing: [{ signature: 'k', slot: 5, at: 6, reason: 'another' }],
      found: ['m'],
      segments: [{ ...segment, newest: 'x', oldestTime: 12, anchor: 'y' }, segment],
      ended: true
    })
    state = await (await place.reopen()).load()
    t.same(state.intervals.get(A), [interval(1n, 3n), interval(5n, 5n)])
    t.same(state.segments.length, 2)
    t.same([state.rates.get('25'), state.firstSwaps.get(A)], [1, 22])
    t.same(state.missing, [{ signature: 'k', slot: 5, at: 6, reason: 'another' }])
    t.same([...state.unplacedKeys], [])
  })

  test(`${name}: day sums made anew for another valuation`, async t => {
    const place = await opened(t)
    await place.store.write({ ...nothing, days: [{ dao: A, day: 1, base: 1n, quote: 1n, trades: 1 }], rates: [{ bps: '25', swaps: 9 }] })
    const { change } = await place.store.daysAfter(0)
    await place.store.revalue({ rate: ratio(50n, 10_000n), basis: 'fees' }, [{ dao: A, day: 1, base: 2n, quote: 2n, trades: 1 }], new Map([['30', 4]]))
    t.same((await place.store.daysAfter(change)).rows, [{ dao: A, day: 1, base: 2n, quote: 2n, trades: 1 }])
    const store = await place.reopen()
    t.same(await store.valuation(), { rate: ratio(1n, 200n), basis: 'fees' })
    t.same((await store.load()).rates, new Map([['30', 4]]))
  })

  test(`${name}: many rows`, async t => {
    const { store } = await opened(t)
    const events = Array.from({ length: 1234 }, (_, at) => event(BigInt(at + 1), { dao: `dao${at % 97}` }))
    await store.write({ ...nothing, events, days: events.map(({ dao, seq }) => ({ dao, day: Number(seq), base: seq, quote: seq, trades: 1 })) })
    t.equal((await store.swapsSince(0)).rows.length, 1234)
    t.equal((await store.days(events.map(({ dao, seq }) => ({ dao, day: Number(seq) })))).length, 1234)
    t.equal((await store.origins(events)).length, 1234)
  })

  test(`${name}: belongs to one program and one network`, async t => {
    const place = await opened(t)
    await place.store.close()
    const again = await open(place.place, { ...PROGRAM, genesis: 'G1' })
    await again.close()
    await t.rejects(open(place.place, { program: 'another' }), { code: 'HISTORY_UNAVAILABLE', message: /belongs to another program.*FUTAREL.*another/ })
    await t.rejects(open(place.place, { ...PROGRAM, genesis: 'G2' }), { code: 'HISTORY_UNAVAILABLE', message: /belongs to another genesis/ })
    await place.reopen().catch(() => {})
  })

  test(`${name}: a closed store says so`, async t => {
    const { store } = await opened(t)
    await store.close()
    await t.rejects(store.load(), { code: 'HISTORY_UNAVAILABLE' })
    await t.rejects(store.write(nothing), { code: 'HISTORY_UNAVAILABLE' })
  })
}
