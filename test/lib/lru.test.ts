import { LRUCache } from 'lru-cache'
import { test } from 'tap'
import { upTo } from '../../lib/lru.js'
import { createTokenReader } from '../../lib/live/tokens.js'
import { createWindowCounter } from '../../lib/rate-limit/minute-window.js'

test('the entry that has not been used for longest makes room', async t => {
  const kept = new LRUCache<string, number>(upTo(3))
  for (const [at, key] of ['a', 'b', 'c'].entries()) kept.set(key, at)
  t.equal(kept.get('a'), 0)
  kept.set('d', 3)
  t.same([...kept.keys()].sort(), ['a', 'c', 'd'])
  kept.clear()
  t.equal(kept.size, 0)
  kept.set('e', 4)
  t.same([...kept.keys()], ['e'])
})

test('what may hold a hundred thousand entries and holds none takes no room for them', async t => {
  const before = process.memoryUsage().arrayBuffers
  const made = [createWindowCounter(() => 0), createTokenReader({ reader: undefined as never, ttl: 1 })]
  t.ok(process.memoryUsage().arrayBuffers - before < 100_000)
  t.equal(made.length, 2)
})
