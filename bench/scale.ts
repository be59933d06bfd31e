/**
 * What a DAO, a swap and a request cost: the whole service against a simulated chain, each in a process of its own.
 * `npm run bench -- scale [--daos 60,600] [--swaps 3000,3000] [--days 2] [--requests 2000]`, one run for each pair of
 * sizes.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { ALL } from '../lib/responses/sources.js'

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    daos: { type: 'string', default: '60,600' },
    swaps: { type: 'string', default: '3000,3000' },
    days: { type: 'string', default: '2' },
    requests: { type: 'string', default: '2000' },
    /** Set by the benchmark itself: the chain to measure the service against. */
    chain: { type: 'string' }
  }
})
/** Lifetimes of tickers and of token metadata, ms, and a bit. */
const TICKERS_OLD = 11_000
const METADATA_OLD = 101_000
/** Refreshes whose median is told. */
const REFRESHES = 5
const CONNECTIONS = 16

const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!

/** CPU of this process while `work` runs, and how long that took, ms. */
async function cost (work: () => Promise<unknown>): Promise<{ cpu: number, ms: number }> {
  const [begun, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1000, ms: performance.now() - begun }
}

/** Runs the service and tells what each part of its work costs. */
async function measure ({ url, program }: { url: string, program: string }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-scale-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.once('disconnect', () => process.exit())
  const env = {
    CHAIN_RPC_URL: url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: program,
    ROUTER_ADDRESS: program,
    PROTOCOL_FEE_RATE: '0.005',
    DATA_DIR: folder,
    RATE_LIMIT_MAX: '1000000000',
    LOG_LEVEL: 'error'
  }
  let [ahead, calls] = [0, 0]
  const fastify = Fastify({ ...serverOptions(env), logger: { level: 'error' } })
  await fastify.register(fp(app), { env, now: () => Date.now() + ahead, pollMs: 100 })
  await fastify.ready()
  fastify.chain.observers.add(() => { calls++ })
  const { history, cache, market } = fastify
  const indexing = await cost(async () => {
    while (!history.status().complete || !history.status().last24h) await setTimeout(20)
  })
  const { swaps, events } = history.status()
  console.log(
    `indexing: ${Math.round(events / indexing.ms * 1000)} events/s, ` +
      `CPU ${(indexing.cpu / events * 1000).toFixed(0)} µs an event, ${calls} node calls for ${events} events`
  )

  /** The median cost of `work`, each time `age` ms later than before. */
  async function refreshed (
    age: number, prepare: () => Promise<unknown>, work: () => Promise<unknown>
  ): Promise<string> {
    const runs: Array<{ cpu: number, ms: number, calls: number }> = []
    for (let i = 0; i < REFRESHES; i++) {
      ahead += age
      await prepare()
      calls = 0
      runs.push({ ...await cost(work), calls })
    }
    return `CPU ${median(runs.map(({ cpu }) => cpu)).toFixed(1)} ms, ${median(runs.map(({ ms }) => ms)).toFixed(0)} ms passed, ${median(runs.map(({ calls }) => calls))} node calls`
  }
  const state = (): Promise<unknown> => cache.snapshot.get(ALL, 0)
  /** The head has been looked at by the new clock, and the state read. */
  const settled = async (): Promise<void> => {
    await setTimeout(400)
    await state()
  }
  console.log(`state of all DAOs, tokens anew:  ${await refreshed(METADATA_OLD, async () => {}, state)}`)
  console.log(`state of all DAOs, tokens known: ${await refreshed(0, settled, state)}`)
  console.log(`tickers of that state:           ${await refreshed(TICKERS_OLD, settled, () => market.tickers())}`)
  console.log(`aggregate of that state:         ${await refreshed(TICKERS_OLD, settled, () => market.aggregate())}`)
  const { value: { variants } } = await market.tickers()
  const sizes: string[] = []
  for (const [encoding, { body }] of variants) {
    sizes.push(`${encoding} ${Math.round((Buffer.isBuffer(body) ? body : await body()).length / 1000)} kB`)
  }
  console.log(`body of /api/tickers: ${sizes.join(', ')}`)

  await fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = fastify.server.address() as AddressInfo
  for (const path of ['/health', '/api/tickers']) {
    const before = process.cpuUsage()
    process.send!({ url: `http://127.0.0.1:${port}${path}` })
    await once(process, 'message')
    const { user, system } = process.cpuUsage(before)
    console.log(`${path}: ${((user + system) / Number(values.requests)).toFixed(0)} µs of CPU a request`)
  }
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  await fastify.close()
  const size = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  console.log(
    `memory: ${mb(rss)} resident, ${mb(heapUsed)} of heap in use; ` +
      `store: ${mb(size)}, ${Math.round(size / swaps)} bytes a swap`
  )
  process.disconnect()
}

/** Asks for `url` so many times; every answer is read whole. */
async function load (url: string, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let left = requests
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (left-- > 0) {
      await new Promise<void>((resolve, reject) => {
        request(
          url, { agent }, response => { response.on('data', () => {}).on('end', resolve) }
        ).on('error', reject).end()
      })
    }
  }))
  agent.destroy()
}

async function run (daos: string, swaps: string): Promise<void> {
  const home = join(import.meta.dirname, '..')
  const chain = spawn(process.execPath, [
    '--max-old-space-size=8192', '--import', 'tsx', 'simulator/serve.ts', '--daos', daos, '--swaps', swaps, '--days',
    values.days
  ], { stdio: ['ignore', 'pipe', 'inherit'], cwd: home })
  process.once('exit', () => chain.kill())
  try {
    const [line] = await once(createInterface({ input: chain.stdout }), 'line') as [string]
    const { url, program } = JSON.parse(line) as { url: string, program: string }
    console.log(`\n${daos} DAOs, ${swaps} swaps in ${values.days} days`)
    const service = fork(
      import.meta.filename,
      ['--chain', JSON.stringify({ url, program }), '--requests', values.requests],
      { execArgv: ['--expose-gc', '--import', 'tsx'], env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' } }
    )
    service.on(
      'message', ({ url }: { url: string }) => { load(url, Number(values.requests)).then(() => service.send('done')) }
    )
    const [code] = await once(service, 'exit') as [number]
    if (code !== 0) process.exitCode = 1
  } finally {
    if (chain.exitCode === null && chain.kill()) await once(chain, 'exit')
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
if (values.chain === undefined) {
  const swaps = values.swaps.split(',')
  for (const [i, daos] of values.daos.split(',').entries()) await run(daos, swaps[i] ?? swaps.at(-1)!)
} else {
  await measure(JSON.parse(values.chain) as { url: string, program: string })
}
