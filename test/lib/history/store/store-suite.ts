/**
 * What every engine must do, as tests. An engine gives a way to open its store; `place` names what is opened, again or
 * by another.
 */
import { test, type Test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import { EMPTY_CANDLE, type CandleRow, type Size } from '../../../../lib/history/rules/candles.js'
import type { Store } from '../../../../lib/history/store/create-store.js'
import type { StepChanges } from '../../../../lib/history/store/types.js'
import type { SequenceRange, StoredEvent } from '../../../../lib/history/rules/rows.js'

export interface EngineUnderTest<Place> {
  name: string
  /** Somewhere new and empty; gone after the test. */
  newPlace (t: Test): Promise<Place>
  open (place: Place, identity: { program: string }): Promise<Store>
}

const U64 = (1n << 64n) - 1n
const PROGRAM = { program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq' }
const [A, B] = ['DaoA1111111111111111111111111111111111111', 'daoA1111111111111111111111111111111111111']

const DAY = 86_400
const EMPTY_DAY = { ...EMPTY_CANDLE, size: 'days' } as const
const SIZES = ['minutes', 'hours', 'days'] as const
/** More than any test writes. */
const ALL = 10_000

const nothing: StepChanges = {
  events: [],
  fees: [],
  sequenceRanges: new Map(),
  candles: [],
  makers: [],
  missing: [],
  found: [],
  state: {}
}

const event = (seq: bigint, rest: Partial<StoredEvent> = {}): StoredEvent => ({
  dao: A,
  seq,
  kind: 'SpotSwap',
  slot: 400_000_000,
  at: 1_767_225_600,
  signature: `signature${seq}`,
  eventIndex: 65_537,
  blockIndex: null,
  maker: null,
  liquidity: null,
  swap: { side: 'sell', input: U64, output: U64 - 1n, fee: null },
  fees: { quote: U64, base: 0n },
  reserves: { quote: 1n, base: U64 },
  reason: null,
  facts: null,
  raw: null,
  ...rest
})

const range = (first: bigint, last: bigint, rest: Partial<SequenceRange> = {}): SequenceRange => ({
  first,
  last,
  firstSlot: 1,
  lastSlot: 2,
  firstAt: 3,
  lastAt: 4,
  keepsFees: false,
  feeBalancesAfter: { quote: U64, base: 0n },
  pendingSwap: null,
  ...rest
})

const PRICE = { seq: U64, quote: U64, base: U64 - 1n }
const EXTREME = {
  open: PRICE,
  high: { quote: U64, base: 1n },
  low: { quote: 1n, base: U64 },
  close: { ...PRICE, seq: U64 - 1n },
  average: { quote: U64 * U64, base: U64 }
}

const makersOf = async (store: Store, dao: string, from: number, to: number) =>
  (await store.daysOf(dao, { from, to, limit: ALL })).map(({ start, makers }) => [start, makers])

const rollupsOf = async (store: Store) => {
  const { valuation, rebuilding } = await store.load()
  return [valuation, rebuilding]
}

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
      indexedRanges: [],
      ended: false,
      sequenceRanges: new Map(),
      missing: new Map(),
      losses: [],
      numbersAhead: new Map(),
      numbersBefore: new Map(),
      rates: new Map(),
      firstSwaps: new Map(),
      unreadable: new Map(),
      events: 0,
      swaps: 0,
      valuation: null,
      rebuilding: null
    })
    t.same(await store.swapsPage(0, ALL), { revision: 0, rows: [] })
    t.same(await store.daysAfter(0, ALL), { revision: 0, rows: [] })
    t.same(await store.candles([{ dao: A, size: 'days', start: DAY }]), [])
    t.same(await store.candlesOfAll([A], 'hours', { from: 0, to: DAY }), [])
    t.same(await store.swapsOfAll([A], 0, DAY), [])
    t.same(await store.traders([A], 0, DAY), new Map())
    t.same(await store.origins([{ dao: A, seq: 1n }]), [])
  })

  test(`${name}: numbers of all 64 bits, and sums beyond, come back as they went in`, async t => {
    const place = await opened(t)
    const extreme: CandleRow = {
      ...EMPTY_DAY,
      dao: A,
      start: 20_000 * DAY,
      base: U64 * U64 * 10n ** 30n + 7n,
      quote: 0n,
      trades: 3,
      prices: EXTREME
    }
    const pendingSwap = { seq: U64 - 2n, at: 5, side: 'sell' as const, input: U64, output: 0n, feeBalanceAfter: U64 }
    await place.store.write({
      ...nothing,
      events: [event(U64), event(U64 - 1n), event(1n), event(2n), event(10n), event(9n, { dao: B })],
      sequenceRanges: new Map([[A, [
        range(1n, 2n), range(9n, 10n, { keepsFees: true, feeBalancesAfter: null }),
        range(U64 - 1n, U64, { pendingSwap })
      ]]]),
      candles: [extreme],
      state: {
        numbersAhead: new Map([[A, U64], [B, 12n]]),
        numbersBefore: new Map([[B, { seq: U64, slot: 7, at: 70 }]]),
        events: 6,
        swaps: 6
      }
    })
    const store = await place.reopen()
    const { rows } = await store.swapsPage(0, ALL)
    const sorted = rows.filter(({ dao }) => dao === A).map(({ seq }) => seq).sort((a, b) => a < b ? -1 : 1)
    t.same(sorted, [1n, 2n, 10n, U64 - 1n, U64])
    t.match(
      rows.find(({ seq }) => seq === U64),
      { dao: A, at: 1_767_225_600, swap: { side: 'sell', input: U64, output: U64 - 1n, fee: null } }
    )
    t.same(rows.filter(({ dao }) => dao === B).map(({ seq }) => seq), [9n], 'addresses differ in case')
    const { sequenceRanges, numbersAhead, numbersBefore, events, swaps } = await store.load()
    t.same(numbersAhead, new Map([[A, U64], [B, 12n]]))
    t.same(numbersBefore, new Map([[B, { seq: U64, slot: 7, at: 70 }]]))
    t.same(sequenceRanges.get(A), [
      range(1n, 2n), range(9n, 10n, { keepsFees: true, feeBalancesAfter: null }), range(U64 - 1n, U64, { pendingSwap })
    ], 'in the order of the numbers')
    t.same([events, swaps], [6, 6])
    const keys = [[A, 20_000], [A, 20_001], [B, 20_000]] as const
    t.same(await store.candles(keys.map(([dao, day]) => ({ dao, size: 'days', start: day * DAY }))), [extreme])
    const single = {
      ...EMPTY_CANDLE,
      size: 'minutes' as const,
      dao: B,
      start: DAY,
      trades: 1,
      prices: { open: PRICE, high: PRICE, low: PRICE, close: PRICE, average: PRICE }
    }
    await store.write({ ...nothing, candles: [single] })
    t.same(await store.candles([single]), [single], 'the only price of a candle')
    t.same(await store.origins([{ dao: A, seq: U64 }, { dao: A, seq: 3n }, { dao: B, seq: 9n }]).then(
      rows => rows.map(({ dao, seq, signature, eventIndex }) => [dao, seq, signature, eventIndex]).sort()
    ),
    [[A, U64, `signature${U64}`, 65_537], [B, 9n, 'signature9', 65_537]].sort())
  })

  test(`${name}: a UTC day closes with its last event that tells of reserves, in whatever order they come`, async t => {
    const { store } = await opened(t)
    const held = (seq: bigint, at: number, quote: bigint, dao = A) => event(
      seq, { dao, at, reserves: { quote, base: U64 } }
    )
    const closes = async (after = 0) => {
      const { rows, revision } = await store.closesAfter(after, ALL)
      return { revision, rows: rows.map(({ dao, seq, at, quote, base }) => [dao, seq, at, quote, base]).sort() }
    }
    await store.write({
      ...nothing, events: [held(5n, DAY + 9, U64), held(4n, DAY + 9, 4n), held(9n, 2 * DAY, 9n), held(1n, DAY, 1n, B)]
    })
    const first = await closes()
    t.same(first.rows, [[A, 5n, DAY + 9, U64, U64], [A, 9n, 2 * DAY, 9n, U64], [B, 1n, DAY, 1n, U64]].sort())
    await store.write(
      { ...nothing, events: [held(3n, DAY, 3n), event(7n, { at: DAY + 11, reserves: null }), held(2n, DAY - 1, 2n)] }
    )
    const second = await closes(first.revision)
    t.same(second.rows, [[A, 2n, DAY - 1, 2n, U64]], 'an earlier one, and one that tells of none, change nothing')
    await store.write({ ...nothing, events: [held(6n, DAY + 10, 6n)] })
    t.same((await closes(second.revision)).rows, [[A, 6n, DAY + 10, 6n, U64]])
    t.equal((await store.closesAfter(0, 2)).rows.length, 2)
  })

  test(`${name}: readers find what has come or changed, once`, async t => {
    const { store } = await opened(t)
    await store.write({
      ...nothing,
      events: [event(1n), event(2n, { at: 100 }), event(3n, { kind: 'CollectFees', swap: null })],
      candles: [{ ...EMPTY_DAY, dao: A, start: DAY, base: 1n, quote: 2n, trades: 1 }]
    })
    const revision = await store.revision()
    t.same(await store.daosTraded(0, 2e9, revision), [])
    t.same(await store.daosTraded(101, 2e9, 0), [A])
    t.same(await store.daosTraded(0, 100, 0), [], 'by when they happened, too')
    await store.write({
      ...nothing,
      fees: [{ dao: A, seq: 2n, fee: 77n }],
      events: [event(4n)],
      candles: [{ ...EMPTY_DAY, dao: A, start: 2 * DAY, base: 5n, quote: 6n, trades: 1 }]
    })
    t.same(await store.daosTraded(0, 101, revision), [A], 'a fee that has become known')
    t.same(
      (await store.swapsPage(revision, ALL)).rows.map(({ seq, swap }) => [seq, swap.fee]).sort(),
      [[2n, 77n], [4n, null]]
    )
    const days = await store.daysAfter(0, ALL)
    t.same(days.rows.map(({ start }) => start / DAY).sort(), [1, 2])
    await store.write({ ...nothing, candles: [{ ...EMPTY_DAY, dao: A, start: DAY, base: 9n, quote: 9n, trades: 2 }] })
    t.same(
      (await store.daysAfter(days.revision, ALL)).rows,
      [{ ...EMPTY_CANDLE, dao: A, start: DAY, base: 9n, quote: 9n, trades: 2 }]
    )
    const seen: bigint[] = []
    for (let after = 0; ;) {
      const { revision, rows } = await store.swapsPage(after, 2)
      if (rows.length === 0) break
      seen.push(...rows.map(({ seq }) => seq))
      after = revision
    }
    t.same(seen.sort(), [1n, 2n, 4n])
  })

  test(`${name}: a step is written whole or not at all`, async t => {
    const { store } = await opened(t)
    await store.write({ ...nothing, events: [event(1n)], state: { events: 1 } })
    const before = await store.swapsPage(0, ALL)
    await t.rejects(store.write({
      ...nothing,
      events: [event(2n, { dao: B }), event(1n)],
      candles: [{ ...EMPTY_DAY, dao: B, start: DAY, base: 1n, quote: 1n, trades: 1 }],
      state: { indexedRanges: [], ended: true, events: 3 }
    }), { name: 'ServiceError', code: 'HISTORY_UNAVAILABLE' }, 'one number twice')
    t.same(await store.swapsPage(0, ALL), before)
    t.match(await store.load(), { ended: false, events: 1 })
    await store.write({ ...nothing, events: [event(2n, { dao: B })], state: { events: 2 } })
    t.same(
      (await store.swapsPage(0, ALL)).rows.map(({ dao }) => dao).sort(),
      [A, B].sort(),
      'and the next step finds its numbers free'
    )
  })

  test(`${name}: runs, indexed ranges, oddities and missing transactions`, async t => {
    const place = await opened(t)
    const raw = Buffer.from([0, 255, 1])
    const indexed = { newest: 'n', newestSlot: 9, oldest: 'o', oldestSlot: 3, oldestTime: null, anchor: null }
    await place.store.write({
      ...nothing,
      events: [
        event(1n), event(3n, { at: 33 }),
        event(5n, { kind: 'Unreadable', swap: null, fees: null, reserves: null, reason: 'odd', raw, at: 50 })
      ],
      sequenceRanges: new Map([[A, [range(1n, 1n), range(3n, 3n), range(5n, 5n)]]]),
      missing: [
        { signature: 'm', slot: 4, at: null, reason: 'null' }, { signature: 'k', slot: 5, at: 6, reason: 'null' }
      ],
      state: { indexedRanges: [indexed], ended: true, rates: new Map([['25', 2]]) }
    })
    let state = await (await place.reopen()).load()
    t.same(state.indexedRanges, [indexed])
    t.same(
      [state.ended, state.rates.get('25'), state.firstSwaps.get(A), state.unreadable.get(A)],
      [true, 2, 33, 50]
    )
    t.same([...state.missing.keys()], ['k', 'm'])
    await place.store.write({
      ...nothing,
      events: [event(2n, { at: 22 }), event(4n, { at: 21, swap: null })],
      sequenceRanges: new Map([[A, [range(1n, 3n), range(5n, 5n)]]]),
      missing: [{ signature: 'k', slot: 5, at: 6, reason: 'another' }],
      found: ['m'],
      state: {
        indexedRanges: [{ ...indexed, newest: 'x', oldestTime: 12, anchor: 'y' }, indexed],
        ended: true,
        rates: new Map([['25', 1]])
      }
    })
    state = await (await place.reopen()).load()
    t.same(state.sequenceRanges.get(A), [range(1n, 3n), range(5n, 5n)])
    t.same(state.indexedRanges.length, 2)
    t.same([state.rates.get('25'), state.firstSwaps.get(A)], [1, 22])
    t.same([...state.missing.values()], [{ signature: 'k', slot: 5, at: 6, reason: 'another' }])
  })

  test(`${name}: a rebuild empties what was, goes on where it was, and only then has its valuation`, async t => {
    const place = await opened(t)
    const valuation = { rate: ratio(50n, 10_000n), basis: 'fees' as const }
    const page = {
      valuation,
      isFirst: false,
      upTo: null,
      candles: [],
      makers: [],
      feeRates: [],
      rates: new Map()
    }
    const day = (start: number): CandleRow => ({ ...EMPTY_DAY, dao: A, start, base: 2n, quote: 2n, trades: 1 })
    await place.store.write({
      ...nothing,
      events: [event(1n)],
      candles: SIZES.map(size => ({ ...day(DAY), size })),
      makers: [{ dao: A, day: 1, maker: 'old' }],
      state: { rates: new Map([['25', 9]]) }
    })
    await place.store.writeRebuilt(
      { ...page, isFirst: true, upTo: { revision: 1, swaps: 1 }, candles: [day(2 * DAY)], rates: new Map([['30', 4]]) }
    )
    let store = await place.reopen()
    t.same(
      await rollupsOf(store),
      [null, { valuation, revision: 1, swaps: 1 }]
    )
    const { revision } = await store.daysAfter(0, ALL)
    await store.writeRebuilt({
      ...page,
      candles: [day(3 * DAY)],
      makers: [{ dao: A, day: 3, maker: 'x' }],
      feeRates: [{ dao: A, bps: '50', fromSlot: 1, toSlot: 2 }],
      rates: new Map([['30', 4]])
    })
    store = await place.reopen()
    t.same(await rollupsOf(store), [valuation, null])
    t.same(
      (await store.daysAfter(revision, ALL)).rows.map(({ start }) => start), [3 * DAY], 'a reader finds what is new'
    )
    t.same(
      (await store.candlesOfAll([A], 'days', { from: 0, to: 9 * DAY })).map(({ start }) => start),
      [2 * DAY, 3 * DAY]
    )
    t.same([
      await store.candlesOfAll([A], 'hours', { from: 0, to: 9 * DAY }),
      await store.candlesOfAll([A], 'minutes', { from: 0, to: 9 * DAY })
    ], [[], []])
    t.same(
      [await makersOf(store, A, 0, 9 * DAY), await store.feeRates(A)],
      [[[2 * DAY, 0], [3 * DAY, 1]], [{ dao: A, bps: '50', fromSlot: 1, toSlot: 2 }]]
    )
    const changed = [['50', 1, 9], ['30', 9, 9], ['20', 9, 12], ['10', 12, 12]] as const
    await store.writeRebuilt({
      ...page,
      feeRates: changed.map(([bps, fromSlot, toSlot]) => ({ dao: B, bps, fromSlot, toSlot })),
      rates: new Map([['30', 4]])
    })
    t.same(
      [await store.feeRates(B), await store.feeRates()].map(rates => rates.map(({ bps }) => bps)),
      [['50', '30', '20', '10'], ['10']], 'the newest of a slot is the one that begins there'
    )
    t.same((await store.load()).rates, new Map([['30', 4]]))
    t.equal((await store.swapsPage(0, ALL)).rows.length, 1, 'the swaps stay')
  })

  test(
    `${name}: what comes after its slot has been published stays out of block ranges, and in everything else`,
    async t => {
      const place = await newPlace(t)
      let store = await open(place, PROGRAM)
      const seqs = async () => (await store.poolEvents({ from: 0, to: 1000, limit: 99 })).map(({ seq }) => Number(seq))
      const write = async (...events: StoredEvent[]) => await store.write({ ...nothing, events })
      const at = (seq: bigint, slot: number) => event(
        seq, { slot, blockIndex: 1, maker: 'maker', at: slot, eventIndex: Number(seq) }
      )
      await write(at(1n, 100), at(3n, 102))
      await store.publish({ slot: 102, at: 1 })
      await write(at(2n, 101), at(4n, 102), at(5n, 103))
      t.same(await seqs(), [1, 3, 5])
      const revision = await store.revision()
      await store.publish({ slot: 110, at: 2 })
      t.equal(await store.revision(), revision, 'nobody has to read the state again for it')
      t.same(await store.published(), { slot: 110, at: 2 })
      await store.close()
      store = await open(place, PROGRAM)
      t.same(await seqs(), [1, 3, 5], 'after a restart, too')
      t.same((await store.trades({ dao: A, limit: 99 })).map(({ seq }) => Number(seq)).sort(), [1, 2, 3, 4, 5])
      await store.close()
    }
  )

  test(`${name}: trades by pages, pool events by slots, candles, days and the first event`, async t => {
    const place = await opened(t)
    const trade = (seq: number, rest: Partial<StoredEvent> = {}) => event(
      BigInt(seq),
      { slot: 100 + seq, at: 1000 + seq, eventIndex: 7, blockIndex: seq, maker: `maker${seq % 3}`, ...rest }
    )
    const candle = (size: Size, start: number, dao = A): CandleRow => ({
      ...EMPTY_CANDLE, dao, size, start, base: U64, quote: BigInt(start), trades: 1
    })
    const late = { swap: { side: 'buy' as const, input: 0n, output: 0n, fee: 1n } }
    await place.store.write({
      ...nothing,
      events: [
        trade(1, { kind: 'InitializeDao', swap: null }), trade(2), trade(3, late), trade(4),
        trade(5, { kind: 'CollectFees', swap: null }),
        trade(7, { slot: 106, at: 1006 }), trade(6, { slot: 106, at: 1006, blockIndex: 9 }),
        trade(8, { slot: 106, at: 1006, blockIndex: 9, eventIndex: 3 }),
        trade(9, { kind: 'ProvideLiquidity', swap: null, liquidity: { quote: 5n, base: U64 } }),
        trade(3, { dao: B, maker: null, blockIndex: null })
      ],
      candles: [
        ...[1, 2, 4].map(day => candle('days', day * DAY)), candle('days', 0, B),
        ...[1, 2, 4].flatMap(day => [candle('hours', day * DAY), candle('hours', day * DAY + 18_000)]),
        ...[0, 60, 120, 28_860, 28_800].map(start => candle('minutes', start)),
        candle('minutes', 14_400, B), candle('minutes', 60, B)
      ],
      makers: [{ dao: A, day: 1, maker: 'x' }, { dao: A, day: 1, maker: 'y' }, { dao: A, day: 1, maker: 'x' }]
    })
    const store = await place.reopen()
    const seqs = (rows: Array<{ seq: bigint }>) => rows.map(({ seq }) => Number(seq))
    t.same(seqs(await store.trades({ dao: A, limit: 9 })), [8, 7, 6, 4, 3, 2])
    t.same(seqs(await store.trades({ dao: A, limit: 2, before: 7n })), [6, 4])
    t.same(seqs(await store.trades({ dao: A, limit: 9, before: 5n })), [4, 3, 2], 'a number that is no trade')
    t.same(seqs(await store.trades({ dao: A, limit: 9, before: U64 })), [8, 7, 6, 4, 3, 2])
    t.same(seqs(await store.trades({ dao: A, limit: 9, before: 1n })), [])
    t.same(seqs(await store.trades({ dao: A, limit: 9, since: 1003, until: 1004 })), [4, 3])
    t.same(seqs(await store.trades({ dao: A, limit: 9, side: 'buy' })), [], 'one without a price is left out by side')
    t.same(await store.trades({ dao: 'unknown', limit: 9 }), [])
    const { kind, reason, raw, fees, ...same } = trade(4)
    t.match((await store.trades({ dao: A, limit: 1, before: 5n }))[0], {
      dao: A,
      seq: 4n,
      maker: same.maker,
      swap: same.swap,
      reserves: same.reserves,
      blockIndex: 4,
      eventIndex: 7,
      signature: same.signature
    })

    const all = await store.poolEvents({ from: 0, to: 1000, limit: 99 })
    t.same(
      all.map(({ dao, seq }) => `${dao === A ? 'A' : 'B'}${seq}`),
      ['A2', 'B3', 'A3', 'A4', 'A7', 'A8', 'A6', 'A9'],
      'slot, index in the block, place; not known comes first'
    )
    t.same(all.at(-1)!.liquidity, { quote: 5n, base: U64 })
    t.same(seqs(await store.poolEvents({ from: 106, to: 106, limit: 99 })), [7, 8, 6])
    const paged: number[] = []
    for (let after: { slot: number, blockIndex: number, eventIndex: number } | undefined; ;) {
      const [next] = await store.poolEvents({ from: 104, to: 1000, limit: 1, ...(after !== undefined && { after }) })
      if (next === undefined) break
      paged.push(Number(next.seq))
      after = { slot: next.slot, blockIndex: next.blockIndex!, eventIndex: next.eventIndex }
    }
    t.same(paged, [4, 7, 8, 6, 9], 'one by one')

    t.same((await store.candlesOf(A, 'minutes', { from: 60, to: 121, limit: 9 })).map(
      ({ start, base, quote }) => [start, base, quote]
    ), [[60, U64, 60n], [120, U64, 120n]])
    const starts = async (
      size: Size, from: number, to: number, limit: number
    ) => (await store.candlesOf(A, size, { from, to, limit })).map(({ start }) => start)
    t.same(await starts('minutes', 0, 999, 2), [60, 120], 'the newest, oldest first')
    t.same(await starts('minutes', 60, 28_860, 9), [60, 120, 28_800])
    t.same([await starts('minutes', 28_800, 10 ** 12, 1), await starts('minutes', -9999, 0, 1)], [[28_860], []])
    t.same(await store.candlesOf('unknown', 'minutes', { from: 0, to: 999, limit: 9 }), [])
    t.same(
      await store.candles([{ dao: A, size: 'minutes', start: 28_800 }, { dao: B, size: 'minutes', start: 0 }]),
      [candle('minutes', 28_800)]
    )
    t.same(await starts('hours', 86_401, 345_601, 9), [104_400, 172_800, 190_800, 345_600])
    t.same(await starts('hours', 0, 345_600, 3), [104_400, 172_800, 190_800])
    t.same(await starts('days', 0, 9 * DAY, 1), [4 * DAY])
    t.same(await makersOf(store, A, DAY, 4 * DAY), [[DAY, 2], [2 * DAY, 0]])
    t.same(await makersOf(store, 'unknown', DAY, 4 * DAY), [])
    t.same(
      (await store.daysOf(A, { from: 0, to: 9 * DAY, limit: 1 })).map(({ makers: _, ...candle }) => candle),
      await store.candlesOf(A, 'days', { from: 0, to: 9 * DAY, limit: 1 })
    )
    t.same((await store.candlesOfAll(
      [A, B, 'unknown'], 'minutes', { from: 60, to: 121 }
    )).map(({ dao, start }) => `${dao} ${start}`).sort(), [`${A} 120`, `${A} 60`, `${B} 60`].sort())
    t.same((await store.candlesOfAll(
      [B], 'minutes', { from: 0, to: DAY }
    )).map(({ start }) => start).sort(), [14_400, 60])
    t.same(
      (await store.swapsOfAll([A, B], 1003, 1006)).map(({ dao, seq }) => `${dao} ${seq}`).sort(),
      [`${A} 3`, `${A} 4`, `${B} 3`].sort()
    )
    t.same((await store.swapsOfAll([B, 'unknown'], 0, 9999)).map(({ seq, maker }) => [seq, maker]), [[3n, null]])
    t.same(
      await store.traders([A, B, 'unknown'], 1003, 1006),
      new Map([
        [A, { makers: 2, buyers: 1, sellers: 1, buys: 1, sells: 1, buyQuote: 0n, sellQuote: U64 - 1n }],
        [B, { makers: null, buyers: null, sellers: null, buys: 0, sells: 1, buyQuote: 0n, sellQuote: U64 - 1n }]
      ])
    )
    const firstOf = (dao: string) => store.origins([{ dao, seq: 1n }])
    t.match(await firstOf(A), [{ kind: 'InitializeDao', slot: 101, at: 1001, maker: 'maker1', isLate: false }])
    t.same(await firstOf(B), [], 'not where only later ones are stored')
    t.match(await store.newestBlock(102), { slot: 102, at: 1002 })
    t.equal(await store.newestBlock(9), null)
    t.same(
      (await store.lastTrades(1003, [A, B])).map(({ dao, seq }) => `${dao} ${seq}`).sort(),
      [`${A} 2`, `${B} 3`].sort(),
      'the newest that has a price'
    )
    t.same((await store.daosTraded(1003, 1004)).sort(), [A, B].sort())

    t.same(await store.incompleteSlot(), 103)
    t.same(await makersOf(store, B, 0, DAY), [[0, null]], 'one of them is not known')
    const found = await store.incomplete(0, 9)
    t.match(found, [{ dao: B, seq: 3n, maker: null, swap: { side: 'sell' } }])
    t.same(await store.incomplete(0, 9, found[0]), [])
    await store.amend(
      [{ dao: B, seq: 3n, maker: 'late', blockIndex: 1, liquidity: null }], [{ dao: B, day: 0, maker: 'late' }]
    )
    t.equal(await store.incompleteSlot(), null)
    t.same(await makersOf(store, B, 0, DAY), [[0, 1]])
    t.match((await store.trades({ dao: B, limit: 1 }))[0], { maker: 'late', blockIndex: 1 })
  })

  test(`${name}: what events tell of decisions and of fees from outside`, async t => {
    const place = await opened(t)
    let { store } = place
    const none = { swap: null, fees: null, reserves: null, maker: 'm', blockIndex: 1 }
    const facts = { proposal: 'p', swap: null, averages: null, collected: null }
    const swapped = (seq: bigint, market: 'pass' | 'fail', output: bigint): StoredEvent => event(seq, {
      ...none,
      kind: 'ConditionalSwap',
      at: 1000 + Number(seq >> 1n),
      fees: { quote: 5n, base: 1n },
      facts: { ...facts, swap: { market, side: 'buy', input: U64, output, reserves: { quote: U64, base: 7n } } }
    })
    const averages = { pass: U64 * U64, fail: 3n, threshold: 4n }
    const collected = { quote: 7n, base: 11n, quoteMint: '1'.repeat(32), baseMint: 'b' }
    await store.write({
      ...nothing,
      events: [
        event(1n, { ...none, kind: 'InitializeProposal', at: 1000, facts }),
        swapped(2n, 'pass', U64),
        swapped(3n, 'pass', 0n),
        swapped(4n, 'fail', 1n),
        swapped(6n, 'pass', 2n),
        event(7n, { ...none, kind: 'StakeToProposal' }),
        event(8n, {
          ...none,
          kind: 'FinalizeProposal',
          at: 1009,
          fees: { quote: 9n, base: 1n },
          reserves: { quote: 2n, base: 3n },
          facts: { ...facts, averages }
        }),
        event(
          9n, { ...none, kind: 'CollectMeteoraDammFees', at: 1010, facts: { ...facts, proposal: null, collected } }
        ),
        // what came before it is not known, nor what lies between
        event(5n, {
          ...none,
          dao: B,
          kind: 'AdminCancelProposal',
          fees: { quote: 1n, base: 0n },
          facts: { ...facts, proposal: 'q' }
        }),
        event(9n, {
          ...none,
          dao: B,
          kind: 'AdminCancelProposal',
          fees: { quote: 2n, base: 0n },
          facts: { ...facts, proposal: 'r' }
        }),
        event(4n, { ...none, dao: B, kind: 'RemoveProposal', maker: null, blockIndex: null })
      ]
    })
    for (let time = 0; time < 2; time++) {
      const market = { proposal: 'p', market: 'pass' } as const
      const trades = await store.trades({ dao: A, market, limit: 9 })
      t.match(trades, [
        { seq: 6n, swap: { side: 'buy', input: U64, output: 2n, fee: null }, reserves: { quote: U64, base: 7n } },
        { seq: 3n, swap: { output: 0n } },
        { seq: 2n, swap: { output: U64 }, maker: 'm', blockIndex: 1, at: 1001 }
      ])
      t.equal(trades.length, 3)
      t.same((await store.trades({ dao: A, market, limit: 1, before: 6n })).map(({ seq }) => seq), [3n])
      t.same((await store.trades({ dao: A, market, limit: 9, since: 1002, until: 1002 })).length, 0)
      t.same(
        (await store.trades({ dao: A, market: { proposal: 'p', market: 'fail' }, limit: 9 })).map(({ seq }) => seq),
        [4n]
      )
      t.same(await store.trades({ dao: A, limit: 9 }), [], 'they are none of the pool')
      t.same(await store.proposalEvents('p'), [
        { dao: A, proposal: 'p', kind: 'InitializeProposal', slot: 400_000_000, at: 1000, averages: null },
        { dao: A, proposal: 'p', kind: 'FinalizeProposal', slot: 400_000_000, at: 1009, averages }
      ])
      t.equal((await store.proposalEvents()).length, 4)
      const fees = (await store.otherFees()).sort((a, b) => a.at - b.at)
      t.same(fees.filter(({ dao }) => dao === A), [
        {
          dao: A,
          kind: 'FinalizeProposal',
          at: 1009,
          fees: { quote: 4n, base: 0n },
          mints: null,
          reserves: { quote: 2n, base: 3n }
        },
        {
          dao: A,
          kind: 'CollectMeteoraDammFees',
          at: 1010,
          fees: { quote: 7n, base: 11n },
          mints: { quote: '1'.repeat(32), base: 'b' },
          reserves: { quote: 2n, base: 3n }
        }
      ])
      t.same(fees.filter(({ dao }) => dao === B).map(({ fees }) => fees), [null, null])
      t.same(
        [await store.untold(), await store.untold(A), await store.untold(B), await store.untold('unknown')],
        [true, false, true, false]
      )
      store = await place.reopen()
    }
    await store.amend(
      [{ dao: B, seq: 4n, maker: 'm', blockIndex: 1, liquidity: null, facts: { ...facts, proposal: 's' } }], []
    )
    t.same([await store.untold(), (await store.proposalEvents('s')).length], [false, 1])
  })

  test(`${name}: many rows`, async t => {
    const { store } = await opened(t)
    const events = Array.from({ length: 1234 }, (_, at) => event(BigInt(at + 1), { dao: `dao${at % 97}` }))
    const days = events.map(
      ({ dao, seq }) => ({ ...EMPTY_DAY, dao, start: Number(seq) * DAY, base: seq, quote: seq, trades: 1 })
    )
    const candles = SIZES.flatMap(size => days.map(day => ({ ...day, size })))
    await store.write({ ...nothing, events, candles })
    t.equal((await store.swapsPage(0, ALL)).rows.length, 1234)
    t.equal((await store.candles(candles)).length, 3 * 1234)
    for (const size of SIZES) {
      t.equal((await store.candlesOfAll(
        days.slice(0, 97).map(({ dao }) => dao), size, { from: 0, to: 9999 * DAY }
      )).length, 1234)
    }
    t.equal((await store.origins(events)).length, 1234)
    const first = await store.daysAfter(0, 1000)
    t.equal(first.rows.length, 1000)
    const others = await store.daysAfter(first.revision, 1000)
    t.equal(others.rows.length, 234)
    t.equal(
      new Set([...first.rows, ...others.rows].map(({ dao, start }) => `${dao} ${start}`)).size,
      1234,
      'by pages each of them once'
    )
    t.same((await store.daysAfter(others.revision, 1000)).rows, [])
  })

  test(`${name}: last trades of many DAOs are all there, with the event loop let go while they are read`, async t => {
    const { store } = await opened(t)
    const events = Array.from(
      { length: 3000 }, (_, at) => event(1n, { dao: `dao${at}`, signature: `of dao${at}`, at: 1000 + at })
    )
    await store.write({ ...nothing, events })
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const daos = events.map(({ dao }) => dao)
    const trades = await store.lastTrades(4000, daos)
    clearInterval(timer)
    t.ok(turns > 0)
    t.same(trades.map(({ dao, at }) => [dao, at]).sort(), events.map(({ dao, at }) => [dao, at]).sort())
    t.equal((await store.lastTrades(1499, daos)).length, 500)
    t.equal((await store.lastTrades(4000, daos.slice(0, 450))).length, 450)
    t.same(await store.lastTrades(4000, []), [])
  })

  test(`${name}: belongs to one program and one network`, async t => {
    const place = await opened(t)
    await place.store.close()
    const again = await open(place.place, PROGRAM)
    await again.bindNetwork('G1')
    await again.write({ ...nothing, events: [event(1n)] })
    await again.close()
    await t.rejects(
      open(place.place, { program: 'another' }),
      { code: 'HISTORY_UNAVAILABLE', message: /belongs to another program.*FUTAREL.*another/ }
    )
    const store = await place.reopen()
    await store.bindNetwork('G1')
    await t.rejects(store.bindNetwork('G2'), { code: 'WRONG_NETWORK', message: /belongs to another network.*G1.*G2/ })
  })

  test(`${name}: a closed store says so`, async t => {
    const { store } = await opened(t)
    await store.close()
    await t.rejects(store.load(), { code: 'HISTORY_UNAVAILABLE' })
    await t.rejects(store.write(nothing), { code: 'HISTORY_UNAVAILABLE' })
  })
}
