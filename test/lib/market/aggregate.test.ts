import { test } from 'tap'
import { type Rational, ratio } from '../../../lib/decimal.js'
import { aggregateVolume, type Pricing, type TradedDao } from '../../../lib/market/aggregate.js'
import fc from '../../support/property.js'

const DAY = 86_400
const START = Date.parse('2026-01-01') / 1000
const FIRST = START / DAY
const date = (day: number): string => new Date((START + day * DAY) * 1000).toISOString().slice(0, 10)
const PRICES: Record<string, Rational> = {
  USDC: ratio(1n, 1_000_000n), EURO: ratio(7n, 3_000_000n), YEN: ratio(1n, 97_000_003n)
}
const pricing: Pricing = { usdPerUnit: mint => PRICES[mint], symbolOf: mint => `S${mint}` }

type Trades = Array<{ dao: number, day: number, units: bigint, trades: number }>
const QUOTES = ['USDC', 'USDC', 'EURO', 'YEN', 'FAKE', 'USDC']
const TOKENS = ['A', 'B', 'C', 'D', 'E', 'A']
const SCALE = 10n ** 24n
type Day = { quote: Rational, trades: number }
type Dao = TradedDao<Day>
const aggregate = (
  daos: readonly Dao[], pricing: Pricing, now: number
) => aggregateVolume(daos, ({ quote }) => quote, pricing, now)

/** The DAOs after `trades`. */
function build (trades: Trades): Dao[] {
  return QUOTES.map((quoteMint, i) => {
    const byDay = new Map<number, { quote: Rational, trades: number }>()
    for (const { dao, day, units, trades: count } of trades) {
      if (dao !== i) continue
      const known = byDay.get(FIRST + day)
      byDay.set(
        FIRST + day, { quote: ratio((known?.quote.n ?? 0n) + units, SCALE), trades: (known?.trades ?? 0) + count }
      )
    }
    return { baseMint: TOKENS[i]!, quoteMint, launchedAt: START + i * 1000, days: byDay }
  })
}

const cents = (text: string): bigint => BigInt(text.replace('.', ''))
const trade = fc.record({
  dao: fc.integer({ min: 0, max: 5 }),
  day: fc.integer({ min: 0, max: 9 }),
  units: fc.bigInt(1n, 10n ** 36n),
  trades: fc.integer({ min: 1, max: 9 })
})

test('spec 2.3: days and tokens add up to the total to the cent, each within a cent of the exact sum', async () => {
  await fc.assert(fc.asyncProperty(fc.array(trade, { maxLength: 60 }), async trades => {
    const { totalVolume, dailyBreakdown, tokens } = await aggregate(build(trades), pricing, START + 9.5 * DAY)
    const exact = (
      pick: (row: Trades[number]) => boolean
    ): { n: bigint, d: bigint } => trades.filter(pick).reduce((sum, { dao, units }) => {
      const price = PRICES[QUOTES[dao]!]
      return price === undefined
        ? sum
        : {
            n: sum.n * price.d * SCALE + units * price.n * sum.d, d: sum.d * price.d * SCALE
          }
    }, { n: 0n, d: 1n })
    const off = (text: string, { n, d }: { n: bigint, d: bigint }): boolean => {
      const difference = cents(text) * d - n * 100n
      return (difference < 0n ? -difference : difference) > d
    }
    const sum = (texts: string[]): bigint => texts.reduce((total, text) => total + cents(text), 0n)
    const { n, d } = exact(() => true)
    return cents(totalVolume) === (2n * n * 100n + d) / (2n * d) &&
      sum(dailyBreakdown.map(({ volume }) => volume)) === cents(totalVolume) && sum(
      tokens.map(({ totalVolume: volume }) => volume)
    ) === cents(totalVolume) &&
      dailyBreakdown.length === 10 && dailyBreakdown.every(({ date: day }, i) => day === date(9 - i)) &&
      dailyBreakdown.every(({ date: day, volume, trades: count }) => !off(
        volume, exact(row => date(row.day) === day)
      ) &&
        count === trades.filter(row => date(row.day) === day).reduce((total, row) => total + row.trades, 0)) &&
      tokens.every(
        ({ mint, totalVolume: volume }) => !off(volume, exact(row => TOKENS[row.dao] === mint))
      ) && !tokens.some(({ mint }) => mint === 'E')
  }), { numRuns: 300 })
})

test(
  'a day that our clock has not reached, or that lies before a launch date, is listed when it has swaps',
  async t => {
    const daos = build([{ dao: 0, day: 5, units: 1_000_000n * SCALE, trades: 1 }])
    daos[0]!.launchedAt = START + 5.5 * DAY
    const { dailyBreakdown, totalVolume } = await aggregate(daos.slice(0, 1), pricing, START + 2 * DAY)
    t.same(dailyBreakdown.at(0), { date: date(5), volume: '1.00', trades: 1 })
    t.equal(totalVolume, '1.00')
  }
)

/** A DAO that traded `units` on a day. */
const traded = (baseMint: string, quoteMint: string, units: Rational, day = 3): Dao =>
  ({
    baseMint,
    quoteMint,
    launchedAt: START + day * DAY - DAY,
    days: new Map([[FIRST + day, { quote: units, trades: 1 }]])
  })

test('tokens are listed by volume, largest first, and by mint where that is equal', async t => {
  const volumes: Record<string, bigint> = { B: 5n, E: 7n, A: 5n, D: 9n, F: 0n, C: 5n, G: 0n }
  for (const names of ['BEADFCG', 'GFEDCBA', 'ABCDEFG', 'DCEGBAF']) {
    const daos = [...names].map(name => traded(name, 'USDC', ratio(volumes[name]! * 1_000_000n)))
    const { tokens } = await aggregate(daos, pricing, START + 3.5 * DAY)
    t.equal(tokens.map(({ mint }) => mint).join(''), 'DEABCFG', names)
    t.same(tokens[0], { mint: 'D', symbol: 'SD', totalVolume: '9.00' })
  }
})

test('half a cent goes up and nothing less does; what has no price adds nothing', async t => {
  const smallest: Pricing = { ...pricing, usdPerUnit: mint => mint === 'SMALL' ? ratio(1n, 10n ** 30n) : undefined }
  const half = 5n * 10n ** 39n   // 0.005 USD in units of 10^-12
  for (const [units, shown] of [[half, '0.01'], [half - 1n, '0.00']] as const) {
    const daos = [traded('A', 'SMALL', ratio(units, 10n ** 12n)), traded('B', 'FAKE', ratio(1n))]
    const { totalVolume, dailyBreakdown, tokens } = await aggregate(daos, smallest, START + 3.5 * DAY)
    t.same(
      [totalVolume, dailyBreakdown[0], tokens],
      [shown, { date: date(3), volume: shown, trades: 2 }, [{ mint: 'A', symbol: 'SA', totalVolume: shown }]]
    )
  }
})

test('a day after another has its own trades alone', async t => {
  const smallest: Pricing = { ...pricing, usdPerUnit: () => ratio(1n, 10n ** 30n) }
  const { dailyBreakdown } = await aggregate(
    [traded('B', 'SMALL', ratio(0n), 2), traded('A', 'SMALL', ratio(5n * 10n ** 39n - 1n, 10n ** 12n))],
    smallest,
    START + 3.5 * DAY
  )
  t.same(
    dailyBreakdown.slice(0, 2),
    [{ date: date(3), volume: '0.00', trades: 1 }, { date: date(2), volume: '0.00', trades: 1 }]
  )
})

test('no DAOs: nothing has been traded, and no day is listed', async t => {
  t.same(await aggregate([], pricing, START), { totalVolume: '0.00', dailyBreakdown: [], tokens: [] })
})

test('a token that is traded for several quote tokens has the sum of all', async t => {
  const daos = [
    traded('T', 'USDC', ratio(5_000_000n)), traded('T', 'EURO', ratio(3_000_000n)),
    traded('T', 'USDC', ratio(1_000_000n), 2)
  ]
  const { tokens } = await aggregate(daos, pricing, START + 3.5 * DAY)
  t.same(tokens, [{ mint: 'T', symbol: 'ST', totalVolume: '13.00' }])
})
