import { test } from 'tap'
import type { Completeness } from '../../../../lib/history/rules/completeness.js'
import { isLost, UNREADABLE_VERSION } from '../../../../lib/history/rules/losses.js'
import { publishableSlot, type PublishView } from '../../../../lib/history/rules/published-slot.js'
import type { SequenceGap } from '../../../../lib/history/rules/sequence-gaps.js'
import type { MissingTransaction } from '../../../../lib/history/rules/rows.js'
import { bySignature, NOTHING_MISSING, type Past, pastOf } from '../../../support/history/knowledge.js'

interface Facts extends Past, Partial<Pick<Completeness, 'losses'> & Pick<PublishView, 'incompleteSlot' | 'excluded'>> {
  missing?: MissingTransaction[]
  sequenceGaps?: SequenceGap[]
  /** Whether all gaps have been, and what their searches met. */
  searched?: boolean
  missed?: string[]
}
const gap = (over: Partial<SequenceGap>): SequenceGap => ({
  dao: 'D', from: 5n, to: 6n, since: 1, until: 2, fromSlot: 500, toSlot: 600, ...over
})
const slotOf = ({
  sequenceGaps = [], missing = [], searched = false, missed = [], losses = [], incompleteSlot = null,
  excluded = new Set(), ...past
}: Facts) => {
  const state = {
    ...NOTHING_MISSING,
    ...pastOf({ lostBefore: 1, verifiedSlot: 990, ...past }),
    losses,
    missing: bySignature(missing)
  }
  const met = ({ toSlot }: SequenceGap) => searched ? { missed: new Set(missed), toSlot } : undefined
  return publishableSlot({
    ...state,
    sequenceGaps: new Map([['D', sequenceGaps]]),
    isLost: gap => isLost(gap, met(gap), undefined, state)
  }, { met, incompleteSlot, excluded })
}

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
    slotOf({ sequenceGaps: [gap({})], searched: true }), 499, 'looked for in vain, it may still come: some node has it'
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
    slotOf({ missing, sequenceGaps: [beginning], searched: true }), 990, 'a node listed it, and has forgotten it since'
  )
  t.equal(slotOf({ missing, sequenceGaps: [beginning], searched: true, missed: ['a'] }), 549, 'it is still listed')
  const at = (slot: number) => slotOf(
    { missing: [{ ...missing[0]!, slot }], sequenceGaps: [gap({ from: 1n })], searched: true }
  )
  t.same([at(499), at(500), at(600), at(601)], [498, 990, 990, 600], 'at either end of the loss, and beside it')
  t.equal(slotOf({ missing, sequenceGaps: [beginning] }), undefined, 'not looked for yet')
  t.equal(
    slotOf({ missing, sequenceGaps: [beginning, gap({ dao: 'E', fromSlot: 520 })], searched: true }),
    519,
    'it may be what another DAO lacks'
  )
  t.equal(
    slotOf({ missing, sequenceGaps: [gap({ from: 1n, fromSlot: 0, toSlot: 540 })], searched: true }),
    549,
    'of none of those that are lost'
  )
  t.end()
})

test('a transaction of an unreadable version is a stated loss, and what a DAO lacks there with it', t => {
  const missing = [{ signature: 'a', slot: 550, at: null, reason: UNREADABLE_VERSION }]
  t.equal(slotOf({ missing }), 990, "a stranger's")
  t.equal(slotOf({ missing, sequenceGaps: [gap({})], searched: true, missed: ['a'] }), 990)
  const others = [...missing, { ...missing[0]!, signature: 'b', reason: '' }]
  t.equal(
    slotOf({ missing: others, sequenceGaps: [gap({})], searched: true, missed: ['a', 'b'] }),
    499,
    'the other may be given'
  )
  t.equal(slotOf({ missing, sequenceGaps: [gap({})] }), 499, 'not looked for yet')
  t.equal(slotOf({ missing, sequenceGaps: [gap({ toSlot: 549 })], searched: true }), 499, 'of another stretch')
  t.end()
})

test('what a DAO lacks that is left out holds nothing up', t => {
  const excluded = new Set(['D'])
  const missing = [{ signature: 'a', slot: 550, at: null, reason: '' }]
  t.equal(slotOf({ excluded, sequenceGaps: [gap({})], missed: ['a'], missing }), 990)
  t.equal(slotOf({ excluded, sequenceGaps: [gap({}), gap({ dao: 'E', fromSlot: 520 })] }), 519)
  t.equal(slotOf({ excluded, missing }), 549, 'it may be of any DAO')
  t.end()
})

test('a stated loss holds nothing up', t => {
  t.equal(
    slotOf({ sequenceGaps: [gap({ from: 1n, fromSlot: 0 })], searched: true }), 990, 'older than all that nodes have'
  )
  t.equal(
    slotOf({ sequenceGaps: [gap({ from: 1n, fromSlot: 0 })], searched: true, lostBefore: null }),
    undefined,
    'a node that lists nothing says nothing of the past'
  )
  const losses = [{ fromSlot: 550, toSlot: 560, until: null }]
  t.equal(slotOf({ sequenceGaps: [gap({})], searched: true, losses }), 990)
  t.equal(slotOf({ sequenceGaps: [gap({})], losses }), 499, 'not looked for yet')
  t.equal(slotOf({ sequenceGaps: [gap({ toSlot: 540 })], searched: true, losses }), 499, 'of another stretch')
  const lostIn = (fromSlot: number, toSlot: number) => slotOf(
    { sequenceGaps: [gap({})], searched: true, losses: [{ fromSlot, toSlot, until: null }] }
  )
  t.same(
    [lostIn(400, 499), lostIn(400, 500), lostIn(600, 700), lostIn(601, 700)],
    [499, 990, 990, 499],
    'a slot in common is enough'
  )
  t.end()
})
