import { test } from 'tap'
import { type Candle, EMPTY_CANDLE, joinCandles } from '../../../../lib/history/rules/candles.js'
import { SCALE } from '../../../../lib/history/rules/fixed-point.js'
import { addCandles, candleText, hoursIn, MINUTE_SPAN, minutesIn, newestOf, parseCandle } from '../../../../lib/history/rules/kept-candles.js'

const price = (seq: bigint, quote: bigint, base: bigint) => ({ seq, quote, base })
const one = (seq: bigint, quote = 10n, base = 4n): Candle => {
  const at = price(seq, quote, base)
  return { base: base * SCALE, quote: quote * SCALE, trades: 1, fees: 3n * SCALE, unknownFees: 0, prices: { open: at, high: { quote, base }, low: { quote, base }, close: at } }
}
const many: Candle = {
  base: 1n, quote: 2n * SCALE, trades: 3, fees: 4n, unknownFees: 5, prices: { open: price(6n, 7n, 8n), close: price(9n, 10n, 11n), high: { quote: 12n, base: 13n }, low: { quote: 14n, base: 15n } }
}
const row = { start: 7_200, size: 60 }

test('a candle is read as it was written: without a price, of one trade, of many', t => {
  const { open, close } = many.prices!
  const noFee = { ...one(7n), fees: 0n, unknownFees: 1 }
  const byFees = { ...one(7n), base: 4n * SCALE + 1n }
  for (const [candle, text] of [
    [EMPTY_CANDLE, '0 0 0 0 0'],
    [one(7n), '3 7 10 4'],
    [{ ...one(7n), fees: SCALE / 3n }, '333333333333333333333333u 7 10 4'],
    [noFee, '4 10 1 0 1 7 10 4'],
    [byFees, '4000000000000000000000001u 10 1 3 0 7 10 4'],
    [{ ...one(7n), quote: 11n * SCALE }, '4 11 1 3 0 7 10 4'],
    [{ ...one(7n), trades: 2 }, '4 10 2 3 0 7 10 4'],
    [{ ...many, prices: null }, '1u 2 3 4u 5'],
    [many, '1u 2 3 4u 5 6 7 8 9 10 11 12/13 14/15'],
    [{ ...many, prices: { ...many.prices!, high: open, low: close } }, '1u 2 3 4u 5 6 7 8 9 10 11 o c'],
    [{ ...many, prices: { ...many.prices!, high: { quote: 10n, base: 11n }, low: { quote: 7n, base: 8n } } }, '1u 2 3 4u 5 6 7 8 9 10 11 c o'],
    [{ ...many, prices: { ...many.prices!, high: { quote: 7n, base: 9n }, low: { quote: 8n, base: 8n } } }, '1u 2 3 4u 5 6 7 8 9 10 11 7/9 8/8']
  ] as Array<[Candle, string]>) {
    t.equal(candleText(candle), text)
    t.match(parseCandle(text), candle, text)
  }
  t.equal(MINUTE_SPAN, 14_400, 'rows that are stored begin every four hours')
  t.same([hoursIn(2), minutesIn(7)], [{ start: 172_800, size: 3_600 }, { start: 7, size: 60 }])
  t.end()
})

test('what comes to kept candles is joined to the one of its time, or stands in its place beside them', t => {
  const at = (place: number) => 7_200 + place * 60
  const add = (kept: string | null, ...candles: Array<[number, Candle]>) => addCandles(kept, new Map(candles.map(([place, candle]) => [at(place), candle])), row)
  const text = (...candles: Array<[number, Candle]>) => candles.map(([place, candle]) => `${place} ${candleText(candle)}`).join(';')
  const kept = add(null, [12, one(2n)], [3, one(1n)])
  t.equal(kept, text([3, one(1n)], [12, one(2n)]), 'in the order of time, whatever came first')
  t.equal(add(kept), kept)
  t.equal(add(null), null)
  t.equal(add(kept, [13, one(4n)], [201, many]), text([3, one(1n)], [12, one(2n)], [13, one(4n)], [201, many]), 'behind')
  t.equal(add(kept, [2, one(4n)], [0, many]), text([0, many], [2, one(4n)], [3, one(1n)], [12, one(2n)]), 'before')
  t.equal(add(kept, [4, one(4n)], [11, one(5n)]), text([3, one(1n)], [4, one(4n)], [11, one(5n)], [12, one(2n)]), 'between')
  const other = one(9n, 30n)
  t.equal(add(kept, [3, other]), text([3, joinCandles(one(1n), other)], [12, one(2n)]), 'the first')
  t.equal(add(kept, [12, other]), text([3, one(1n)], [12, joinCandles(one(2n), other)]), 'the last')
  t.equal(add(text([0, many], [1, one(1n)], [11, one(3n)], [100, many]), [1, other], [11, other], [10, many], [101, one(1n)]),
    text([0, many], [1, joinCandles(one(1n), other)], [10, many], [11, joinCandles(one(3n), other)], [100, many], [101, one(1n)]), 'all at once')
  t.equal(add('7 0 0 0 0 0', [7, many]), text([7, joinCandles(EMPTY_CANDLE, many)]), 'of a single one')
  t.end()
})

test('the newest candles of a range are read from the end', t => {
  const kept = '0 a;2 b;12 c;201 d'
  const newest = (from: number, to: number, limit = 9) => newestOf(kept, row, { from, to, limit })
  t.same(newest(0, Infinity), [[7_200 + 201 * 60, 'd'], [7_920, 'c'], [7_320, 'b'], [7_200, 'a']])
  t.same(newest(7_200, 7_920), [[7_320, 'b'], [7_200, 'a']])
  t.same(newest(7_201, 7_921), [[7_920, 'c'], [7_320, 'b']])
  t.same(newest(0, Infinity, 2), [[7_200 + 201 * 60, 'd'], [7_920, 'c']])
  t.same([newest(0, 7_200), newest(0, Infinity, 0), newestOf(null, row, { from: 0, to: Infinity, limit: 9 })], [[], [], []])
  t.same(newestOf('5 x', row, { from: 0, to: Infinity, limit: 9 }), [[7_500, 'x']])
  t.end()
})
