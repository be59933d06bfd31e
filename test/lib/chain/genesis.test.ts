import { test } from 'tap'
import { withBreaker } from '../../../lib/chain/breaker.js'
import { httpError } from '../../../lib/chain/node-errors.js'
import { createFakeClock } from '../../support/fake-clock.js'

const [ONE, OTHER] = ['1'.repeat(32), '2'.repeat(32)]

/** Nodes behind breakers that answer with what `hashes` says, or fail. */
function cluster (hashes: unknown[]) {
  const cluster = {}
  const asked: string[] = []
  const clock = createFakeClock()
  let isDown = false
  const nodes = hashes.map((_, index) => withBreaker(async calls => calls.map(({ method }) => {
    asked.push(`${index} ${method}`)
    if (isDown) return { error: httpError(`node${index}`, 500) }
    return { result: method === 'getGenesisHash' ? hashes[index] : 'good' }
  }), { host: `node${index}`, cluster, clock, failures: 5 }))
  const { signal } = new AbortController()
  const ask = async (index: number): Promise<unknown> => {
    const [reply] = await nodes[index]!.send([{ method: 'getSlot', params: [] }], { priority: 'live', signal })
    if ('error' in reply!) throw reply.error
    return reply!.result
  }
  /** Fails until its breaker opens, for longer than that stays so. */
  const goDown = async (index: number): Promise<void> => {
    isDown = true
    for (let failure = 0; failure < 5; failure++) await ask(index).catch(() => {})
    isDown = false
    clock.advance(5_000)
  }
  return { ask, asked, goDown, hashes }
}

test('asked before the first use, and again after it was down', async t => {
  const { ask, asked, goDown } = cluster([ONE, ONE])
  await ask(0)
  await ask(1)
  await ask(0)
  t.equal(asked.filter(each => each === '0 getGenesisHash').length, 1)
  await goDown(0)
  await ask(0)
  t.equal(asked.filter(each => each === '0 getGenesisHash').length, 2)
})

test('another cluster is refused: the first node that answers decides, for good', async t => {
  const { ask, hashes, goDown } = cluster([ONE, OTHER])
  t.ok(await ask(0))
  await t.rejects(ask(1), { code: 'NODE_BAD_ANSWER', message: /another cluster/ })
  t.ok(await ask(0))
  hashes[1] = ONE
  t.ok(await ask(1), 'asked again each time while it is wrong')
  hashes[0] = OTHER
  await goDown(0)
  await t.rejects(ask(0), { code: 'NODE_BAD_ANSWER' }, 'the preferred one, too, where it comes back as another')
  t.ok(await ask(1))
})

test('an odd answer is refused and asked again', async t => {
  const { ask, hashes } = cluster([7])
  await t.rejects(ask(0), { code: 'NODE_BAD_ANSWER', message: /no hash/ })
  hashes[0] = ONE
  t.ok(await ask(0))
})
