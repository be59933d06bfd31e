import t from 'tap'
import {
  add as addExactly, compare as compareExactly, divide, multiply, parseDecimal, ratio, subtract as subtractExactly,
  toFixed
} from '../../../lib/decimal.js'
import fc from '../../support/property.js'

/** The page's own arithmetic, held against that of the service. */

type Text = string | null
interface PageDecimal {
  compare (a: unknown, b: unknown): number | null
  add (a: unknown, b: unknown): Text
  subtract (a: unknown, b: unknown): Text
  multiply (a: unknown, b: unknown): Text
  divide (a: unknown, b: unknown, places: number): Text
  sum (texts: string[]): Text
  percent (a: unknown, b: unknown, places?: number): Text
  spread (bid: unknown, ask: unknown, places?: number): Text
  round (text: unknown, places: number): Text
  shift (text: unknown, by: number): Text
  magnitude (text: unknown): number | null
  group (text: string): string
}
interface PageFormat {
  formatPrice (text: string): string
  formatAmount (text: string): string
  formatUsd (text: string): string
  formatShort (text: string, digits?: number): string
  formatPercent (text: Text): string
  formatChange (text: Text): string
  formatExact (text: string): string
  abbreviate (address: string): string
}

const load = async <T>(name: string): Promise<T> => await import(
  new URL(`../../../public/market/${name}`, import.meta.url).href
) as T
const decimal = await load<PageDecimal>('decimal.js')
const format = await load<PageFormat>('format.js')

const texts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat({ max: 30 })).map(
  ([n, places]) => toFixed(ratio(n, 10n ** BigInt(places)), places)
)

t.test('compares numbers that no float tells apart', async t => {
  t.equal(decimal.compare('9007199254740993', '9007199254740992'), 1)
  t.equal(decimal.compare('0.00000000000000000000000000000001', '0.00000000000000000000000000000002'), -1)
  t.equal(decimal.compare('1.50', '1.5'), 0)
  t.equal(decimal.compare('-2', '1'), -1)
  t.equal(decimal.compare('10', '9'), 1, 'by value, not by letters')
})

t.test('what is no decimal text has no value', async t => {
  for (const text of ['', 'abc', '1e5', '1.', '.5', '+1', ' 1', '0x10', 'NaN', null, undefined, 5, '1'.repeat(1000)]) {
    t.equal(decimal.compare(text, '0'), null, String(text).slice(0, 20))
    t.equal(decimal.add(text, '0'), null)
    t.equal(decimal.subtract('0', text), null)
    t.equal(decimal.round(text, 2), null)
    t.equal(decimal.shift(text, 2), null)
    t.equal(decimal.magnitude(text), null)
    t.equal(decimal.percent(text, '1'), null)
  }
  t.equal(decimal.sum(['1', 'x']), null)
})

t.test('agrees with the arithmetic of the service', async t => {
  fc.assert(fc.property(texts, texts, fc.nat({ max: 12 }), (a, b, places) => {
    const [x, y] = [parseDecimal(a)!, parseDecimal(b)!]
    t.equal(Math.sign(decimal.compare(a, b)!), Math.sign(compareExactly(x, y)))
    t.equal(compareExactly(parseDecimal(decimal.add(a, b)!)!, addExactly(x, y)), 0)
    const [least, most] = compareExactly(x, y) < 0 ? [a, b] : [b, a]
    t.equal(compareExactly(
      parseDecimal(decimal.subtract(most, least)!)!, subtractExactly(parseDecimal(most)!, parseDecimal(least)!)
    ), 0)
    t.equal(decimal.round(a, places), toFixed(x, places))
    if (y.n > 0n) t.equal(decimal.percent(a, b, places), toFixed(multiply(ratio(100n), divide(x, y)), places))
  }), { numRuns: 200 })
})

t.test('spread, in per cent of the middle', async t => {
  t.equal(decimal.spread('99', '101', 4), '2.0000')
  t.equal(decimal.spread('1', '1', 2), '0.00')
  t.equal(decimal.spread('2', '1'), null, 'quotes that cross')
  t.equal(decimal.spread('0', '0'), null, 'no quotes')
  t.equal(decimal.spread('', '1'), null)
  t.ok(
    decimal.compare(decimal.spread('9007199254740992.1', '9007199254740993.9'), '0')! > 0,
    'not lost beside a huge price'
  )
})

t.test('rounding, size, shifting, writing', async t => {
  t.equal(decimal.round('0.005', 2), '0.01')
  t.equal(decimal.round('-0.005', 2), '-0.01')
  t.equal(decimal.round('9.996', 2), '10.00')
  t.equal(decimal.round('7', 2), '7.00')
  t.same(['1234', '0.00123', '1', '0', '0.00'].map(decimal.magnitude), [3, -3, 0, null, null])
  t.same([decimal.shift('1234.5', -3), decimal.shift('1.2345', 2), decimal.shift('5', 3)], ['1.2345', '123.45', '5000'])
  t.same(['1234567.8912', '123', '-1234', '1000'].map(decimal.group), ['1,234,567.8912', '123', '-1,234', '1,000'])
  t.same([decimal.multiply('1.500', '1'), decimal.divide('2.00', '1', 4)], ['1.5', '2'], 'no zeros that end a fraction')
})

t.test('figures as people read them', async t => {
  const { formatAmount, formatExact, formatPercent, formatPrice, formatShort, formatUsd } = format
  t.same([
    '6.482913370041', '241.77', '123456.789', '0.034210000000', '0.000000012345678901', '9.999999', '0'
  ].map(formatPrice),
  ['6.4829', '241.77', '123,456.79', '0.034210', '0.000000012346', '10.000', '0'])
  t.equal(formatPrice('0.0000000000000000123456789'), '1.2346 × 10⁻¹⁷')
  t.equal(formatPrice('9007199254740993'), '9.0072\u202fQ')
  t.equal(formatPrice('nonsense'), '–')
  t.same(['0', '0.001', '12.4', '9999.994', '10000.5', '1283400.12', '9007199254740993'].map(formatAmount),
    ['0', '< 0.01', '12.40', '9,999.99', '10,001', '1,283,400', '9.01\u202fQ'])
  t.same(['0', '0.001', '12.4', 'x'].map(formatUsd), ['$0', '< $0.01', '$12.40', '–'])
  t.same(['999999', '1500', '25', '1234567890123456789', 'x', '0'].map(text => formatShort(text)),
    ['1\u202fM', '1.5\u202fK', '25', '1.23 × 10¹⁸', '–', '0'])
  t.same(['1.0893', '0.0001', '0.000', null].map(formatPercent), ['1.09 %', '< 0.01 %', '0.00 %', '–'])
  t.same(['-0.25', '9999.99', '123456.78', '-1000000', null].map(format.formatChange),
    ['−0.25 %', '+9,999.99 %', '+123.5\u202fK %', '−1\u202fM %', '–'])
  t.same(['1234.50', 'x'].map(formatExact), ['1,234.50', '–'])
  t.same(
    [format.abbreviate('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), format.abbreviate('short')],
    ['EPjF…Dt1v', 'short']
  )
})
