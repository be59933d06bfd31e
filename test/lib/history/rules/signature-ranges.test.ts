import { test } from 'tap'
import type { SignatureInfo } from '../../../../lib/chain/types.js'
import { orderFault } from '../../../../lib/chain/transactions.js'
import { isWalked } from '../../../../lib/history/rules/completeness.js'
import type { IndexedRange } from '../../../../lib/history/rules/rows.js'
import {
  above, beginningOf, extend, joinRanges, rangeOf, unindexedRanges, walkedTo
} from '../../../../lib/history/rules/signature-ranges.js'

const entry = (slot: number, blockTime: number | null = slot * 10): SignatureInfo => ({
  signature: `s${slot}`, slot, failed: false, blockTime, transactionIndex: null
})
const entries = (...slots: number[]) => slots.map(slot => entry(slot))
/** Upwards by entries, oldest first. */
const extendUp = (range: IndexedRange, above: SignatureInfo[]) => joinRanges(rangeOf(above.toReversed()), range)

test('a page out of order, above its cursor, or with a signature twice is refused', t => {
  t.equal(orderFault(entries(9, 8, 8 - 0.5), entry(9.5)), undefined)
  t.equal(orderFault([entry(9), { ...entry(9), signature: 'other' }]), undefined)
  t.equal(orderFault([]), undefined)
  for (const [page, before] of [
    [entries(8, 9)], [entries(9), entry(8)], [[entry(9), entry(9)]], [entries(9), entry(9)]
  ] as Array<[SignatureInfo[], SignatureInfo?]>) {
    t.match(orderFault(page, before), { code: 'NODE_BAD_ANSWER' })
  }
  t.end()
})

test('a range begins with a page, and goes on downwards and upwards', t => {
  const range = rangeOf(entries(9, 8, 7))
  t.same(range, { newest: 's9', newestSlot: 9, oldest: 's7', oldestSlot: 7, oldestTime: 70, anchor: 's8' })
  t.equal(rangeOf([entry(9)]).anchor, null, 'of one entry nothing is newer')
  t.same(extend(range, entries(6, 5)), { ...range, oldest: 's5', oldestSlot: 5, oldestTime: 50, anchor: 's6' })
  t.same(extend(range, entries(6)), { ...range, oldest: 's6', oldestSlot: 6, oldestTime: 60, anchor: 's7' })
  t.equal(extend(range, []), range)
  t.equal(extend(range, [entry(6, null)]).oldestTime, 70, 'an entry without a time keeps the last known one')
  t.same(extendUp(range, entries(10, 11)), { ...range, newest: 's11', newestSlot: 11 })
  t.equal(extendUp(rangeOf([entry(9)]), entries(10)).anchor, 's10')
  t.equal(extendUp(rangeOf([entry(9)]), entries(10, 11)).anchor, 's10', 'the entry just newer than the oldest')
  t.equal(
    extendUp(rangeOf([entry(9, null)]), [entry(10, null), entry(11), entry(12)]).oldestTime,
    110,
    'the oldest time that is known'
  )
  t.equal(extendUp(rangeOf([entry(9, null)]), [entry(10, null)]).oldestTime, null)
  t.same(
    rangeOf([entry(9), entry(8), entry(7, null)]),
    { newest: 's9', newestSlot: 9, oldest: 's7', oldestSlot: 7, oldestTime: 80, anchor: 's8' }
  )
  t.equal(rangeOf([entry(9, 0), entry(8, null)]).oldestTime, 0)
  t.end()
})

test('a page ends where what is indexed begins', t => {
  const below = rangeOf(entries(5, 4))
  t.same(above(entries(9, 6, 5, 4), below), entries(9, 6))
  t.same(
    above(entries(9, 6, 4), below), entries(9, 6), 'a lower slot is below, though the newest signature is not named'
  )
  t.same(above(entries(9, 6), below), entries(9, 6))
  const beside = { ...entry(5), signature: 'later in slot 5' }
  t.same(
    above([entry(6), beside, entry(5), entry(4)], below),
    [entry(6), beside],
    'a slot may hold more than what is indexed of it'
  )
  t.same(above(entries(9, 6), undefined), entries(9, 6))
  t.end()
})

test('ranges that touch become one; what is left between them is what remains to be walked', t => {
  const [upper, lower] = [rangeOf(entries(9, 8)), rangeOf(entries(5, 4))]
  t.same(
    unindexedRanges({ indexedRanges: [upper, lower], ended: false }).map(({ index, until }) => [index, until?.newest]),
    [[0, 's5'], [1, undefined]]
  )
  t.same(unindexedRanges({ indexedRanges: [upper, lower], ended: true }).map(({ index }) => index), [0])
  t.same(unindexedRanges({ indexedRanges: [upper], ended: true }), [])
  t.same(
    joinRanges(upper, lower),
    { newest: 's9', newestSlot: 9, oldest: 's4', oldestSlot: 4, oldestTime: 40, anchor: 's5' }
  )
  t.equal(joinRanges(upper, { ...lower, oldestTime: null }).oldestTime, 80)
  t.equal(joinRanges(upper, rangeOf([entry(5)])).anchor, 's8', 'the one above is newer than a single oldest')
  t.end()
})

test('a time is covered by the newest range alone, or by everything once the beginning is reached', t => {
  const [upper, lower] = [rangeOf(entries(9, 8)), rangeOf(entries(5, 4))]
  t.equal(walkedTo({ indexedRanges: [upper, lower], ended: true }), 80)
  t.same(
    [81, 80, 79].map(time => isWalked(80, time)), [true, false, false], 'a transaction of the same second may lie below'
  )
  t.equal(walkedTo({ indexedRanges: [upper], ended: true }), -Infinity)
  t.equal(isWalked(-Infinity, -Infinity), true)
  t.equal(walkedTo({ indexedRanges: [upper], ended: false }), 80)
  t.equal(walkedTo({ indexedRanges: [], ended: false }), Infinity)
  t.equal(walkedTo({ indexedRanges: [], ended: true }), -Infinity, 'a program without any transaction')
  t.equal(
    walkedTo({ indexedRanges: [{ ...upper, oldestTime: null }], ended: false }),
    Infinity,
    'of an end without a time nothing is known'
  )
  t.end()
})

test('the past that a node offers begins where the walk has ended, once nothing is left between', t => {
  const [upper, lower] = [rangeOf(entries(9, 8)), rangeOf(entries(5, 4))]
  t.equal(beginningOf({ indexedRanges: [upper], ended: true }), 80)
  t.equal(beginningOf({ indexedRanges: [upper], ended: false }), null)
  t.equal(beginningOf({ indexedRanges: [upper, lower], ended: true }), null)
  t.equal(beginningOf({ indexedRanges: [], ended: true }), null)
  t.equal(beginningOf({ indexedRanges: [{ ...upper, oldestTime: null }], ended: true }), null)
  t.end()
})
