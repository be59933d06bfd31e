import { test } from 'tap'
import { createTextBytes } from '../../lib/text-bytes.js'

test('the bytes of all parts, however long, one after the other', async t => {
  t.equal(createTextBytes().bytes().length, 0)
  for (const parts of [['a'], ['', 'ü€', '𝄞'], ['x'.repeat(70_000), 'ü'.repeat(40_000), 'y', '𝄞'.repeat(40_000)], new Array<string>(200_000).fill('€,')]) {
    const out = createTextBytes()
    for (const part of parts) out.add(part)
    t.ok(out.bytes().equals(Buffer.from(parts.join(''))))
  }
})
