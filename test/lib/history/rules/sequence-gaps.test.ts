import { test } from 'tap'
import {
  isLost, isToCome, UNREADABLE_VERSION
} from '../../../../lib/history/rules/losses.js'
import { gapKey, sequenceGapsOf, sizeOf } from '../../../../lib/history/rules/sequence-gaps.js'
import type { IndexedRange, SequenceRange } from '../../../../lib/history/rules/rows.js'
import { bySignature, mayReach, type Past, pastOf } from '../../../support/history/knowledge.js'

const range = (first: bigint, last: bigint): SequenceRange => ({
  first,
  last,
  firstSlot: Number(first) * 10,
  lastSlot: Number(last) * 10,
  firstAt: Number(first) * 100,
  lastAt: Number(last) * 100,
  keepsFees: false,
  feeBalancesAfter: null,
  pendingSwap: null
})
const indexed = (oldestSlot: number, newestSlot: number): IndexedRange => ({
  newest: `s${newestSlot}`, newestSlot, oldest: `s${oldestSlot}`, oldestSlot, oldestTime: null, anchor: null
})
const gapsOf = (ranges: SequenceRange[], over: Partial<Parameters<typeof sequenceGapsOf>[0]> = {}) =>
  (sequenceGapsOf({
    sequenceRanges: new Map([['dao', ranges]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map(),
    numbersBefore: new Map(),
    ...over
  }).get('dao') ?? []).map(({ from, to }) => [from, to])

test('numbers between two known ones are missing where everything around them is indexed', t => {
  t.same(gapsOf([range(1n, 9n)]), [])
  t.same(gapsOf([range(1n, 3n), range(7n, 9n)]), [[4n, 6n]])
  t.same(
    gapsOf([range(1n, 3n), range(7n, 9n)], { indexedRanges: [indexed(60, 1000), indexed(0, 40)] }),
    [],
    'they may lie in what is not indexed yet'
  )
  t.same(
    gapsOf([range(1n, 3n), range(7n, 9n)], { indexedRanges: [indexed(500, 1000), indexed(0, 100)], ended: false }),
    [[4n, 6n]]
  )
  t.end()
})

test('first numbers are missing once the walk has reached the beginning, last ones where the account knows more', t => {
  t.same(gapsOf([range(3n, 9n)]), [[1n, 2n]])
  t.same(gapsOf([range(3n, 9n)], { ended: false }), [])
  t.same(gapsOf([range(1n, 9n)], { numbersAhead: new Map([['dao', 11n]]) }), [[10n, 11n]])
  t.same(gapsOf([range(1n, 9n)], { numbersAhead: new Map([['dao', 9n]]) }), [])
  t.same(gapsOf([], { numbersAhead: new Map([['dao', 2n]]) }), [[1n, 2n]])
  t.same(
    gapsOf([], { numbersAhead: new Map([['dao', 2n]]), ended: false }), [], 'all of them may lie before what is indexed'
  )
  t.end()
})

test('what an account has numbered since the first comparison is missing, though nothing is stored', t => {
  const over = (before: bigint, newest: bigint, ended: boolean) => ({
    numbersAhead: new Map([['dao', newest]]),
    numbersBefore: new Map([['dao', { seq: before, slot: 500, at: 5000 }]]),
    ended
  })
  t.same(gapsOf([], over(5n, 5n, false)), [], 'all of them may lie before what is indexed')
  t.same(gapsOf([], over(5n, 7n, false)), [[6n, 7n]])
  t.same(gapsOf([], over(5n, 7n, true)), [[1n, 5n], [6n, 7n]])
  t.same(gapsOf([range(7n, 9n)], over(5n, 9n, false)), [[6n, 6n]])
  t.same(gapsOf([range(6n, 9n)], over(5n, 9n, false)), [])
  t.same(gapsOf([range(4n, 9n)], over(5n, 9n, true)), [[1n, 3n]], 'what was walked to since')
  t.same(gapsOf([], over(0n, 2n, false)), [[1n, 2n]], 'of a DAO that is younger than what is indexed')
  t.end()
})

test('gaps are counted and told apart', t => {
  const gaps = sequenceGapsOf({
    sequenceRanges: new Map([['a', [range(2n, 3n), range(7n, 9n)]]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map([['b', 5n]]),
    numbersBefore: new Map()
  })
  t.equal(sizeOf([...gaps.values()].flat()), 1n + 3n + 5n)
  t.equal(sizeOf([]), 0n)
  t.equal(sizeOf([{ from: 4n, to: 4n }, { from: 7n, to: 9n }]), 4n, 'both ends count')
  t.same([...gaps.values()].flat().map(gapKey), ['a 1', 'a 4', 'b 1'])
  t.end()
})

test('a gap may reach into a window unless what is known after it says that it lies before', t => {
  const [gap] = sequenceGapsOf({
    sequenceRanges: new Map([['a', [range(1n, 3n), range(7n, 9n)]]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map(),
    numbersBefore: new Map()
  }).get('a')!
  t.same([699, 700, 701].map(time => mayReach(gap!, time, null)), [true, false, false])
  const [open] = sequenceGapsOf({
    sequenceRanges: new Map([['a', [range(1n, 3n)]]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map([['a', 4n]]),
    numbersBefore: new Map()
  }).get('a')!
  t.equal(mayReach(open!, 1e9, null), true, 'without an event after it there is no bound')
  const [first] = sequenceGapsOf({
    sequenceRanges: new Map([['a', [range(5n, 9n)]]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map(),
    numbersBefore: new Map()
  }).get('a')!
  t.same(
    [mayReach(first!, 450, null), mayReach(first!, 450, { lostBefore: 200 })],
    [true, false],
    'looked for in vain, first numbers lie before what the node offers'
  )
  t.end()
})

test('a gap is lost where its DAO\'s list has nothing else there than transactions of an unreadable version', t => {
  const gap = { dao: 'a', from: 5n, to: 6n, since: 100, until: 900, fromSlot: 50, toSlot: 90 }
  const last = { ...gap, until: null, toSlot: Number.MAX_SAFE_INTEGER }
  const row = (signature: string, slot: number, reason = UNREADABLE_VERSION) => ({ signature, slot, at: null, reason })
  const missing = bySignature([
    row('a', 50), row('b', 51), row('c', 90), row('d', 91), row('e', 60, 'the node does not have it')
  ])
  const lost = (
    some: typeof gap | typeof last, missed: string, { toSlot = some.toSlot, ...past }: Past & { toSlot?: number } = {}
  ): boolean => isLost(some, { missed: new Set(missed), toSlot }, undefined, { ...pastOf(past), losses: [], missing })
  t.same(['a', 'b', 'c', 'ac'].map(missed => lost(gap, missed)), [true, true, true, true], 'however many it holds')
  t.same(['', 'd', 'e'].map(missed => lost(gap, missed)), [false, false, false], 'none, of another slot, not given')
  t.same(['be', 'bf', 'bd'].map(missed => lost(gap, missed)), [false, false, true], 'another may be given yet')
  t.same(
    ['b', 'ab', 'bd', 'abd'].map(missed => lost(last, missed)), [false, false, true, true], 'one for each at the end'
  )
  const { toSlot } = last
  t.same(['b', 'abd', 'bc'].map(missed => lost(gap, missed, { toSlot })), [false, false, true], 'as it was searched')
  t.same(['bde', 'bdf'].map(missed => lost(last, missed)), [false, false], 'there another may be given yet, too')
  t.same(['', 'be'].map(missed => lost({ ...gap, from: 1n }, missed, { lostBefore: 7 })), [true, true], 'stated anyway')
  t.end()
})

test('first events are to come where their DAO is younger than what is lost', t => {
  const gap = { dao: 'a', from: 1n, to: 4n, since: null, until: null, fromSlot: 0, toSlot: 1000 }
  const past = { lostBefore: 100_000, losses: [] }
  t.equal(isToCome(gap, 250_000, past), true)
  t.equal(isToCome({ ...gap, from: 2n }, 250_000, past), false, 'others are no beginning')
  t.equal(isToCome(gap, undefined, past), false)
  t.equal(isToCome(gap, 250_000, { ...past, lostBefore: 250_000 }), false, 'older than what nodes have')
  t.equal(isToCome(gap, 250_000, { ...past, lostBefore: null }), false)
  const loss = { fromSlot: 1, toSlot: 2, until: 250_001 }
  t.equal(isToCome(gap, 250_000, { ...past, losses: [loss] }), false, 'made in what is lost')
  t.equal(isToCome(gap, 250_000, { ...past, losses: [{ ...loss, until: null }] }), false)
  t.equal(isToCome(gap, 250_000, { ...past, losses: [{ ...loss, until: 250_000 }] }), true)
  t.end()
})

test('what an account has numbered since the first comparison after a loss is not lost', t => {
  const losses = [{ fromSlot: 30, toSlot: 499, until: 7 }]
  const lostOf = (seq: bigint, slot: number) => {
    const numbered = {
      ...pastOf({}),
      indexedRanges: [indexed(0, 1000)],
      ended: true,
      missing: bySignature([]),
      losses,
      sequenceRanges: new Map([['a', [range(1n, 2n)]]]),
      numbersAhead: new Map([['a', 9n]]),
      numbersBefore: new Map([['a', { seq, slot, at: 5000 }]])
    }
    return (sequenceGapsOf(numbered).get('a') ?? []).map(gap =>
      [gap.from, gap.to, isLost(gap, { missed: new Set(), toSlot: gap.toSlot }, undefined, numbered)])
  }
  t.same(lostOf(8n, 500), [[3n, 8n, true], [9n, 9n, false]])
  t.same(lostOf(9n, 500), [[3n, 9n, true]], 'all of it may be lost')
  t.same(lostOf(2n, 500), [[3n, 9n, false]], 'nothing of it is')
  t.same(lostOf(8n, 499), [[3n, 8n, true], [9n, 9n, true]], 'it was compared before the loss was over')
  t.end()
})

test('a gap lies in what is indexed where one indexed range holds both its neighbours', t => {
  const ranges = [range(1n, 3n), range(7n, 9n)]   // slots 10 to 30 and 70 to 90
  const among = (...indexedRanges: IndexedRange[]) => gapsOf(ranges, { indexedRanges, ended: false }).length
  t.same([among(indexed(30, 70)), among(indexed(31, 70)), among(indexed(30, 69)), among()], [1, 0, 0, 0])
  t.equal(among(indexed(60, 100), indexed(0, 40)), 0)
  for (const indexedRanges of [[indexed(40, 60)], []]) {
    t.same(
      gapsOf(ranges, { indexedRanges }),
      [[4n, 6n]],
      'once the walk has ended and nothing is left between, all is indexed'
    )
  }
  t.same(
    gapsOf(ranges, { indexedRanges: [indexed(80, 100), indexed(20, 75)] }),
    [[4n, 6n]],
    'first numbers are told once nothing is left between'
  )
  t.same(gapsOf([range(3n, 9n)], { indexedRanges: [indexed(80, 100), indexed(0, 75)] }), [])
  t.same(
    gapsOf(
      [range(1n, 9n)], { indexedRanges: [indexed(80, 100), indexed(0, 75)], numbersAhead: new Map([['dao', 11n]]) }
    ),
    [],
    'as are the newest'
  )
  t.same(gapsOf([range(1n, 9n)], { ended: false, numbersAhead: new Map([['dao', 11n]]) }), [[10n, 11n]])
  t.same(gapsOf([], { indexedRanges: [indexed(80, 100), indexed(0, 75)], numbersAhead: new Map([['dao', 2n]]) }), [])
  t.end()
})

test('a gap says between which events, slots and seconds it lies', t => {
  const gaps = (ranges: SequenceRange[]) => sequenceGapsOf({
    sequenceRanges: new Map([['a', ranges]]),
    indexedRanges: [indexed(0, 1000)],
    ended: true,
    numbersAhead: new Map([['a', 12n]]),
    numbersBefore: new Map()
  }).get('a')
  t.same(gaps([range(3n, 4n), range(7n, 9n)]), [
    { dao: 'a', from: 1n, to: 2n, since: null, until: 300, fromSlot: 0, toSlot: 30 },
    { dao: 'a', from: 5n, to: 6n, since: 400, until: 700, fromSlot: 40, toSlot: 70 },
    { dao: 'a', from: 10n, to: 12n, since: 900, until: null, fromSlot: 90, toSlot: Number.MAX_SAFE_INTEGER }
  ])
  t.same(
    gaps([]), [{ dao: 'a', from: 1n, to: 12n, since: null, until: null, fromSlot: 0, toSlot: Number.MAX_SAFE_INTEGER }]
  )
  t.equal(gaps([range(1n, 12n)]), undefined)
  t.end()
})

test('looked for in vain, a gap reaches as far as what is lost around it', t => {
  const gap = { dao: 'a', from: 5n, to: 6n, since: 100, until: 900, fromSlot: 50, toSlot: 90 }
  const missing = (slot: number) => ({ signature: 's', slot, at: null, reason: 'null' })
  /** The second up to which it may reach. */
  const reach = (lost: NonNullable<Parameters<typeof mayReach>[2]>, over: Partial<typeof gap> = {}): number => {
    for (let time = 0; ; time += 50) {
      if (!mayReach({ ...gap, ...over }, time, lost)) return time
    }
  }
  const loss = (fromSlot: number, toSlot: number, until: number | null) => ({ fromSlot, toSlot, until })
  t.equal(reach({}), 900, 'nothing is known to be lost')
  t.equal(reach({ losses: [loss(60, 70, 400)] }), 400)
  t.equal(
    reach({ losses: [loss(60, 70, 400), loss(75, 80, 600), loss(100, 110, 800)] }),
    600,
    'of several the last that lies in it'
  )
  t.equal(reach({ losses: [loss(60, 70, 2_000)] }), 900, 'never beyond the event after it')
  t.same(
    [loss(40, 49, 400), loss(40, 50, 400), loss(90, 95, 400), loss(91, 95, 400)].map(one => reach({ losses: [one] })),
    [900, 400, 400, 900]
  )
  t.equal(reach({ losses: [loss(60, 70, 400), loss(75, 80, null)] }), 900, 'a loss of which the end is not known')
  t.same(
    [49, 50, 90, 91].map(slot => reach({ losses: [loss(60, 70, 400)], missing: bySignature([missing(slot)]) })),
    [400, 900, 900, 400],
    'a transaction that is listed and not given may hold it'
  )
  t.equal(reach({ lostBefore: 300 }), 900, 'numbers in the middle do not lie before what nodes have')
  t.equal(reach({ lostBefore: 300 }, { from: 1n }), 300)
  t.equal(reach({ lostBefore: 300, missing: bySignature([missing(60)]) }, { from: 1n }), 300)
  t.equal(reach({ lostBefore: 300, losses: [loss(60, 70, 400)] }, { from: 1n }), 400)
  t.equal(reach({ lostBefore: 500, losses: [loss(60, 70, 400)] }, { from: 1n }), 500)
  t.equal(mayReach({ ...gap, until: null }, 1e9, {}), true)
  t.same([399, 400].map(
    time => mayReach({ ...gap, until: null }, time, { losses: [loss(60, 70, 400)] })
  ), [true, false])
  t.end()
})
