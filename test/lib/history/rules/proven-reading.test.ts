import { test } from 'tap'
import { provenReading } from '../../../../lib/history/rules/sequence-gaps.js'
import type { Accounts } from '../../../../lib/history/rules/rows.js'

const reading = (slot: number, numbers: Record<string, bigint>): Accounts =>
  ({ slot, time: 10 * slot, daos: Object.entries(numbers).map(([address, seqNum]) => ({ address, seqNum })) })
const stored = (numbers: Record<string, bigint>) => (dao: string): bigint => numbers[dao] ?? 0n
/** Slots of the reading taken and of what it proves. */
const slotsOf = (readings: Accounts[], walked: number, newest: (dao: string) => bigint) => {
  const found = provenReading(readings, { slot: walked, time: 10 * walked }, newest)
  return found === undefined ? undefined : [found.reading.slot, found.upTo.slot]
}

test('numbers of a slot that has been walked tell what is missing, whether or not it is stored', t => {
  t.same(slotsOf([reading(90, { A: 5n })], 100, stored({ A: 5n })), [90, 89])
  t.same(slotsOf([reading(90, { A: 5n })], 100, stored({ A: 3n })), [90, 89], 'two are missing: they show as a gap')
  t.equal(
    slotsOf([reading(100, { A: 5n })], 100, stored({ A: 4n })),
    undefined,
    'the very slot: what it numbers may have come after the walk'
  )
  t.same(slotsOf([reading(100, { A: 5n })], 100, stored({ A: 5n })), [100, 99], 'and may go on after it was read')
  t.same(
    slotsOf([reading(80, { A: 4n }), reading(90, { A: 5n })], 100, stored({ A: 4n })), [90, 89], 'the newest of several'
  )
  t.end()
})

test('what is new of a DAO that is known may be listed some seconds late', t => {
  const upTo = (late: number, numbers: Record<string, bigint>, known: Record<string, bigint>) =>
    provenReading([{ ...reading(90, numbers), time: 1000 - late }], { slot: 100, time: 1000 }, stored(known))?.upTo.slot
  t.equal(upTo(9, { A: 5n, B: 1n }, { A: 5n, B: 1n }), 89, 'all that it numbers is known')
  t.equal(upTo(9, { A: 6n, B: 1n }, { A: 5n, B: 1n }), undefined)
  t.equal(upTo(10, { A: 6n, B: 1n }, { A: 5n, B: 1n }), 89, 'it is missing')
  t.equal(upTo(0, { A: 6n, B: 1n }, { B: 1n }), 89, 'where nothing is known of a DAO it is of the past')
  t.end()
})

test('numbers that are said to be final tell of their own slot, and of nothing that is missing', t => {
  const final = { ...reading(100, { A: 5n, B: 2n }), isFinal: true }
  t.same(slotsOf([final], 100, stored({ A: 5n })), [100, 99], 'what B has numbered lies before what is indexed')
  t.equal(slotsOf([final], 99, stored({ A: 5n })), undefined, 'or has not been walked to')
  t.equal(slotsOf([final], 200, stored({ A: 4n })), undefined, 'the last of A may not be final')
  t.end()
})

test('numbers of a later slot tell only where all of them are stored, and then no further than the walk', t => {
  t.same(slotsOf([reading(120, { A: 5n, B: 2n })], 100, stored({ A: 5n, B: 2n })), [120, 100])
  t.same(slotsOf([reading(120, { A: 5n })], 100, stored({ A: 7n })), [120, 100], 'stored beyond it')
  t.equal(
    slotsOf([reading(120, { A: 5n, B: 2n })], 100, stored({ A: 5n, B: 1n })),
    undefined,
    'one may come yet, of any slot up to 120'
  )
  t.equal(
    slotsOf([reading(120, { A: 5n, C: 1n })], 100, stored({ A: 5n })), undefined, 'of a DAO of which nothing is stored'
  )
  t.same(
    slotsOf([reading(90, { A: 4n }), reading(120, { A: 5n })], 100, stored({ A: 4n })),
    [90, 89],
    'the one before it does'
  )
  t.same(slotsOf([reading(90, { A: 4n }), reading(120, { A: 5n })], 100, stored({ A: 5n })), [120, 100])
  t.end()
})

test('the time of what is proven is that of the reading, or of the walk where that is behind it', t => {
  const upTo = (...readings: Accounts[]) =>
    provenReading(readings, { slot: 100, time: 1000 }, stored({ A: 5n }))?.upTo
  t.same(upTo(reading(90, { A: 5n })), { slot: 89, time: 900 })
  t.same(upTo(reading(120, { A: 5n })), { slot: 100, time: 1000 })
  t.same(upTo(reading(80, { A: 4n }), reading(120, { A: 6n })), { slot: 79, time: 800 })
  t.same(upTo({ ...reading(90, { A: 5n }), time: 1020 }), { slot: 89, time: 1000 }, 'whatever date its node gives it')
  t.end()
})

test('a list that is newer than its Clock is met past its own slot, and proves to that of the Clock', t => {
  const list = { ...reading(90, { A: 5n }), listSlot: 99 }
  t.same(slotsOf([list], 100, stored({ A: 3n })), [90, 89])
  t.equal(slotsOf([list], 99, stored({ A: 3n })), undefined, 'what it numbers may have come after the walk')
  t.end()
})

test('nothing is proven without a reading', t => {
  t.equal(slotsOf([], 100, stored({ A: 5n })), undefined)
  t.same(slotsOf([reading(120, {})], 100, stored({})), [120, 100], 'a market without a DAO misses nothing')
  t.end()
})
