import { test } from 'tap'
import { readRetryAfter } from '../../../lib/chain/json-rpc.js'

test('Retry-After in seconds and as a date, which counts from the answer\'s own; one of no time is none', t => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const minute = 'Thu, 01 Jan 2026 00:01:00 GMT'
  const stated = (text?: string, date?: string) =>
    readRetryAfter({ ...text !== undefined && { 'retry-after': text }, ...date !== undefined && { date } }, now)
  t.equal(stated('7'), 7)
  t.equal(stated('0.2'), 1)
  t.equal(stated('99999999999'), 600)
  t.equal(stated(minute), 60)
  t.equal(stated(minute, 'Thu, 01 Jan 2026 00:00:50 GMT'), 10)
  t.equal(stated(minute, 'of late'), 60)
  for (const none of [undefined, 'soon', '0', '-1', 'Thu, 01 Jan 2025 00:01:00 GMT']) t.equal(stated(none), undefined)
  t.equal(stated(minute, minute), undefined)
  t.end()
})
