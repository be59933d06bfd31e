import { test } from 'tap'
import { createBreaker, withBreaker } from '../../../lib/chain/breaker.js'
import { httpError, networkError, nodeError, rpcError } from '../../../lib/chain/node-errors.js'
import { failAll, type Call } from '../../../lib/chain/rpc.js'
import { createFakeClock } from '../../support/fake-clock.js'

const options = { failures: 3, openMs: 1_000, maxOpenMs: 5_000 }

test('opens after failures in a row, then lets one probe through, which closes it', t => {
  const clock = createFakeClock(1)
  let opened = 0
  const breaker = createBreaker({ ...options, clock, onOpen: () => opened++ })
  const verdicts = ['bad', 'bad', 'good', 'bad', 'bad'] as const
  for (const verdict of verdicts) breaker.enter()!(verdict)
  t.equal(breaker.state(), 'closed', 'a success between begins the count anew')
  breaker.enter()!('bad')
  t.equal(breaker.state(), 'open')
  t.equal(opened, 1)
  t.equal(breaker.enter(), undefined)
  t.equal(breaker.wait(), 1_000)
  clock.advance(1_000)
  t.equal(breaker.state(), 'half-open')
  const probe = breaker.enter()!
  t.equal(breaker.enter(), undefined, 'a second one must wait for the verdict')
  probe('good')
  t.equal(breaker.state(), 'closed')
  t.equal(breaker.wait(), 0)
  breaker.enter()!('bad')
  t.equal(breaker.state(), 'closed')
  t.end()
})

test('a failed probe opens it for twice as long, up to the longest pause', t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, clock })
  const pauses = []
  for (let i = 0; i < 5; i++) {
    breaker.enter()!('bad')
    pauses.push(breaker.wait())
    clock.advance(breaker.wait())
  }
  t.strictSame(pauses, [1_000, 2_000, 4_000, 5_000, 5_000])
  breaker.enter()!('good')
  breaker.enter()!('bad')
  t.equal(breaker.wait(), 1_000, 'closed in between, it begins with the first pause')
  t.equal(createJittered(0), 500)
  t.end()
})

function createJittered (chance: number): number {
  const breaker = createBreaker({ ...options, failures: 1, clock: createFakeClock(chance) })
  breaker.enter()!('bad')
  return breaker.wait()
}

test('a probe whose caller goes away leaves the place to the next', t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, clock })
  breaker.enter()!('bad')
  clock.advance(1_000)
  breaker.enter()!('unknown')
  t.equal(breaker.state(), 'half-open')
  t.ok(breaker.enter())
  t.end()
})

test('verdicts on calls of an earlier state are ignored', t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, clock })
  const [first, late, later] = [breaker.enter()!, breaker.enter()!, breaker.enter()!]
  first('bad')
  late('good')
  t.equal(breaker.state(), 'open')
  later('bad')
  t.equal(breaker.wait(), 1_000)
  t.end()
})

const OPTIONS = { priority: 'live', signal: new AbortController().signal } as const
const calls = (count: number): Call[] => Array.from({ length: count }, (_, i) => ({ method: 'getSlot', params: [i] }))

test('the layer: BREAKER_OPEN at once, with the seconds to wait', async t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, openMs: 1_500, clock })
  let asked = 0
  let error = httpError('h', 400)
  const send = withBreaker(async calls => { asked++; return failAll(calls, error) }, { breaker, host: 'h' })
  const refused = nodeError('NODE_UNAVAILABLE', 'refused', { host: 'h', reason: 'refused' })
  for (error of [httpError('h', 400), httpError('h', 413), httpError('h', 422), rpcError('h', -32603), httpError('h', 429), refused]) {
    t.strictSame(await send(calls(1), OPTIONS), [{ error }])
  }
  t.strictSame(await send(calls(1), { ...OPTIONS, signal: AbortSignal.abort() }), [{ error }])
  t.equal(breaker.state(), 'closed', 'none of these speaks against the node')

  asked = 0
  error = networkError('h', new Error('x'))
  t.strictSame(await send(calls(1), OPTIONS), [{ error }])
  t.match(await send(calls(2), OPTIONS), calls(2).map(() => ({ error: { code: 'BREAKER_OPEN', retryAfter: 2, message: 'node h has been failing and is not asked for now' } })))
  t.equal(asked, 1)
})

test('a probe is one call; the others follow when it has gone well', async t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, clock })
  breaker.enter()!('bad')
  clock.advance(1_000)
  const sizes: number[] = []
  let good = false
  const send = withBreaker(async calls => { sizes.push(calls.length); return good ? calls.map(() => ({ result: 1 })) : failAll(calls, networkError('h', new Error('x'))) }, { breaker, host: 'h' })
  t.equal((await send(calls(5), OPTIONS)).filter(reply => 'error' in reply).length, 5)
  good = true
  clock.advance(2_000)
  t.equal((await send(calls(5), OPTIONS)).filter(reply => 'result' in reply).length, 5)
  t.strictSame(sizes, [1, 1, 4])
})

test('what speaks against the node', async t => {
  for (const error of [httpError('h', 401), httpError('h', 404), httpError('h', 500), rpcError('h', -32005)]) {
    const breaker = createBreaker({ ...options, failures: 1, clock: createFakeClock() })
    await withBreaker(async calls => failAll(calls, error), { breaker, host: 'h' })(calls(1), OPTIONS)
    t.equal(breaker.state(), 'open', error.message)
  }
})
