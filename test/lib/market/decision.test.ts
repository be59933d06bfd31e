import { test } from 'tap'
import { carried, thresholdOf, twapOf } from '../../../lib/market/decision.js'
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
