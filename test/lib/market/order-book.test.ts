import { test } from 'tap'
import {
  compare, multiply, parseDecimal, powerOfTen, type Rational, ratio, roundToInteger, subtract
} from '../../../lib/decimal.js'
import { type Level, levelsOf, MAX_LEVELS, orderBook } from '../../../lib/market/order-book.js'
import { type Pool, quotes, quoteTexts, swapOutput } from '../../../lib/market/price.js'
import fc from '../../support/property.js'

const U64 = (1n << 64n) - 1n
const reserve = fc.oneof(fc.bigInt(1n, U64), fc.bigInt(1n, 100_000n), fc.constantFrom(1n, 2n, 99n, 1_000_000n, U64))
const pools = fc.record({
  baseReserves: reserve,
  quoteReserves: reserve,
  baseDecimals: fc.integer({ min: 0, max: 12 }),
  quoteDecimals: fc.integer({ min: 0, max: 9 })
})
const rulesOf = (feeRate: Rational) => ({ notional: ratio(100n), feeRate })
const FEE = ratio(5n, 1_000n)
const ALL = { bids: MAX_LEVELS, asks: MAX_LEVELS }

const number = (text: string): Rational => parseDecimal(text)!
const raw = (text: string, decimals: number): bigint => {
  const value = multiply(number(text), powerOfTen(decimals))
  if (value.n % value.d !== 0n) throw new Error(`${text} has more places than the token`)
  return value.n / value.d
}

/** What walking a side pays or yields in quote tokens, raw units, level by level: exact by the texts alone. */
function walk (side: readonly Level[], pool: Pool): Array<{ base: bigint, quote: Rational }> {
  let base = 0n
  let quote = ratio(0n)
  return side.map(([price, amount]) => {
    base += raw(amount, pool.baseDecimals)
    const paid = multiply(multiply(number(price), number(amount)), powerOfTen(pool.quoteDecimals))
    quote = { n: quote.n * paid.d + paid.n * quote.d, d: quote.d * paid.d }
    return { base, quote }
  })
}

/** Whether the walk's sum is a whole amount to less than a raw unit per level. */
const within = (walked: Rational, swapped: bigint, levels: number): boolean => {
  const off = subtract(walked, ratio(swapped))
  const size = off.n < 0n ? { n: -off.n, d: off.d } : off
  return compare(size, ratio(BigInt(levels))) < 0
}

test('walking to any level yields what one swap of that size yields', async () => {
  const fees = fc.constantFrom(FEE, ratio(1n, 400n), ratio(3n, 10n), ratio(1n, 10n ** 12n))
  fc.assert(fc.property(pools, fees, fc.integer({ min: 1, max: 40 }), (pool, fee, levels) => {
    const book = orderBook(pool, rulesOf(fee), { bids: levels, asks: levels })
    const sells = walk(book.bids, pool).every(({ base, quote }, at) =>
      within(quote, swapOutput(base, pool.baseReserves, pool.quoteReserves, fee), at + 1))
    const buys = walk(book.asks, pool).every(({ base, quote }, at) => {
      // what was paid is known to a unit per level: some amount that near must buy exactly the base
      const paid = roundToInteger(quote, 'nearest')
      for (let off = -BigInt(at + 1); off <= BigInt(at + 1); off++) {
        if (paid + off > 0n && swapOutput(paid + off, pool.quoteReserves, pool.baseReserves, fee) === base) return true
      }
      return false
    })
    return sells && buys
  }), { numRuns: 300 })
})

test('bids fall, asks rise, best bid < last < best ask, nothing is zero, tiny pools included', async () => {
  const feeRate = fc.bigInt(1n, 9_999n).map(bps => ratio(bps, 10_000n))
  fc.assert(fc.property(pools, feeRate, (pool, fee) => {
    const rules = rulesOf(fee)
    const { bids, asks } = orderBook(pool, rules, { bids: 30, asks: 30 })
    const prices = [
      ...bids.map(([price]) => price).reverse(), quoteTexts(quotes(pool, rules)).last, ...asks.map(([price]) => price)
    ]
    const rising = prices.every(
      (price, at) => number(price).n > 0n && (at === 0 || compare(number(prices[at - 1]!), number(price)) < 0)
    )
    return rising && [...bids, ...asks].every(([price, amount]) => number(amount).n > 0n && !/e/i.test(price + amount))
  }), { numRuns: 500 })
})

test('a slice moves the price by 0.1 %', t => {
  const pool = { baseReserves: 2_000_000_000_000n, quoteReserves: 200_000_000_000n, baseDecimals: 6, quoteDecimals: 6 }
  const book = orderBook(pool, rulesOf(FEE), ALL)
  t.same([book.bids.length, book.asks.length], [MAX_LEVELS, MAX_LEVELS])
  let base = pool.baseReserves
  let quote = pool.quoteReserves
  let worst = 0
  for (const [level, [price, amount]] of book.asks.entries()) {
    base -= raw(amount, 6)
    const paid = roundToInteger(multiply(multiply(number(price), number(amount)), powerOfTen(6)), 'nearest')
    quote += paid * 995n / 1000n
    const moved = Number(quote) / Number(base) / 0.1
    worst = Math.max(worst, Math.abs(moved / 1.001 ** (level + 1) - 1))
  }
  t.ok(worst < 1e-8, `${worst}`)
  // the first slice executes at the middle of its move, and the fee on top
  t.match(book.asks[0], [/^0\.100552/, /^999\.2/])
  t.match(book.bids[0], [/^0\.09945/, /^1004\.77/])
  t.end()
})

test('a pool from which no whole unit can be had has no levels', t => {
  const pool = { baseReserves: 1n, quoteReserves: 1n, baseDecimals: 0, quoteDecimals: 0 }
  t.same(orderBook(pool, rulesOf(FEE), ALL), { bids: [], asks: [] })
  t.end()
})

test('depth counts both sides together; 0 is all of it', t => {
  t.same([levelsOf(100), levelsOf(1), levelsOf(3), levelsOf(500), levelsOf(0)],
    [{ bids: 50, asks: 50 }, { bids: 1, asks: 0 }, { bids: 2, asks: 1 }, ALL, ALL])
  t.end()
})

test('a slice pays the least of which its move is left after the fee', t => {
  const whole = { baseDecimals: 0, quoteDecimals: 0, quoteReserves: 10n ** 12n }
  const fee = rulesOf(ratio(3n, 10n))
  // √1.001 × 1,000,000 is 499.87 more: 499 move the price, 713 less three tenths are 499, 712 are 498
  t.equal(orderBook({ ...whole, baseReserves: 1_000_000n }, fee, { bids: 1, asks: 0 }).bids[0]![1], '713')
  t.equal(
    orderBook({ ...whole, baseReserves: 991_248n }, fee, { bids: 1, asks: 0 }).bids[0]![1],
    '708',
    '495 of 708, and 494 of 707'
  )
  t.end()
})

test('where whole raw units are coarse, levels are joined and none is lost', t => {
  const pool = { baseReserves: 1_000n, quoteReserves: 10n ** 12n, baseDecimals: 0, quoteDecimals: 0 }
  const { bids } = orderBook(pool, rulesOf(FEE), { bids: 20, asks: 0 })
  // 1.001^10 × 1,000 is 10 more, for which 11 are paid
  const { base, quote } = walk(bids, pool).at(-1)!
  t.equal(base, 11n)
  t.ok(within(quote, swapOutput(11n, 1_000n, 10n ** 12n, FEE), bids.length))
  const one = { ...pool, quoteReserves: 100n }
  const [level, ...others] = walk(orderBook(one, rulesOf(FEE), { bids: 30, asks: 0 }).bids, one)
  t.same([roundToInteger(level!.quote, 'nearest'), others], [1n, []], 'a single raw unit is a level')
  t.end()
})

test('a price has 12 places, or as many as tell the quote amount to a raw unit', t => {
  const placesOf = (pool: Pool): number => orderBook(
    pool, rulesOf(FEE), { bids: 1, asks: 0 }
  ).bids[0]![0].split('.')[1]!.length
  t.equal(placesOf({ baseReserves: 10n ** 12n, quoteReserves: 10n ** 12n, baseDecimals: 6, quoteDecimals: 6 }), 12)
  // a level of 1,206,031 whole tokens: 7 digits before the point, 9 of the quote token behind it
  t.equal(placesOf(
    { baseReserves: 2_400_000_000n * 10n ** 6n, quoteReserves: 10n ** 15n, baseDecimals: 6, quoteDecimals: 9 }
  ), 16)
  t.end()
})
