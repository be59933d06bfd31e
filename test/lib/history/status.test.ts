import { test } from 'tap'
import { checkHead, coversDay, EMPTY, headSeenAt, isBehind, lastDayEdge, lastDayText, phaseOf, statusOf } from '../../../lib/history/status.js'
import type { StoreState } from '../../../lib/history/rules/types.js'

const NOW = 1_767_225_600
const range = (oldestTime: number | null, slot = 500) => ({ newest: `n${slot}`, newestSlot: slot, oldest: `o${slot}`, oldestSlot: slot - 100, oldestTime, anchor: null })
const state = (indexedRanges: StoreState['indexedRanges'], ended = false): StoreState => ({
  indexedRanges, ended, sequenceRanges: new Map(), proposals: new Map(), unattributedKeys: new Set(), missing: [], losses: [], numbersAhead: new Map(), rates: new Map([['25', 3], ['50', 0]]), firstSwaps: new Map(), rolledFrom: new Map(), minutesFrom: null, unreadable: new Map(), events: 7, swaps: 5
})

test('the last day is covered by chain time, with a margin, and not before that is known', async t => {
  const covered = state([range(NOW - 86_461)])
  t.equal(lastDayEdge(NOW * 1000), NOW - 86_460)
  t.equal(coversDay(covered, NOW * 1000), true)
  t.equal(coversDay(state([range(NOW - 86_460)]), NOW * 1000), false)
  t.equal(coversDay(covered, undefined), false)
  t.equal(coversDay(state([], true), NOW * 1000), true, 'there is nothing more')
  t.equal(coversDay(state([range(NOW - 10), range(NOW - 90_000, 300)], true), NOW * 1000), false, 'an unindexed range lies between')
})

test('phases follow each other', async t => {
  const at = NOW * 1000
  t.equal(phaseOf(state([range(0)], true), null, at), 'starting')
  t.equal(phaseOf(state([range(NOW - 60)]), 1, at), 'last-day')
  t.equal(phaseOf(state([range(NOW - 90_000)]), 1, at), 'walking-back')
  t.equal(phaseOf(state([range(NOW - 90_000), range(0, 300)], true), 1, at), 'walking-back')
  t.equal(phaseOf(state([range(NOW - 90_000)], true), 1, at), 'following')
})

test('a head is as old as nodes show that the chain has been past it, but for what finality takes', async t => {
  t.equal(headSeenAt({ at: 1_000, slot: 7 }, 100_000, () => 0), 1_000)
  t.equal(headSeenAt({ at: 99_000, slot: 7 }, 100_000, () => 20_000), 99_000)
  t.equal(headSeenAt({ at: 99_000, slot: 7 }, 100_000, slot => slot === 7 ? 90_000 : 0), 30_000)
  t.equal(headSeenAt({ at: 1_000, slot: 7 }, 100_000, () => 30_000), 1_000, 'never younger')
})

test('a head grows stale, but for a chain that stands', async t => {
  const head = { headAt: 1000, now: 61_000, staleMs: 60_000, haltedMs: 0 }
  t.equal(isBehind(head), false)
  t.equal(isBehind({ ...head, now: 61_001 }), true)
  t.equal(isBehind({ ...head, now: 9e9, haltedMs: 9e9 - 61_000 }), false)
  t.equal(isBehind({ ...head, now: 9e9, haltedMs: 9e9 - 61_001 }), true, 'one that was behind when the chain came to stand is behind for good')
  t.equal(isBehind({ ...head, headAt: null }), false)
  checkHead(head)
  t.throws(() => checkHead({ ...head, headAt: null }), { code: 'WARMING_UP' })
  t.throws(() => checkHead({ ...head, now: 61_001 }), { code: 'HISTORY_UNAVAILABLE' })
})

test('a status says what is there', async t => {
  const facts = { head: { headAt: 1000, now: 3500, staleMs: 60_000, haltedMs: 0 }, headSlot: 499, chainTime: NOW * 1000, sequenceGaps: new Map(), lastDay: { left: 3, total: 9, secondsLeft: 2 } }
  t.match(statusOf(state([range(NOW - 60)]), facts), {
    phase: 'last-day', last24h: false, complete: false, headAt: 1000, headAge: 2500, isBehind: false, headSlot: 499, lastDay: { left: 3 }, slot: 500, oldestTime: NOW - 60, events: 7, swaps: 5, rateDisagreements: [{ bps: '25', swaps: 3 }]
  })
  t.match(statusOf(state([range(0)], true), facts), { phase: 'following', last24h: true, complete: true, lastDay: null })
  t.match(EMPTY, { headAge: null, refusal: null, leads: false })
})

test('how far the last day is, in words', async t => {
  t.equal(lastDayText({ left: 1240, total: 5110, secondsLeft: 840 }), '1,240 of 5,110 transactions of the last day, about 14 minutes left')
  t.equal(lastDayText({ left: 1240, total: 5110, secondsLeft: null }), '1,240 of 5,110 transactions of the last day left')
  t.equal(lastDayText({ left: 4, total: 5, secondsLeft: 60 }), '4 of 5 transactions of the last day, about 60 seconds left')
  t.equal(lastDayText({ left: 4, total: 5, secondsLeft: 10_800 }), '4 of 5 transactions of the last day, about 3 hours left')
})
