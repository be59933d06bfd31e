import { test } from 'tap'
import { createLine } from '../../lib/line.js'
import { createFakeClock } from '../support/fake-clock.js'

/** Work that ends when it is told to. */
function held () {
  let end = () => {}
  const ended = new Promise<void>(resolve => { end = resolve })
  return { work: () => ended, end }
}

const nextRound = () => new Promise<void>(resolve => { setImmediate(resolve) })

/** Each piece begins in a round of its own. */
async function settled (): Promise<void> {
  for (let round = 0; round < 10; round++) await nextRound()
}

test('few pieces of work at once, few of one client, and who waits beyond the line is refused', async t => {
  const line = createLine({ atOnce: 3, each: 2, waiting: 3, waitingEach: 2 })
  const began: string[] = []
  const start = (name: string, who: string) => {
    const { work, end } = held()
    const done = line.run(who, async () => { began.push(name); await work() })
    return { end, done }
  }
  const [a1, a2] = [start('a1', 'a'), start('a2', 'a')]
  start('a3', 'a')
  start('a4', 'a')
  await settled()
  t.same(began, ['a1', 'a2'])
  await t.rejects(line.run('a', () => {}), { code: 'OVERLOADED', retryAfter: 2 }, 'two of a client may wait')
  start('b1', 'b')
  await settled()
  t.same(began, ['a1', 'a2', 'b1'], 'another client is let in')
  const b2 = start('b2', 'b')
  await t.rejects(line.run('c', () => {}), { code: 'OVERLOADED' }, 'three of all')
  const admitted = line.run('c', () => 'admitted', 'admitted')
  b2.end()
  a1.end()
  await b2.done
  t.equal(await admitted, 'admitted')
  t.same(began.slice(0, 4), ['a1', 'a2', 'b1', 'b2'], 'who has had nothing yet comes first')
  a2.end()
  await a2.done
  await settled()
  t.same(began.slice(4), ['a3', 'a4'])
})

test('who has had least lately comes first, and what was had is forgotten', async t => {
  const clock = createFakeClock()
  const line = createLine({ atOnce: 1, each: 1, waiting: 10, waitingEach: 10, clock })
  await line.run('greedy', () => clock.advance(600))
  await line.run('modest', () => clock.advance(100))
  t.same(['greedy', 'modest', 'other'].map(line.isGreedy), [true, false, false])
  const { work, end } = held()
  const first = line.run('other', work)
  const order: string[] = []
  const waiting = ['greedy', 'greedy', 'modest', 'new'].map(who => line.run(who, () => { order.push(who) }))
  end()
  await Promise.all([first, ...waiting])
  t.same(order, ['new', 'modest', 'greedy', 'greedy'])
  clock.advance(20_000)
  t.notOk(line.isGreedy('greedy'), 'what is little is nobody\'s greed')
})

test('others have the loop between two pieces of work', async t => {
  const line = createLine({ atOnce: 2, each: 2, waiting: 4, waitingEach: 4 })
  const told: string[] = []
  const pieces = ['first', 'second'].map(name => line.run('a', () => { told.push(name) }))
  async function others (): Promise<void> {
    for (let round = 0; round < 4; round++) {
      await nextRound()
      told.push('others')
    }
  }
  await Promise.all([...pieces, others()])
  t.not(told.indexOf('second'), told.indexOf('first') + 1)
})

test('what fails gives back its turn', async t => {
  const line = createLine({ atOnce: 1, each: 1, waiting: 1, waitingEach: 1 })
  await t.rejects(line.run('a', async () => { throw new Error('no') }), { message: 'no' })
  await t.rejects(line.run('a', () => { throw new Error('at once') }), { message: 'at once' })
  t.equal(await line.run('a', () => 'done'), 'done')
})

test('who waits longer than an answer may take is refused, but for one that has begun', async t => {
  const clock = createFakeClock()
  const line = createLine({ atOnce: 1, each: 1, waiting: 3, waitingEach: 1, clock })
  const end = await line.enter('a')
  const begun = line.run('a', () => 'done', 'admitted')
  const refused = t.rejects(line.enter('b'), { code: 'OVERLOADED', retryAfter: 2 })
  clock.advance(9_000)
  const later = line.run('c', () => 'in time')
  clock.advance(1_000)
  await refused
  end()
  t.same(await Promise.all([begun, later]), ['done', 'in time'])
  t.equal(clock.timers(), 0)
})
