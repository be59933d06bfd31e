import { test } from 'tap'
import { type Candle, EMPTY_CANDLE, joinCandles } from '../../../../lib/history/rules/candles.js'
import { addCandles, candleText, MINUTE_SPAN, NO_CANDLES, parseCandle, parseRow, rowText } from '../../../../lib/history/rules/kept-candles.js'

const price = (seq: bigint, quote: bigint, base: bigint) => ({ seq, quote, base })
const one = (seq: bigint, quote = 10n, base = 4n): Candle => {
  const at = price(seq, quote, base)
  return { base, quote, trades: 1, fees: 3n, unknownFees: 0, prices: { open: at, high: { quote, base }, low: { quote, base }, close: at } }
}
const many: Candle = {
  base: 1n, quote: 2n, trades: 3, fees: 4n, unknownFees: 5, prices: { open: price(6n, 7n, 8n), close: price(9n, 10n, 11n), high: { quote: 12n, base: 13n }, low: { quote: 14n, base: 15n } }
}

test('a candle is read as it was written: without a price, of one trade, of many', t => {
  t.same(parseCandle(candleText(many)), many)
  t.match(parseCandle(candleText(one(7n))), one(7n))
  t.same(parseCandle(candleText({ ...many, prices: null })), { ...many, prices: null })
  t.same([candleText(EMPTY_CANDLE), candleText(one(7n)), candleText(many)], ['0 0 0 0 0', '4 10 1 3 0 7 10 4', '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15'], 'as rows of released versions hold it')
  t.end()
})

test('what comes to kept candles is joined to the one of its time, or stands beside them', t => {
  const kept = addCandles(NO_CANDLES, new Map([[60, one(1n)], [120, one(2n)]]))
  const more = addCandles(kept, new Map([[120, one(5n, 30n)], [180, one(6n)]]))
  t.same([...more.keys()], [60, 120, 180])
  t.equal(more.get(60), candleText(one(1n)))
  t.equal(more.get(120), candleText(joinCandles(one(2n), one(5n, 30n))))
  t.same([...kept.keys()], [60, 120], 'what was kept stays as it was')
  t.equal(addCandles(kept, new Map()), kept)
  t.end()
})

test('a row\'s text has its candles in the order of time, by their place in it, and is read back', t => {
  const row = { start: 7_200, size: 60 }
  const candles = new Map([[7_320, candleText(one(2n))], [7_200, candleText(one(1n))], [7_260 + 60 * 200, candleText(many)]])
  const text = rowText(candles, row)
  t.equal(text, `0 ${candleText(one(1n))};2 ${candleText(one(2n))};201 ${candleText(many)}`)
  t.same([...parseRow(text, row)], [...candles].sort(([a], [b]) => a - b))
  t.equal(rowText(new Map([[7_260, 'x']]), row), '1 x')
  t.same([...parseRow('1 x', row)], [[7_260, 'x']])
  t.equal(rowText(new Map([[7_260, 'y'], [7_200, 'x']]), row), '0 x;1 y')
  t.equal(rowText(NO_CANDLES, row), null)
  t.equal(parseRow(null, row), NO_CANDLES)
  t.equal(MINUTE_SPAN, 14_400, 'rows of released versions begin every four hours')
  t.end()
})
