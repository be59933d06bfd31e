/**
 * CPU of one refresh of the aggregate with 500 DAOs that have traded every day for 5 years and trade now, against summing the same days anew:
 * `npm run bench -- aggregate [--daos 500] [--years 5]`. The bytes are made too, compressed ones included.
 */
import { parseArgs } from 'node:util'
import buildSerializer from 'fast-json-stringify'
import { type Rational, ratio } from '../lib/decimal.js'
import { createAggregate, type TradedDao } from '../lib/market/aggregate.js'
import { represent } from '../lib/representation.js'
import { AggregateSchema } from '../schemas/aggregate.js'

const { values } = parseArgs({ allowPositionals: true, options: { daos: { type: 'string', default: '500' }, years: { type: 'string', default: '5' } } })
const DAYS = Math.round(Number(values.years) * 365)
const START = Date.parse('2021-01-01') / 1000
const SCALE = 10n ** 24n
const ROUNDS = 20
const pricing = { usdPerUnit: () => ratio(1n, 1_000_000n), symbolOf: (mint: string) => mint }
const serialize = buildSerializer(AggregateSchema)
const dates = Array.from({ length: DAYS }, (_, day) => new Date((START + day * 86_400) * 1000).toISOString().slice(0, 10))
const volume = (seed: number): { quote: Rational, trades: number } => ({ quote: ratio(BigInt(seed % 99_991) * 10_007n * SCALE + BigInt(seed), SCALE), trades: seed % 50 + 1 })

function build (round: number, settled: ReadonlyArray<TradedDao['days']['settled']>): TradedDao[] {
  return settled.map((days, i) => ({
    address: `dao${i}`,
    baseMint: `mint${i}`,
    quoteMint: 'USDC',
    launchedAt: START,
    days: { settled: days, recent: new Map(dates.slice(-2).map(date => [date, volume(i + round)])) }
  }))
}

const settled = Array.from({ length: Number(values.daos) }, (_, i) => new Map(dates.slice(0, -2).map((date, day) => [date, volume(i * 31 + day)])))
const now = START + (DAYS - 0.5) * 86_400

async function milliseconds (refresh: (round: number) => unknown): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = process.cpuUsage()
    await refresh(round)
    const { user, system } = process.cpuUsage(begun)
    costs.push((user + system) / 1000)
  }
  return costs.sort((a, b) => a - b)[ROUNDS / 2]!
}

const aggregate = createAggregate()
const kept = (round: number): string => serialize(aggregate(build(round, settled), pricing, now))
kept(0)
const sums = await milliseconds(kept)
const bytes = await milliseconds(round => represent('application/json', kept(round)))
const anew = await milliseconds(round => createAggregate()(build(round, settled), pricing, now))
console.log(`${values.daos} DAOs, ${DAYS} days: ${sums.toFixed(1)} ms of CPU a refresh to the JSON text, ${bytes.toFixed(1)} ms with its compressed bytes; ` +
  `all days anew: ${anew.toFixed(0)} ms; ratio ${(anew / sums).toFixed(0)}`)
