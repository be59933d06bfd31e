import { test } from 'tap'
import {
  ageOf, type Facts, haltedAt, type Health, momentOfList, noFacts, withDate, withHealth, withMoment
} from '../../../lib/chain/moment.js'

/** UTC at the steady clock's 0, Unix ms. */
const UTC = 1_767_225_600_000
const MINUTE = 60_000
const HOUR = 3_600_000

/**
 * A few minutes of what nodes show, in steps of five seconds. Offsets are ms against UTC, in truth: of the wall clock,
 * of each host's Date (undefined: it sends none), of the state that each host shows (undefined: it shows none), and of
 * the chain's own clock, which all states have on top.
 */
interface Circumstances {
  clock?: number
  dates?: Array<number | undefined>
  states?: Array<number | undefined>
  chain?: number
  health?: Health[]
  /** Minutes that have been watched. */
  minutes?: number
  /** Hosts by number; default: each is its own. */
  hosts?: string[]
  /** Where the states are of one slot that goes no further, Unix ms. */
  haltedAt?: number
}

function watched (
  { clock = 0, dates = [], states = [0], chain = 0, health = [], minutes = 0, hosts, ...rest }: Circumstances
) {
  const facts = noFacts(hosts ?? states.map((_, at) => `n${at}`), UTC + clock)
  const end = minutes * MINUTE
  for (let now = 0; now <= end; now += 5_000) {
    states.forEach((state, at) => {
      const date = dates[at]
      withDate(facts, at, date === undefined ? undefined : UTC + now + date, now, UTC + now + clock)
      if (state === undefined) return
      const seen = rest.haltedAt ?? UTC + now + state
      withHealth(facts, at, health[at] ?? 'ok', now)
      withMoment(facts, at, {
        slot: Math.floor((seen - UTC) / 400) + 1_000_000,
        time: Math.floor((seen + (rest.haltedAt === undefined ? chain : 0)) / 1000),
        at: now
      })
    })
  }
  return { facts, now: end }
}

const off = ({ utc }: Facts) => Math.round((utc.offset - UTC) / 1000)

test('UTC is the latest of what most witnesses say within a minute; ' +
  'a tie of several goes to the side of the clock', async t => {
  const cases: Array<[string, Circumstances, number, string]> = [
    ['nothing but the clock', { states: [undefined] }, 0, 'believed'],
    ['all agree', { dates: [0, 0], states: [0, 0] }, 0, 'believed'],
    [
      'the latest of those that agree: an error makes a state look older, never younger',
      { clock: -20_000, dates: [30_000], states: [0] }, 30, 'believed'
    ],
    ['clock an hour behind', { clock: -HOUR, dates: [0], states: [0] }, 0, 'refuted'],
    ['clock an hour ahead', { clock: HOUR, dates: [0], states: [0] }, 0, 'refuted'],
    ['clock an hour behind, and the state is old', { clock: -HOUR, dates: [0], states: [-HOUR / 2] }, 0, 'alone'],
    ['Date missing', { states: [0, 0] }, 0, 'believed'],
    ['one Date an hour ahead', { dates: [HOUR, 0], states: [0, 0] }, 0, 'believed'],
    ['Date an hour behind, as of a cache', { dates: [-HOUR], states: [0] }, 0, 'believed'],
    [
      'the only Date an hour ahead, and a state that is old: each for itself', { dates: [HOUR], states: [-2 * HOUR] },
      3600, 'alone'
    ],
    ['both Dates an hour ahead, clock and chain against them', { dates: [HOUR, HOUR], states: [0, 0] }, 0, 'believed'],
    [
      'both Dates an hour ahead, and the state is old', { dates: [HOUR, HOUR], states: [-2 * HOUR, -2 * HOUR] }, 3600,
      'refuted'
    ],
    [
      'two nodes of one host have one Date', { dates: [HOUR, HOUR], states: [-2 * HOUR, -2 * HOUR], hosts: ['n', 'n'] },
      3600, 'alone'
    ]
  ]
  for (const [what, circumstances, seconds, clock] of cases) {
    const { facts } = watched(circumstances)
    t.same([off(facts), facts.utc.clock], [seconds, clock], what)
  }
})

test('UTC: a clock that falls behind by an hour, with no Date: never before a state that has been taken', async t => {
  const { facts, now } = watched({ states: [0] })
  withDate(facts, 0, undefined, now, UTC + now - HOUR)
  t.same([off(facts), facts.utc.clock], [0, 'alone'])
})

test('UTC: a Date of more than ten minutes ago is no witness any more', async t => {
  const { facts, now } = watched({ clock: -HOUR, dates: [0], states: [0] })
  const answer = (at: number) => withDate(facts, 0, undefined, at, UTC + at - HOUR)
  answer(now + 10 * MINUTE - 1)
  t.same([off(facts), facts.utc.clock], [0, 'refuted'])
  answer(now + 10 * MINUTE)
  t.equal(facts.utc.clock, 'alone')
})

test('a chain whose clock has drifted is a witness with its drift', async t => {
  const { facts, now } = watched({ states: [0, 0], chain: -30 * MINUTE, minutes: 3 })
  t.equal(Math.round(facts.drift / 1000), 1800)
  withDate(facts, 0, UTC + now, now, UTC + now - HOUR)
  t.same([off(facts), facts.utc.clock], [0, 'refuted'])
})

test('a clock that was ahead for half a minute leaves neither a drift nor another UTC', async t => {
  const { facts, now } = watched({ dates: [0, 0], states: [0, 0], clock: 20_000, minutes: 1 })
  t.same([off(facts), Math.round(facts.drift / 1000)], [20, 20])
  for (let later = now; later <= now + 30_000; later += 5_000) {
    for (const at of [0, 1]) {
      withDate(facts, at, UTC + later, later, UTC + later)
      withMoment(facts, at, { slot: Math.floor(later / 400) + 1_000_000, time: (UTC + later) / 1000, at: later })
    }
  }
  t.same([off(facts), facts.drift, facts.utc.clock], [0, 0, 'believed'])
})

test('the age of a state is UTC less the chain\'s drift less its time, and never below 0', async t => {
  const { facts, now } = watched({ minutes: 1 })
  const time = (UTC + now) / 1000
  t.same([ageOf(facts, now, time - 84), ageOf(facts, now, time), ageOf(facts, now, time + 20)], [84_000, 0, 0])
  t.equal(ageOf(facts, now + 500, time), 500, 'it grows by the steady clock')
  facts.drift = 1_800_000
  t.equal(ageOf(facts, now, time - 1_884), 84_000)
})

test('a moment of the future is a lie, and what the witnesses say within a minute is none', async t => {
  const isTaken = (circumstances: Circumstances, seconds: number): boolean => {
    const { facts, now } = watched(circumstances)
    return withMoment(facts, 0, { slot: 1, time: (UTC + now) / 1000 + seconds, at: now })
  }
  t.same(
    [-HOUR, 0, 29, 61, 3600].map(seconds => isTaken({ dates: [0], minutes: 1 }, seconds)),
    [true, true, true, false, false]
  )
  const slow = noFacts(['n'], UTC - HOUR)
  withDate(slow, 0, UTC, 0, UTC - HOUR)
  t.equal(
    withMoment(slow, 0, { slot: 1, time: UTC / 1000, at: 0 }),
    true,
    'of the present by a Date and the chain itself, though the clock is an hour slow'
  )
  const alone = noFacts(['n'], UTC - HOUR)
  t.equal(withMoment(alone, 0, { slot: 1, time: UTC / 1000, at: 0 }), false, 'with no Date it is one against one')
  t.same([alone.freshest.size, alone.newest, alone.nodes[0]], [0, undefined, { host: 'n' }], 'nothing is made of it')
})

test('drift: believed of two hosts at once, of one after ten minutes in which it calls itself healthy', async t => {
  const late = -30 * MINUTE
  const cases: Array<[string, Circumstances, boolean]> = [
    ['two hosts that go on', { states: [0, 0], minutes: 1 }, true],
    ['two hosts that have been seen once', { states: [0, 0] }, false],
    ['one host for a minute', { states: [0], minutes: 1 }, false],
    ['one host for ten minutes', { states: [0], minutes: 10 }, true],
    ['one host for not quite ten minutes', { states: [0], minutes: 9 }, false],
    ['two nodes of one host', { states: [0, 0], hosts: ['n', 'n'], minutes: 1 }, false],
    ['two hosts, of which one says that it is behind', { states: [0, 0], health: ['ok', 'behind'], minutes: 1 }, false],
    ['two hosts that don\'t say', { states: [0, 0], health: ['unknown', 'unknown'], minutes: 1 }, true],
    ['one host that does not say, for ten minutes', { states: [0], health: ['unknown'], minutes: 12 }, false],
    ['one host that says that it is behind', { states: [0], health: ['behind'], minutes: 12 }, false],
    ['two hosts, of which one lags', { states: [0, -40_000], minutes: 1 }, false],
    ['two hosts at one slot that goes no further', { states: [0, 0], haltedAt: UTC + late, minutes: 12 }, false]
  ]
  for (const [what, circumstances, isBelieved] of cases) {
    const { facts, now } = watched({ ...circumstances, chain: late })
    t.equal(Math.round(facts.drift / 1000), isBelieved ? 1800 : 0, what)
    if (isBelieved) t.ok(ageOf(facts, now, (UTC + now + late) / 1000) < 1_000, 'then a state of now is of now')
  }
  const short = watched({ states: [0], chain: -12_000, minutes: 12 })
  t.equal(short.facts.drift, 0, 'of one host what a node may lag is its lag')
  t.equal(ageOf(short.facts, short.now, (UTC + short.now) / 1000 - 12), 12_000)
  t.ok(watched({ states: [0, 0], chain: -12_000, minutes: 1 }).facts.drift >= 12_000, 'of two it is the chain\'s clock')
  t.equal(watched({ states: [0, 0], chain: -61 * MINUTE, minutes: 12 }).facts.drift, 0, 'more than an hour is none')
  t.equal(watched({ states: [0, 0], chain: 5_000, minutes: 1 }).facts.drift, 0, 'nor is a chain that is ahead')
})

test('drift: a pause in which the node does not call itself healthy begins the ten minutes anew', async t => {
  const facts = noFacts(['n'], UTC)
  const at = (now: number, says: Health) => {
    withHealth(facts, 0, says, now)
    withMoment(facts, 0, { slot: 1000 + now / 400, time: (UTC + now) / 1000 - 1800, at: now })
    return facts.drift > 0
  }
  for (let now = 0; now < 9 * MINUTE; now += 20_000) t.equal(at(now, 'ok'), false)
  at(9 * MINUTE, 'behind')
  let now = 9 * MINUTE
  while (!at(now += 20_000, 'ok'));
  t.equal(now, 19 * MINUTE + 20_000)
})

test(
  'drift is the least lag of the last ten minutes: a node that catches up shows that the chain\'s clock was right',
  async t => {
    const { facts, now } = watched({ states: [0, 0], chain: -30 * MINUTE, minutes: 2 })
    t.ok(facts.drift > 0)
    withMoment(facts, 0, { slot: 9_000_000, time: (UTC + now) / 1000, at: now })
    t.equal(facts.drift, 0)
  }
)

test('a jump of the chain\'s clock: the drift before it holds for what was shown before it, ' +
  'and for nothing else', async t => {
  const { facts, now } = watched({ states: [0, 0], chain: -30 * MINUTE, minutes: 3 })
  const before = (UTC + now) / 1000 - 1800
  const slot = Math.floor(now / 400) + 1_000_000
  const show = (at: number, commitment?: 'finalized') => withMoment(
    facts, 0, { slot: slot + Math.floor((at - now) / 400), time: (UTC + at) / 1000, at }, commitment
  )
  t.equal(ageOf(facts, now, before), 0)
  show(now + 20_000, 'finalized')
  const at = now + 20_000
  t.equal(facts.drift, 0)
  t.equal(ageOf(facts, at, before), 20_000)
  t.equal(ageOf(facts, at, (UTC + now) / 1000 + 5), 15_000, 'a state right after the jump, which nobody had shown')
  for (let later = at; later <= at + 5 * MINUTE; later += 20_000) show(later)
  t.equal(ageOf(facts, at + 5 * MINUTE, before), 5 * MINUTE + 20_000, 'however long ago')
})

test('a jump of the chain\'s clock: the drift is no witness of UTC any more', async t => {
  const wrong = { clock: 30 * MINUTE, dates: [0, 0], states: [0, 0] }
  const { facts, now } = watched({ ...wrong, chain: -30 * MINUTE, minutes: 3 })
  t.same([off(facts), facts.utc.clock, facts.drift > 0], [0, 'refuted', true])
  for (const at of [0, 1]) withMoment(facts, at, { slot: 1_000_500, time: (UTC + now) / 1000, at: now })
  t.same([off(facts), facts.utc.clock, facts.drift], [0, 'refuted', 0])
})

test('a node that catches up by its slots has lagged: no drift holds for what it had shown', async t => {
  const { facts, now } = watched({ states: [-80_000], minutes: 11 })
  const lagging = (UTC + now) / 1000 - 80
  t.equal(ageOf(facts, now, lagging), 0, 'ten minutes in which a balancer says ok')
  withMoment(facts, 0, { slot: Math.floor(now / 400) + 1_000_000, time: (UTC + now) / 1000, at: now })
  t.equal(ageOf(facts, now, lagging), 80_000)
})

test('halted: two hosts or more agree on an old slot; one never shows it', async t => {
  const then = UTC - 84_000
  const cases: Array<[string, Circumstances, boolean]> = [
    ['two hosts', { states: [0, 0], haltedAt: then }, true],
    ['one host', { states: [0], haltedAt: then, minutes: 20 }, false],
    ['two nodes of one host', { states: [0, 0], hosts: ['n', 'n'], haltedAt: then }, false],
    ['two hosts at a slot that is current', { states: [0, 0], haltedAt: UTC - 10_000 }, false],
    ['two hosts that go on alike, behind', { states: [-84_000, -84_000], minutes: 1 }, false]
  ]
  for (const [what, circumstances, is] of cases) {
    const { facts, now } = watched(circumstances)
    t.same(
      haltedAt(facts, now), is ? { slot: Math.floor(-84_000 / 400) + 1_000_000, time: then / 1000 } : undefined, what
    )
  }
})

test('halted: not where a third shows a younger state, nor by nodes that have not been asked of late', async t => {
  const { facts, now } = watched({ states: [0, 0, undefined], haltedAt: UTC - 84_000 })
  t.ok(haltedAt(facts, now))
  t.ok(haltedAt(facts, now + 15_000))
  t.equal(haltedAt(facts, now + 15_001), undefined, 'nobody knows')
  withMoment(facts, 2, { slot: 1_000_000, time: UTC / 1000 - 20, at: now })
  t.equal(haltedAt(facts, now), undefined, 'the others have stopped')
  withMoment(facts, 1, { slot: 1_000_005, time: UTC / 1000 - 18, at: now })
  t.equal(haltedAt(facts, now), undefined, 'one has moved just now')
  for (const at of [0, 1, 2]) {
    withMoment(facts, at, { slot: 1_000_005 + at, time: UTC / 1000 - 18 + at, at: now + 20_000 })
  }
  for (const at of [0, 1, 2]) {
    withMoment(facts, at, { slot: 1_000_005 + at, time: UTC / 1000 - 18 + at, at: now + 40_000 })
  }
  t.match(haltedAt(facts, now + 40_000), { slot: 1_000_007 }, 'a few slots apart is the same place')
})

test('a list is dated by the Clock that was read beside it, the older of the two', async t => {
  const clock = { slot: 1_000, time: 5_000 }
  t.match(momentOfList(1_000, clock, { pace: 0.4 }), { slot: 1_000, time: 5_000 })
  t.same(
    momentOfList(1_003, clock, { pace: 0.4 }),
    { slot: 1_000, time: 5_000, listSlot: 1_003 },
    'the Clock is the older one'
  )
  t.match(momentOfList(990, clock, { pace: 0.4 }), { slot: 990, time: 4_996 })
  t.match(
    momentOfList(990, clock, {}),
    { slot: 990, time: 4_990 },
    'a pace that is not known yet makes it older, never younger'
  )
  t.match(momentOfList(0, clock, { pace: 0.4 }), { slot: 0, time: 4_600 }, 'another backend that is far behind')
  t.match(
    momentOfList(999, clock, { pace: 0.4 }), { slot: 999, time: 4_999 }, 'whole seconds, older rather than younger'
  )
  t.match(
    momentOfList(7, { slot: 2 ** 52, time: 5_000 }, {}),
    { slot: 7, time: 0 },
    'a Clock of nonsense makes no date that is none'
  )
})

test('the pace of a node is that of its last two moments, half a minute apart', async t => {
  const facts = noFacts(['n'], UTC)
  const show = (slot: number, time: number) => withMoment(facts, 0, { slot, time, at: 0 })
  show(1_000, 100)
  show(1_004, 102)
  t.equal(facts.nodes[0]!.pace, undefined, 'a clock that counts whole seconds tells nothing of two')
  show(1_150, 130)
  t.equal(facts.nodes[0]!.pace, 31 / 150, 'never too few seconds: the clock may be a second further')
  show(1_310, 160)
  t.equal(facts.nodes[0]!.pace, 31 / 160)
  show(900, 50)
  t.equal(facts.nodes[0]!.pace, 31 / 160)
})
