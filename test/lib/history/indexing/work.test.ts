import { setImmediate as loop } from 'node:timers/promises'
import { test } from 'tap'
import { createLane, createTask } from '../../../../lib/history/indexing/work.js'
import { badAnswer } from '../../../../lib/errors.js'
import { createFakeClock } from '../../../support/fake-clock.js'

test('what waits after a failure is done once nodes answer, not sooner at a wake-up', async t => {
  const ending = new AbortController()
  const { signal } = ending
  const clock = {
    ...createFakeClock(),
    // a pause that no one ends
    sleep: (_ms: number, signal?: AbortSignal | null) => new Promise<void>((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason))
    })
  }
  let isDown = true
  let tries = 0
  const task = createTask(async () => {
    tries++
    if (isDown) throw badAnswer('down')
    return Infinity
  })
  const lane = createLane([task], { clock, signal, onLog: () => {} })
  const running = lane.run()
  await loop()
  isDown = false
  lane.hasten(task, clock.now())
  await loop()
  t.equal(tries, 1)
  lane.again()
  await loop()
  t.same([tries, task.failures], [2, 0])
  lane.again()
  await loop()
  t.equal(tries, 2, 'only what has failed')
  ending.abort()
  await running
})
