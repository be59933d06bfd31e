import { test } from 'tap'
import { type FoundFee, insert } from '../../../../lib/history/rules/sequence-ranges.js'
import type { SequenceRange } from '../../../../lib/history/rules/rows.js'
import type { Sides } from '../../../../lib/protocol/events.js'

const after = { base: 70n, quote: 500n }

/** The fees that are found where a swap follows an event. */
function found (side: 'buy' | 'sell', before: Sides): FoundFee[] {
  const event = { firstSlot: 1, lastSlot: 1, firstAt: 1, lastAt: 1, keepsFees: false, pendingSwap: null }
  const ranges: SequenceRange[] = [{ ...event, first: 3n, last: 3n, feeBalancesAfter: before }]
  const feeBalanceAfter = after[side === 'buy' ? 'quote' : 'base']
  const pendingSwap = { seq: 4n, at: 10, side, input: 1_000n, output: 9n, feeBalanceAfter }
  return insert(ranges, { ...event, first: 4n, last: 4n, feeBalancesAfter: after, pendingSwap })!
}

test('the fee of a swap is what the fee balance of its input side grew by: quote of a buy, base of a sale', t => {
  t.match(found('buy', { base: 1n, quote: 495n }), [{ swap: { seq: 4n, at: 10, side: 'buy' }, fee: 5n }])
  t.match(found('sell', { base: 67n, quote: 1n }), [{ swap: { seq: 4n, at: 10, side: 'sell' }, fee: 3n }])
  t.end()
})

test('a balance that did not move is a fee of 0; one that fell tells none', t => {
  t.same(found('buy', after).map(({ fee }) => fee), [0n])
  t.same(found('buy', { base: 0n, quote: 501n }), [])
  t.end()
})
