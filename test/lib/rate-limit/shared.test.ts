import { test } from 'tap'
import { MAX_CLIENTS } from '../../../lib/rate-limit/minute-window.js'
import { createSharedCounter, type SharedCounts } from '../../../lib/rate-limit/shared.js'

const MINUTE = 60_000

/** Counts that several processes share as long as `up`, without an engine behind them. */
function sharedBy (replicas: number): SharedCounts & {
  up: boolean
  asked: number
  sums: Map<string, number>
  breaks: boolean
} {
  const sums = new Map<string, number>()
  return {
    up: true,
    asked: 0,
    /** It fails when it is asked. */
    breaks: false,
    replicas,
    sums,
    async add (key) {
      this.asked++
      if (this.breaks) throw new Error('gone')
      sums.set(key, (sums.get(key) ?? 0) + 1)
      return sums.get(key)!
    }
  }
}

const admitted = async (
  counters: ReadonlyArray<{ count (key: string): Promise<{ current: number }> }>, max: number, tries: number
): Promise<number> => {
  let sum = 0
  for (let i = 0; i < tries; i++) if ((await counters[i % counters.length]!.count('a')).current <= max) sum++
  return sum
}

test('processes count together, and who is known to be past the limit costs no question', async t => {
  let time = 10 * MINUTE
  const counts = sharedBy(2)
  const [a, b] = [1, 2].map(
    () => createSharedCounter({ counts, max: () => 5, now: () => time })
  ) as [ReturnType<typeof createSharedCounter>, ReturnType<typeof createSharedCounter>]
  t.same(await a.count('x'), { current: 1, ttl: MINUTE })
  t.equal((await b.count('x')).current, 2)
  t.equal((await a.count('y')).current, 1)
  t.equal(await admitted([a, b], 5, 40), 5)
  t.ok(counts.asked <= 3 + 5 + 2, `${counts.asked} questions`)
  time += MINUTE + 1
  t.same(await a.count('a'), { current: 1, ttl: MINUTE - 1 }, 'the window turns as the minute turns')
  t.same([...counts.sums.keys()], ['10:x', '10:y', '10:a', '11:a'])
})

for (const replicas of [1, 2, 3, 7]) {
  for (const before of [0, 1, 30, 59, 60, 80]) {
    test(`${replicas} processes let no more through when counting together fails after ${before} requests`, async t => {
      const max = 60
      const counts = sharedBy(replicas)
      let time = MINUTE
      const counters = Array.from(
        { length: replicas }, () => createSharedCounter({ counts, max: () => max, now: () => time })
      )
      const first = await admitted(counters, max, before)
      counts.breaks = true
      const then = await admitted(counters, max, 500)
      t.ok(first + then <= max, `${first} and ${then}`)
      t.ok(first + then > max - replicas, `no process keeps more than its rounding: ${first} and ${then}`)
      counts.up = false
      time += MINUTE
      const next = await admitted(counters, max, 500)
      t.ok(next <= max && next > max - replicas, `the next minute: ${next}`)
      counts.up = true
      counts.breaks = false
      t.equal(await admitted(counters, max, 500), 0, 'nothing more in that minute once it works again')
      time += MINUTE
      t.equal(await admitted(counters, max, 500), max)
    })
  }
}

test('requests in flight when counting together ends are counted by the process', async t => {
  const counts = sharedBy(1)
  const counter = createSharedCounter({ counts, max: () => 60, now: () => MINUTE })
  await admitted([counter], 60, 50)
  counts.breaks = true
  const answers = await Promise.all(Array.from({ length: 200 }, () => counter.count('a')))
  t.equal(answers.filter(({ current }) => current <= 60).length, 10)
})

test('a process without an outage of its own keeps to its share too when it is told of one', async t => {
  const counts = sharedBy(3)
  const counter = createSharedCounter({ counts, max: () => 60, now: () => MINUTE })
  counter.tear()
  t.equal(await admitted([counter], 60, 100), 20)
  t.equal(counts.sums.get('1:a'), 20, 'what its share refuses is not counted')
})

test('more processes than requests: one each, for who has not been counted', async t => {
  const counts = sharedBy(9)
  const counters = Array.from({ length: 9 }, () => createSharedCounter({ counts, max: () => 3, now: () => MINUTE }))
  counts.up = false
  t.equal(await admitted(counters, 3, 90), 9)
})

test('memory is bounded: the client not seen for longest is forgotten', async t => {
  const counts = sharedBy(1)
  const counter = createSharedCounter({ counts, max: () => 1, now: () => MINUTE })
  for (let i = 0; i <= MAX_CLIENTS; i++) await counter.count(i === 0 ? 'a' : `b${i}`)
  await counter.count('a')
  t.equal(counts.sums.get('1:a'), 2, 'it is asked about again')
})
