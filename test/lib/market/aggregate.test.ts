import fc from 'fast-check'
import { test } from 'tap'
import { type Rational, ratio } from '../../../lib/decimal.js'
import { createAggregate, type Pricing, type TradedDao } from '../../../lib/market/aggregate.js'

const DAY = 86_400
const START = Date.parse('2026-01-01') / 1000
const date = (day: number): string => new Date((START + day * DAY) * 1000).toISOString().slice(0, 10)
const PRICES: Record<string, Rational> = { USDC: ratio(1n, 1_000_000n), EURO: ratio(7n, 3_000_000n), YEN: ratio(1n, 97_000_003n) }
const pricing: Pricing = { usdPerUnit: mint => PRICES[mint], symbolOf: mint => `S${mint}` }

type Trades = Array<{ dao: number, day: number, units: bigint, trades: number }>
const QUOTES = ['USDC', 'USDC', 'EURO', 'YEN', 'FAKE', 'USDC']
const TOKENS = ['A', 'B', 'C', 'D', 'E', 'A']
const SCALE = 10n ** 24n

/** The DAOs after `trades`, the two newest of `days` being recent. */
function build (trades: Trades, days: number): TradedDao[] {
  return QUOTES.map((quoteMint, i) => {
    const byDay = new Map<string, { quote: Rational, trades: number }>()
    for (const { dao, day, units, trades: count } of trades) {
      if (dao !== i) continue
      const known = byDay.get(date(day))
      byDay.set(date(day), { quote: ratio((known?.quote.n ?? 0n) + units, SCALE), trades: (known?.trades ?? 0) + count })
    }
    const part = (recent: boolean) => new Map([...byDay].filter(([day]) => (day >= date(days - 1)) === recent))
    return { address: `dao${i}`, baseMint: TOKENS[i]!, quoteMint, launchedAt: START + i * 1000, days: { settled: part(false), recent: part(true) } }
  })
}

const cents = (text: string): bigint => BigInt(text.replace('.', ''))
const trade = fc.record({ dao: fc.integer({ min: 0, max: 5 }), day: fc.integer({ min: 0, max: 9 }), units: fc.bigInt(1n, 10n ** 36n), trades: fc.integer({ min: 1, max: 9 }) })

test('spec 2.3: days and tokens add up to the total to the cent, each within a cent of the exact sum', async () => {
  await fc.assert(fc.asyncProperty(fc.array(trade, { maxLength: 60 }), async trades => {
    const { totalVolume, dailyBreakdown, tokens } = await createAggregate()(build(trades, 9), pricing, START + 9.5 * DAY)
    const exact = (pick: (row: Trades[number]) => boolean): { n: bigint, d: bigint } => trades.filter(pick).reduce((sum, { dao, units }) => {
      const price = PRICES[QUOTES[dao]!]
      return price === undefined ? sum : { n: sum.n * price.d * SCALE + units * price.n * sum.d, d: sum.d * price.d * SCALE }
    }, { n: 0n, d: 1n })
    const off = (text: string, { n, d }: { n: bigint, d: bigint }): boolean => {
      const difference = cents(text) * d - n * 100n
      return (difference < 0n ? -difference : difference) > d
    }
    const sum = (texts: string[]): bigint => texts.reduce((total, text) => total + cents(text), 0n)
    const { n, d } = exact(() => true)
    return cents(totalVolume) === (2n * n * 100n + d) / (2n * d) &&
      sum(dailyBreakdown.map(({ volume }) => volume)) === cents(totalVolume) && sum(tokens.map(({ totalVolume: volume }) => volume)) === cents(totalVolume) &&
      dailyBreakdown.length === 10 && dailyBreakdown.every(({ date: day }, i) => day === date(9 - i)) &&
      dailyBreakdown.every(({ date: day, volume, trades: count }) => !off(volume, exact(row => date(row.day) === day)) &&
        count === trades.filter(row => date(row.day) === day).reduce((total, row) => total + row.trades, 0)) &&
      tokens.every(({ mint, totalVolume: volume }) => !off(volume, exact(row => TOKENS[row.dao] === mint))) && !tokens.some(({ mint }) => mint === 'E')
  }), { numRuns: 300 })
})

test('kept from one refresh to the next, the sums are those made anew: after trades, late ones, new days and exclusions', async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.array(trade, { maxLength: 8 }), fc.integer({ min: 9, max: 12 }), fc.subarray([0, 1, 2, 3, 4, 5]), fc.nat(3)), { minLength: 1, maxLength: 8 }), async steps => {
    const kept = createAggregate()
    const all: Trades = []
    let days = 9
    let before: TradedDao[] = []
    for (const [more, upTo, listed, change] of steps) {
      all.push(...more)
      days = Math.max(days, upTo)
      // a DAO without news keeps its objects, as the history hands them out
      const daos = build(all, days).map((dao, i) => {
        const old = before[i]
        const same = old !== undefined && JSON.stringify([...old.days.settled], bigintText) === JSON.stringify([...dao.days.settled], bigintText)
        return same ? { ...dao, days: { settled: old.days.settled, recent: dao.days.recent } } : dao
      })
      before = daos
      const chosen = daos.filter((_, i) => listed.includes(i))
      const now = START + (days + 0.5) * DAY
      // prices change, come and go
      const changed: Pricing = { ...pricing, usdPerUnit: mint => change === 1 && mint === 'EURO' ? ratio(9n, 1_000_000n) : change === 2 && mint === 'YEN' ? undefined : PRICES[mint] }
      if (JSON.stringify(await kept(chosen, changed, now)) !== JSON.stringify(await createAggregate()(chosen, changed, now))) return false
    }
    return true
  }), { numRuns: 300 })
})
const bigintText = (_key: string, value: unknown): unknown => typeof value === 'bigint' ? value.toString() : value

test('a day that our clock has not reached, or that lies before a launch date, is listed when it has swaps', async t => {
  const daos = build([{ dao: 0, day: 5, units: 1_000_000n * SCALE, trades: 1 }], 3)
  daos[0]!.launchedAt = START + 5.5 * DAY
  const { dailyBreakdown, totalVolume } = await createAggregate()(daos.slice(0, 1), pricing, START + 2 * DAY)
  t.same(dailyBreakdown.at(0), { date: date(5), volume: '1.00', trades: 1 })
  t.equal(totalVolume, '1.00')
  const settled = build([{ dao: 0, day: 5, units: 1_000_000n * SCALE, trades: 1 }], 9)
  t.equal((await createAggregate()(settled.slice(0, 1), pricing, START + 2 * DAY)).totalVolume, '1.00')
})
