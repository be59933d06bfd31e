import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'tap'
import { createSharedTurns, createTurns, inSlices, letGo } from '../../lib/async.js'

test('work is done one piece after the other, in the order in which it was given', async t => {
  const inTurn = createTurns()
  const seen: string[] = []
  const piece = (name: string, ms: number) => inTurn(async () => {
    seen.push(`${name} begins`)
    await wait(ms)
    seen.push(`${name} ends`)
    return name
  })
  t.same(
    await Promise.all([piece('first', 20), piece('second', 0), inTurn(() => 'third')]), ['first', 'second', 'third']
  )
  t.same(seen, ['first begins', 'first ends', 'second begins', 'second ends'])
})

test('a failure reaches the one who gave the work, and holds up nobody', async t => {
  const inTurn = createTurns()
  const failed = inTurn(async () => { throw new Error('no') })
  const thrown = inTurn(() => { throw new Error('at once') })
  const after = inTurn(() => 'done')
  await t.rejects(failed, { message: 'no' })
  await t.rejects(thrown, { message: 'at once' })
  t.equal(await after, 'done')
})

test(
  'what is done together overlaps, what is done alone overlaps nothing, ' +
    'and each waits only for what was given before it',
  async t => {
    const { alone, together } = createSharedTurns()
    const seen: string[] = []
    const done = new EventEmitter()
    const piece = (name: string, after?: string) => async () => {
      seen.push(`${name} begins`)
      await (after === undefined ? wait(5) : once(done, after))
      seen.push(`${name} ends`)
      done.emit(name)
      return name
    }
    const failed = alone(async () => { throw new Error('no') })
    const all = Promise.all([
      together(piece('a', 'b')), together(piece('b')), alone(piece('c')), alone(piece('d')),
      together(piece('e', 'f')), together(piece('f'))
    ])
    await t.rejects(failed, { message: 'no' })
    t.same(await all, ['a', 'b', 'c', 'd', 'e', 'f'])
    t.same(seen, [
      'a begins', 'b begins', 'b ends', 'a ends', 'c begins', 'c ends', 'd begins', 'd ends', 'e begins', 'f begins',
      'f ends', 'e ends'
    ])
    await t.rejects(together(() => { throw new Error('at once') }), { message: 'at once' })
    t.equal(await alone(() => 'done'), 'done')
  }
)

test('long work lets others have their turn, and gives its results in order', async t => {
  let turns = 0
  let over = false
  const others = () => {
    turns++
    if (!over) setImmediate(others)
  }
  setImmediate(others)
  const results = await inSlices([1, 2, 3, 4], item => {
    const until = performance.now() + 10
    while (performance.now() < until);
    return item * 2
  })
  over = true
  t.same(results, [2, 4, 6, 8])
  t.ok(turns >= 3, `${turns} turns of others`)
  await t.rejects(inSlices([1], () => { throw new Error('no') }), { message: 'no' })
})

test('several long works hold the loop no longer at once than one: each has rounds of its own', async t => {
  let [worked, most, over] = [0, 0, false]
  const round = () => {
    most = Math.max(most, worked)
    worked = 0
    if (!over) setImmediate(round)
  }
  const work = () => {
    const until = performance.now() + 5
    while (performance.now() < until);
    worked++
  }
  setImmediate(round)
  await Promise.all([1, 2, 3, 4].map(async () => {
    await letGo()
    await inSlices(new Array(6).fill(0), work)
  }))
  over = true
  t.ok(most <= 4, `${most} pieces of 5 ms in a round`)
})
