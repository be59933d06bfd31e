import { add, compare, multiply, type Rational, ratio, roundToInteger, toFixed, ZERO } from '../decimal.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'

/** Volume since launch, by day and by token. */

/** What one DAO traded. */
export interface TradedDao {
  baseMint: string
  symbol: string
  /** USD per raw unit of the quote token; undefined where nothing prices it: the DAO then adds nothing to USD sums. */
  usdPerUnit: Rational | undefined
  /** Unix seconds of the launch. */
  launchedAt: number
  /** By UTC day, `YYYY-MM-DD`: raw quote units and swaps. */
  days: ReadonlyMap<string, { quote: Rational, trades: number }>
}

const DAY = 86_400
const CENTS = 100n
const secondsOf = (date: string): number => Date.parse(date) / 1000
export const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/**
 * The record as served. Amounts are exact until the last step; there each list is rounded along its running sum, so that every figure is
 * within a cent of the exact one and the days, and the tokens, add up to the total to the cent.
 */
export function aggregateVolume (daos: readonly TradedDao[], nowSeconds: number): AggregateVolume {
  const byDay = new Map<string, { usd: Rational, trades: number }>()
  const byToken = new Map<string, { symbol: string, usd: Rational }>()
  // a day that has swaps is listed even where our clock, or a launch date, would leave it out
  let first = Infinity
  let last = nowSeconds
  for (const { baseMint, symbol, usdPerUnit, launchedAt, days } of daos) {
    first = Math.min(first, launchedAt)
    let units = ZERO
    for (const [date, { quote, trades }] of days) {
      first = Math.min(first, secondsOf(date))
      last = Math.max(last, secondsOf(date))
      const day = byDay.get(date) ?? { usd: ZERO, trades: 0 }
      day.trades += trades
      if (usdPerUnit !== undefined) day.usd = add(day.usd, multiply(quote, usdPerUnit))
      byDay.set(date, day)
      units = add(units, quote)
    }
    if (usdPerUnit === undefined) continue
    const token = byToken.get(baseMint)
    byToken.set(baseMint, { symbol, usd: add(token?.usd ?? ZERO, multiply(units, usdPerUnit)) })
  }

  const dates = datesBetween(first, last)
  const days = dates.map(date => byDay.get(date) ?? { usd: ZERO, trades: 0 })
  const dayCents = centsAlong(days.map(({ usd }) => usd))
  const tokens = [...byToken].sort(([mintA, a], [mintB, b]) => compare(b.usd, a.usd) || (mintA < mintB ? -1 : 1))
  const tokenCents = centsAlong(tokens.map(([, { usd }]) => usd))
  return {
    totalVolume: centsText(dayCents.reduce((sum, cents) => sum + cents, 0n)),
    dailyBreakdown: dates.map((date, i) => ({ date, volume: centsText(dayCents[i]!), trades: days[i]!.trades })).reverse(),
    tokens: tokens.map(([mint, { symbol }], i) => ({ mint, symbol, totalVolume: centsText(tokenCents[i]!) }))
  }
}

const centsText = (cents: bigint): string => toFixed(ratio(cents, CENTS), 2)

/** Each amount in cents, such that the first k of them are the rounded sum of the first k amounts. */
function centsAlong (amounts: readonly Rational[]): bigint[] {
  let sum = ZERO
  let shown = 0n
  return amounts.map(amount => {
    sum = add(sum, amount)
    const upTo = roundToInteger({ n: sum.n * CENTS, d: sum.d }, 'nearest')
    const cents = upTo - shown
    shown = upTo
    return cents
  })
}

/** Every UTC day from one time to another, oldest first; none when the first lies behind the last. */
function datesBetween (first: number, last: number): string[] {
  const dates: string[] = []
  for (let day = Math.floor(first / DAY); day <= Math.floor(last / DAY); day++) dates.push(dayOf(day * DAY))
  return dates
}
