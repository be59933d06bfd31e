import { test } from 'tap'
import { compare, multiply, ratio } from '../../../lib/decimal.js'
import { feeAt, observedBps, swapVolume, type SwapFacts, type VolumeRule } from '../../../lib/market/volume.js'
import fc from '../../support/property.js'

const QUARTER: VolumeRule = { rate: ratio(25n, 10_000n), basis: 'input' }
const HALF: VolumeRule = { rate: ratio(5n, 1000n), basis: 'input' }
const buy = (input: bigint, output: bigint, fee: bigint | null): SwapFacts => ({ side: 'buy', input, output, fee })
const amount = fc.bigInt(1n, (1n << 64n) - 1n)

test('spec 2.1.2: the fee rounds up, as the program takes it', async t => {
  t.equal(feeAt(1_000_000n, HALF.rate), 5_000n)
  t.equal(feeAt(10_000_000_001n, HALF.rate), 50_000_001n)
  t.equal(feeAt(10_000_000_001n, QUARTER.rate), 25_000_001n)
  t.equal(feeAt(199n, HALF.rate), 1n)
  t.equal(feeAt(1n, HALF.rate), 1n)
  t.equal(feeAt(0n, HALF.rate), 0n)
})

test('spec 2.1.2: a swap counts its own input and output, freed of the fee\'s rounding', async t => {
  const { base, quote, agrees } = swapVolume(buy(1_000_000n, 9_949_950n, 5_000n), HALF)
  t.ok(agrees)
  t.equal(compare(quote, ratio(1_000_000n)), 0)
  t.equal(compare(base, ratio(9_949_950n)), 0)
  const rounded = swapVolume({ side: 'sell', input: 199n, output: 19n, fee: 1n }, HALF)
  t.equal(compare(rounded.base, ratio(199n)), 0)
  t.equal(compare(rounded.quote, ratio(19n)), 0)
  const dust = swapVolume({ side: 'sell', input: 2n, output: 99_000_000n, fee: 1n }, HALF)
  t.ok(dust.agrees)
  t.equal(compare(dust.quote, ratio(99_000_000n)), 0, 'two raw units sold for 99 dollars are 99 dollars, not 9,900')
  const letter = swapVolume({ side: 'sell', input: 2n, output: 99_000_000n, fee: 1n }, { ...HALF, basis: 'fees' })
  t.equal(compare(letter.quote, ratio(9_900_000_000n)), 0)
})

test('a swap whose fee disagrees counts its own input, unless fees alone are to count', async t => {
  const swap = buy(1_000_000n, 9_949_950n, 5_000n)
  const own = swapVolume(swap, QUARTER)
  t.notOk(own.agrees)
  t.equal(compare(own.quote, ratio(1_000_000n)), 0)
  t.equal(compare(own.base, ratio(9_949_950n)), 0)
  const fees = swapVolume(swap, { ...QUARTER, basis: 'fees' })
  t.equal(compare(fees.quote, ratio(2_000_000n)), 0)
  t.equal(compare(fees.base, ratio(2n * 9_949_950n)), 0)
})

test(
  'a swap whose fee is not known counts its input; where fees alone are to count, the fee that the rate takes of it',
  async t => {
    const own = swapVolume(buy(199n, 19n, null), HALF)
    t.ok(own.agrees)
    t.equal(compare(own.quote, ratio(199n)), 0)
    t.equal(compare(own.base, ratio(19n)), 0)
    const fees = swapVolume(buy(199n, 19n, null), { ...HALF, basis: 'fees' })
    t.ok(fees.agrees)
    t.equal(compare(fees.quote, ratio(200n)), 0)
  }
)

test('nothing in, nothing out of a swap divides by zero', async t => {
  t.equal(compare(swapVolume(buy(0n, 0n, 0n), HALF).base, ratio(0n)), 0)
  t.equal(compare(swapVolume(buy(10n, 0n, null), HALF).base, ratio(0n)), 0)
  const given = swapVolume(buy(0n, 7n, 0n), { ...HALF, basis: 'fees' })
  t.same([compare(given.quote, ratio(0n)), compare(given.base, ratio(7n))], [0, 0])
})

test('both legs stand in the ratio of the swap, whatever the rate', async () => {
  fc.assert(fc.property(amount, amount, fc.option(amount, { nil: null }), fc.bigInt(1n, 9999n), fc.constantFrom(
    'input' as const, 'fees' as const
  ), fc.boolean(), (input, output, fee, bps, basis, isBuy) => {
    const { base, quote } = swapVolume(
      { side: isBuy ? 'buy' : 'sell', input, output, fee }, { rate: ratio(bps, 10_000n), basis }
    )
    const [paid, got] = isBuy ? [quote, base] : [base, quote]
    return compare(multiply(paid, ratio(output)), multiply(got, ratio(input))) === 0
  }))
})

test('the rate that was charged is told from fee and input where they are large enough', async t => {
  fc.assert(fc.property(fc.bigInt(0n, 9999n), fc.bigInt(20_000n, (1n << 64n) - 1n), (bps, input) =>
    observedBps(feeAt(input, ratio(bps, 10_000n)), input) === bps))
  t.equal(observedBps(25n, 10_000n), 25n, 'the smallest amount that tells all rates apart')
  t.equal(observedBps(1n, 10_000n), 1n)
  for (const input of [1n, 100n, 10_000n]) {
    t.equal(observedBps(0n, input), 0n, 'a fee rounds up: only a rate of 0 takes none')
  }
})

test('dust and odd fees name no rate', async t => {
  t.equal(observedBps(1n, 100n), undefined)
  t.equal(observedBps(1n, 0n), undefined)
  t.equal(observedBps(50_001n, 10_000_000_000n), undefined, 'between two whole basis points')
})
