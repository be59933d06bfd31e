import { test } from 'tap'
import { ServiceError } from '../../../../lib/errors.js'
import { createBreaker, withBreaker } from '../../../../lib/chain/transport/breaker.js'
import { httpError, networkError, rpcError } from '../../../../lib/chain/transport/fault.js'
import { createFakeClock } from '../fake-clock.js'

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

test('the wrapper: BREAKER_OPEN at once, with the seconds to wait', async t => {
  const clock = createFakeClock(1)
  const breaker = createBreaker({ ...options, failures: 1, openMs: 1_500, clock })
  let asked = 0
  const errors: Error[] = []
  const fetch = withBreaker(async () => { asked++; return await Promise.reject(errors[0]) }, { breaker, host: 'h' })

  errors[0] = new TypeError('a mistake of ours')
  await t.rejects(fetch('x'), TypeError)
  for (const status of [400, 413, 422]) {
    errors[0] = httpError('h', status)
    await t.rejects(fetch('x'), { code: 'NODE_BAD_ANSWER' })
  }
  errors[0] = rpcError('h', -32603)
  await t.rejects(fetch('x'), { code: 'NODE_BAD_ANSWER' })
  errors[0] = new ServiceError('SHUTTING_DOWN', 'x')
  await t.rejects(fetch('x', { signal: AbortSignal.abort() }), { code: 'SHUTTING_DOWN' })
  t.equal(breaker.state(), 'closed', 'none of these speaks against the node')

  asked = 0
  errors[0] = networkError('h', new Error('x'))
  await t.rejects(fetch('x'), { code: 'NODE_UNAVAILABLE' })
  await t.rejects(fetch('x'), { code: 'BREAKER_OPEN', retryAfter: 2, message: 'node h has been failing and is not asked for now' })
  t.equal(asked, 1)
})

test('what speaks against the node', async t => {
  for (const error of [httpError('h', 401), httpError('h', 404), httpError('h', 500), rpcError('h', -32005), rpcError('h', -32429)]) {
    const breaker = createBreaker({ ...options, failures: 1, clock: createFakeClock() })
    await t.rejects(withBreaker(async () => { throw error }, { breaker, host: 'h' })('x'), error)
    t.equal(breaker.state(), 'open', error.message)
  }
})
