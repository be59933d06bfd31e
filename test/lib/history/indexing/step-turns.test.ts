import { test } from 'tap'
import { createStepTurns } from '../../../../lib/history/indexing/step-turns.js'

function held () {
  let release = () => {}
  const until = new Promise<void>(resolve => { release = resolve })
  return { until, release: () => release() }
}
const turn = async () => await new Promise(resolve => setImmediate(resolve))

test('a reading that meets no step is run once, and holds none up', async t => {
  const { read, change } = createStepTurns()
  const reading = held()
  let [runs, changed] = [0, false]
  const result = read(async () => {
    runs++
    if (runs === 1) await reading.until
    return changed
  })
  await turn()
  await change(async () => { changed = true })
  t.ok(changed, 'the step did not wait for the reading')
  reading.release()
  t.equal(await result, true, 'which is made again, behind the step')
  t.equal(runs, 2)
  t.equal(await read(async () => ++runs), 3)
})

test('a reading given while a step is written begins behind it, and the next step waits for it', async t => {
  const { read, change } = createStepTurns()
  const [step, reading] = [held(), held()]
  const order: string[] = []
  const first = change(async () => { await step.until; order.push('step') })
  await turn()
  const looked = read(async () => { order.push('reading'); await reading.until; order.push('read') })
  const second = change(async () => { order.push('next step') })
  await turn()
  t.same(order, [])
  step.release()
  await first
  await turn()
  reading.release()
  await Promise.all([looked, second])
  t.same(order, ['step', 'reading', 'read', 'next step'])
})

test('what fails is thrown to the one who gave it, and to no other', async t => {
  const { read, change } = createStepTurns()
  await t.rejects(read(async () => { throw new Error('unread') }), { message: 'unread' })
  await t.rejects(change(async () => { throw new Error('unwritten') }), { message: 'unwritten' })
  t.equal(await read(async () => 1), 1, 'a step that failed is over too')
  await change(async () => {})
})

test('a reading that failed on the rows of half a step is made again', async t => {
  const { read, change } = createStepTurns()
  const reading = held()
  let runs = 0
  const result = read(async () => {
    if (++runs > 1) return 'whole'
    await reading.until
    throw new Error('half')
  })
  await turn()
  await change(async () => {})
  reading.release()
  t.equal(await result, 'whole')
})
