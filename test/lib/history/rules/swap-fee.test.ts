import { test } from 'tap'
import { feeOf, pendingSwapOf } from '../../../../lib/history/rules/sequence-ranges.js'

const swap = (side: 'buy' | 'sell') => ({ side, input: 1_000n, output: 9n })
const after = { base: 70n, quote: 500n }

test('the fee of a swap is what the fee balance of its input side grew by: quote of a buy, base of a sale', t => {
  t.equal(feeOf(pendingSwapOf(4n, 10, swap('buy'), after), { base: 1n, quote: 495n }), 5n)
  t.equal(feeOf(pendingSwapOf(4n, 10, swap('sell'), after), { base: 67n, quote: 1n }), 3n)
  t.same(pendingSwapOf(4n, 10, swap('sell'), after), { seq: 4n, at: 10, ...swap('sell'), feeBalanceAfter: 70n })
  t.end()
})

test('a balance that did not move is a fee of 0; one that fell tells none', t => {
  const pending = pendingSwapOf(4n, 10, swap('buy'), after)
  t.equal(feeOf(pending, after), 0n)
  t.equal(feeOf(pending, { base: 0n, quote: 501n }), undefined)
  t.end()
})
