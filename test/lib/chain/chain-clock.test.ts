import t from 'tap'
import { createChainClock } from '../../../lib/chain/chain-clock.js'
import { ServiceError } from '../../../lib/errors.js'

/** A chain of one slot a second whose node may stand, lag, or be away. */
function make () {
  let now = 0
  const node = { slot: 1_000, lag: 0, away: false, stands: false, timeless: false }
  const pass = (seconds: number) => { now += seconds * 1000; if (!node.stands) node.slot += seconds }
  const clock = createChainClock({
    clock: { now: () => now, epoch: () => 5_000_000 + now, random: () => 0, sleep: async () => {}, after: () => () => {} },
    reader: {
      finalizedSlot: async () => {
        if (node.away) throw new ServiceError('NODE_UNAVAILABLE', 'away')
        return node.slot - node.lag
      },
      blockTime: async slot => {
        if (node.timeless) throw new ServiceError('NODE_UNAVAILABLE', 'no block time')
        return slot % 10 === 3 ? null : slot
      }
    }
  })
  return { node, pass, clock }
}

t.test('carried on while no node answers, and never set back by one that lags', async t => {
  const { node, pass, clock } = make()
  t.equal(clock.time(), undefined)
  await clock.read()
  t.equal(clock.time(), 1_000_000)
  node.away = true
  pass(700)
  await t.rejects(clock.read(), { code: 'NODE_UNAVAILABLE' })
  t.equal(clock.time(), 1_700_000, 'as far as the chain has come meanwhile')
  node.away = false
  await clock.read()
  pass(90)
  Object.assign(node, { lag: 1_500 })
  await clock.read()
  t.equal(clock.time(), 1_790_000)
})

t.test('stands where the chain stands, and goes on with it', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  node.stands = true
  pass(60)
  await clock.read()
  pass(60)
  t.equal(clock.time(), 1_060_000)
  await clock.read()
  t.equal(clock.time(), 1_060_000)
  node.stands = false
  pass(60)
  await clock.read()
  t.equal(clock.time(), 1_060_000, 'the slot it shows now is sixty seconds on from where it stood')
  pass(5)
  t.equal(clock.time(), 1_065_000)
})

t.test('while it goes on after it stood, and nobody says how far it is, there is no time', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  node.stands = true
  pass(300)
  await clock.read()
  Object.assign(node, { stands: false, timeless: true })
  pass(30)
  await t.rejects(clock.read(), { code: 'NODE_UNAVAILABLE' })
  t.equal(clock.time(), undefined, 'windows that ended where it stood would keep what is new out')
  t.equal(clock.offset(), undefined)
  node.timeless = false
  await clock.read()
  t.equal(clock.time(), 1_030_000)
})

t.test('a slot seen elsewhere ends the time at which it stood, until one from there on has been read', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  clock.note(1_005)
  t.equal(clock.time(), 1_000_000, 'a clock that does not stand goes on by itself')
  node.stands = true
  pass(300)
  await clock.read()
  clock.note(1_000)
  t.equal(clock.time(), 1_300_000, 'no further than where it stands')
  clock.note(1_030)
  t.equal(clock.time(), undefined, 'windows would end where it stood, and the head is past that')
  pass(40)
  await clock.read()
  t.equal(clock.time(), undefined, 'this node still stands')
  clock.note(1_100)
  pass(40)
  await clock.read()
  t.equal(clock.time(), undefined, 'and the others go on')
  node.slot = 1_031
  await clock.read()
  t.equal(clock.time(), 1_031_000, 'so near is near enough')
})

t.test('a reading that was under way when the chain went on is not taken for where it is', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  node.stands = true
  pass(300)
  await clock.read()
  const reading = clock.read()
  await Promise.resolve()
  clock.note(1_200)
  await reading
  t.equal(clock.time(), undefined)
  node.slot = 1_201
  await clock.read()
  t.equal(clock.time(), 1_201_000)
})

t.test('a slot that nobody has seen again is forgotten', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  node.stands = true
  pass(300)
  await clock.read()
  clock.note(2_000)
  pass(61)
  await clock.read()
  t.equal(clock.time(), 1_000_000)
})

t.test('once it is started, it reads at once where the chain has gone on to', async t => {
  const times: number[] = []
  const node = { slot: 1_000 }
  const timers: Array<() => void> = []
  let now = 0
  const clock = createChainClock({
    clock: { now: () => now, epoch: () => now, random: () => 0, sleep: async () => {}, after: (_, work) => { timers.push(work); return () => { timers.splice(timers.indexOf(work), 1) } } },
    reader: { finalizedSlot: async () => { times.push(now); return node.slot }, blockTime: async slot => slot }
  })
  const settled = () => new Promise(resolve => { setImmediate(resolve) })
  clock.start()
  await settled()
  now = 60_000
  timers.pop()!()
  await settled()
  node.slot = 1_150
  now = 61_000
  clock.note(1_150)
  clock.note(1_151)
  await settled()
  t.same([times, clock.time(), timers.length], [[0, 60_000, 61_000], 1_150_000, 1], 'once, and one timer')
  clock.stop()
  t.same(timers, [])
})

t.test('a lower slot is believed once nothing higher has been seen for long', async t => {
  const { node, pass, clock } = make()
  await clock.read()
  node.lag = 900
  for (let minute = 0; minute < 9; minute++) {
    pass(60)
    await clock.read()
  }
  t.equal(clock.time(), 1_540_000)
  pass(61)
  await clock.read()
  t.equal(clock.time(), (1_601 - 900) * 1000)
})
