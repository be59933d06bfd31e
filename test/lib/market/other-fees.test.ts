import { test } from 'tap'
import { ratio, shortText } from '../../../lib/decimal.js'
import { feesInUsd } from '../../../lib/market/other-fees.js'

type Row = Parameters<typeof feesInUsd>[0][number]
const reserves = { base: 200n, quote: 100n }
const inUsd = (...rows: Row[]) => {
  const sum = feesInUsd(rows)
  return sum === null ? null : shortText(sum, 30)
}
const inQuote = (row: Omit<Row, 'worth'>) => inUsd({ ...row, worth: ratio(1n) })

test('base tokens count at the price of the pool’s reserves', async t => {
  t.equal(inQuote({ fees: { base: 10n, quote: 3n }, reserves }), '8')
  t.equal(inQuote({ fees: { base: 1n, quote: 0n }, reserves }), '0.5')
  t.equal(inQuote({ fees: { base: 0n, quote: 3n }, reserves: null }), '3', 'none to be valued')
})

test('what is not known is null', async t => {
  t.equal(inQuote({ fees: null, reserves }), null)
  t.equal(inQuote({ fees: { base: 1n, quote: 3n }, reserves: null }), null)
  t.equal(inQuote({ fees: { base: 1n, quote: 3n }, reserves: { base: 0n, quote: 5n } }), null)
})

test('the sum in USD, to 24 places, or null where a part is not known', async t => {
  const row = { fees: { base: 10n, quote: 3n }, reserves, worth: ratio(1n, 1_000_000n) }
  t.equal(inUsd(), '0')
  t.equal(inUsd(row, { ...row, worth: ratio(2n) }), '16.000008')
  t.equal(inUsd({ ...row, worth: ratio(1n, 3n) }), '2.666666666666666666666667')
  t.equal(inUsd(row, { ...row, fees: null }), null)
})
