import { test } from 'tap'
import { createSlotWatch, type SlotWatch, withSlotWatch } from '../../../lib/chain/slots.js'
import { createFakeClock } from '../../support/fake-clock.js'

const HOUR = 9_000   // slots, of the 400 ms that are taken for their length until it has been measured
const OPTIONS = { priority: 'live', signal: new AbortController().signal } as const

/** A watch that has been shown the slots one after the other, every four seconds. */
function watchAfter (slots: readonly number[]): { watch: SlotWatch, clock: ReturnType<typeof createFakeClock> } {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  for (const slot of slots) {
    watch.see(0, slot)
    clock.advance(4_000)
  }
  return { watch, clock }
}

test('a node too far behind the furthest is refused', async t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  const shown: unknown[] = [0, 0]
  const [a, b] = [0, 1].map(index => {
    const send = withSlotWatch(async calls => calls.map(() => ({ result: { context: { slot: shown[index] } } })), { host: 'h', index, watch })
    return async () => (await send([{ method: 'getBalance', params: [] }], OPTIONS))[0]
  })
  shown[0] = 1_000
  shown[1] = 850
  t.match(await a!(), { result: Object })
  t.match(await b!(), { result: Object }, 'a minute behind is near enough')
  clock.advance(5_001)
  shown[1] = 849
  t.match(await b!(), { error: { code: 'NODE_UNAVAILABLE', message: /^node h is behind the other nodes by 60 s/ } })
  shown[1] = 1_100
  t.match(await b!(), { result: Object })
  t.match(await a!(), { result: Object })
  clock.advance(60_001)
  shown[1] = 10
  t.match(await b!(), { result: Object }, 'what was said a minute ago does not hold')
  for (const odd of [null, 5, {}, { context: {} }, { context: { slot: 'x' } }]) {
    const [reply] = await withSlotWatch(async () => [{ result: odd }], { host: 'h', index: 0, watch })([{ method: 'x', params: [] }], OPTIONS)
    t.strictSame(reply, { result: odd }, 'what states none passes')
  }
})

test('a slot that can\'t be is a wrong answer and no mark', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  t.equal(watch.see(0, 1_000), 'good')
  clock.advance(1_000)
  t.equal(watch.see(0, 1_000 + 2 * HOUR), 'impossible')
  t.equal(watch.see(1, 10 ** 12), 'impossible')
  t.equal(watch.see(1, 1_002), 'good')
  t.equal(watch.see(0, 1_003), 'good')
  t.equal(watch.see(0, 1_003 + HOUR - 10), 'good', 'less than an hour')
  t.end()
})

test('after a minute without another slot a far one is believed: the process may have slept', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  watch.see(0, 1_000)
  clock.advance(30_000)
  t.equal(watch.see(0, 100_000), 'impossible')
  clock.advance(31_000)
  t.equal(watch.see(0, 100_077), 'good')
  t.end()
})

test('a first slot that was far too high holds against nobody', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  t.equal(watch.see(0, 10 ** 9), 'good', 'nothing is known yet')
  t.equal(watch.see(1, 500), 'good')
  t.equal(watch.see(0, 501), 'good')
  t.equal(watch.see(0, 10 ** 9 + 1), 'impossible')
  t.end()
})

test('a node that stands is passed over while another moves, and no longer', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  for (let slot = 1_000; slot < 1_040; slot += 5) {
    watch.see(0, 1_000)
    watch.see(1, slot)
    clock.advance(2_000)
  }
  t.ok(watch.passedOver(0))
  t.notOk(watch.passedOver(1))
  t.equal(watch.standing(), undefined, 'one moves')
  watch.see(0, 1_041)
  t.notOk(watch.passedOver(0), 'it moves again')
  t.end()
})

test('a node that is ten seconds behind is passed over, and what it shows is as old as that', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  watch.see(0, 1_000)
  t.equal(watch.pastMs(900), 40_000, 'a hundred slots ago')
  t.equal(watch.pastMs(1_000), 0)
  clock.advance(2_000)
  t.equal(watch.pastMs(1_000), 0, 'nothing further has been seen')
  watch.see(1, 1_025)
  t.notOk(watch.passedOver(0), 'eight seconds, and asked two seconds before the other')
  t.equal(watch.pastMs(1_000), 10_000)
  watch.see(0, 1_001)
  watch.see(1, 1_027)
  t.ok(watch.passedOver(0), 'ten and a half seconds')
  clock.advance(1_000)
  t.equal(watch.pastMs(1_001), 11_400)
  clock.advance(60_000)
  t.equal(watch.pastMs(1_001), 0, 'what was seen a minute ago holds against nobody')
  t.end()
})

test('how far a node has moved is not forgotten with its mark: what another shows then is old', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  for (let slot = 1_000; slot <= 1_060; slot += 10) {
    watch.see(0, slot)
    clock.advance(4_000)
  }
  clock.advance(66_000)
  t.equal(watch.see(1, 500), 'good', 'the only one there is')
  t.equal(watch.pastMs(500), 70_000 + 560 * 400)
  t.equal(watch.pastMs(1_060), 0)
  clock.advance(540_001)
  watch.see(1, 1_000)
  t.equal(watch.pastMs(1_000), 0, 'after ten minutes it is what there is')
  t.end()
})

test('how far the chain is stays known where another node behind the same address lags, and so does the length of slots', t => {
  for (const everyMs of [12_000, 30_000]) {
    const clock = createFakeClock()
    const watch = createSlotWatch(clock)
    const begun = clock.now()
    const head = () => 1_000 + (clock.now() - begun) / 400
    for (let i = 0; i < 20; i++) {
      watch.see(0, head())
      clock.advance(4_000)
    }
    for (let i = 0; i < 20; i++) {
      watch.see(0, head())
      clock.advance(everyMs / 2)
      const late = head() - 140
      watch.see(0, late)
      t.equal(watch.pastMs(late), 140 * 400, `${i} times asked, one every ${everyMs / 1000} s`)
      clock.advance(everyMs / 2)
    }
    clock.advance(60_000)
    watch.see(0, head() - 140)
    t.equal(watch.pastMs(head() - 140), 0, 'nobody has shown a newer one for a minute')
  }
  t.end()
})

test('where a node behind the same address lags from the start, how far the chain is shows after twenty seconds', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  const begun = clock.now()
  const head = () => 1_000 + (clock.now() - begun) / 400
  for (let i = 0; i < 4; i++) {
    watch.see(0, head())
    clock.advance(5_500)
    const late = head() - 140
    watch.see(0, late)
    t.equal(watch.pastMs(late), 0, `not proved after ${(clock.now() - begun) / 1000} s`)
  }
  watch.see(0, head())
  clock.advance(5_500)
  watch.see(0, head() - 140)
  t.equal(watch.pastMs(head() - 140), 140 * 400)
  t.end()
})

test('three slots that are far ahead within half a minute prove nothing', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  for (let i = 0; i < 3; i++) {
    watch.see(0, 1_000 + i * 25)
    clock.advance(5_500)
    watch.see(0, 4_000 + i * 25)
    clock.advance(5_500)
  }
  watch.see(0, 1_090)
  clock.advance(5_500)
  watch.see(0, 1_100)
  t.equal(watch.pastMs(1_100), 0)
  t.end()
})

test('a slot that is far past the proved one goes on from nothing', t => {
  const { watch, clock } = watchAfter([1_000, 1_010, 1_020, 1_030, 1_040, 1_050, 1_060])
  watch.see(0, 1_200)
  clock.advance(6_000)
  watch.see(0, 1_085)
  t.equal(watch.pastMs(1_085), 0)
  t.end()
})

test('after an outage the proved slot goes on at the pace of the chain: what lags then shows its age, and a leap beyond it proves nothing', t => {
  for (const [shown, past] of [[1_257, 142 * 400 + 6_000], [1_457, 0]] as const) {
    const { watch, clock } = watchAfter([1_000, 1_010, 1_020, 1_030, 1_040, 1_050, 1_060])
    clock.advance(75_000)
    watch.see(0, 1_100)
    t.equal(watch.pastMs(1_099), 400, 'what a method shows first that lags is no proof of the chain, nor of its pace')
    watch.see(0, shown)
    clock.advance(6_000)
    watch.see(0, 1_115)
    t.equal(watch.pastMs(1_115), past)
  }
  t.end()
})

test('a leap proves nothing, however often it is said', t => {
  const { watch, clock } = watchAfter([1_000, 6_000, 6_010, 6_020])
  clock.advance(61_000)
  t.equal(watch.pastMs(1_100), 0)
  t.end()
})

test('a finalized slot is judged and is no mark; a confirmed one asked for by itself is', async t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  let slot = 1_000
  const send = withSlotWatch(async calls => calls.map(() => ({ result: slot })), { host: 'h', index: 0, watch })
  const ask = async (commitment: string) => (await send([{ method: 'getSlot', params: [{ commitment }] }], OPTIONS))[0]
  await ask('finalized')
  t.equal(watch.of(0), undefined)
  await ask('confirmed')
  t.match(watch.of(0), { slot: 1_000 })
  slot = 801
  t.match(await ask('finalized'), { result: 801 }, 'less than eighty seconds, finality included')
  slot = 799
  t.match(await ask('finalized'), { error: { code: 'NODE_UNAVAILABLE', message: /^node h has a finalized slot that is behind by 80 s/, cause: { reason: 'finality' } } }, 'its accounts are as good as before')
  slot = 1_000 + 2 * HOUR
  t.match(await ask('finalized'), { error: { code: 'NODE_BAD_ANSWER' } })
})

test('where two nodes agree and none moves the chain has halted; one alone stands', t => {
  for (const [count, halted] of [[2, true], [1, false]] as const) {
    const clock = createFakeClock()
    const watch = createSlotWatch(clock)
    const begun = clock.now()
    for (let i = 0; i < 6; i++) {
      for (let node = 0; node < count; node++) watch.see(node, 1_000)
      if (i < 5) t.equal(watch.standing(), undefined)
      if (i < 5) clock.advance(2_000)
    }
    t.strictSame(watch.standing(), { since: begun, halted })
    t.notOk(watch.passedOver(0), 'there is none to prefer')
    watch.see(0, 1_001)
    t.equal(watch.standing(), undefined)
  }
  t.end()
})

test('a node that comes back while the chain stands shows no movement, unless it shows a newer slot', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  const begun = clock.now()
  for (let i = 0; i < 10; i++) {
    for (const node of [0, 1]) watch.see(node, 1_000)
    clock.advance(2_000)
  }
  watch.see(2, 1_000)
  t.strictSame(watch.standing(), { since: begun, halted: true })
  watch.see(2, 1_001)
  t.equal(watch.standing(), undefined)
  t.end()
})

test('the length of slots is measured: what is a minute on one cluster is less on another', t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  for (let i = 0; i < 60; i++) {
    watch.see(0, 1_000 + i * 10)
    clock.advance(1_000)
  }
  t.equal(watch.see(1, 1_590 - 590), 'good', '590 slots of 100 ms')
  t.equal(watch.see(2, 900), 'behind')
  t.end()
})
