import bs58 from 'bs58'
import { test } from 'tap'
import { decodeBase58 } from '../../../lib/protocol/base58.js'
import { base58 } from '../../../simulator/index.js'
import fc from '../../support/property.js'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

test('base58 is the inverse of two other implementations, of every length', t => {
  for (let length = 0; length <= 720; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 151 + length * 7 + 1) % 256))
    t.ok(decodeBase58(base58(bytes))!.equals(bytes), { message: `${length} bytes`, diagnostic: false })
  }
  fc.assert(fc.property(fc.nat(40), fc.uint8Array({ maxLength: 90 }), (zeros, bytes) => {
    const whole = Buffer.concat([Buffer.alloc(zeros), bytes])
    return decodeBase58(base58(whole))!.equals(whole) && decodeBase58(bs58.encode(whole))!.equals(whole)
  }))
  t.end()
})

test('any digits are the number that they spell', t => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...ALPHABET), { maxLength: 64 }), digits => {
    const text = digits.join('')
    return decodeBase58(text)!.equals(bs58.decode(text))
  }), { numRuns: 2000 })
  for (const text of [
    '', '1', '2', 'z', '1z', 'z'.repeat(10), 'z'.repeat(11), '1'.repeat(25), '211111', '21111111111'
  ]) t.same(decodeBase58(text), Buffer.from(bs58.decode(text)), text)
  t.end()
})

test('what is not of the alphabet spells nothing, wherever it stands', t => {
  for (const odd of ['0', 'O', 'I', 'l', ' ', '_', '\u0000', '\u007f', '\u0080', '\u0131', 'é', '\u{1F600}']) {
    for (let at = 0; at <= 23; at++) {
      t.equal(
        decodeBase58('2'.repeat(at) + odd + '3'.repeat(23 - at)),
        undefined,
        { message: `${JSON.stringify(odd)} at ${at}`, diagnostic: false }
      )
    }
    t.equal(decodeBase58(odd), undefined)
    t.equal(decodeBase58(`1${odd}`), undefined)
  }
  t.end()
})
