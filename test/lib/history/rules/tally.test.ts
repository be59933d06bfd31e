import { test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import type { Size } from '../../../../lib/history/rules/candles.js'
import { SCALE } from '../../../../lib/history/rules/fixed-point.js'
import { createTally } from '../../../../lib/history/rules/tally.js'
import type { Trade } from '../../../../lib/history/rules/rows.js'
import type { SwapFacts, VolumeRule } from '../../../../lib/market/volume.js'

const QUARTER: VolumeRule = { rate: ratio(25n, 10_000n), basis: 'input' }
const DAY = 86_400
const SWAP: SwapFacts = { side: 'buy', input: 10_000n, output: 500n, fee: 25n }
const swap = (
  dao: string, seq: bigint, at: number, { maker = 'M', ...rest }: Partial<Pick<Trade, 'maker'> & SwapFacts> = {}
) => ({ dao, seq, at, maker, swap: { ...SWAP, ...rest } })

test('a swap adds to its day, its hour, its minute and its makers', t => {
  const tally = createTally(QUARTER)
  tally.count(swap('A', 1n, DAY + 3_661))
  tally.count(swap('A', 2n, DAY + 3_700))
  tally.count(swap('A', 3n, DAY + 3_725, { maker: 'N' }))
  tally.count(swap('A', 4n, DAY + 7_200, { maker: null }))
  tally.count(swap('A', 5n, 2 * DAY))
  tally.count(swap('B', 1n, DAY))
  const { candles, makers } = tally.rows()
  const shown = (of: Size) => candles.filter(({ size }) => size === of)
    .map(({ dao, start, trades, quote }) => [dao, start, trades, quote / SCALE])
  t.same(shown('days'), [['A', DAY, 4, 40_000n], ['A', 2 * DAY, 1, 10_000n], ['B', DAY, 1, 10_000n]])
  t.same(
    shown('hours'),
    [['A', DAY + 3_600, 3, 30_000n], ['A', DAY + 7_200, 1, 10_000n], ['A', 2 * DAY, 1, 10_000n], ['B', DAY, 1, 10_000n]]
  )
  t.same(shown('minutes'), [
    ['A', DAY + 3_660, 2, 20_000n], ['A', DAY + 3_720, 1, 10_000n], ['A', DAY + 7_200, 1, 10_000n],
    ['A', 2 * DAY, 1, 10_000n], ['B', DAY, 1, 10_000n]
  ])
  t.same(makers, [
    { dao: 'A', day: 1, maker: 'M' }, { dao: 'A', day: 1, maker: 'N' }, { dao: 'A', day: 2, maker: 'M' },
    { dao: 'B', day: 1, maker: 'M' }
  ])
  t.end()
})

test('a fee that becomes known is added without counting the trade again', t => {
  const [late, whole] = [createTally(QUARTER), createTally(QUARTER)]
  const row = swap('A', 1n, 60, { fee: null })
  late.count(row)
  t.match(late.rows().candles[0], { trades: 1, fees: 0n, unknownFees: 1 })
  late.settle('A', { ...SWAP, seq: 1n, at: 60, feeBalanceAfter: 50n }, 50n)
  whole.count(swap('A', 1n, 60, { fee: 50n }))
  t.same(late.rows(), whole.rows())
  t.same([...late.rates], [...whole.rates])
  t.same([...whole.rates], [['50', 1]])
  t.end()
})

test('swaps that disagree with the configured rate are counted by the rate that they show', t => {
  const tally = createTally(QUARTER)
  for (const [seq, fee] of [25n, 50n, 50n, null].entries()) tally.count(swap('A', BigInt(seq), 60, { fee }))
  tally.count(swap('A', 8n, 60, { input: 10n, fee: 9n }))
  t.same([...tally.rates].sort(), [['50', 2], ['other', 1]])
  tally.count(swap('A', 9n, 60, { fee: 0n }))
  t.equal(tally.rates.get('0'), 1)
  t.end()
})
