import { test } from 'tap'
import type { ServiceError } from '../../../lib/errors.js'
import { withBreaker } from '../../../lib/chain/breaker.js'
import { failAll, httpError, networkError, nodeError, rpcError } from '../../../lib/chain/node-errors.js'
import type { Call, SendOptions } from '../../../lib/chain/types.js'
import { createFakeClock } from '../../support/fake-clock.js'

const OPTIONS = { priority: 'live', signal: new AbortController().signal } as const
const calls = (count: number): Call[] => Array.from({ length: count }, (_, i) => ({ method: 'getSlot', params: [i] }))
const down = networkError('h', new Error('x'))

/** A breaker before a node that gives `error`, or answers; a call may be kept from its end. */
function setUp ({ failures = 1, chance = 1 } = {}) {
  const clock = createFakeClock(chance)
  const node = { error: undefined as ServiceError | undefined, sizes: [] as number[], hold: Promise.resolve() }
  const breaker = withBreaker(async calls => {
    const { error, hold } = node
    node.sizes.push(calls.length)
    await hold
    return error === undefined ? calls.map(() => ({ result: 1 })) : failAll(calls, error)
  }, { host: 'h', clock, failures })
  const ask = async (error?: ServiceError, count = 1, options: SendOptions = OPTIONS) => {
    node.error = error
    return await breaker.send(calls(count), options)
  }
  /** How long it is open from now on, ms; afterwards it is not. */
  const pause = () => {
    const from = clock.now()
    while (breaker.state() === 'open') clock.advance(100)
    return clock.now() - from
  }
  return { clock, node, ask, pause, state: breaker.state }
}

test('opens after failures in a row, then lets one probe through, which closes it', async t => {
  const { node, ask, pause, state } = setUp({ failures: 3 })
  for (const error of [down, down, undefined, down, down]) await ask(error)
  t.equal(state(), 'closed', 'a success between begins the count anew')
  await ask(down)
  t.equal(state(), 'open')
  t.equal(pause(), 500)
  t.equal(state(), 'half-open')
  let go = () => {}
  node.hold = new Promise(resolve => { go = resolve })
  const probe = ask()
  t.match(await ask(), [{ error: { code: 'BREAKER_OPEN', retryAfter: 1 } }], 'a second one must wait for the verdict')
  go()
  t.strictSame(await probe, [{ result: 1 }])
  t.equal(state(), 'closed')
  await ask(down)
  t.equal(state(), 'closed')
})

test('a failed probe opens it for twice as long, up to the longest pause', async t => {
  const { ask, pause } = setUp()
  const pauses = []
  for (let i = 0; i < 5; i++) {
    await ask(down)
    pauses.push(pause())
  }
  t.strictSame(pauses, [500, 1_000, 2_000, 2_000, 2_000])
  await ask()
  await ask(down)
  t.equal(pause(), 500, 'closed in between, it begins with the first pause')
  const jittered = setUp({ chance: 0 })
  await jittered.ask(down)
  t.equal(jittered.pause(), 300)
})

test('a probe whose caller goes away leaves the place to the next', async t => {
  const { ask, pause, state } = setUp()
  await ask(down)
  pause()
  await ask(down, 1, { ...OPTIONS, signal: AbortSignal.abort() })
  t.equal(state(), 'half-open')
  t.strictSame(await ask(), [{ result: 1 }])
})

test('verdicts on calls of an earlier state are ignored', async t => {
  const { node, ask, pause, state } = setUp()
  let go = () => {}
  node.hold = new Promise(resolve => { go = resolve })
  const late = [ask(), ask(down)]
  node.hold = Promise.resolve()
  await ask(down)
  go()
  await Promise.all(late)
  t.equal(state(), 'open')
  t.equal(pause(), 500)
})

test('the layer: BREAKER_OPEN at once, with the seconds to wait', async t => {
  const { node, ask, pause, state } = setUp()
  const refused = nodeError('h', 'refused', 'refused')
  for (const error of [
    httpError('h', 400), httpError('h', 413), httpError('h', 422), rpcError('h', -32603), httpError('h', 429), refused
  ]) {
    t.strictSame(await ask(error), [{ error }])
  }
  t.strictSame(await ask(down, 1, { ...OPTIONS, signal: AbortSignal.abort() }), [{ error: down }])
  t.equal(state(), 'closed', 'none of these speaks against the node')

  for (let probes = 0; probes < 2; probes++) {
    await ask(down)
    pause()
  }
  node.sizes.length = 0
  t.strictSame(await ask(down), [{ error: down }])
  t.match(await ask(down, 2), calls(2).map(() => ({
    error: { code: 'BREAKER_OPEN', retryAfter: 2, message: 'node h has been failing and is not asked for now' }
  })))
  t.strictSame(node.sizes, [1])
})

test('what speaks against the node', async t => {
  for (const error of [httpError('h', 401), httpError('h', 404), httpError('h', 500), rpcError('h', -32005)]) {
    const { ask, state } = setUp()
    await ask(error)
    t.equal(state(), 'open', error.message)
  }
})
