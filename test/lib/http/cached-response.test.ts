import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { test } from 'tap'
import { makeCachedResponse } from '../../../lib/http/cached-response.js'

/** Processor time of what `work` does before it lets go, and what it gives. */
function worked<T> (work: () => T): { ms: number, value: T } {
  const begun = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(begun)
  return { ms: (user + system) / 1000, value }
}

test('a body of many megabytes is neither made nor hashed in one piece, and its tag is that of the whole', async t => {
  const text = '0123456789abcdef'.repeat(2 ** 22)
  const whole = worked(() => createHash('sha256').update(Buffer.from(text)).digest('base64url').slice(0, 18))
  const first = worked(() => makeCachedResponse('text/plain', text))
  t.ok(first.ms < whole.ms / 2, `${first.ms} ms of CPU in the first piece, ${whole.ms} ms for the whole`)
  const { tag, variants } = await first.value
  t.equal(tag, whole.value)
  t.equal(variants.get('identity')!.etag, `"${tag}"`)
  const gzip = variants.get('gzip')!.body
  t.ok(Buffer.isBuffer(gzip) && gunzipSync(gzip).toString() === text)
})
