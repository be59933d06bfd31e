import { test } from 'tap'
import type { Commitment, Moment } from '../../../lib/chain/moment.js'
import { aged, createFreshCache, dated, type Part } from '../../../lib/live/fresh.js'
import { ageTime } from '../../support/age-time.js'

function setUp (staleIfError = 60_000) {
  const source = {
    loads: 0,
    fails: false,
    time: 1_000_000,
    hold: undefined as Promise<void> | undefined,
    halted: undefined as Moment | undefined,
    /** States up to this time, Unix seconds, were behind a drift of the chain's clock, ms. */
    jumped: { from: 0, drift: 0 },
    /** How old each part of what is loaded is when it is read, ms. */
    ages: [0],
    commitment: 'confirmed' as Commitment
  }
  const failures: unknown[] = []
  const now = () => source.time
  const time = ageTime(now, () => source.halted)
  const lifetime = {
    ttl: 10_000,
    now,
    time: { ...time, age: (at: number) => time.age(at + (at <= source.jumped.from ? source.jumped.drift / 1000 : 0)) }
  }
  const cache = createFreshCache<string, [key: string, maxAge?: number]>({
    ...lifetime,
    load: async (parts, key) => {
      const number = ++source.loads
      await source.hold
      if (source.fails) throw new Error('the source is away')
      const { ages, commitment, time: readAt } = source
      parts.push(...ages.map((age): Part => ({ time: (readAt - age) / 1000, readAt, commitment })))
      return `${key}${number}`
    },
    keyOf: ([key]) => key,
    maxAgeOf: ([, maxAge]) => maxAge,
    staleIfError,
    max: 2,
    onFailure: error => failures.push(error)
  })
  const get = async (...asked: [key: string, maxAge?: number]) =>
    aged(await dated(parts => cache.get(parts, ...asked)), lifetime)
  return { cache: { ...cache, get }, source, failures }
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
  t.match(await cache.get('a'), { value: 'a1', age: 4_000, left: 6_000 })
  source.time += 6_000
  t.match(await cache.get('a'), { value: 'a2', age: 0, left: 10_000 })
})

test('a state that was current when it was read lives as long as any other, and says how old it is', async t => {
  for (const [commitment, current] of [['confirmed', 15_000], ['finalized', 45_000]] as const) {
    const { cache, source } = setUp()
    Object.assign(source, { commitment, ages: [current] })
    t.match(await cache.get('a'), { value: 'a1', age: current, left: 10_000 })
    source.time += 7_000
    t.match(await cache.get('a'), { value: 'a1', age: current + 7_000, left: 3_000 })
    t.equal(source.loads, 1)
    source.ages = [current + 1_000]
    t.match(
      await cache.get('b'),
      { value: 'b2', age: current + 1_000, left: 0 },
      `${commitment}: an older one is stale from the beginning`
    )
  }
})

test('an answer is as old as its oldest part', async t => {
  const { cache, source } = setUp()
  source.ages = [0, 14_000, 3_000]
  t.match(await cache.get('a'), { age: 14_000, left: 10_000 })
  source.ages = [0, 60_000, 3_000]
  t.match(await cache.get('b'), { age: 60_000, left: 0 })
  source.ages = [0, 80_000]
  await t.rejects(cache.get('c'), { code: 'NODE_UNAVAILABLE', message: 'the newest state is 80 s old' })
})

test(
  'one that all nodes show as old is served with its age, asked for anew each second, until it is too old',
  async t => {
    const { cache, source } = setUp()
    source.ages = [30_000]
    t.match(await cache.get('a'), { value: 'a1', age: 30_000, left: 0 })
    source.time += 900
    await Promise.all(Array.from({ length: 50 }, () => cache.get('a')))
    t.equal(source.loads, 1, 'a second has not passed')
    source.time += 100
    source.ages = [31_000]
    t.match(await cache.get('a'), { value: 'a2', age: 31_000 })
    source.time += 38_999
    source.ages = [69_999]
    t.match(await cache.get('a'), { age: 69_999, left: 0 })
    source.time += 1_000
    source.ages = [70_999]
    await t.rejects(cache.get('a'), { code: 'NODE_UNAVAILABLE', message: 'the newest state is 71 s old' })
    source.time += 1_000
    source.ages = [0]
    t.match(await cache.get('a'), { age: 0, left: 10_000 })
  }
)

test('a state from after a jump of the chain\'s clock is newer, though its age is told without a drift', async t => {
  const { cache, source } = setUp()
  source.ages = [12_000]
  await cache.get('a')
  source.jumped = { from: source.time / 1000 - 12, drift: 12_000 }
  source.time += 11_000
  t.match(await cache.get('a'), { value: 'a2', age: 12_000, left: 10_000 })
})

test('a value never goes back to an older state while the one that is kept may be served', async t => {
  const { cache, source } = setUp()
  source.ages = [1_000]
  await cache.get('a')
  source.time += 12_000
  source.ages = [14_000]
  t.match(await cache.get('a'), { value: 'a1', age: 13_000, left: 0 }, 'what was loaded is of a second before')
  t.equal(source.loads, 2)
  source.time += 2_000
  source.ages = [15_000]
  t.match(await cache.get('a'), { value: 'a3', age: 15_000, left: 10_000 }, 'the same state may come again')
})

test(
  'an older state is taken once nothing younger has been to be had for so long that the kept one may not be served',
  async t => {
    const { cache, source } = setUp(20_000)
    await cache.get('a')
    source.time += 29_000
    source.ages = [29_500]
    t.match(await cache.get('a'), { value: 'a1', age: 29_000 })
    source.time += 1_001
    source.ages = [30_500]
    await t.rejects(cache.get('a'), { code: 'NODE_UNAVAILABLE' }, 'which is too old itself')
    source.time += 1_000
    source.ages = [29_000]
    t.match(await cache.get('a'), { value: 'a4', age: 29_000 })
  }
)

test(
  'while the chain has halted the last state is served with its age, and one that was too old before is not',
  async t => {
    const { cache, source } = setUp()
    await cache.get('a')
    const halt = (secondsAgo: number): void => { source.halted = { slot: 7, time: source.time / 1000 - secondsAgo } }
    source.fails = true
    source.time += 600_000
    halt(530.001)
    t.match(await cache.get('a'), { value: 'a1', age: 600_000 })
    halt(530)
    await t.rejects(cache.get('a'))

    source.fails = false
    source.time += 1_000
    source.ages = [3_600_000]
    halt(3_600)
    t.match(await cache.get('b'), { age: 3_600_000, left: 0 }, 'also the first that is read')
    source.halted = undefined
    source.time += 1_000
    source.ages = [3_601_000]
    await t.rejects(cache.get('b'), { code: 'NODE_UNAVAILABLE' }, 'when it goes on, that is old')
  }
)

test('near the end of its life it is renewed behind the back of who asks', async t => {
  const { cache, source } = setUp()
  await cache.get('a')
  source.time += 8_500
  let arrive = () => {}
  source.hold = new Promise(resolve => { arrive = resolve })
  t.equal((await cache.get('a')).value, 'a1')
  const renewed = cache.get('a', 0)
  arrive()
  t.equal((await renewed).value, 'a2')
  t.equal(source.loads, 2, 'the renewal under way was joined')
  t.equal((await cache.get('a')).value, 'a2')
})

test('when loads fail the last value is served, stale, for a while and no longer', async t => {
  const { cache, source, failures } = setUp()
  await cache.get('a')
  source.fails = true
  source.time += 30_000
  t.match(await cache.get('a'), { value: 'a1', age: 30_000, left: 0 })
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

test('nothing is served that was made of a state which has turned out to be false', async t => {
  const { cache, source } = setUp()
  const { parts: [part] } = await cache.get('a')
  part!.isRefuted = true
  source.fails = true
  await t.rejects(cache.get('a'), { message: 'the source is away' }, 'not within its life either')
  source.time += 1_000
  await t.rejects(cache.get('a'), { message: 'the source is away' })
  source.fails = false
  t.match(await cache.get('a'), { age: 0, left: 10_000 })
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
