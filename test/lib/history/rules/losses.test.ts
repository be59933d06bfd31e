import { test } from 'tap'
import { reachesBeyond, spans, withLoss } from '../../../../lib/history/rules/losses.js'
import type { Loss } from '../../../../lib/history/rules/types.js'

const loss = (
  fromSlot: number, toSlot: number, until: number | null = toSlot * 10
): Loss => ({ fromSlot, toSlot, until })

test('losses are told newest first', t => {
  t.same(withLoss([loss(50, 60), loss(10, 20)], loss(30, 40)).map(({ toSlot }) => toSlot), [60, 40, 20])
  t.same(withLoss([], loss(1, 2)), [loss(1, 2)])
  t.end()
})

test('beyond a hundred the two oldest become one that spans them: nothing lost is forgotten', t => {
  let losses: Loss[] = []
  for (let i = 0; i < 100; i++) losses = withLoss(losses, loss(i * 10, i * 10 + 5))
  t.equal(losses.length, 100)
  t.same(losses.at(-1), loss(0, 5), 'a hundred are kept apart')
  const more = withLoss(losses, loss(2_000, 2_005))
  t.equal(more.length, 100)
  t.same(more.slice(-2), [loss(20, 25), { fromSlot: 0, toSlot: 15, until: 150 }])
  t.same(withLoss(losses, loss(-20, -10)).at(-1), { fromSlot: -20, toSlot: 5, until: 50 }, 'one older than all as well')
  t.end()
})

test('a loss lies within slots where they share one', t => {
  const losses = [loss(10, 20)]
  const within = (fromSlot: number, toSlot: number) => spans({ fromSlot, toSlot }, losses)
  t.same(
    [within(1, 9), within(1, 10), within(12, 13), within(20, 30), within(21, 30)], [false, true, true, true, false]
  )
  t.notOk(spans({ fromSlot: 1, toSlot: 100 }, []))
  t.end()
})

test('a loss reaches beyond a time before its own end, and beyond any where that is not known', t => {
  t.same([99, 100, 101].map(time => reachesBeyond(loss(1, 10, 100), time)), [true, false, false])
  t.ok(reachesBeyond(loss(1, 10, null), 1e9))
  t.end()
})
