import { test } from 'tap'
import { countingSleep, sleepUntil, systemClock } from '../../lib/clock.js'

const HOUR = 3_600_000

test('a steady clock counts what the machine slept, and nothing that the wall clock was set by', async t => {
  let [monotonic, wall, sinceBoot, reads] = [500, 1_700_000_000_000, 90_000, 0]
  const pass = (ms: number): void => {
    monotonic += ms
    wall += ms
    sinceBoot += ms
  }
  const sleep = (ms: number): void => {
    wall += ms
    sinceBoot += ms
  }
  const now = countingSleep(() => monotonic, () => wall, () => {
    reads++
    return Math.floor(sinceBoot / 10) / 100
  })
  t.equal(now(), 500)
  pass(1_000)
  t.equal(now(), 1_500)
  sleep(3 * HOUR)
  pass(2)
  t.equal(Math.round(now() / 100) * 100, 3 * HOUR + 1_500)
  const before = now()
  t.equal(reads, 2)
  wall += HOUR
  t.equal(now(), before, 'set forward')
  wall -= 2 * HOUR
  t.equal(now(), before, 'set back')
  sleep(20_000)
  pass(5)
  t.equal(Math.round((now() - before) / 100) * 100, 20_000)
  const known = reads
  for (let i = 0; i < 100; i++) now()
  t.equal(reads, known, 'read where the wall clock leaps alone')
})

test('it never goes back', async t => {
  let [monotonic, wall, sinceBoot] = [0, 0, 0]
  const now = countingSleep(() => monotonic, () => wall, () => sinceBoot / 1000)
  let last = now()
  for (let i = 0; i < 2_000; i++) {
    const ms = (i * 7919) % 997
    monotonic += ms
    sinceBoot += ms + (i % 10 === 0 ? 30_000 : 0)
    wall += ((i * 104_729) % 200_003) - 100_000
    const next = now()
    t.ok(next >= last) || t.bailout(`${last} to ${next}`)
    last = next
  }
})

test('a sleep ends with an abort, and hides no other error', async t => {
  const ending = new AbortController()
  const { signal } = ending
  const broken = { sleep: async () => { throw new Error('no timer') } }
  await t.rejects(sleepUntil(broken, 1, signal), { message: 'no timer' })
  await sleepUntil(systemClock, 1, signal)
  const asleep = sleepUntil(systemClock, 3_600_000, signal)
  ending.abort()
  await asleep
  await sleepUntil(systemClock, 3_600_000, signal)
})
