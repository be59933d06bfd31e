import { test } from 'tap'
import { carried, decisionOf, liveMarketsOf, NOT_LIVE, thresholdOf, twapOf } from '../../../lib/market/decision.js'
import type { MarketPool, Oracle } from '../../../lib/protocol/amm.js'

const E12 = 10n ** 12n
const oracle: Oracle = {
  aggregator: 1_000n * E12,
  updatedAt: 2_000,
  createdAt: 1_000,
  lastObservation: 100n * E12,
  maxChange: 5n * E12,
  startDelay: 500
}
const pool = (quote: bigint, base: bigint, changes: Partial<Oracle> = {}): Pick<MarketPool, 'oracle' | 'reserves'> =>
  ({ oracle: { ...oracle, ...changes }, reserves: { quote, base } })

test('an observation a minute, clamped; what held until then is weighed by its time', async t => {
  t.equal(carried(pool(200n, 1n), 2_059).lastObservation, oracle.lastObservation, 'too soon')
  t.strictSame(carried(pool(200n, 1n), 2_060), {
    ...oracle, aggregator: (1_000n + 100n * 60n) * E12, updatedAt: 2_060, lastObservation: 105n * E12
  })
  t.equal(carried(pool(50n, 1n), 2_060).lastObservation, 95n * E12)
  t.equal(carried(pool(103n, 1n), 2_060).lastObservation, 103n * E12)
  t.equal(carried(pool(98n, 1n), 2_060).lastObservation, 98n * E12)
  t.equal(carried(pool(0n, 1n, { lastObservation: 3n }), 2_060).updatedAt, 2_000, 'an empty pool has no price')
  t.equal(carried(pool(1n, 0n), 2_060).updatedAt, 2_000)
  t.equal(carried(pool(1n, 10n ** 13n, { lastObservation: 3n }), 2_060).lastObservation, 0n, 'never below 0')
})

test('before the start delay has passed, no time counts', async t => {
  const early = { createdAt: 1_900, startDelay: 150, aggregator: 0n }
  t.equal(carried(pool(100n, 1n, early), 2_060).aggregator, 100n * E12 * 10n, 'since 2,050')
  t.equal(carried(pool(100n, 1n, { ...early, startDelay: 500 }), 2_060).aggregator, 0n)
})

test('the program’s numbers saturate and wrap', async t => {
  const most = (1n << 128n) - 1n
  const full = carried(pool(10n ** 30n, 1n, { lastObservation: most - 1n, aggregator: 2n }), 2_060)
  t.equal(full.lastObservation, most)
  t.equal(full.aggregator, 1n)
})

test('the average since the start delay, and what it must exceed', async t => {
  t.equal(twapOf(oracle), 2n * E12)
  t.equal(twapOf({ ...oracle, updatedAt: 1_500 }), null)
  t.equal(twapOf({ ...oracle, updatedAt: 1_501 }), 1_000n * E12)
  t.equal(thresholdOf(1_000n, 300), 1_030n)
  t.equal(thresholdOf(33n, 300), 33n, 'rounded down')
  t.equal(thresholdOf(1_000n, -300), 970n)
})

const DECIMALS = { baseDecimals: 6, quoteDecimals: 5 }
/** Of a price, which has twelve places. */
const text = (price: string): string => `${price}${price.includes('.') ? '' : '.'}`.padEnd(15, '0')

test('averages of raw units are told as prices of whole tokens; that of pass must exceed the threshold', async t => {
  const averages = { pass: 3n * E12, fail: 2n * E12, threshold: 5n * E12 / 2n }
  const told = { pass_twap: text('30'), fail_twap: text('20'), threshold: text('25') }
  t.strictSame(decisionOf(averages, DECIMALS), { ...told, outcome: 'pass' })
  t.strictSame(
    decisionOf({ ...averages, threshold: 3n * E12 }, DECIMALS), { ...told, threshold: text('30'), outcome: 'fail' }
  )
})

test('the markets of a live proposal at a moment: what a swap then would leave, and which side leads', async t => {
  const at = { time: 2_060, slot: 7 }
  const still = (average: bigint, reserves: { quote: bigint, base: bigint }, changes: Partial<Oracle> = {}) => {
    const own = { ...oracle, aggregator: 500n * average, lastObservation: average, ...changes }
    return { oracle: own, reserves } as MarketPool
  }
  const live = {
    spot: still(0n, { quote: 400n, base: 100n }),
    pass: still(3n * E12, { quote: 300n, base: 100n }),
    fail: still(2n * E12, { quote: 205n, base: 100n })
  }
  const sums = { pass: { volume: '1', trades: 2 }, fail: { volume: '3', trades: 4 } }
  const markets = (changes: Partial<typeof live>, bps: number | null) =>
    liveMarketsOf({ ...live, ...changes }, sums, bps, DECIMALS, at)
  t.strictSame(markets({}, 1_000), {
    pass: { price: text('30'), twap: text('30'), base_reserve: '0.0001', quote_reserve: '0.003', ...sums.pass },
    fail: { price: text('20.5'), twap: text('20'), base_reserve: '0.0001', quote_reserve: '0.00205', ...sums.fail },
    spot_price: text('40'),
    leads: 'pass',
    threshold: text('22'),
    as_of: '1970-01-01T00:34:20.000Z',
    slot: 7
  })
  t.equal(markets({}, 5_000).leads, 'fail', 'as much is not more')
  const { leads, threshold, fail } = markets({}, null)
  t.strictSame([leads, threshold, fail!.twap], [null, null, text('20')], 'the rule is not known')
  const early = { createdAt: 1_900, startDelay: 500 }
  const begun = markets({ fail: still(2n * E12, { quote: 0n, base: 100n }, early) }, 1_000)
  t.strictSame([begun.leads, begun.threshold, begun.fail!.twap, begun.fail!.price], [null, null, null, null])
  const other = markets({ pass: still(3n * E12, { quote: 300n, base: 0n }, early) }, 1_000)
  t.strictSame([other.leads, other.threshold, other.pass!.twap, other.pass!.price], [null, text('22'), null, null])
  t.strictSame(Object.keys(NOT_LIVE).sort(), Object.keys(markets({}, null)).sort())
  t.strictSame(new Set(Object.values(NOT_LIVE)), new Set([null]))
})
