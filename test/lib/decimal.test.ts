import { test } from 'tap'
import {
  add, compare, divide, fix, fixedText, formatUnits, multiply, ONE, parseDecimal, placesFor, powerOfTen, ratio,
  roundToInteger, subtract, toFixed, wholeTokens, ZERO
} from '../../lib/decimal.js'
import fc from '../support/property.js'

const U64 = (1n << 64n) - 1n
const u64 = fc.bigInt(0n, U64)
const positive = fc.bigInt(1n, U64)
const decimals = fc.integer({ min: 0, max: 18 })

/** The value of decimal text by an independent path: digits as an integer over a power of ten. */
function read (text: string): { n: bigint, d: bigint } {
  const point = text.indexOf('.')
  return point === -1
    ? { n: BigInt(text), d: 1n }
    : {
        n: BigInt(text.replace('.', '')), d: 10n ** BigInt(text.length - point - 1)
      }
}

test('formatUnits is exact, trimmed and without an exponent over all of u64 and all decimals of a mint', async t => {
  fc.assert(fc.property(u64, fc.oneof(decimals, fc.integer({ min: 0, max: 255 })), (raw, places) => {
    const text = formatUnits(raw, places)
    if (!/^(0|[1-9]\d*)(\.\d*[1-9])?$/.test(text)) return false
    const { n, d } = read(text)
    return n * 10n ** BigInt(places) === raw * d
  }), { numRuns: 2_000 })
  t.equal(formatUnits(0n, 6), '0')
  t.equal(formatUnits(1_500_000n, 6), '1.5')
  t.equal(formatUnits(10_000_000n, 6), '10')
  t.equal(formatUnits(1n, 18), '0.000000000000000001')
  t.equal(formatUnits(100n, 0), '100')
})

test('the text of an amount costs as much as it is long, however many zeros there are', async t => {
  const begun = process.cpuUsage()
  t.equal(formatUnits(1n, 100_000).length, 100_002)
  const { user } = process.cpuUsage(begun)
  t.ok(user < 1e6, `${user / 1000} ms`)
})

test('raw units are as many whole tokens as their text says', async t => {
  fc.assert(fc.property(
    u64,
    decimals,
    (raw, places) => compare(wholeTokens(ratio(raw), places), parseDecimal(formatUnits(raw, places))!) === 0
  ))
  t.equal(toFixed(wholeTokens(ratio(1n, 3n), 2), 6), '0.003333', 'parts of a unit too')
})

test(
  'text has exactly the places asked for and errs by at most half of the last, or less than one where it is directed',
  async t => {
    fc.assert(fc.property(u64, positive, decimals, (n, d, places) => {
      const scale = 10n ** BigInt(places)
      const digits = { down: 0n, nearest: 0n, up: 0n }
      for (const rounding of ['down', 'nearest', 'up'] as const) {
        const text = fixedText(fix(ratio(n, d), places, rounding))
        if ((text.split('.')[1] ?? '').length !== places) return false
        digits[rounding] = BigInt(text.replace('.', ''))
      }
      const exact = n * scale
      return digits.down * d <= exact && exact - digits.down * d < d &&
      digits.up * d >= exact && digits.up * d - exact < d &&
      2n * (digits.nearest * d - exact) <= d && 2n * (exact - digits.nearest * d) < d + 1n
    }), { numRuns: 2_000 })
    t.equal(toFixed(ratio(5n, 1000n), 2), '0.01', 'halves go up')
    t.throws(() => toFixed(ratio(-1n), 2), RangeError)
  }
)

test('placesFor keeps the digits asked for significant', async t => {
  fc.assert(fc.property(positive, positive, fc.integer({ min: 1, max: 15 }), (n, d, digits) => {
    const value = ratio(n, d)
    const places = placesFor(value, digits)
    const scaled = roundToInteger({ n: n * 10n ** BigInt(places), d }, 'down').toString()
    return places >= digits && scaled.length >= digits && (places === digits || scaled.length === digits)
  }), { numRuns: 2_000 })
  t.equal(placesFor(ratio(1n, 10n), 12), 12)
  t.equal(placesFor(ratio(1n, 100n), 12), 13)
  t.equal(placesFor(ratio(-1n, 100n), 12), 13)
  t.equal(placesFor(ratio(0n, 100n), 12), 12)
})

test('arithmetic of rationals against cross-multiplied bigint', async t => {
  // amounts of one token have one denominator
  const denominator = fc.oneof(positive, fc.constantFrom(1n, 1_000_000n))
  const rational = fc.tuple(fc.bigInt(-U64, U64), denominator).map(([n, d]) => ratio(n, d))
  fc.assert(fc.property(rational, rational, (a, b) => {
    const same = (x: { n: bigint, d: bigint }, n: bigint, d: bigint): boolean => x.n * d === n * x.d && x.d > 0n
    return same(add(a, b), a.n * b.d + b.n * a.d, a.d * b.d) && same(
      subtract(a, b), a.n * b.d - b.n * a.d, a.d * b.d
    ) &&
      same(multiply(a, b), a.n * b.n, a.d * b.d) && (b.n === 0n || same(
      divide(a, b), a.n * b.d * (b.n < 0n ? -1n : 1n), a.d * (b.n < 0n ? -b.n : b.n)
    )) &&
      Math.sign(compare(a, b)) === Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d)
  }), { numRuns: 500 })
  for (const [a, b, sign] of [[2n, 3n, -1], [3n, 2n, 1], [3n, 3n, 0]] as const) {
    t.equal(Math.sign(compare(ratio(a, 7n), ratio(b, 7n))), sign)
  }
  t.same(
    [compare(multiply(ratio(5n, 3n), ONE), ratio(5n, 3n)), compare(add(ratio(5n, 3n), ZERO), ratio(5n, 3n))], [0, 0]
  )
})

test('a ratio has no denominator 0', async t => {
  t.throws(() => ratio(1n, 0n), RangeError)
  t.throws(() => divide(ratio(1n), ratio(0n)), RangeError)
  t.same(ratio(1n, -2n), { n: -1n, d: 2n })
})

test('parseDecimal reads plain and scientific decimals exactly, and nothing else', async t => {
  t.same(parseDecimal('0.0025'), { n: 25n, d: 10_000n })
  t.equal(compare(parseDecimal('2.5e-3')!, ratio(1n, 400n)), 0)
  t.equal(compare(parseDecimal('12')!, ratio(12n)), 0)
  for (const text of ['', '-1', '+1', '1.', '.5', '1,5', 'NaN', 'Infinity', '0x1', '1e', '1e9999', ' 1']) {
    t.equal(parseDecimal(text), undefined, JSON.stringify(text))
  }
  t.same(powerOfTen(-2), { n: 1n, d: 100n })
})
