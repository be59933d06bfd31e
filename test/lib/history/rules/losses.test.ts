import { test } from 'tap'
import { lossOf, spans, withLoss } from '../../../../lib/history/rules/losses.js'
import type { IndexedRange, Loss } from '../../../../lib/history/rules/rows.js'

const loss = (
  fromSlot: number, toSlot: number, until: number | null = toSlot * 10
): Loss => ({ fromSlot, toSlot, until })

test('losses are told newest first', t => {
  t.same(withLoss([loss(50, 60), loss(10, 20)], loss(30, 40)).map(({ toSlot }) => toSlot), [60, 40, 20])
  t.same(withLoss([], loss(1, 2)), [loss(1, 2)])
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

test('what is missing after the oldest that is stored above a loss does not lie within it', t => {
  const range = (oldestSlot: number, newestSlot: number): IndexedRange =>
    ({ newest: 'b', newestSlot, oldest: 'a', oldestSlot, oldestTime: oldestSlot * 10, anchor: null })
  const lost = (until: IndexedRange, above: IndexedRange) => lossOf({ index: 0, above, until })!
  const losses = [lost(range(10, 50), range(90, 200))]
  t.equal(losses[0]!.until, 900)
  t.ok(spans({ fromSlot: 50, toSlot: 90 }, losses), 'also where its last slot is cut')
  t.notOk(spans({ fromSlot: 90, toSlot: 95 }, losses))
  t.notOk(spans({ fromSlot: 90, toSlot: 90 }, losses))
  t.ok(spans({ fromSlot: 50, toSlot: 50 }, [lost(range(10, 50), range(50, 200))]), 'within one slot')
  t.equal(lossOf({ index: 0, above: range(90, 200), until: undefined }), undefined, 'the beginning')
  t.end()
})
