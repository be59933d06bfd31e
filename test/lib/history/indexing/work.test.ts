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
    // no time passes: a pause never ends by itself
    sleep: (_ms: number, signal?: AbortSignal | null) => new Promise<void>((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason))
    })
  }
  let isDown = true
  let tries = 0
  const task = createTask(async () => {
    tries++
    if (isDown) throw badAnswer('down')
    // it reads the accounts itself
    lane.again()
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
  t.same([tries, task.failures], [2, 0], 'and once')
  lane.again()
  await loop()
  t.equal(tries, 2, 'only what has failed')
  ending.abort()
  await running
})
