import { test } from 'tap'
import { type Completeness, NO_OWNERS, suspectsAt } from '../../../../lib/history/rules/completeness.js'
import type { MissingTransaction, SequenceRange } from '../../../../lib/history/rules/rows.js'
import { mayOwnOf, type Past } from '../../../support/history/knowledge.js'

const missing = (...slots: number[]): MissingTransaction[] => slots.map(
  slot => ({ signature: `s${slot}`, slot, at: null, reason: 'null' })
)
const range = (first: bigint, last: bigint, firstSlot = 10, lastSlot = 90) =>
  ({ first, last, firstSlot, lastSlot }) as SequenceRange
const upTo = (...lasts: bigint[]) => lasts.map((last, at) => range(at === 0 ? 1n : lasts[at - 1]! + 2n, last))
type OwnerFacts =
  Pick<Past, 'verifiedSlot'> & Pick<Completeness, 'numbersAhead' | 'missingOwners' | 'sequenceRanges' | 'sequenceGaps'>
const facts = (rest: Partial<OwnerFacts> = {}): OwnerFacts => ({
  verifiedSlot: 100,
  numbersAhead: new Map([['A', 3n], ['B', 5n]]),
  missingOwners: NO_OWNERS,
  sequenceRanges: new Map([['A', upTo(3n)], ['B', upTo(5n)]]),
  sequenceGaps: new Map(),
  ...rest
})

test('nothing missing is nobody\'s', t => {
  t.notOk(mayOwnOf([], facts())('A'))
  t.notOk(mayOwnOf([], facts())('new'))
  t.end()
})

test(
  'what is missing up to the compared accounts shows as a gap of its DAO: it may only be one\'s without any event',
  t => {
    const mayOwn = mayOwnOf(missing(99, 100), facts())
    t.same(['A', 'B', 'new'].map(mayOwn), [false, false, true])
    t.end()
  }
)

test('where numbers have an open end it may be one\'s as long as no gap shows it', t => {
  const gap = (dao: string, from: bigint, to: bigint) =>
    [dao, [{ dao, from, to, since: null, until: 1, fromSlot: 0, toSlot: 0 }]] as const
  const owns = (
    slot: number, ranges: SequenceRange[], rest: Partial<OwnerFacts> = {}
  ): boolean => mayOwnOf(missing(slot), facts({ sequenceRanges: new Map([['A', ranges]]), ...rest }))('A')
  const begun = [range(2n, 3n, 50, 60)]
  t.same([40, 50, 51, 70].map(slot => owns(slot, begun)), [true, true, false, false], 'before the first that is stored')
  t.notOk(owns(40, begun, { sequenceGaps: new Map([gap('A', 1n, 1n)]) }), 'walked to the beginning it is a gap')
  const ahead = { numbersAhead: new Map([['A', 4n]]) }
  t.same([59, 60, 99].map(slot => owns(slot, [range(1n, 3n, 50, 60)], ahead)), [false, true, true], 'by its account')
  t.notOk(owns(99, [range(1n, 3n, 50, 60)], { ...ahead, sequenceGaps: new Map([gap('A', 4n, 4n)]) }))
  const looked = { missingOwners: { slot: 101, owners: {} } }
  t.ok(owns(101, [range(2n, 3n, 105, 110)], looked), 'also of a DAO that was no suspect, as its newest are stored')
  const apart = [range(1n, 1n, 10, 20), range(3n, 3n, 50, 60)]
  t.same([15, 20, 30, 50, 55].map(slot => owns(slot, apart)), [false, true, true, true, false], 'in between')
  t.end()
})

test('beyond the compared accounts it may be anybody\'s until lists have named the owners', t => {
  t.same(['A', 'B', 'new'].map(mayOwnOf(missing(101), facts())), [true, true, true])
  const missingOwners = { slot: 101, owners: { A: [101], B: [100, 102] } }
  t.same(
    ['A', 'B', 'new'].map(mayOwnOf(missing(101), facts({ missingOwners }))),
    [true, false, true],
    'named: its own alone'
  )
  t.same(
    ['A', 'B'].map(mayOwnOf(missing(100, 101), facts({ missingOwners }))),
    [true, false],
    'what shows as a gap needs no name'
  )
  t.same(['A', 'B'].map(mayOwnOf(missing(101, 102), facts({ missingOwners }))), [true, true], 'newer than the names')
  t.end()
})

test('under suspicion is whose account was read before the slot, or counts events that are not stored', t => {
  const ranges = facts().sequenceRanges
  const accounts = Object.entries({ A: 3n, B: 6n, C: 0n, D: 1n }).map(([address, seqNum]) => ({ address, seqNum }))
  const suspects = (slot: number, readAt: number) =>
    suspectsAt(slot, accounts, readAt, ranges).map(({ address }) => address)
  t.same(suspects(50, 50), ['B', 'D'])
  t.same(suspects(50, 49), ['A', 'B', 'C', 'D'])
  t.same(
    suspectsAt(50, [{ address: 'A', seqNum: 4n }], 60, new Map([['A', upTo(4n, 9n)]])), [], 'the newest range counts'
  )
  t.end()
})
