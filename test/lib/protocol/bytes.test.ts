import { test } from 'tap'
import { boundVec, cleanText, DecodeError, need } from '../../../lib/protocol/bytes.js'

test('bytes are there, to the last one, or nothing is read', t => {
  need(Buffer.alloc(10), 0, 10, 'ten')
  need(Buffer.alloc(10), 10, 0, 'nothing')
  for (const [offset, length] of [[0, 11], [1, 10], [11, 0], [-1, 1]] as const) {
    t.throws(() => need(Buffer.alloc(10), offset, length, 'ten'), new DecodeError('ten: 10 bytes are too few'))
  }
  t.end()
})

test('a list is as long as its count says, and no longer than it may be', t => {
  const list = (count: number, bytes: number): Buffer => Buffer.concat(
    [Buffer.from([7]), Buffer.from(new Uint32Array([count]).buffer), Buffer.alloc(bytes)]
  )
  boundVec(list(3, 6), 1, 2, 3, 'list')
  boundVec(list(0, 0), 1, 2, 3, 'list')
  t.throws(() => boundVec(list(4, 100), 1, 2, 3, 'list'), DecodeError, 'more than may be')
  t.throws(() => boundVec(list(3, 5), 1, 2, 3, 'list'), DecodeError, 'fewer bytes than it says')
  t.throws(() => boundVec(Buffer.alloc(4), 1, 2, 3, 'list'), DecodeError, 'not even a count')
  t.end()
})

test('a text ends at its first NUL, and holds nothing that is not seen', t => {
  const text = (value: string): string => cleanText(Buffer.from(value))
  t.equal(text('META\0\0\0junk'), 'META')
  t.equal(text('\0junk'), '')
  t.equal(text('whole'), 'whole')
  t.equal(text('  a\u0001b\u200b\u202ec\u2028 \ufffd '), 'abc')
  t.end()
})
