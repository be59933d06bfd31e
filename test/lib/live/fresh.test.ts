import { test } from 'tap'
import { createFreshCache } from '../../../lib/live/fresh.js'

function setUp (staleIfError = 60_000) {
  const source = { loads: 0, fails: false, time: 1_000_000, hold: undefined as Promise<void> | undefined, haltedMs: 0 }
  const failures: unknown[] = []
  const cache = createFreshCache<string, string>({
    load: async key => {
      const number = ++source.loads
      await source.hold
      if (source.fails) throw new Error('the source is away')
      return `${key}${number}`
    },
    ttl: 10_000,
    staleIfError,
    max: 2,
    now: () => source.time,
    haltedMs: () => source.haltedMs,
    onFailure: error => failures.push(error)
  })
  return { cache, source, failures }
}

test('500 who ask at once make one load', async t => {
  const { cache, source } = setUp()
  const answers = await Promise.all(Array.from({ length: 500 }, () => cache.get('a')))
  t.equal(source.loads, 1)
  t.ok(answers.every(({ value }) => value === 'a1'))
})

test('spec 8: a value is kept for its lifetime, and says what is left of it', async t => {
  const { cache, source } = setUp()
  await cache.get('a')
  source.time += 4_000
  t.same(await cache.get('a'), { value: 'a1', age: 4_000, left: 6_000 })
  source.time += 6_000
  t.same(await cache.get('a'), { value: 'a2', age: 0, left: 10_000 })
})

test('while the chain stands a value is served for so much longer, and one that was too old before is not', async t => {
  const { cache, source } = setUp()
  await cache.get('a')
  source.fails = true
  source.time += 600_000
  source.haltedMs = 530_001
  t.match(await cache.get('a'), { value: 'a1', age: 600_000 })
  source.haltedMs = 530_000
  await t.rejects(cache.get('a'))
})

test('near the end of its life it is renewed behind the back of who asks', async t => {
  const { cache, source } = setUp()
  await cache.get('a')
  source.time += 8_500
  t.equal((await cache.get('a')).value, 'a1')
  await cache.get('a', 0)
  t.equal(source.loads, 2, 'the renewal under way was joined')
  t.equal((await cache.get('a')).value, 'a2')
})

test('when loads fail the last value is served, stale, for a while and no longer', async t => {
  const { cache, source, failures } = setUp()
  await cache.get('a')
  source.fails = true
  source.time += 30_000
  t.same(await cache.get('a'), { value: 'a1', age: 30_000, left: 0 })
  t.equal(failures.length, 1)
  source.time += 500
  t.equal((await cache.get('a')).left, 0)
  t.equal(source.loads, 2, 'a second has not passed since the failure: not tried again')
  source.time += 39_499
  t.equal((await cache.get('a')).age, 69_999)
  source.time += 1
  await t.rejects(cache.get('a'), { message: 'the source is away' })
  source.fails = false
  source.time += 1_000
  t.equal((await cache.get('a')).age, 0, 'it recovers at once')
})

test('without a last value a failure is a failure', async t => {
  const { cache, source } = setUp(0)
  source.fails = true
  await t.rejects(cache.get('a'))
  source.fails = false
  t.equal((await cache.get('a')).value, 'a2')
})

test('it is bounded', async t => {
  const { cache } = setUp()
  for (const key of ['a', 'b', 'c']) await cache.get(key)
  t.equal(cache.peek('a'), undefined)
  t.equal(cache.peek('c')?.value, 'c3')
})
