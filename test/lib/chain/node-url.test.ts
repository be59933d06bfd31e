import { test } from 'tap'
import { readRetryAfter, readUrl } from '../../../lib/chain/json-rpc.js'

test('Retry-After in seconds and as a date', t => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  t.equal(readRetryAfter(undefined, now), undefined)
  t.equal(readRetryAfter('7', now), 7)
  t.equal(readRetryAfter('Thu, 01 Jan 2026 00:01:00 GMT', now), 60)
  t.equal(readRetryAfter('Thu, 01 Jan 2025 00:01:00 GMT', now), 0)
  t.equal(readRetryAfter('soon', now), undefined)
  t.equal(readRetryAfter('99999999999', now), 600)
  t.end()
})

test('a URL of no node is not repeated', t => {
  t.match(readUrl('https://user:p%40ss@node.example:8899/key?api=1', 'http', 'node 1'), { host: 'node.example:8899', pathname: '/key' })
  for (const text of ['node.example/SECRET', 'ftp://x/SECRET', '']) {
    t.throws(() => readUrl(text, 'http', 'node 2'), { name: 'TypeError', message: 'node 2 has no http or https URL' })
  }
  t.end()
})
