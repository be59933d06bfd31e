import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { AddressInfo } from 'node:net'
import app, { serverOptions } from '../app.js'
import { createLedger, startNode } from '../simulator/index.js'
import { createRandom } from '../simulator/random.js'
import { options, scratchFolder } from './support/run.js'
import { dropSchema, withSchema } from './support/schema.js'
import { createSoakMarket } from './support/soak-market.js'
import { changeWeather, clearWeather } from './support/soak-weather.js'

/**
 * Days in minutes: traffic, trades, a proposal a day, faults and limits of the node and restarts of the service.
 * Memory, sockets, timers and file handles must stay flat, no figure may be wrong on the way, and all must be right at
 * the end. With more than one replica the store is the PostgreSQL at `--database`, where a schema is made and dropped.
 * With `--from`, a folder with another version, installed, that one serves the first third of the hours, one process
 * alone; its figures are held against nothing.
 * `NODE_OPTIONS=--expose-gc tsx bench/soak.ts [--hours 72] [--replicas 3] [--short] [--seed N] [--database URL]
 * [--from ../of-before]`
 */

const { replicas, short, seed, database, from, ...asked } = options({
  hours: 0, replicas: 1, short: false, seed: 1, database: 'postgres://postgres@127.0.0.1:5432/test', from: ''
})
const hours = asked.hours || (short ? 2 : 24)
const STEP = 60                 // simulated seconds of one step
const STEP_MS = short ? 60 : 100
const RESTART_EVERY = 4 * 3600 / STEP
const random = createRandom(seed)

const ledger = createLedger({ seed })
const node = await startNode(ledger)
const market = createSoakMarket(ledger, random)
const folder = scratchFolder()
const schema = `soak_${process.pid}`
let advanced = performance.now()
const now = (): number => ledger.time * 1000 + (performance.now() - advanced)

interface Replica { service: FastifyInstance, url: string }
interface App { default: typeof app, serverOptions: typeof serverOptions }
interface Version { create: typeof Fastify, app: typeof app, serverOptions: typeof serverOptions }

const CURRENT: Version = { create: Fastify, app, serverOptions }

async function versionIn (from: string): Promise<Version> {
  const { default: app, serverOptions } = await import(resolve(from, 'app.ts')) as App
  return { create: createRequire(resolve(from, 'app.ts'))('fastify') as typeof Fastify, app, serverOptions }
}

async function start ({ create, app, serverOptions }: Version): Promise<Replica> {
  const env = {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: node.wsUrl,
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ledger.program,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PROTOCOL_FEE_RATE: '0.005',
    RATE_LIMIT_MAX: '1000000000',
    ...replicas === 1 ? { DATA_DIR: folder } : { DATABASE_URL: withSchema(database, schema) }
  }
  const service = create({ ...serverOptions(env), logger: false })
  await service.register(fp(app), { env, now, pollMs: 25, transport: { callMs: 300, answerMs: 900, retries: 1 } })
  await service.listen({ port: 0, host: '127.0.0.1' })
  return { service, url: `http://127.0.0.1:${(service.server.address() as AddressInfo).port}` }
}

const statuses = new Map<number, number>()

/** What a path answers; undefined where that is not 200. */
async function ask (url: string, path: string): Promise<{ body: unknown, headers: Headers } | undefined> {
  const answer = await fetch(url + path)
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  const text = await answer.text()
  if (answer.status !== 200) return undefined
  return { body: path.endsWith('/total') ? text : JSON.parse(text) as unknown, headers: answer.headers }
}

const problems: string[] = []

async function traffic ({ url }: Replica): Promise<void> {
  await Promise.all(market.paths.map(async path => {
    const answer = await ask(url, path)
    if (answer !== undefined && version === CURRENT) problems.push(...market.wrong(path, answer.body, answer.headers))
  }))
}

/** What the process holds, after everything that is due has been let go. Heap in MB. */
async function resources (): Promise<{ heap: number, sockets: number, timers: number, files: number }> {
  await setTimeout(20)
  globalThis.gc?.()
  const held = process.getActiveResourcesInfo()
  const count = (...names: string[]): number => held.filter(name => names.includes(name)).length
  return {
    heap: Math.round(process.memoryUsage().heapUsed / 2 ** 19) / 2,
    sockets: count('TCPSocketWrap', 'TCPServerWrap'),
    timers: count('Timeout'),
    files: readdirSync('/proc/self/fd').length
  }
}

const begun = performance.now()
const startAll = () => Promise.all(Array.from({ length: version === CURRENT ? replicas : 1 }, () => start(version)))
let version = from === '' ? CURRENT : await versionIn(from)
let running = await startAll()
const samples: Array<Awaited<ReturnType<typeof resources>>> = []
/**
 * Of which samples a time without a restart begins. What a service in a process of its own leaves behind ends with that
 * process.
 */
const beginnings = [1]
const steps = hours * 3600 / STEP
const upgradedAt = from === '' ? undefined : Math.round(steps / 3)
let restarts = 0
for (let step = 1; step <= steps; step++) {
  changeWeather(node, random)
  market.step(STEP)
  advanced = performance.now()
  await Promise.all([...running.map(traffic), setTimeout(STEP_MS)])
  if (step === upgradedAt) {
    await running[0]!.service.close()
    version = CURRENT
    running = await startAll()
    beginnings.push(samples.length + 1)
  } else if (step % RESTART_EVERY === 0) {
    const at = restarts++ % running.length
    await running[at]!.service.close()
    running[at] = await start(version)
    beginnings.push(samples.length + 1)
  } else if (step % (3600 / STEP) === 0) samples.push(await resources())
  if (process.stderr.isTTY) process.stderr.write(`\r${(step * STEP / 3600).toFixed(1)} of ${hours} h `)
}

clearWeather(node)
let wrong = ['never checked']
for (let tries = 0; tries < 300 && wrong.length > 0; tries++) {
  await setTimeout(100)
  if (tries % 50 === 0) {
    ledger.advance(11)
    advanced = performance.now()
  }
  wrong = (await Promise.all(running.map(async ({ url }) => {
    const [tickers, aggregate, daos] = await Promise.all(
      ['/api/tickers', '/api/volume/aggregate', '/api/daos'].map(async path => (await ask(url, path))?.body)
    )
    return market.wrongAtEnd(Math.floor(now() / 1000), { tickers, aggregate, daos })
  }))).flat()
}

const place = replicas === 1 ? 'SQLite' : `${replicas} replicas`
console.log(
  `${hours} simulated hours in ${Math.round((performance.now() - begun) / 1000)} s on ${place}` +
    `${upgradedAt === undefined ? '' : ', the first third by another version'}: ` +
    `${ledger.swaps.length} swaps, ${market.proposals} proposals decided, ${restarts} restarts, ` +
    `${node.requests} requests to the node`
)
console.log('answers by status:', Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))
console.table(samples)
console.log(wrong.length === 0 ? 'every figure is right at the end' : `wrong at the end: ${wrong.join(', ')}`)
await Promise.all(running.map(({ service }) => service.close()))
await node.close()
if (replicas > 1) await dropSchema(database, schema)
/** By how much something has grown while no service was started again. */
const growth = (of: 'heap' | 'sockets' | 'timers' | 'files'): number => beginnings.reduce((sum, from, at) => {
  const stretch = samples.slice(from, (beginnings[at + 1] ?? Infinity) - 1)
  return sum + (stretch.length === 0 ? 0 : stretch.at(-1)![of] - stretch[0]![of])
}, 0)
const grown = { heap: growth('heap'), sockets: growth('sockets'), timers: growth('timers'), files: growth('files') }
console.log('grown while running:', grown)
// what the simulated chain and our own lists of truths hold grows with the swaps: 5 kB each
const flat = grown.heap < 25 + ledger.swaps.length * 5 / 1000 && grown.sockets <= 40 && grown.timers <= 10 &&
  grown.files <= 60
if (problems.length > 0) console.error('wrong on the way:', problems.slice(0, 10))
if (problems.length > 0 || wrong.length > 0 || !flat) {
  console.error(`FAILED${flat ? '' : ': memory, sockets, timers or files have grown'}`)
  process.exitCode = 1
}
