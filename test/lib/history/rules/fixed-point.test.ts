import { test } from 'tap'
import { compare, ratio } from '../../../../lib/decimal.js'
import {
  parseSum, sameValuation, SCALE, scaled, sumOf, sumText
} from '../../../../lib/history/rules/fixed-point.js'
import fc from '../../../support/property.js'

const U64 = (1n << 64n) - 1n

test('a leg is off by half a unit of the scale at most, and halves go up', t => {
  fc.assert(fc.property(fc.bigInt(0n, U64 * U64), fc.bigInt(1n, U64), (n, d) => {
    const off = 2n * (scaled(ratio(n, d)) * d - n * SCALE)
    return off > -d && off <= d
  }))
  t.same([scaled(ratio(7n)), scaled(ratio(1n, 2n))], [7n * SCALE, SCALE / 2n])
  t.equal(scaled(ratio(1n, 2n * SCALE)), 1n)
  t.equal(scaled(ratio(1n, 2n * SCALE + 1n)), 0n)
  t.end()
})

test('a sum within the error of its legs of a boundary of what is shown is on it; any other stays as it is', t => {
  const boundary = 5n * 10n ** 12n   // 5 × 10^-12 raw units: what is shown turns on multiples of 10^-12
  const of = (sum: bigint, count: number) => {
    const { n, d } = sumOf(sum, count)
    t.equal(d, SCALE)
    return n
  }
  t.same([-4n, -3n, -1n, 0n, 1n, 3n, 4n].map(off => of(boundary + off, 3) - boundary), [-4n, 0n, 0n, 0n, 0n, 0n, 4n])
  t.equal(of(boundary + 10n ** 11n - 1n, 3), boundary + 10n ** 11n - 1n, 'nothing that is shown turns there')
  t.same([of(boundary - 1n, 0) - boundary, of(boundary, 0) - boundary], [-1n, 0n], 'no legs, no error')
  t.same(
    [-3n, 3n, -4n].map(off => of(-boundary + off, 3) + boundary),
    [0n, 0n, -4n],
    'of a change, which may be negative, too'
  )
  t.end()
})

test('a thousand thirds are what three of them are worth, not a unit less', t => {
  const third = scaled(ratio(1n, 3n))
  t.equal(compare(sumOf(third * 3_000n, 3_000), ratio(1_000n)), 0)
  t.end()
})

test('a sum is written as decimal text of raw units, and read back', t => {
  t.same([0n, SCALE, 12n * SCALE + SCALE / 4n, 1n].map(sumText), ['0', '1', '12.25', '0.000000000000000000000001'])
  fc.assert(fc.property(fc.bigInt(0n, U64 * U64 * SCALE), sum => parseSum(sumText(sum)) === sum))
  t.equal(parseSum('12.250'), 12n * SCALE + SCALE / 4n, 'as engines of decimals may give it')
  t.end()
})

test('sums are of one rule where basis and rate are the same', t => {
  const rule = { rate: ratio(1n, 200n), basis: 'input' as const }
  t.ok(sameValuation({ rate: ratio(50n, 10_000n), basis: 'input' }, rule))
  t.notOk(sameValuation({ rate: ratio(1n, 400n), basis: 'input' }, rule))
  t.notOk(sameValuation({ rate: rule.rate, basis: 'fees' }, rule))
  t.end()
})
