import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import type { Sources } from '../../../lib/responses/sources.js'
import { createStream } from '../../../lib/responses/stream.js'
import { createFakeClock } from '../../support/fake-clock.js'

test('signs of life come at one pace, however often the last one has left and another has come', async t => {
  const clock = createFakeClock()
  let wake = () => {}
  const reading = { published: () => ({ slot: 7 }), poolEvents: () => [] }
  const published = async (of: (from: typeof reading) => unknown) => of(reading)
  const stream = createStream({
    sources: { history: { published }, settings: { excluded: new Set() } } as unknown as Sources,
    clock: { ...clock, sleep: () => new Promise(resolve => { wake = resolve }) },
    tickers: async () => { throw new Error('nobody asks for tickers') },
    proposals: async () => [],
    signal: new AbortController().signal,
    onError: error => { t.fail('no error', { error }) }
  })
  async function come () {
    const listener = { isOpen: true, marks: 0, write () { listener.marks++ }, drained: async () => {} }
    const asked = { types: new Set(['trade'] as const), pools: undefined, proposals: undefined, after: undefined }
    await stream.follow(asked, listener)
    await setImmediate()
    return listener
  }
  for (let visit = 0; visit < 5; visit++) {
    const listener = await come()
    listener.isOpen = false
    wake()
    await setImmediate()
    t.equal(clock.timers(), 0, 'for nobody there is none')
    clock.advance(4_000)
  }
  const listener = await come()
  for (let second = 0; second < 150; second++) clock.advance(1_000)
  t.equal(listener.marks, 1 + 10)
})
