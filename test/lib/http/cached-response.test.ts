import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { test } from 'tap'
import { makeCachedResponse } from '../../../lib/http/cached-response.js'

test('an answer is packed when a client first takes it so, once for all that take it meanwhile and after', async t => {
  const body = Buffer.from('0123456789abcdef'.repeat(200))
  for (const { bodies } of [
    makeCachedResponse('text/plain', body), makeCachedResponse('text/plain', body.toString())
  ]) {
    for (const [encoding, unpack] of [['gzip', gunzipSync], ['br', brotliDecompressSync]] as const) {
      const make = bodies.get(encoding)
      t.ok(typeof make === 'function', 'nothing is packed before')
      if (typeof make !== 'function') continue
      const [first, second] = await Promise.all([make(), make()])
      t.equal(first, second)
      t.equal(bodies.get(encoding), first)
      t.ok(unpack(first).equals(body))
    }
  }
})
