import { test } from 'tap'
import { createTimekeeper, haltSentence, type TimeEvent } from '../../../lib/chain/timekeeper.js'
import { TIME } from '../../support/age-time.js'

/**
 * A timekeeper of these hosts, a steady clock of which 0 is `TIME`, and a wall clock that may be off; all events told
 * so far.
 */
function setUp (...hosts: string[]) {
  const events: TimeEvent[] = []
  const clock = { ms: 0, offMs: 0 }
  const utc = () => TIME * 1000 + clock.ms
  const keeper = createTimekeeper(hosts, {
    now: () => clock.ms,
    epoch: () => utc() + clock.offMs,
    random: Math.random,
    sleep: async () => {},
    after: () => () => {}
  }, event => { events.push(event) })
  /** An answer of each node, with its Date where `date` is true, of a state of so many seconds ago, or of one slot. */
  function answer (secondsAgo: number, { date = true, at }: { date?: boolean, at?: number } = {}): void {
    hosts.forEach((_, index) => {
      keeper.noteDate(index, date ? new Date(utc()).toUTCString() : undefined)
      keeper.noteHealth(index, 'ok')
      const time = at ?? Math.floor(utc() / 1000) - secondsAgo
      keeper.note(
        index, 'confirmed', { slot: at === undefined ? 1000 + Math.floor(clock.ms / 400) : 1000, time }
      )
    })
  }
  return { keeper, clock, events, answer, codes: () => events.map(({ code }) => code) }
}

test('a wall clock that is wrong is told once, and once that it is right again; nothing is made of it', async t => {
  const { keeper, clock, events, answer, codes } = setUp('a')
  clock.offMs = -10_801_000
  for (let turn = 0; turn < 5; turn++) {
    answer(0)
    clock.ms += 5_000
  }
  t.match(events, [{
    level: 'warn',
    code: 'clock-wrong',
    message: /^this machine's clock is 10801 s behind UTC by what the nodes say: it is not believed; look at/
  }])
  t.equal(events.length, 1)
  t.equal(keeper.utc(), TIME * 1000 + clock.ms)
  t.equal(keeper.age(TIME + 5), 20_000)
  t.equal(keeper.offsets().clock, -10_801_000)
  clock.offMs = 0
  for (let turn = 0; turn < 3; turn++) answer(0)
  t.same(codes(), ['clock-wrong', 'clock-right'])
  clock.offMs = 7_200_000
  answer(0)
  t.match(events.at(-1), { code: 'clock-wrong', message: /7200 s ahead of UTC/ })
})

test('a wall clock that steps changes nothing between answers', async t => {
  const { keeper, clock, answer } = setUp('a')
  answer(0)
  const age = keeper.age(TIME - 30)
  clock.offMs = -3_600_000
  t.equal(keeper.age(TIME - 30), age)
  clock.ms += 1_500
  t.equal(keeper.age(TIME - 30), age + 1_500, 'the steady clock carries it')
})

test(
  'the newest state that is too old is dated, and the clock is named among the suspects only where it is alone',
  async t => {
    const { keeper, clock, answer } = setUp('a')
    clock.ms = 84_000
    answer(84)
    t.equal(keeper.tooOld(TIME), 'the newest state that any node shows is of 00:00:00 UTC, 84 s ago')
    t.equal(keeper.tooOld(TIME, 'what is stored'), 'what is stored is of 00:00:00 UTC, 84 s ago')
    const alone = setUp('a')
    alone.clock.offMs = 7_200_000
    alone.answer(0, { date: false })
    t.equal(alone.keeper.tooOld(TIME),
      'the newest state that any node shows is of 00:00:00 UTC, 7200 s ago, unless this machine\'s clock is wrong: ' +
        'no other witness agrees with it')
  }
)

test('drift is told once, from what more than a lag would be, and counts in no age', async t => {
  const { keeper, clock, events, answer } = setUp('a', 'b')
  for (let turn = 0; turn < 5; turn++) {
    answer(12)
    clock.ms += 5_000
  }
  t.same(events, [], 'twelve seconds are nobody\'s concern')
  t.equal(keeper.offsets().drift, 12_000)
  const other = setUp('a', 'b')
  for (let turn = 0; turn < 5; turn++) {
    other.answer(1800)
    other.clock.ms += 5_000
  }
  t.same(
    other.codes().sort(),
    ['drift', 'halted', 'moving-again'],
    'until one of two that agree on an old slot has moved, the chain has halted'
  )
  t.match(other.events.find(({ code }) => code === 'drift'), {
    level: 'warn',
    message: 'the chain\'s own clock is 1800 s behind UTC, though its nodes are current: ' +
      'days and windows end at the chain\'s time'
  })
  t.equal(other.keeper.age(TIME + 20 - 1800), 5_000)
  t.equal(other.keeper.lag(0), 1_805_000, 'the lag of a node is told without it')
})

test('a halt is told once, with its slot and time, and once that the chain goes on', async t => {
  const { keeper, clock, events, answer, codes } = setUp('a', 'b')
  for (let turn = 0; turn < 20; turn++) {
    answer(0, { at: TIME })
    clock.ms += 5_000
  }
  t.same(codes(), ['halted'])
  t.same(keeper.halted(), { slot: 1000, time: TIME })
  t.equal(events[0]!.message, 'the chain has halted at slot 1000, 2026-01-01T00:00:00Z: its nodes agree on it')
  t.equal(haltSentence(keeper.halted()!), events[0]!.message)
  t.same([keeper.age(TIME - 30), keeper.ageBesideHalt(TIME - 30)], [130_000, 30_000], 'no younger state was to be had')
  answer(0)
  t.equal(keeper.ageBesideHalt(TIME - 30), 30_000)
  clock.ms += 1_000
  t.equal(keeper.ageBesideHalt(TIME + 100), 1_000, 'of a state after the halt')
  t.same(codes(), ['halted', 'moving-again'])
  t.equal(keeper.halted(), undefined)
})

test('a halt ends with the first moment after it, ' +
  'not with one that another backend of a node showed before', async t => {
  const { keeper, clock, answer, codes } = setUp('a', 'b')
  clock.ms = 3_000
  keeper.note(0, 'confirmed', { slot: 1005, time: TIME + 3 })
  for (let turn = 0; turn < 20; turn++) {
    clock.ms += 5_000
    answer(0, { at: TIME })
  }
  t.same(codes(), ['halted'])
  clock.ms += 20_000
  keeper.note(0, 'confirmed', { slot: 1000, time: TIME })
  t.equal(keeper.halted(), undefined, 'the other has not been asked of late')
  clock.ms += 1_000
  answer(0)
  t.equal(keeper.ageBesideHalt(TIME - 30), 30_000)
})

test('a moment of the future is refused, and nothing is made of it', async t => {
  const { keeper, answer } = setUp('a', 'b')
  answer(0)
  t.throws(() => keeper.note(0, 'confirmed', { slot: 5, time: TIME + 3600 }), {
    code: 'NODE_BAD_ANSWER', message: 'node a shows a moment of the future, 01:00:00 UTC'
  })
  t.equal(keeper.age(TIME), 0)
  t.equal(keeper.of(0).shown!.time, TIME)
})

test('a Date that is no date is no witness', async t => {
  const { keeper, clock } = setUp('a')
  clock.offMs = 7_200_000
  keeper.noteDate(0, 'a while ago')
  keeper.note(0, 'confirmed', { slot: 5, time: TIME })
  t.equal(keeper.age(TIME), 7_200_000, 'as without one: the latest of the two that are left')
})

test('a finalized moment says nothing of where the node is', async t => {
  const { keeper } = setUp('a')
  keeper.note(0, 'finalized', { slot: 5, time: TIME - 13 })
  t.same([keeper.of(0).shown, keeper.lag(0)], [undefined, undefined])
})
