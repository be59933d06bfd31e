import { test } from 'tap'
import { httpError, networkError, nodeError } from '../../../../lib/chain/transport/fault.js'
import { withFailover } from '../../../../lib/chain/transport/failover.js'
import { createFakeClock } from '../fake-clock.js'

const open = (host: string, retryAfter: number) => nodeError('BREAKER_OPEN', 'is open', { host, reason: 'open' }, retryAfter)

/** Three nodes; each throws its error, or answers where it has none. */
function three (clock = createFakeClock()) {
  const errors: Array<Error | undefined> = [undefined, undefined, undefined]
  const asked: number[] = []
  const fetch = withFailover(errors.map((_, i) => async () => {
    asked.push(i)
    if (errors[i] !== undefined) throw errors[i]
    return new Response(String(i))
  }), { clock })
  return { fetch, errors, asked, ask: async () => Number(await (await fetch('x')).text()) }
}

test('in order of preference, and back to the first as soon as it answers', async t => {
  const { ask, errors, asked } = three()
  t.equal(await ask(), 0)
  errors[0] = networkError('a', new Error('x'))
  errors[1] = httpError('b', 404)
  t.equal(await ask(), 2)
  errors[0] = undefined
  t.equal(await ask(), 0)
  t.strictSame(asked, [0, 0, 1, 2, 0])
})

test('a node that asked to be left alone comes last until then', async t => {
  const clock = createFakeClock()
  const { ask, errors, asked } = three(clock)
  errors[0] = httpError('a', 429, 30)
  t.equal(await ask(), 1)
  errors[0] = undefined
  t.equal(await ask(), 1)
  errors[1] = errors[2] = networkError('b', new Error('x'))
  t.equal(await ask(), 0, 'rather the rested one than none')
  clock.advance(30_000)
  t.equal(await ask(), 0)
  t.strictSame(asked, [0, 1, 1, 1, 2, 0, 0])
})

test('the error is the one with most to hope from', async t => {
  const { fetch, errors } = three()
  errors.splice(0, 3, open('a', 4), open('b', 2), open('c', 3))
  await t.rejects(fetch('x'), { code: 'BREAKER_OPEN', retryAfter: 2 })
  errors.splice(0, 3, open('a', 1), httpError('b', 404), httpError('c', 400))
  await t.rejects(fetch('x'), { code: 'NODE_BAD_ANSWER', message: /^node b/ })
  errors.splice(0, 3, httpError('a', 404), httpError('b', 429, 5), httpError('c', 429, 4))
  await t.rejects(fetch('x'), { code: 'NODE_UNAVAILABLE', retryAfter: 4 })
})

test('a mistake of ours and an abort go to no other node', async t => {
  const { fetch, errors, asked } = three()
  errors[0] = new TypeError('x')
  await t.rejects(fetch('x'), TypeError)
  errors[0] = networkError('a', new Error('x'))
  await t.rejects(fetch('x', { signal: AbortSignal.abort() }), { code: 'NODE_UNAVAILABLE' })
  t.strictSame(asked, [0, 0])
})
