import { test } from 'tap'
import { feeRatesOf } from '../../../../lib/history/rules/tally.js'

const swap = (dao: string, slot: number, input: bigint, fee: bigint | null) => ({
  dao, slot, swap: { side: 'buy' as const, input, output: 1n, fee }
})

test(
  'the rates that a DAO\'s swaps show, each from the first slot to the last, in whatever order the swaps come',
  t => {
    t.same(feeRatesOf([
      swap('A', 5, 10_000n, 25n), swap('A', 9, 20_000n, 50n), swap('A', 3, 10_000n, 25n), swap('A', 7, 10_000n, 50n),
      swap('B', 1, 10_000n, 25n)
    ]), [
      { dao: 'A', bps: '25', fromSlot: 3, toSlot: 9 },
      { dao: 'A', bps: '50', fromSlot: 7, toSlot: 7 },
      { dao: 'B', bps: '25', fromSlot: 1, toSlot: 1 }
    ])
    t.end()
  }
)

test('dust, and a swap whose fee is not known, show no rate', t => {
  t.same(feeRatesOf([swap('A', 5, 10n, 1n), swap('A', 6, 10_000n, null)]), [])
  t.end()
})
