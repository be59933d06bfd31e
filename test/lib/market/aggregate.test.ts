import { test } from 'tap'
import { type Rational, ratio } from '../../../lib/decimal.js'
import { createAggregate, type Pricing, type TradedDao } from '../../../lib/market/aggregate.js'
import fc from '../../support/property.js'

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

/** A DAO that traded `units` on a day, recent or settled. */
function traded (baseMint: string, quoteMint: string, units: Rational, part: 'settled' | 'recent'): TradedDao {
  const days = new Map([[date(3), { quote: units, trades: 1 }]])
  return { address: `${baseMint}/${quoteMint}`, baseMint, quoteMint, launchedAt: START + 2 * DAY, days: { settled: new Map(), recent: new Map(), [part]: days } }
}

for (const part of ['settled', 'recent'] as const) {
  test(`tokens are listed by volume, largest first, and by mint where that is equal: ${part} days`, async t => {
    const volumes: Record<string, bigint> = { B: 5n, E: 7n, A: 5n, D: 9n, F: 0n, C: 5n, G: 0n }
    for (const names of ['BEADFCG', 'GFEDCBA', 'ABCDEFG', 'DCEGBAF']) {
      const daos = [...names].map(name => traded(name, 'USDC', ratio(volumes[name]! * 1_000_000n), part))
      const { tokens } = await createAggregate()(daos, pricing, START + 3.5 * DAY)
      t.equal(tokens.map(({ mint }) => mint).join(''), 'DEABCFG', names)
      t.same(tokens[0], { mint: 'D', symbol: 'SD', totalVolume: '9.00' })
    }
  })

  test(`half a cent goes up and nothing less does; what has no price adds nothing: ${part} days`, async t => {
    const smallest: Pricing = { ...pricing, usdPerUnit: mint => mint === 'SMALL' ? ratio(1n, 10n ** 30n) : undefined }
    const half = 5n * 10n ** 39n   // 0.005 USD in units of 10^-12
    for (const [units, shown] of [[half, '0.01'], [half - 1n, '0.00']] as const) {
      const daos = [traded('A', 'SMALL', ratio(units, 10n ** 12n), part), traded('B', 'FAKE', ratio(1n), part)]
      const { totalVolume, dailyBreakdown, tokens } = await createAggregate()(daos, smallest, START + 3.5 * DAY)
      t.same([totalVolume, dailyBreakdown[0], tokens], [shown, { date: date(3), volume: shown, trades: 2 }, [{ mint: 'A', symbol: 'SA', totalVolume: shown }]])
    }
  })
}

test('a recent day after settled ones has its own trades alone', async t => {
  const smallest: Pricing = { ...pricing, usdPerUnit: () => ratio(1n, 10n ** 30n) }
  const settled = { ...traded('B', 'SMALL', ratio(0n), 'settled'), days: { settled: new Map([[date(2), { quote: ratio(0n), trades: 1 }]]), recent: new Map() } }
  const { dailyBreakdown } = await createAggregate()([settled, traded('A', 'SMALL', ratio(5n * 10n ** 39n - 1n, 10n ** 12n), 'recent')], smallest, START + 3.5 * DAY)
  t.same(dailyBreakdown, [{ date: date(3), volume: '0.00', trades: 1 }, { date: date(2), volume: '0.00', trades: 1 }])
})

test('no DAOs: nothing has been traded, and no day is listed', async t => {
  t.same(await createAggregate()([], pricing, START), { totalVolume: '0.00', dailyBreakdown: [], tokens: [] })
})

test('what is kept is made anew where one thing alone has changed: a price, trades without a price, a launch, the day', async t => {
  const kept = createAggregate()
  const daos = [traded('A', 'USDC', ratio(3_000_000n), 'settled'), traded('B', 'EURO', ratio(5_000_000n), 'settled'), traded('C', 'FAKE', ratio(1n), 'settled')]
  const others: Array<[what: string, daos: TradedDao[], pricing: Pricing, now: number]> = [
    ['nothing yet', daos, pricing, 9],
    ['a price', daos, { ...pricing, usdPerUnit: mint => mint === 'EURO' ? ratio(3n, 1_000_000n) : PRICES[mint] }, 9],
    ['the price again', daos, pricing, 9],
    ['trades without a price', [daos[0]!, daos[1]!, { ...daos[2]!, days: { settled: new Map([[date(3), { quote: ratio(2n), trades: 5 }]]), recent: new Map() } }], pricing, 9],
    ['back', daos, pricing, 9],
    ['a launch', [{ ...daos[0]!, launchedAt: START }, daos[1]!, daos[2]!], pricing, 9],
    ['the day', daos, pricing, 10],
    ['recent days', [daos[0]!, daos[1]!, { ...traded('C', 'USDC', ratio(4_000_000n), 'recent'), days: { settled: daos[2]!.days.settled, recent: new Map([[date(6), { quote: ratio(1n), trades: 1 }]]) } }], pricing, 10]
  ]
  for (const [what, listed, prices, now] of others) {
    t.same(await kept(listed, prices, START + (now + 0.5) * DAY), await createAggregate()(listed, prices, START + (now + 0.5) * DAY), what)
  }
})
