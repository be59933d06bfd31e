import { test } from 'tap'
import {
  checkDay, checkHead, coversDay, isBehind, lastDayEdge, lastDayText, phaseOf, statusOf
} from '../../../lib/history/status.js'
import type { StoreState } from '../../../lib/history/rules/rows.js'
import { ageTime } from '../../support/age-time.js'

const NOW = 1_767_225_600
const range = (oldestTime: number | null, slot = 500) => ({
  newest: `n${slot}`, newestSlot: slot, oldest: `o${slot}`, oldestSlot: slot - 100, oldestTime, anchor: null
})
const state = (indexedRanges: StoreState['indexedRanges'], ended = false): StoreState => ({
  indexedRanges,
  ended,
  sequenceRanges: new Map(),
  missing: new Map(),
  losses: [],
  numbersAhead: new Map(),
  numbersBefore: new Map(),
  rates: new Map([['25', 3]]),
  firstSwaps: new Map(),
  unreadable: new Map(),
  events: 7,
  swaps: 5,
  valuation: null,
  rebuilding: null
})

const head = { slot: 499, time: NOW }

test('the last day is covered by chain time, with a margin', async t => {
  const covered = state([range(NOW - 86_461)])
  t.equal(lastDayEdge(NOW), NOW - 86_460)
  t.equal(coversDay(covered, NOW), true)
  t.equal(coversDay(state([range(NOW - 86_460)]), NOW), false)
  t.equal(coversDay(state([], true), NOW), true, 'there is nothing more')
  t.equal(
    coversDay(state([range(NOW - 10), range(NOW - 90_000, 300)], true), NOW), false, 'an unindexed range lies between'
  )
})

test('phases follow each other', async t => {
  t.equal(phaseOf(state([range(0)], true), null), 'starting')
  t.equal(phaseOf(state([range(NOW - 60)]), head), 'last-day')
  t.equal(phaseOf(state([range(NOW - 90_000)]), head), 'walking-back')
  t.equal(phaseOf(state([range(NOW - 90_000), range(0, 300)], true), head), 'walking-back')
  t.equal(phaseOf(state([range(NOW - 90_000)], true), head), 'following')
})

test('a head grows stale, but for a chain that has halted', async t => {
  const after = (seconds: number, halt?: number) =>
    ({
      verifiedTo: head,
      staleMs: 60_000,
      time: ageTime(
        () => (NOW + seconds) * 1000, () => halt === undefined ? undefined : { slot: 499, time: NOW + halt }
      )
    })
  t.equal(isBehind(after(60)), false)
  t.equal(isBehind(after(61)), true)
  t.equal(isBehind(after(9e6, 60)), false)
  t.equal(isBehind(after(9e6, 61)), true, 'one that was behind when the chain halted is behind for good')
  t.equal(isBehind({ ...after(61), verifiedTo: null }), false)
  t.equal(isBehind({ ...after(45), staleMs: 10_000 }), false, 'what finality takes is no lag')
  t.equal(isBehind({ ...after(46), staleMs: 10_000 }), true)
  t.same(checkHead(after(60)), head)
  t.throws(() => checkHead({ ...after(60), verifiedTo: null }), { code: 'WARMING_UP' })
  t.throws(
    () => checkHead(after(61)),
    {
      code: 'HISTORY_UNAVAILABLE',
      message: 'the history is behind the chain: the newest state that is stored is 61 s old'
    }
  )
})

test('a window is given where the day before the head is covered, and the head is not behind', async t => {
  const facts = (seconds: number) => ({
    verifiedTo: head,
    staleMs: 60_000,
    time: ageTime(() => (NOW + seconds) * 1000)
  })
  const covered = state([range(NOW - 90_000)])
  t.same(checkDay({ ...covered, ...facts(0) }), head)
  t.throws(() => checkDay({ ...state([range(NOW - 60)]), ...facts(0) }), { code: 'WARMING_UP', message: /24 hours/ })
  t.throws(() => checkDay({ ...covered, ...facts(0), verifiedTo: null }), { code: 'WARMING_UP' })
  t.throws(() => checkDay({ ...covered, ...facts(61) }), { code: 'HISTORY_UNAVAILABLE' })
})

test('a status says what is there', async t => {
  const facts = {
    verifiedTo: head,
    staleMs: 60_000,
    time: ageTime(() => NOW * 1000 + 2500),
    sequenceGaps: new Map(),
    lastDay: { left: 3, total: 9, secondsLeft: 2 }
  }
  const ahead = { ...state([range(NOW - 60)]), numbersAhead: new Map([['A', 2n]]) }
  t.match(statusOf({ ...ahead, ...facts }), {
    phase: 'last-day',
    last24h: false,
    complete: false,
    headAge: 2500,
    isBehind: false,
    headSlot: 499,
    lastDay: { left: 3 },
    slot: 500,
    oldestTime: NOW - 60,
    events: 7,
    swaps: 5,
    expected: 9,
    rateDisagreements: [{ bps: '25', swaps: 3 }]
  })
  t.match(
    statusOf({ ...state([range(0)], true), ...facts }),
    { phase: 'following', last24h: true, complete: true, lastDay: null }
  )
  t.equal(statusOf({ ...state([]), ...facts, verifiedTo: null }).expected, null, 'not compared yet')
  const { time, staleMs } = facts
  t.match(statusOf({ time, staleMs }), { phase: 'starting', headAge: null, refusal: null, leads: false })
})

test('how far the last day is, in words', async t => {
  t.equal(
    lastDayText({ left: 1240, total: 5110, secondsLeft: 840 }),
    '1,240 of 5,110 transactions of the last day, about 14 minutes left'
  )
  t.equal(
    lastDayText({ left: 1240, total: 5110, secondsLeft: null }), '1,240 of 5,110 transactions of the last day left'
  )
  t.equal(
    lastDayText({ left: 4, total: 5, secondsLeft: 60 }), '4 of 5 transactions of the last day, about 60 seconds left'
  )
  t.equal(
    lastDayText({ left: 4, total: 5, secondsLeft: 10_800 }), '4 of 5 transactions of the last day, about 3 hours left'
  )
})
