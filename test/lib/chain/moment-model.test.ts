import { test } from 'tap'
import {
  ageOf, CURRENT_MS, type Health, noFacts, withDate, withHealth, withMoment
} from '../../../lib/chain/moment.js'
import { createRandom } from '../../../simulator/random.js'

/**
 * The rules of time over random circumstances, held against the truth that made them: what passes for current was true
 * of late. CIRCUMSTANCES=300000 makes as many as one wishes to wait for, FUZZ_SEED=2 others.
 */

const COUNT = Number(process.env.CIRCUMSTANCES ?? 300)
const UTC = 1_767_225_600_000
const MINUTE = 60_000
const STEP = 10_000
/** Times of the chain and Dates count whole seconds, and right clocks differ by two. */
const INEXACT_MS = 4_000
/** A witness that is further off is wrong. */
const WRONG_MS = 3_000
/** What is current was at most 15 s old as it was read. */
const ALLOWED_MS = 21_000
const HEALTHY_MS = 400
/** From 128 slots on a node calls itself behind. */
const BEHIND_MS = 128 * 200
/** The chain's clock falling behind by thirty minutes in a day. */
const FALLING = 30 / (24 * 60)

const random = createRandom(Number(process.env.FUZZ_SEED ?? 1))
const chance = (share: number): boolean => random.next() < share
const between = (from: number, to: number): number => from + random.next() * (to - from)
/** A clock less UTC, ms: right, or `wrongIn` of them by seconds, which others may agree with, or by minutes. */
const randomClock = (wrongIn: number): number => chance(wrongIn)
  ? between(WRONG_MS, chance(0.5) ? 1.1 * MINUTE : 120 * MINUTE) * (chance(0.5) ? 1 : -1)
  : between(-1_000, 1_000)

/** How old what a node shows is at a time of the steady clock, both ms: healthy, late, stopped, or catching up. */
function randomLag (): (now: number) => number {
  const [kind, late, stops, behind] = [
    random.next(), between(BEHIND_MS, 180 * MINUTE), between(0, 10 * MINUTE), between(MINUTE, 2 * 24 * 60 * MINUTE)
  ]
  if (kind < 0.5) return () => HEALTHY_MS
  if (kind < 0.7) return () => late
  if (kind < 0.85) return now => Math.max(HEALTHY_MS, now - stops)
  return now => Math.max(HEALTHY_MS, behind - 10 * now)
}

const randomNode = (index: number) => ({
  host: `n${index}`,
  lag: randomLag(),
  /** Its Date less UTC, ms; undefined: it sends none. */
  date: chance(0.1) ? undefined : randomClock(0.1),
  says: chance(0.05) ? () => 'unknown' as const : (lag: number): Health => lag < BEHIND_MS ? 'ok' : 'behind'
})

const randomCircumstances = () => ({
  nodes: Array.from({ length: 1 + random.int(3) }, (_, index) => randomNode(index)),
  /** Our clock less UTC, ms. */
  clock: randomClock(0.15),
  /** By how much the chain's clock is behind UTC, ms, and how fast it falls behind. */
  drift: chance(0.25) ? between(15_000, 1_800_000) : between(0, 1_000),
  falling: chance(0.1) ? FALLING : 0,
  /** When its clock jumps to UTC, ms. */
  jumpsAt: chance(0.2) ? between(0, 15 * MINUTE) : Infinity,
  minutes: between(1, 15)
})
type Circumstances = ReturnType<typeof randomCircumstances>

const freshest = ({ nodes }: Circumstances, now: number): number => Math.min(...nodes.map(({ lag }) => lag(now)))

/** Our clock, each Date, and all that is shown of the chain: how many of them are ever wrong. */
function wrongWitnesses (circumstances: Circumstances): number {
  const { clock, nodes, minutes } = circumstances
  const lag = Math.max(freshest(circumstances, 0), freshest(circumstances, minutes * MINUTE))
  return [clock, ...nodes.map(({ date = 0 }) => date), lag].filter(offset => Math.abs(offset) >= WRONG_MS).length
}

/** How old, ms, the oldest state was that passed for current, and how many current ones did not. */
function follow (
  { nodes, clock, drift, falling, jumpsAt, minutes }: Circumstances
): { oldest: number, refused: number } {
  const facts = noFacts(nodes.map(({ host }) => host), UTC + clock)
  let [oldest, refused] = [0, 0]
  for (let now = 0; now <= minutes * MINUTE; now += STEP) {
    const shown: Array<{ age: number, lag: number }> = []
    for (const [index, { date, says, lag: lagAt }] of nodes.entries()) {
      const lag = lagAt(now)
      withDate(facts, index, date === undefined ? undefined : UTC + now + date, now, UTC + now + clock)
      withHealth(facts, index, says(lag), now)
      const behind = now - lag < jumpsAt ? drift + falling * (now - lag) : 0
      const time = Math.floor((UTC + now - lag - behind) / 1000)
      const moment = { slot: 1_000_000_000 + Math.floor((now - lag) / 200), time, at: now }
      if (!withMoment(facts, index, moment)) continue
      shown.push({ age: ageOf(facts, now, time), lag })
    }
    const [youngest] = shown.toSorted((a, b) => a.age - b.age)
    if (youngest === undefined) continue
    if (youngest.age <= CURRENT_MS.confirmed) oldest = Math.max(oldest, youngest.lag)
    else if (youngest.lag <= CURRENT_MS.confirmed - INEXACT_MS) refused++
  }
  return { oldest, refused }
}

test(`in ${COUNT} random circumstances with one wrong witness at most no old state passes for current`, t => {
  let isRefused = 0
  for (let made = 0; made < COUNT;) {
    const circumstances = randomCircumstances()
    const wrong = wrongWitnesses(circumstances)
    if (wrong > 1) continue
    made++
    const { oldest, refused } = follow(circumstances)
    if (oldest > ALLOWED_MS) t.fail(`a state of ${oldest} ms ago passed for current`, circumstances)
    if (refused === 0) continue
    isRefused++
    // but for a drift that nobody knows yet, and a wrong clock beside a single Date
    if (wrong === 0 && circumstances.drift <= 1_000 && circumstances.falling === 0) {
      t.fail('what was current was refused', circumstances)
    }
  }
  t.ok(isRefused > 0 && isRefused < COUNT / 2, `something current was refused in ${isRefused}`)
  t.end()
})
