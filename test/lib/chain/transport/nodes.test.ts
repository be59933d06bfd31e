import { test } from 'tap'
import { createGenesisBook, withGenesisCheck } from '../../../../lib/chain/transport/genesis.js'
import { readNodeUrl } from '../../../../lib/chain/transport/node.js'
import { readRequest } from '../../../../lib/chain/transport/request.js'
import { createSlotWatch, withSlotLimit } from '../../../../lib/chain/transport/slots.js'
import { readRetryAfter } from '../../../../lib/chain/transport/status.js'
import { createFakeClock } from '../fake-clock.js'

const json = (value: unknown) => new Response(JSON.stringify(value))
const [ONE, OTHER] = ['1'.repeat(32), '2'.repeat(32)]

test('slots: a node too far behind the furthest is refused', async t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  const shown: unknown[] = [0, 0]
  const [a, b] = [0, 1].map(index => withSlotLimit(async () => json({ result: { context: { slot: shown[index] } } }), { host: 'h', index, watch, maxLag: 150 }))
  shown[0] = 1_000
  shown[1] = 850
  t.ok(await a!('x'))
  t.ok(await b!('x'), '150 behind is near enough')
  shown[1] = 849
  await t.rejects(b!('x'), { code: 'NODE_UNAVAILABLE', message: 'node h is 151 slots behind' })
  shown[1] = 1_100
  t.ok(await b!('x'))
  t.ok(await a!('x'))
  clock.advance(60_001)
  shown[1] = 10
  shown[0] = 5
  t.ok(await a!('x'), 'what was said a minute ago does not hold')
})

test('slots: a node that was wrong once is believed again after five seconds', async t => {
  const clock = createFakeClock()
  const watch = createSlotWatch(clock)
  t.equal(watch.lag(0, 9_000_000), 0)
  t.equal(watch.lag(0, 500), 8_999_500)
  clock.advance(5_001)
  t.equal(watch.lag(0, 501), 0)
  t.equal(watch.lag(1, 499), 2)
})

test('slots: answers that state none pass, batches are looked into', async t => {
  const watch = createSlotWatch(createFakeClock())
  watch.lag(0, 1_000)
  let answer: unknown
  const fetch = withSlotLimit(async () => json(answer), { host: 'h', index: 1, watch, maxLag: 150 })
  for (answer of [{ result: 5 }, { error: {} }, { result: null }, { result: { context: {} } }, { result: { context: { slot: 'x' } } }, [{ result: 1 }]]) {
    t.ok(await fetch('x'))
  }
  answer = [{ result: { context: { slot: 1_000 } } }, { result: { context: { slot: 1 } } }]
  await t.rejects(fetch('x'), { code: 'NODE_UNAVAILABLE' })
})

/** Nodes under the genesis check that answer with what `hashes` says. */
function cluster (hashes: unknown[]) {
  const book = createGenesisBook()
  const asked: string[] = []
  const closing = new AbortController()
  const nodes = hashes.map((_, index) => withGenesisCheck(async (_, init) => {
    const { method } = JSON.parse(String(init?.body)) as { method: string }
    asked.push(`${index} ${method}`)
    return json({ result: method === 'getGenesisHash' ? hashes[index] : 'good' })
  }, { host: `node${index}`, index, book, closing: closing.signal }))
  const ask = (index: number, signal?: AbortSignal) => nodes[index]!.fetch('x', { body: '{"method":"getSlot"}', ...(signal && { signal }) })
  return { ask, asked, nodes, hashes }
}

test('genesis: asked once before the first use, however many wait, and again after it was down', async t => {
  const { ask, asked, nodes } = cluster([ONE, ONE])
  await Promise.all([ask(0), ask(0), ask(1)])
  await ask(0)
  t.equal(asked.filter(each => each === '0 getGenesisHash').length, 1)
  nodes[0]!.forget()
  await ask(0)
  t.equal(asked.filter(each => each === '0 getGenesisHash').length, 2)
})

test('genesis: another cluster is refused, the preferred node decides', async t => {
  const { ask, hashes, nodes } = cluster([ONE, OTHER])
  t.ok(await ask(1), 'nothing to compare with yet')
  t.ok(await ask(0))
  await t.rejects(ask(1), { code: 'NODE_BAD_ANSWER', message: /another cluster/ })
  t.ok(await ask(0))
  hashes[1] = ONE
  t.ok(await ask(1), 'asked again each time while it is wrong')
  hashes[1] = OTHER
  nodes[1]!.forget()
  await t.rejects(ask(1), { code: 'NODE_BAD_ANSWER' })
})

test('genesis: an odd answer is refused and asked again; a caller may leave', async t => {
  const { ask, hashes } = cluster([7])
  await t.rejects(ask(0), { code: 'NODE_BAD_ANSWER', message: /no hash/ })
  hashes[0] = ONE
  const reason = new Error('gone')
  await t.rejects(ask(0, AbortSignal.abort(reason)), reason)
  t.ok(await ask(0))
})

test('Retry-After in seconds and as a date', t => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  t.equal(readRetryAfter(null, now), undefined)
  t.equal(readRetryAfter('7', now), 7)
  t.equal(readRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60)
  t.equal(readRetryAfter('Thu, 01 Jan 2025 00:01:00 GMT', now), 0)
  t.equal(readRetryAfter('soon', now), undefined)
  t.equal(readRetryAfter('99999999999', now), 86_400)
  t.end()
})

test('a node URL is taken apart and not repeated', t => {
  t.strictSame(readNodeUrl('https://user:p%40ss@node.example:8899/key?api=1', 0), {
    host: 'node.example:8899', url: 'https://node.example:8899/key?api=1', authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`
  })
  t.equal(readNodeUrl('http://node.example', 0).authorization, undefined)
  for (const text of ['node.example/SECRET', 'ftp://x/SECRET', '']) {
    t.throws(() => readNodeUrl(text, 1), { name: 'TypeError', message: 'node 2 has no http or https URL' })
  }
  t.end()
})

test('only JSON-RPC reads pass', t => {
  t.strictSame(readRequest({ body: '[{"id":1,"method":"getSlot"},{"id":"b","method":"getSlot"}]' }), { batch: true, ids: [1, 'b'], method: 'getSlot' })
  for (const body of [undefined, '{}', '[]', '5', '[{"method":"getSlot"},{"method":"sendTransaction"}]', '{"method":"requestAirdrop"}', '{"method":5}']) {
    t.throws(() => readRequest(body === undefined ? undefined : { body }), { name: 'TypeError' }, body ?? 'none')
  }
  t.end()
})
