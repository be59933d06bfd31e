import { test } from 'tap'
import type { Completeness } from '../../../../lib/history/rules/completeness.js'
import { UNREADABLE_VERSION } from '../../../../lib/history/rules/losses.js'
import { publishableSlot, type PublishView } from '../../../../lib/history/rules/published-slot.js'
import type { SequenceGap } from '../../../../lib/history/rules/sequence-gaps.js'
import { type Past, pastOf } from '../../../support/history/knowledge.js'

const WHOLE: Completeness & PublishView = {
  sequenceRanges: new Map(),
  unreadable: new Map(),
  numbersAhead: new Map(),
  missingOwners: { slot: 0, owners: {} },
  ...pastOf({}),
  sequenceGaps: new Map(),
  searched: () => false,
  meetsMissing: () => false,
  losses: [],
  missing: [],
  incompleteSlot: null,
  excluded: new Set()
}
const gap = (over: Partial<SequenceGap>): SequenceGap => ({
  dao: 'D', from: 5n, to: 6n, since: 1, until: 2, fromSlot: 500, toSlot: 600, ...over
})
const slotOf = (
  { sequenceGaps = [], ...over }: Partial<Omit<typeof WHOLE, 'sequenceGaps'>> & Past & { sequenceGaps?: SequenceGap[] }
) => {
  const past = pastOf({ lostBefore: 1, verifiedSlot: 990, ...over })
  const view = { ...WHOLE, ...past, ...over, sequenceGaps: new Map([['D', sequenceGaps]]) }
  return publishableSlot(view, view)
}
const yes = () => true

test('nothing is published before the walk, the head and the accounts have met', t => {
  t.equal(slotOf({}), 990)
  t.equal(slotOf({ walkedTo: 5 }), undefined)
  t.equal(slotOf({ verifiedSlot: 0 }), undefined)
  t.end()
})

test('never past what may still be missing', t => {
  t.equal(
    slotOf({ sequenceGaps: [gap({ fromSlot: 700 }), gap({ fromSlot: 500 })] }),
    499,
    'the slot of the last event before a gap may hold more'
  )
  t.equal(
    slotOf({ sequenceGaps: [gap({})], searched: yes }), 499, 'looked for in vain, it may still come: some node has it'
  )
  t.equal(
    slotOf({ sequenceGaps: [gap({ from: 1n, fromSlot: 0 })] }),
    undefined,
    'the first events of a DAO, not looked for yet'
  )
  t.equal(slotOf({
    missing: [{ signature: 'a', slot: 800, at: null, reason: '' }, { signature: 'b', slot: 300, at: null, reason: '' }]
  }), 299)
  t.equal(slotOf({ incompleteSlot: 42 }), 41)
  t.equal(slotOf({ incompleteSlot: 0 }), undefined)
  t.equal(slotOf({ incompleteSlot: 1 }), 0)
  t.equal(slotOf({ verifiedSlot: 1 }), 1)
  t.equal(slotOf({ incompleteSlot: 995 }), 990, 'nor past what has been compared')
  t.end()
})

test('a transaction that is listed and not given holds nothing up once it can only be part of a stated loss', t => {
  const missing = [{ signature: 'a', slot: 550, at: null, reason: '' }]
  const beginning = gap({ from: 1n, fromSlot: 0 })
  t.equal(
    slotOf({ missing, sequenceGaps: [beginning], searched: yes }), 990, 'a node listed it, and has forgotten it since'
  )
  t.equal(slotOf({ missing, sequenceGaps: [beginning], searched: yes, meetsMissing: yes }), 549, 'it is still listed')
  const at = (slot: number) => slotOf(
    { missing: [{ ...missing[0]!, slot }], sequenceGaps: [gap({ from: 1n })], searched: yes }
  )
  t.same([at(499), at(500), at(600), at(601)], [498, 990, 990, 600], 'at either end of the loss, and beside it')
  t.equal(slotOf({ missing, sequenceGaps: [beginning] }), undefined, 'not looked for yet')
  t.equal(
    slotOf({ missing, sequenceGaps: [beginning, gap({ dao: 'E', fromSlot: 520 })], searched: yes }),
    519,
    'it may be what another DAO lacks'
  )
  t.equal(
    slotOf({ missing, sequenceGaps: [gap({ from: 1n, fromSlot: 0, toSlot: 540 })], searched: yes }),
    549,
    'of none of those that are lost'
  )
  t.end()
})

test('a transaction of an unreadable version is a stated loss, and what a DAO lacks there with it', t => {
  const missing = [{ signature: 'a', slot: 550, at: null, reason: UNREADABLE_VERSION }]
  t.equal(slotOf({ missing }), 990, "a stranger's")
  t.equal(slotOf({ missing, sequenceGaps: [gap({})], searched: yes, meetsMissing: yes }), 990)
  t.equal(slotOf({ missing, sequenceGaps: [gap({})] }), 499, 'not looked for yet')
  t.equal(slotOf({ missing, sequenceGaps: [gap({ toSlot: 549 })], searched: yes }), 499, 'of another stretch')
  t.end()
})

test('what a DAO lacks that is left out holds nothing up', t => {
  const excluded = new Set(['D'])
  const missing = [{ signature: 'a', slot: 550, at: null, reason: '' }]
  t.equal(slotOf({ excluded, sequenceGaps: [gap({})], meetsMissing: yes, missing }), 990)
  t.equal(slotOf({ excluded, sequenceGaps: [gap({}), gap({ dao: 'E', fromSlot: 520 })] }), 519)
  t.equal(slotOf({ excluded, missing }), 549, 'it may be of any DAO')
  t.end()
})

test('a stated loss holds nothing up', t => {
  t.equal(
    slotOf({ sequenceGaps: [gap({ from: 1n, fromSlot: 0 })], searched: yes }), 990, 'older than all that nodes have'
  )
  t.equal(
    slotOf({ sequenceGaps: [gap({ from: 1n, fromSlot: 0 })], searched: yes, lostBefore: null }),
    undefined,
    'a node that lists nothing says nothing of the past'
  )
  const losses = [{ fromSlot: 550, toSlot: 560, until: null }]
  t.equal(slotOf({ sequenceGaps: [gap({})], searched: yes, losses }), 990)
  t.equal(slotOf({ sequenceGaps: [gap({})], losses }), 499, 'not looked for yet')
  t.equal(slotOf({ sequenceGaps: [gap({ toSlot: 540 })], searched: yes, losses }), 499, 'of another stretch')
  const lostIn = (fromSlot: number, toSlot: number) => slotOf(
    { sequenceGaps: [gap({})], searched: yes, losses: [{ fromSlot, toSlot, until: null }] }
  )
  t.same(
    [lostIn(400, 499), lostIn(400, 500), lostIn(600, 700), lostIn(601, 700)],
    [499, 990, 990, 499],
    'a slot in common is enough'
  )
  t.end()
})
