import { test } from 'tap'
import { ratio } from '../../../lib/decimal.js'
import { amountText, changeText, exactUnits, executedPriceText } from '../../../lib/market/pool-figures.js'

test('an executed price is quote by base in whole tokens, with 12 significant digits and 12 places at least', t => {
  const six = { baseDecimals: 6, quoteDecimals: 6 }
  t.equal(executedPriceText({ quote: 1n, base: 3n }, six), '0.333333333333')
  t.equal(executedPriceText({ quote: 2_000_000n, base: 1n }, six), '2000000.000000000000')
  t.equal(executedPriceText({ quote: 1n, base: 3n }, { baseDecimals: 6, quoteDecimals: 9 }), '0.000333333333333')
  t.equal(executedPriceText({ quote: 1n, base: 3n }, { baseDecimals: 9, quoteDecimals: 6 }), '333.333333333333')
  t.end()
})

test('a sum of raw units is told exactly, or not at all', t => {
  t.equal(exactUnits(ratio(1_500_000n), 6), '1.5')
  t.equal(exactUnits(ratio(15n, 10n), 6), '0.0000015')
  t.equal(exactUnits(ratio(1_234n, 1_000n), 0), '1.234')
  t.throws(() => exactUnits(ratio(1n, 3n), 6), RangeError)
  t.throws(() => exactUnits(ratio(1n, 20n), 6), RangeError)
  t.end()
})

test('an amount has 8 places at most, and no zeros behind them', t => {
  t.equal(amountText(ratio(1_500_000n), 6), '1.5')
  t.equal(amountText(ratio(100_000_000n), 6), '100')
  t.equal(amountText(ratio(1n, 3n), 0), '0.33333333')
  t.equal(amountText(ratio(0n), 6), '0')
  t.end()
})

test('a change is a percent of the price before, with its sign; what rounds to nothing has none', t => {
  const at = (quote: bigint, base = 100n) => ({ quote, base })
  t.equal(changeText(at(100n), at(125n)), '25.00')
  t.equal(changeText(at(200n), at(100n)), '-50.00')
  t.equal(changeText(at(100n), at(100n)), '0.00')
  t.equal(changeText(at(100n, 200n), at(100n, 400n)), '-50.00')
  t.equal(changeText(at(3n), at(4n)), '33.33')
  t.equal(changeText(at(100_000n), at(99_996n)), '0.00')
  t.equal(changeText(at(100_000n), at(99_995n)), '-0.01')
  t.equal(changeText(at(1_000n), at(0n)), '-100.00')
  t.end()
})
