import { eachInSlices } from '../async.js'
import { type Rational, ratio, roundToInteger, toFixed } from '../decimal.js'
import { dateOf, dayOf } from '../time.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import { largestFirst } from './ticker.js'

/** What one DAO traded, by the UTC day since 1970-01-01. */
export interface TradedDao<D extends { trades: number }> {
  baseMint: string
  quoteMint: string
  /** Unix seconds of the launch. */
  launchedAt: number
  days: ReadonlyMap<number, D>
}

/** Current values and symbols. */
export interface Pricing {
  /** USD per raw unit of a quote token; undefined: nothing prices it, and its DAOs add nothing to USD sums. */
  usdPerUnit (quoteMint: string): Rational | undefined
  symbolOf (baseMint: string): string
}

/**
 * Fixed-point scales of raw token units, as in the history's sums, and of USD per raw unit: off by 5 × 10^-31, which
 * makes 0.00001 USD of 10^25 raw units.
 */
const UNIT_SCALE = 10n ** 24n
const PRICE_SCALE = 10n ** 30n
const USD_SCALE = UNIT_SCALE * PRICE_SCALE

const nearest = ({ n, d }: Rational, scale: bigint) =>
  d === scale ? n : roundToInteger({ n: n * scale, d }, 'nearest')

const centsText = (cents: bigint) => toFixed(ratio(cents, 100n), 2)

/** A running sum; `add` gives what an amount adds to its total in cents. */
function createRunningCents () {
  let [sum, shown] = [0n, 0n]
  return {
    get total () { return centsText(shown) },
    add (usd: bigint): string {
      sum += usd
      const upTo = roundToInteger(ratio(sum * 100n, USD_SCALE), 'nearest')
      const cents = upTo - shown
      shown = upTo
      return centsText(cents)
    }
  }
}

/** Largest volume first, then by mint. */
function tokenRows (byToken: ReadonlyMap<string, bigint>, symbolOf: Pricing['symbolOf']): AggregateVolume['tokens'] {
  const running = createRunningCents()
  return largestFirst(byToken, ([, usd]) => ratio(usd), ([mint]) => mint)
    .map(([mint, usd]) => ({ mint, symbol: symbolOf(mint), totalVolume: running.add(usd) }))
}

/**
 * The record as served; `amountOf` gives a day's volume, raw quote units. Each list is rounded along its running sum:
 * every figure is within a cent of the exact one, and days and tokens add up to the total.
 */
export async function aggregateVolume<D extends { trades: number }> (
  daos: readonly TradedDao<D>[], amountOf: (day: D) => Rational, { usdPerUnit, symbolOf }: Pricing, nowSeconds: number
): Promise<AggregateVolume> {
  if (daos.length === 0) return { totalVolume: '0.00', dailyBreakdown: [], tokens: [] }
  const byDay = new Map<number, { usd: bigint, trades: number }>()
  const byToken = new Map<string, bigint>()
  const prices = new Map(Array.from(new Set(daos.map(({ quoteMint }) => quoteMint)), mint => {
    const worth = usdPerUnit(mint)
    return [mint, worth && nearest(worth, PRICE_SCALE)]
  }))
  // a day that has swaps is listed even where our clock, or a launch date, would leave it out
  const today = dayOf(nowSeconds)
  let [first, last] = [today, today]
  await eachInSlices(daos, ({ baseMint, quoteMint, launchedAt, days }) => {
    const price = prices.get(quoteMint)
    let total = 0n
    for (const [at, day] of days) {
      const usd = price === undefined ? 0n : nearest(amountOf(day), UNIT_SCALE) * price
      let sum = byDay.get(at)
      if (sum === undefined) byDay.set(at, sum = { usd: 0n, trades: 0 })
      sum.usd += usd
      sum.trades += day.trades
      total += usd
      first = Math.min(first, at)
      last = Math.max(last, at)
    }
    if (price !== undefined) byToken.set(baseMint, (byToken.get(baseMint) ?? 0n) + total)
    first = Math.min(first, dayOf(launchedAt))
  })
  const running = createRunningCents()
  const rows: AggregateVolume['dailyBreakdown'] = []
  for (let day = first; day <= last; day++) {
    const { usd, trades } = byDay.get(day) ?? { usd: 0n, trades: 0 }
    rows.push({ date: dateOf(day), volume: running.add(usd), trades })
  }
  return { totalVolume: running.total, dailyBreakdown: rows.reverse(), tokens: tokenRows(byToken, symbolOf) }
}
