import { test } from 'tap'
import { createSlotAges } from '../../../lib/live/slot-ages.js'

test('a state is as old as its slot: since it was first seen, or since the chain went past it', t => {
  const known = { now: 1_000_000, past: 0 }
  const ages = createSlotAges(() => known.now, () => known.past)
  t.equal(ages.seenAt(5), 1_000_000)
  known.now += 3_000
  t.equal(ages.seenAt(5), 1_000_000, 'seen again')
  known.past = 40_000
  t.equal(ages.seenAt(6), 963_000, 'seen for the first time, of a node that is behind')
  t.equal(ages.seenAt(5), 963_000, 'another node has shown meanwhile how old it is')
  known.past = 0
  known.now += 1_000
  t.equal(ages.seenAt(6), 963_000, 'and that is not forgotten')
  t.end()
})

test('another process may have seen a slot earlier, and never makes it younger', t => {
  const ages = createSlotAges(() => 10_000)
  ages.note(5, 7_000)
  t.equal(ages.seenAt(5), 7_000)
  ages.note(5, 9_000)
  t.equal(ages.seenAt(5), 7_000)
  t.equal(ages.seenAt(6), 10_000)
  ages.note(6, 4_000)
  t.equal(ages.seenAt(6), 4_000)
  t.end()
})
