import { test } from 'tap'
import { createLine } from '../../lib/line.js'

/** Work that ends when it is told to. */
function held () {
  let end = () => {}
  const ended = new Promise<void>(resolve => { end = resolve })
  return { work: () => ended, end }
}

const settled = () => new Promise(resolve => { setImmediate(resolve) })

test('few pieces of work at once, few of one client, and who waits beyond the line is refused', async t => {
  const line = createLine({ atOnce: 3, each: 2, waiting: 3, waitingEach: 2 })
  const began: string[] = []
  const start = (name: string, who: string) => {
    const { work, end } = held()
    const done = line.run(who, async () => { began.push(name); await work() })
    return { end, done }
  }
  const [a1, a2] = [start('a1', 'a'), start('a2', 'a')]
  const [a3, a4] = [start('a3', 'a'), start('a4', 'a')]
  await settled()
  t.same(began, ['a1', 'a2'])
  await t.rejects(line.run('a', () => {}), { code: 'OVERLOADED', retryAfter: 2 }, 'two of a client may wait')
  start('b1', 'b')
  await settled()
  t.same(began, ['a1', 'a2', 'b1'], 'another client is let in')
  const b2 = start('b2', 'b')
  await t.rejects(line.run('c', () => {}), { code: 'OVERLOADED' }, 'three of all')
  const admitted = line.run('c', () => 'admitted', 'admitted')
  a1.end()
  t.equal(await admitted, 'admitted', 'who has nothing in work comes first')
  await a1.done
  t.same(began.slice(3), ['a3'], 'of equals the first')
  for (const { end } of [a2, a3, a4, b2]) end()
  await Promise.all([a2, a3, a4, b2].map(({ done }) => done))
  t.same(began.slice(4), ['a4', 'b2'])
})

test('who has fewest in work comes first, then who came first', async t => {
  const line = createLine({ atOnce: 2, each: 2, waiting: 10, waitingEach: 10 })
  const [first, second] = [held(), held()]
  const begun = [line.run('greedy', first.work), line.run('greedy', second.work)]
  const order: string[] = []
  const waiting = ['greedy', 'greedy', 'modest', 'new'].map(who => line.run(who, () => { order.push(who) }))
  first.end()
  await Promise.all(waiting)
  t.same(order, ['modest', 'new', 'greedy', 'greedy'])
  second.end()
  await Promise.all(begun)
})

test('what fails gives back its turn', async t => {
  const line = createLine({ atOnce: 1, each: 1, waiting: 1, waitingEach: 1 })
  await t.rejects(line.run('a', async () => { throw new Error('no') }), { message: 'no' })
  await t.rejects(line.run('a', () => { throw new Error('at once') }), { message: 'at once' })
  t.equal(await line.run('a', () => 'done'), 'done')
})
