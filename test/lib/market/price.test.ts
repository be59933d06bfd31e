import { test } from 'tap'
import { compare, parseDecimal, ratio } from '../../../lib/decimal.js'
import { type Pool, quotes, quoteTexts, spotPrice, swapOutput } from '../../../lib/market/price.js'
import fc from '../../support/property.js'

const U64 = (1n << 64n) - 1n
const reserve = fc.oneof(fc.bigInt(1n, U64), fc.bigInt(1n, 1_000n), fc.constantFrom(1n, 2n, 99n, 100n, U64))
/** Of most tokens, and as many as a mint can state. */
const decimals = fc.oneof(fc.integer({ min: 0, max: 18 }), fc.constantFrom(19, 77, 254, 255))
const pool = fc.record({
  baseReserves: reserve,
  quoteReserves: reserve,
  baseDecimals: decimals,
  quoteDecimals: decimals
})
const rules = { notional: ratio(100n), feeRate: ratio(5n, 1000n) }

test(
  'spec 2.1.1: last_price is (quote / base) × 10^(base decimals − quote decimals), to 12 significant digits',
  async t => {
    fc.assert(fc.property(pool, (given: Pool) => {
    // An independent oracle: both sides in whole units of 10^-36, compared with the text's own digits.
      const numerator = given.quoteReserves * 10n ** BigInt(given.baseDecimals)
      const denominator = given.baseReserves * 10n ** BigInt(given.quoteDecimals)
      const { last } = quoteTexts(quotes(given, rules))
      const places = BigInt(last.split('.')[1]!.length)
      const shown = BigInt(last.replace('.', ''))
      const error = shown * denominator - numerator * 10n ** places
      return (error < 0n ? -error : error) * 2n <= denominator && shown.toString().length >= 12 && !/e/i.test(last)
    }), { numRuns: 2_000 })
    t.equal(quoteTexts(quotes(
      { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n, baseDecimals: 6, quoteDecimals: 6 }, rules
    )).last, '0.100000000000')
    t.equal(
      quoteTexts(quotes({ baseReserves: U64, quoteReserves: 1n, baseDecimals: 0, quoteDecimals: 18 }, rules)).last,
      '0.0000000000000000000000000000000000000542101086243'
    )
  }
)

test('spec 2.1.4: bid < last_price < ask, as numbers and as text, in every pool', async () => {
  const notional = fc.tuple(fc.bigInt(1n, 10n ** 12n), fc.constantFrom(1n, 1_000_000n)).map(([n, d]) => ratio(n, d))
  const feeRate = fc.bigInt(1n, 9_999n).map(bps => ratio(bps, 10_000n))
  fc.assert(fc.property(pool, notional, feeRate, (given, size, fee) => {
    const exact = quotes(given, { notional: size, feeRate: fee })
    const texts = quoteTexts(exact)
    const bid = parseDecimal(texts.bid)!
    const last = parseDecimal(texts.last)!
    const ask = parseDecimal(texts.ask)!
    return compare(exact.last, spotPrice(given)) === 0 && compare(bid, last) < 0 && compare(last, ask) < 0 &&
      compare(bid, exact.bid) <= 0 && compare(ask, exact.ask) >= 0 && bid.n > 0n
  }), { numRuns: 3_000 })
})

test('spec 2.1.4: bid and ask are what the pool\'s integer arithmetic yields for the notional', async t => {
  const given = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n, baseDecimals: 6, quoteDecimals: 6 }
  const { bid, ask } = quotes(given, rules)
  // 100 quote tokens in: net 99.5, out floor(99_500_000 × base / (quote + 99_500_000))
  const bought = 99_500_000n * 2_000_000_000_000n / (200_000_000_000n + 99_500_000n)
  t.equal(compare(ask, ratio(100_000_000n, bought)), 0)
  // base worth 100 quote tokens is 1,000: net 995
  const sold = 995_000_000n * 200_000_000_000n / (2_000_000_000_000n + 995_000_000n)
  t.equal(compare(bid, ratio(sold, 1_000_000_000n)), 0)
})

test('a quote takes at most 1 % of the reserve', async t => {
  const small = { baseReserves: 1_000_000n, quoteReserves: 1_000_000n, baseDecimals: 6, quoteDecimals: 6 }
  const { ask } = quotes(small, rules)
  t.equal(compare(ask, ratio(10_000n, swapOutput(10_000n, 1_000_000n, 1_000_000n, rules.feeRate))), 0)
})

test('a notional of less than one quote token is counted in its raw units', async t => {
  const given = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n, baseDecimals: 6, quoteDecimals: 6 }
  const { ask } = quotes(given, { ...rules, notional: ratio(1n, 2n) })
  t.equal(
    compare(ask, ratio(500_000n, swapOutput(500_000n, given.quoteReserves, given.baseReserves, rules.feeRate))), 0
  )
})

test('a trade that yields a single raw unit is still a trade: it makes the quote', async t => {
  const decimals = { baseDecimals: 6, quoteDecimals: 6 }
  // 1 % of the quote reserve is 2: worth 10,000 of the base, 9,950 after the fee, which sell for 1.97
  t.equal(
    compare(quotes({ baseReserves: 1_000_000n, quoteReserves: 200n, ...decimals }, rules).bid, ratio(1n, 10_000n)), 0
  )
  t.equal(compare(quotes({ baseReserves: 200n, quoteReserves: 1_000_000n, ...decimals }, rules).ask, ratio(10_000n)), 0)
})

test('the program\'s own swaps: fee up, output down', async t => {
  // input, expected output with the whole fee of 50 bps to the protocol; start 200,000 quote, 2,000,000 base
  const [quote, base] = [200_000_000_000n, 2_000_000_000_000n]
  const fee = ratio(50n, 10_000n)
  t.equal(swapOutput(1_000_000n, quote, base, fee), 9_949_950n)
  t.equal(swapOutput(10_000_000_001n, base, quote, fee), 990_074_379n)
  t.equal(swapOutput(199n, base, quote, fee), 19n)
  t.equal(swapOutput(1n, quote, base, fee), 0n)
})

test('quotes that cross are never written', async t => {
  t.throws(() => quoteTexts({ bid: ratio(1n), last: ratio(1n), ask: ratio(2n) }), RangeError)
  t.throws(() => quoteTexts({ bid: ratio(1n), last: ratio(2n), ask: ratio(2n) }), RangeError)
})

test('quotes that would read alike at 12 digits get more', async t => {
  const exact = (text: string) => parseDecimal(text)!
  const low = quoteTexts({ bid: exact('1.00000000000005'), last: exact('1.0000000000001'), ask: exact('2') })
  t.same(
    low, { bid: '1.000000000000050000000000', last: '1.000000000000100000000000', ask: '2.000000000000000000000000' }
  )
  const high = quoteTexts({ bid: exact('1'), last: exact('1.9999999999999'), ask: exact('1.99999999999995') })
  t.same([high.last, high.ask], ['1.999999999999900000000000', '1.999999999999950000000000'])
})
