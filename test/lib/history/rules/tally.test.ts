import { test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import { SCALE } from '../../../../lib/history/rules/fixed-point.js'
import { createTally, disagreement, minutesFromOf } from '../../../../lib/history/rules/tally.js'
import type { SwapRow } from '../../../../lib/history/rules/types.js'
import type { VolumeRule } from '../../../../lib/market/volume.js'

const QUARTER: VolumeRule = { rate: ratio(25n, 10_000n), basis: 'input' }
const ALL = { rolledFrom: () => 0, minutesFrom: 0 }
const DAY = 86_400
const swap = (dao: string, seq: bigint, at: number, rest: Partial<SwapRow> = {}): SwapRow => ({ dao, seq, at, side: 'buy', input: 10_000n, output: 500n, fee: 25n, maker: 'M', ...rest })

test('a swap adds to its day, its hour, its minute and its makers', t => {
  const tally = createTally(QUARTER, ALL)
  tally.count(swap('A', 1n, DAY + 3_661))
  tally.count(swap('A', 2n, DAY + 3_700))
  tally.count(swap('A', 3n, DAY + 3_725, { maker: 'N' }))
  tally.count(swap('A', 4n, DAY + 7_200, { maker: null }))
  tally.count(swap('A', 5n, 2 * DAY))
  tally.count(swap('B', 1n, DAY))
  const { days, minutes, makers } = tally.rows()
  t.same(days.map(({ dao, day, trades, quote, hours }) => [dao, day, trades, quote, [...hours].map(([at, { trades }]) => [at, trades])]), [
    ['A', 1, 4, 40_000n * SCALE, [[DAY + 3_600, 3], [DAY + 7_200, 1]]],
    ['A', 2, 1, 10_000n * SCALE, [[2 * DAY, 1]]],
    ['B', 1, 1, 10_000n * SCALE, [[DAY, 1]]]
  ])
  t.same(minutes.map(({ dao, start, candles }) => [dao, start, [...candles].map(([at, { trades }]) => [at, trades])]), [
    ['A', DAY, [[DAY + 3_660, 2], [DAY + 3_720, 1], [DAY + 7_200, 1]]],
    ['A', 2 * DAY, [[2 * DAY, 1]]],
    ['B', DAY, [[DAY, 1]]]
  ])
  t.same(makers, [{ dao: 'A', day: 1, maker: 'M' }, { dao: 'A', day: 1, maker: 'N' }, { dao: 'A', day: 2, maker: 'M' }, { dao: 'B', day: 1, maker: 'M' }])
  t.end()
})

test('before candles are kept a swap adds to the volumes of its day alone; before minutes are, to day and hour', t => {
  const tally = createTally(QUARTER, { rolledFrom: dao => dao === 'A' ? 7_200 : 0, minutesFrom: 3_600 })
  for (const at of [7_199, 7_200]) tally.count(swap('A', BigInt(at), at))
  for (const at of [3_599, 3_600]) tally.count(swap('B', BigInt(at), at))
  const { days, minutes, makers } = tally.rows()
  t.same(days.map(({ dao, trades, fees, prices, hours }) => [dao, trades, fees, prices?.open.seq, [...hours.keys()]]), [['A', 2, 25n * SCALE, 7_200n, [7_200]], ['B', 2, 50n * SCALE, 3_599n, [0, 3_600]]])
  t.same(minutes.map(({ dao, candles }) => [dao, [...candles.keys()]]), [['A', [7_200]], ['B', [3_600]]])
  t.same(makers.map(({ dao }) => dao), ['A', 'B'])

  const older = createTally(QUARTER, { rolledFrom: () => 7_200, minutesFrom: 0 })
  older.count(swap('A', 1n, 7_199))
  t.same(older.rows().makers, [])
  t.same(older.rows().days[0]!.hours.size, 0)
  t.match(older.rows().days[0], { trades: 1, fees: 0n, prices: null })
  t.end()
})

test('a fee that becomes known is added without counting the trade again', t => {
  const [late, whole] = [createTally(QUARTER, ALL), createTally(QUARTER, ALL)]
  const row = swap('A', 1n, 60, { fee: null })
  late.count(row)
  t.match(late.rows().days[0], { trades: 1, fees: 0n, unknownFees: 1 })
  late.settle(row, 50n)
  whole.count({ ...row, fee: 50n })
  t.same(late.rows(), whole.rows())
  t.same([...late.rates], [...whole.rates])
  t.same([...whole.rates], [['50', 1]])
  t.end()
})

test('swaps that disagree with the configured rate are counted by the rate that they show', t => {
  const tally = createTally(QUARTER, ALL)
  for (const [seq, fee] of [25n, 50n, 50n, null].entries()) tally.count(swap('A', BigInt(seq), 60, { fee }))
  tally.count(swap('A', 8n, 60, { input: 10n, fee: 9n }))
  t.same([...tally.rates].sort(), [['50', 2], ['other', 1]])
  const known = swap('A', 9n, 60, { fee: 50n })
  tally.settle(known, 25n)
  t.equal(tally.rates.get('50'), 1, 'what agrees after all is taken out again')
  t.same([disagreement(known, true), disagreement({ ...known, fee: null }, false), disagreement(known, false), disagreement({ ...known, fee: 0n }, false)], [null, null, '50', 'other'])
  t.end()
})

test('minutes are kept for three days and a row before the newest trade, and never given back', t => {
  const SPAN = 14_400
  t.equal(minutesFromOf(null, 100 * DAY), 97 * DAY)
  t.equal(minutesFromOf(null, 100 * DAY + SPAN - 1), 97 * DAY)
  t.equal(minutesFromOf(null, 100 * DAY + SPAN), 97 * DAY + SPAN)
  t.equal(minutesFromOf(99 * DAY, 100 * DAY), 99 * DAY, 'a late trade brings none back')
  t.equal(minutesFromOf(90 * DAY, 100 * DAY), 97 * DAY)
  t.end()
})
