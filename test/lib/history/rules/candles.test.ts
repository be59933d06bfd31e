import type { SwapFacts } from '../../../../lib/market/volume.js'
import { test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import {
  candleChange, candleOf, comparePrices, EMPTY_CANDLE, executedPrice, feeInQuote, joinCandles
} from '../../../../lib/history/rules/candles.js'
import { SCALE, scaled } from '../../../../lib/history/rules/fixed-point.js'
import fc from '../../../support/property.js'

const buy = (input: bigint, output: bigint, fee: bigint | null = 0n): SwapFacts => ({ side: 'buy', input, output, fee })
const sell = (
  input: bigint, output: bigint, fee: bigint | null = 0n
): SwapFacts => ({ side: 'sell', input, output, fee })
/** The candle of a trade that counts its own input and output. */
const candle = (swap: SwapFacts, seq: bigint) => candleOf(swap, seq, swap.side === 'buy'
  ? {
      quote: ratio(swap.input), base: ratio(swap.output)
    }
  : { quote: ratio(swap.output), base: ratio(swap.input) })

test('an executed price is quote by base; where nothing was paid, or nothing received, there is none', t => {
  t.same(executedPrice(buy(10n, 4n)), { quote: 10n, base: 4n })
  t.same(executedPrice(sell(10n, 4n)), { quote: 4n, base: 10n })
  t.same(executedPrice(sell(1n, 1n)), { quote: 1n, base: 1n })
  t.same([executedPrice(buy(0n, 4n)), executedPrice(buy(4n, 0n))], [undefined, undefined])
  t.end()
})

test('prices are compared exactly', t => {
  t.ok(comparePrices({ quote: 1n, base: 3n }, { quote: 1n, base: 2n }) < 0)
  t.equal(comparePrices({ quote: 1n, base: 3n }, { quote: 2n, base: 6n }), 0)
  t.ok(comparePrices({ quote: 2n, base: 3n }, { quote: 1n, base: 2n }) > 0)
  t.end()
})

test('a fee counts in quote tokens: a sale\'s at its own price; one that is not known is null, never 0', t => {
  t.same(feeInQuote(buy(100n, 7n, 3n)), ratio(3n))
  t.same(feeInQuote(sell(100n, 50n, 3n)), ratio(150n, 100n))
  t.same(feeInQuote(sell(0n, 50n, 3n)), ratio(0n))
  t.same(feeInQuote(sell(1n, 50n, 1n)), ratio(50n))
  t.same([feeInQuote(buy(100n, 7n, null)), feeInQuote(sell(100n, 7n, null))], [null, null])
  t.end()
})

test('the candle of one trade', t => {
  const price = { seq: 9n, quote: 10n, base: 4n }
  t.same(candle(buy(10n, 4n, 1n), 9n), {
    base: 4n * SCALE,
    quote: 10n * SCALE,
    trades: 1,
    fees: SCALE,
    unknownFees: 0,
    prices: { open: price, high: price, low: price, close: price, average: price }
  })
  t.same(
    candle(sell(10n, 0n, null), 9n), { base: 10n * SCALE, quote: 0n, trades: 1, fees: 0n, unknownFees: 1, prices: null }
  )
  t.end()
})

test('candles joined in any order are the candle of all their trades', t => {
  const amount = fc.bigInt(0n, 5n)
  const trade = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    input: amount,
    output: amount,
    fee: fc.option(amount, { nil: null })
  })
  fc.assert(fc.property(fc.array(trade, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (trades, chance) => {
    const priced = trades.map(
      (swap, i) => ({ seq: BigInt(i), ...executedPrice(swap) })
    ).filter(({ quote }) => quote !== undefined)
    const value = (price: { quote?: bigint, base?: bigint }): number => Number(price.quote) / Number(price.base)
    const parts = trades.map((swap, i) => candle(swap, BigInt(i)))
    const known = trades.map(feeInQuote).filter(fee => fee !== null)
    while (parts.length > 1) {
      const [a] = parts.splice(chance.next().value % parts.length, 1)
      const at = chance.next().value % parts.length
      parts[at] = joinCandles(parts[at]!, a!)
    }
    const { prices, trades: count, fees, unknownFees, base, quote } = parts[0] ?? EMPTY_CANDLE
    const sum = (side: 'buy' | 'sell'): bigint => trades.reduce(
      (total, swap) => total + (swap.side === side ? swap.input : swap.output), 0n
    ) * SCALE
    return count === trades.length && unknownFees === trades.length - known.length && fees === known.reduce(
      (total, fee) => total + scaled(fee), 0n
    ) &&
      quote === sum('buy') && base === sum('sell') && (prices === null) === (priced.length === 0) &&
      (prices === null || (prices.open.seq === priced[0]!.seq && prices.close.seq === priced.at(-1)!.seq &&
        prices.average.quote === priced.reduce(
          (sum, { quote }) => sum + quote!, 0n
        ) && prices.average.base === priced.reduce((sum, { base }) => sum + base!, 0n) &&
        value(prices.high) === Math.max(...priced.map(value)) && value(prices.low) === Math.min(...priced.map(value))))
  }), { numRuns: 400 })
  t.end()
})

test('of two candles with the same highest or lowest price the amounts of the first stay', t => {
  const [a, b] = [candle(buy(1n, 2n), 1n), candle(buy(2n, 4n), 2n)]
  t.same([joinCandles(a, b).prices!.high, joinCandles(a, b).prices!.low].map(({ quote }) => quote), [1n, 1n])
  t.end()
})

test('a fee that becomes known later brings the candle to what it would have been', t => {
  const [before, after] = [candle(sell(10n, 5n, null), 3n), candle(sell(10n, 5n, 2n), 3n)]
  t.same(joinCandles(before, candleChange(before, after)), after)
  t.equal(candleChange(before, after).trades, 0)
  const [charged, corrected] = [candle(sell(10n, 5n, 4n), 3n), candle(sell(10n, 5n, 2n), 3n)]
  t.same(joinCandles(charged, candleChange(charged, corrected)), corrected)
  const valued = { ...after, base: after.base + 7n, quote: after.quote + 9n }
  t.same(joinCandles(before, candleChange(before, valued)), valued, 'where it changes the volume, too')
  t.end()
})
