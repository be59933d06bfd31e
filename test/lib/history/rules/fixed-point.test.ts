import { test } from 'tap'
import { ratio, toFixed } from '../../../../lib/decimal.js'
import {
  parseSum, sameValuation, SCALE, scaled, sumText, unscaled
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

test('a million thirds are what three of them are worth, to 18 digits behind a raw unit', t => {
  const third = scaled(ratio(1n, 3n))
  t.equal(toFixed(unscaled(third * 3_000_000n), 17), toFixed(ratio(1_000_000n), 17))
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
