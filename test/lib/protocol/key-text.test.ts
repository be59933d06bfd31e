import bs58 from 'bs58'
import { test } from 'tap'
import { decodeKey, encodeKey } from '../../../lib/protocol/key-text.js'
import fc from '../../support/property.js'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const EDGES = [
  Buffer.alloc(32), Buffer.alloc(32, 255), Buffer.alloc(32, 1), Buffer.concat([Buffer.alloc(31), Buffer.of(1)]), Buffer.concat([Buffer.alloc(31), Buffer.of(57)]),
  Buffer.concat([Buffer.alloc(31), Buffer.of(58)]), Buffer.concat([Buffer.of(255), Buffer.alloc(31)]), ...Array.from({ length: 32 }, (_, zeros) => Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 255)]))
]

test('keys are written and read as by the usual library', async t => {
  for (const bytes of EDGES) {
    t.equal(encodeKey(bytes), bs58.encode(bytes))
    t.same(decodeKey(bs58.encode(bytes)), bytes)
  }
  fc.assert(fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(32), (bytes, zeros) => {
    bytes.fill(0, 0, zeros)
    const text = bs58.encode(bytes)
    return encodeKey(bytes) === text && Buffer.from(bytes).equals(decodeKey(text)!)
  }), { numRuns: 3000 })
})

test('what is no key of 32 bytes is none, as by the usual library', async t => {
  const digit = fc.constantFrom(...ALPHABET)
  const texts = fc.oneof(
    fc.array(digit, { minLength: 28, maxLength: 48 }).map(digits => digits.join('')),
    fc.tuple(fc.nat(44), fc.array(digit, { minLength: 0, maxLength: 45 })).map(([ones, digits]) => '1'.repeat(ones) + digits.join('')),
    fc.tuple(fc.array(digit, { minLength: 43, maxLength: 43 }), fc.nat(42), fc.constantFrom('0', 'O', 'I', 'l', ' ', 'é', '\u{1F600}', '\u0000', '\u0131')).map(([digits, at, odd]) => digits.with(at, odd).join('')),
    fc.string({ minLength: 32, maxLength: 44 })
  )
  fc.assert(fc.property(texts, text => {
    const bytes = text.length > 44 ? undefined : bs58.decodeUnsafe(text)
    const expected = bytes?.length === 32 ? Buffer.from(bytes).toString('hex') : undefined
    return decodeKey(text)?.toString('hex') === expected
  }), { numRuns: 5000 })
  for (const length of [0, 31, 33, 64]) t.throws(() => encodeKey(Buffer.alloc(length)), { name: 'RangeError' })
})
