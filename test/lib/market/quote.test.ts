import { test } from 'tap'
import { ratio } from '../../../lib/decimal.js'
import { mostInput, quoteSwap } from '../../../lib/market/quote.js'
import { createOracle, createPool, swap } from '../../../simulator/arithmetic.js'
import fc from '../../support/property.js'

const BPS = 10_000n
const MOST = (1n << 64n) - 1n
/** Of every magnitude, not nearly always of the greatest. */
const amount = fc.bigInt({ min: 1n, max: MOST }).chain(most => fc.bigInt({ min: 1n, max: most }))
  .chain(most => fc.integer({ min: 0, max: 63 }).map(bits => (most >> BigInt(bits)) || 1n))

test('a quote of any size is what the pool then gives, to the raw unit', async t => {
  let given = 0
  fc.assert(fc.property(
    amount, amount, amount, fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
    fc.constantFrom([50n, 0n], [25n, 25n], [20n, 40n], [0n, 0n]),
    (quote, base, size, side, [protocol, lp]) => {
      const pool = createPool(createOracle(0, 0n, 0n, 0), quote, base)
      const [into, out] = side === 'buy' ? [quote, base] : [base, quote]
      const most = mostInput(into)
      const input = size > most ? most : size
      if (input === 0n) return true
      const told = quoteSwap(input, into, out, { protocol: ratio(protocol!, BPS), lp: ratio(lp!, BPS) })
      const { output, fee } = swap(pool, input, side, { protocol: protocol!, lp: lp! })
      if (output > 0n) given++
      const { n, d } = told.impact
      return told.output === output && told.fee === fee && n >= 0n && n <= d
    }
  ), { numRuns: 10_000 })
  t.ok(given > 3_000, `${given} of them yield something`)
})

test('the most that can be asked about never overflows a reserve', t => {
  t.same([mostInput(5n), mostInput(MOST), mostInput(MOST - 1n), mostInput((MOST >> 1n) + 1n)], [5n, 0n, 1n, MOST >> 1n])
  t.end()
})
