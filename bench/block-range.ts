/**
 * `npm run bench -- block-range [--rounds 15] [--url postgres://…]`: 1,000 slots with 1,000 events, as the crawlers of
 * block ranges get them, the route and its bytes included. Against the same rows read from the store and against
 * JSON.stringify of the same events, in turns in one run. CPU of this process.
 */
import { setTimeout } from 'node:timers/promises'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import type { DexEvents, LatestBlock } from '../schemas/block-range.js'
import { createLedger, startNode } from '../simulator/index.js'
import { costOf, median } from './support/measure.js'
import { options, scratchFolder } from './support/run.js'
import { dropSchema, withSchema } from './support/schema.js'
import { settingsOf } from './support/settings.js'

const { rounds, url } = options({ rounds: 15, url: '' })
const SLOTS = 1_000
const DAOS = 20
/** Each is asked for once, as a crawler does. The first ones until code is compiled. */
const WARMING = 15
const RANGES = 1 + WARMING + rounds

const ledger = createLedger({ seed: 3 })
const daos = Array.from(
  { length: DAOS },
  () => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n })
)
ledger.advance(10)
const first = ledger.slot
for (let at = 0; at < SLOTS * RANGES; at++) {
  ledger.advance(0.2)
  daos[at % DAOS]!.swap(at % 2 === 0 ? 'buy' : 'sell', BigInt(1_000_000 + at))
}
const node = await startNode(ledger)
const schema = `bench_${process.pid}`
const env = {
  ...settingsOf(node.url, ledger.program),
  CHAIN_RPC_RATE: '100000',
  PROTOCOL_FEE_RATE: '0.005',
  RATE_LIMIT_MAX: '1000000000',
  LOG_LEVEL: 'silent',
  DATA_DIR: scratchFolder(),
  ...(url !== '' && { DATABASE_URL: withSchema(url, schema) })
}
const service = Fastify({ ...serverOptions(env), logger: false })
await service.register(fp(app), { env, now: () => ledger.time * 1000, pollMs: 20, bounds: { delay: Infinity } })

const pathOf = (range: number): string =>
  `/dexscreener/events?fromBlock=${first + range * SLOTS + 1}&toBlock=${first + (range + 1) * SLOTS}`

async function get (path: string): Promise<string> {
  const { statusCode, payload } = await service.inject(path)
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${payload}`)
  return payload
}

try {
  await service.ready()
  const last = ledger.slot
  for (let newest = -1; newest < last;) {
    ledger.advance(6)
    await setTimeout(50)
    const { statusCode, payload } = await service.inject('/dexscreener/latest-block')
    if (statusCode === 200) newest = (JSON.parse(payload) as LatestBlock).block.blockNumber
  }
  const events = (JSON.parse(await get(pathOf(0))) as DexEvents).events
  if (events.length !== SLOTS) throw new Error(`${events.length} events in ${SLOTS} slots`)
  const read = async (range: number) => await service.history.published(async reading => await reading.poolEvents(
    { from: first + range * SLOTS + 1, to: first + (range + 1) * SLOTS, limit: SLOTS }
  ))
  const [served, rows, texts]: [number[], number[], number[]] = [[], [], []]
  for (let range = 1; range <= WARMING; range++) await get(pathOf(range))
  for (let range = 1 + WARMING; range < RANGES; range++) {
    served.push((await costOf(() => get(pathOf(range)))).cpu)
    rows.push((await costOf(() => read(range))).cpu)
    texts.push((await costOf(() => JSON.stringify({ events }))).cpu)
  }
  const [whole, reading, writing] = [median(served), median(rows), median(texts)]
  console.log(
    `${SLOTS} slots with ${SLOTS} events, ${url === '' ? 'SQLite' : 'PostgreSQL'}, medians ` +
      `of ${rounds}: served ${whole.toFixed(1)} ms of CPU, at most ${Math.max(...served).toFixed(1)}`
  )
  console.log(
    `the rows read from the store ${reading.toFixed(1)} ms, ratio ${(whole / reading).toFixed(2)}; JSON.stringify ` +
      `of the same events ${writing.toFixed(2)} ms, ratio ${(whole / writing).toFixed(1)}`
  )
} finally {
  await service.close()
  await node.close()
  if (url !== '') await dropSchema(url, schema)
}
