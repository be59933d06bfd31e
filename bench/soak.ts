import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AddressInfo } from 'node:net'
import app, { serverOptions } from '../app.js'
import type { Ticker } from '../schemas/ticker.js'
import { createLedger, type FaultRule, startNode } from '../simulator/index.js'
import { createRandom } from '../simulator/random.js'
import { aggregateTruth, createWorld, poolTruths, supplyTruth } from '../test/system/reliability/truth.js'

/**
 * 24 hours in a few minutes: traffic, trades, faults of the node and restarts of the service. Memory, sockets and timers must stay flat, no
 * figure may be wrong on the way, and all must be right at the end. `NODE_OPTIONS=--expose-gc tsx bench/soak.ts [--short] [--hours N]`
 */

const { values } = parseArgs({ options: { hours: { type: 'string' }, short: { type: 'boolean', default: false }, seed: { type: 'string', default: '1' } } })
const hours = Number(values.hours ?? (values.short ? 2 : 24))
const STEP = 60                 // simulated seconds of one step
const STEP_MS = values.short ? 60 : 100
const RESTART_EVERY = 4 * 3600 / STEP
const random = createRandom(Number(values.seed))

const FAULTS: FaultRule[] = [
  { kind: 'refuse' }, { kind: 'reset' }, { kind: 'hang' }, { kind: 'status' }, { kind: 'rate-limit', value: 1 }, { kind: 'html' }, { kind: 'truncated' },
  { kind: 'wrong-id' }, { kind: 'missing-field' }, { kind: 'wrong-owner', method: 'getProgramAccounts' }, { kind: 'swapped-accounts', method: 'getProgramAccounts' },
  { kind: 'batch-partial' }, { kind: 'inner-null' }, { kind: 'null-transaction' }
]

const ledger = createLedger({ seed: Number(values.seed) })
const node = await startNode(ledger)
const world = createWorld(ledger)
const folder = mkdtempSync(join(tmpdir(), 'soak-'))
let advanced = performance.now()
const now = (): number => ledger.time * 1000 + (performance.now() - advanced)
const advance = (seconds: number): void => { ledger.advance(seconds); advanced = performance.now() }

const env = {
  CHAIN_RPC_URL: node.url,
  CHAIN_WS_URL: node.wsUrl,
  FACTORY_ADDRESS: ledger.program,
  ROUTER_ADDRESS: ledger.program,
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATA_DIR: folder,
  PROTOCOL_FEE_RATE: '0.005',
  RATE_LIMIT_MAX: '1000000000'
}

async function start (): Promise<{ service: FastifyInstance, url: string }> {
  const service = Fastify({ ...serverOptions(env), logger: false })
  await service.register(fp(app), { env, now, pollMs: 25, transport: { callMs: 300, answerMs: 900, retries: 1 } })
  await service.listen({ port: 0, host: '127.0.0.1' })
  return { service, url: `http://127.0.0.1:${(service.server.address() as AddressInfo).port}` }
}

const problems: string[] = []
const statuses = new Map<number, number>()
/** Prices and totals that were true at some time; what is served must be one of them. */
const prices = new Map<string, Set<string>>(world.daos.map(({ address }) => [address, new Set()]))
const totals = new Set<string>()

function remember (): void {
  for (const [pool, { last_price: price }] of poolTruths(world)) prices.get(pool)!.add(price)
  totals.add(aggregateTruth(world))
}

/** Trades one at a time, so that every state in between is known. */
function tradeSome (): void {
  for (const dao of world.daos) {
    if (random.int(3) > 0) continue
    dao.swap(random.int(2) === 0 ? 'buy' : 'sell', random.amount(1_000_000n, 900_000_000n))
    remember()
  }
}

async function ask (url: string, path: string): Promise<unknown> {
  const answer = await fetch(url + path)
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  const text = await answer.text()
  if (answer.status !== 200) return undefined
  return path.endsWith('/total') ? text : JSON.parse(text) as unknown
}

async function traffic (url: string): Promise<void> {
  const { address } = world.launch.mint
  const paths = ['/api/tickers', '/api/volume/aggregate', `/api/supply/${address}`, `/api/supply/${world.plain.address}/total`, '/api/daos', '/health', '/nowhere', '/api/supply/x']
  await Promise.all(paths.map(async path => {
    const body = await ask(url, path)
    if (body === undefined) return
    if (path === '/api/tickers') {
      const list = body as Ticker[]
      if (list.length !== world.daos.length) problems.push(`a list of ${list.length} tickers`)
      for (const { pool_id: pool, last_price: price } of list) if (!prices.get(pool)!.has(price)) problems.push(`price ${price} of ${pool}`)
    }
    if (path === '/api/volume/aggregate' && !totals.has((body as { totalVolume: string }).totalVolume)) problems.push(`total ${(body as { totalVolume: string }).totalVolume}`)
    if (path.endsWith('/total') && body !== supplyTruth(world, world.plain).total) problems.push(`supply ${String(body)}`)
  }))
}

/** What a process holds, after everything that is due has been let go. */
async function resources (): Promise<{ heap: number, sockets: number, timers: number }> {
  await setTimeout(20)
  globalThis.gc?.()
  const held = process.getActiveResourcesInfo()
  const count = (...names: string[]): number => held.filter(name => names.includes(name)).length
  return { heap: Math.round(process.memoryUsage().heapUsed / 2 ** 19) / 2, sockets: count('TCPSocketWrap', 'TCPServerWrap'), timers: count('Timeout') }
}

remember()
const begun = performance.now()
let { service, url } = await start()
const samples: Array<Awaited<ReturnType<typeof resources>>> = []
const steps = hours * 3600 / STEP
let restarts = 0
for (let step = 1; step <= steps; step++) {
  if (random.int(20) === 0) node.faults.set({ ...FAULTS[random.int(FAULTS.length)]!, times: 1 + random.int(40) })
  if (random.int(3) === 0) node.faults.clear()
  if (random.int(40) === 0) node.ws.drop()
  tradeSome()
  advance(STEP)
  await Promise.all([traffic(url), setTimeout(STEP_MS)])
  if (step % RESTART_EVERY === 0) {
    await service.close()
    ;({ service, url } = await start())
    restarts++
  }
  if (step % (3600 / STEP) === 0) samples.push(await resources())
}

node.faults.clear()
let wrong = ['never checked']
for (let tries = 0; tries < 300 && wrong.length > 0; tries++) {
  await setTimeout(100)
  if (tries % 50 === 0) advance(11)
  wrong = []
  const [list, aggregate, report] = await Promise.all([ask(url, '/api/tickers'), ask(url, '/api/volume/aggregate'), ask(url, '/api/daos')]) as [Ticker[] | undefined, { totalVolume: string } | undefined, { listed: number } | undefined]
  // the window moves by the second while we look
  const windows = [0, 1, 2, 3, 12].map(late => poolTruths(world, Math.floor(now() / 1000) - 86_400 - late))
  for (const ticker of list ?? []) {
    if (!windows.some(truths => Object.entries(truths.get(ticker.pool_id)!).every(([name, value]) => ticker[name as 'last_price'] === value))) wrong.push(`ticker ${ticker.pool_id}`)
  }
  if (list?.length !== world.daos.length) wrong.push('the list')
  if (aggregate?.totalVolume !== aggregateTruth(world)) wrong.push('the aggregate')
  if (report?.listed !== world.daos.length) wrong.push('the report')
}

console.log(`${hours} simulated hours in ${Math.round((performance.now() - begun) / 1000)} s: ${ledger.swaps.length} swaps, ${restarts} restarts, ${node.requests} calls of the node`)
console.log('answers by status:', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))
console.table(samples)
console.log(wrong.length === 0 ? 'every figure is right at the end' : `wrong at the end: ${wrong.join(', ')}`)
await service.close()
await node.close()
rmSync(folder, { recursive: true, force: true })
const middle = samples[Math.floor(samples.length / 2)]!
const last = samples.at(-1)!
// what the simulated chain and our own lists of truths hold grows with the swaps: 1 kB each at most
const grown = last.heap - middle.heap - ledger.swaps.length / 2 / 1000
const flat = grown < 25 && last.sockets <= middle.sockets + 20 && last.timers <= middle.timers + 10
if (problems.length > 0) console.error('wrong on the way:', problems.slice(0, 10))
if (problems.length > 0 || wrong.length > 0 || !flat) {
  console.error(`FAILED${flat ? '' : ': memory, sockets or timers have grown'}`)
  process.exitCode = 1
}
