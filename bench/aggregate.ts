/**
 * CPU of one refresh of the aggregate with 1,000 DAOs that have traded every day for a year:
 * `npm run bench -- aggregate [--daos 1000] [--years 1] [--tokens 1000] [--priced 10]`. Of the quote tokens so many are
 * priced by a pool, and each refresh changes all their prices. The bytes are made too, compressed ones included, and
 * the loop's own delay is watched.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Rational, ratio } from '../lib/decimal.js'
import { aggregateVolume, type Pricing, type TradedDao } from '../lib/market/aggregate.js'
import { makeCachedResponse } from '../lib/http/cached-response.js'
import { costOf, median } from './support/measure.js'
import { options } from './support/run.js'

const { daos, years, tokens, priced: prices } = options({ daos: 1000, years: 1, tokens: 1000, priced: 10 })
const DAYS = Math.round(years * 365)
const START = Date.parse('2021-01-01') / 1000
const SCALE = 10n ** 24n
const ROUNDS = 20
const priced = new Map(Array.from({ length: prices }, (_, i) => [`quote${i + 1}`, 1_000_003n + BigInt(i) * 7_919n]))
/** One dollar, tokens that pools price anew each round, and tokens that nothing prices. */
const pricingOf = (round: number): Pricing => ({
  usdPerUnit: mint => mint === 'quote0'
    ? ratio(1n, 1_000_000n)
    : priced.has(mint)
      ? ratio(priced.get(mint)! + BigInt(round), 999_983_000_000n)
      : undefined,
  symbolOf: mint => mint
})
const FIRST = START / 86_400
const volume = (seed: number): { quote: Rational, trades: number } => ({
  quote: ratio(BigInt(seed % 99_991) * 10_007n * SCALE + BigInt(seed), SCALE), trades: seed % 50 + 1
})

type Day = ReturnType<typeof volume>
const traded: Array<TradedDao<Day>> = Array.from({ length: daos }, (_, i) => (
  {
    baseMint: `mint${i}`,
    quoteMint: `quote${i % tokens}`,
    launchedAt: START,
    days: new Map(Array.from({ length: DAYS }, (_, day) => [FIRST + day, volume(i * 31 + day)]))
  }
))
const now = START + (DAYS - 0.5) * 86_400

async function milliseconds (refresh: (round: number) => unknown): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) costs.push((await costOf(() => refresh(round))).cpu)
  return median(costs)
}

const refresh = async (round: number): Promise<string> => JSON.stringify(
  await aggregateVolume(traded, ({ quote }) => quote, pricingOf(round), now)
)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
await refresh(0)
const sums = await milliseconds(refresh)
const held = delay.max / 1e6
const bytes = await milliseconds(async round => makeCachedResponse('application/json', await refresh(round)))
console.log(
  `${daos} DAOs, ${DAYS} days: ${sums.toFixed(1)} ms of CPU a refresh to the JSON ` +
    `text, ${bytes.toFixed(1)} ms with its compressed bytes; the loop was held ${held.toFixed(0)} ms at most`
)
