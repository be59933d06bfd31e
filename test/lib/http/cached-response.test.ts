import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'tap'
import { makeCachedResponse, makeSingleResponse } from '../../../lib/http/cached-response.js'

/** Processor time of what `work` does before it lets go, and what it gives. */
function worked<T> (work: () => T): { ms: number, value: T } {
  const begun = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(begun)
  return { ms: (user + system) / 1000, value }
}

test('a body of many megabytes is neither made nor hashed in one piece, and its tag is that of the whole', async t => {
  const text = '0123456789abcdef'.repeat(2 ** 20)
  const whole = worked(() => createHash('sha256').update(Buffer.from(text)).digest('base64url').slice(0, 18))
  const first = worked(() => makeCachedResponse('text/plain', text))
  t.ok(first.ms < whole.ms / 2, `${first.ms} ms of CPU in the first piece, ${whole.ms} ms for the whole`)
  const { tag, variants } = await first.value
  t.equal(tag, whole.value)
  t.equal(variants.get('identity')!.etag, `"${tag}"`)
  const gzip = variants.get('gzip')!.body
  t.ok(typeof gzip === 'function' && gunzipSync(await gzip()).toString() === text)
})

test('an answer is packed when a client first takes it so, once for all that take it meanwhile and after', async t => {
  const body = Buffer.from('0123456789abcdef'.repeat(200))
  for (const { variants } of [await makeCachedResponse('text/plain', body), makeSingleResponse('text/plain', body)]) {
    for (const [encoding, unpack] of [['gzip', gunzipSync], ['br', brotliDecompressSync]] as const) {
      const variant = variants.get(encoding)!
      const make = variant.body
      t.ok(typeof make === 'function', 'nothing is packed before')
      if (typeof make !== 'function') continue
      const [first, second] = await Promise.all([make(), make()])
      t.equal(first, second)
      t.equal(variant.body, first)
      t.ok(unpack(first).equals(body))
    }
  }
})
