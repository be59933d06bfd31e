/**
 * How long single pieces of work hold the event loop with many DAOs, against the time that the loop of an idle process is held on this machine in the same run:
 * `npm run bench -- loop [--daos 5000] [--swaps 5000]`. The chain runs in a process of its own. Between two ticks the loop goes round once: of each round the time
 * that passed is told, in which others may have had the processor, and on Linux the processor time of the loop's thread.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { ALL } from '../lib/responses/sources.js'

const { values } = parseArgs({ allowPositionals: true, options: { daos: { type: 'string', default: '5000' }, swaps: { type: 'string', default: '5000' } } })
const PATHS = ['/api/tickers', '/api/pools', '/api/daos', '/api/volume/aggregate', '/api/fees/aggregate', '/coingecko/tickers', '/cmc/v1/summary', '/cmc/v1/assets', '/market']
const TICK_MS = 2
const LIFETIME_MS = 10_500
const IDLE_MS = 2_000

process.env.FASTIFY_AUTOLOAD_TYPESCRIPT = '1'
const chain = spawn(process.execPath, ['--import', 'tsx', 'simulator/serve.ts', '--daos', values.daos, '--swaps', values.swaps],
  { stdio: ['ignore', 'pipe', 'inherit'], cwd: join(import.meta.dirname, '..') })
const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-bench-'))

/** Processor time of this thread in ms; 0 where the system does not tell. Its first number are nanoseconds. */
const schedstat = `/proc/self/task/${process.pid}/schedstat`
const file = existsSync(schedstat) ? openSync(schedstat, 'r') : undefined
const line = Buffer.alloc(64)
const processorMs = () => file === undefined ? 0 : Number.parseInt(line.toString('latin1', 0, readSync(file, line, 0, line.length, 0))) / 1e6

interface Held { ms: number, cpu: number }
let last: Held = { ms: performance.now(), cpu: processorMs() }
let held: Held = { ms: 0, cpu: 0 }
const ticks = setInterval(() => {
  const now = { ms: performance.now(), cpu: processorMs() }
  held = { ms: Math.max(held.ms, now.ms - last.ms - TICK_MS), cpu: Math.max(held.cpu, now.cpu - last.cpu) }
  last = now
}, TICK_MS)
/** The longest since it was asked last. */
function longest (): Held {
  const most = held
  held = { ms: 0, cpu: 0 }
  return most
}
const text = ({ ms, cpu }: Held): string => `${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`

try {
  const [told] = await once(createInterface({ input: chain.stdout! }), 'line') as [string]
  const { url, program } = JSON.parse(told) as { url: string, program: string }
  await setTimeout(IDLE_MS)
  longest()
  await setTimeout(IDLE_MS)
  const idle = longest()
  const env = { CHAIN_RPC_URL: url, CHAIN_WS_URL: '', FACTORY_ADDRESS: program, ROUTER_ADDRESS: program, DATA_DIR: folder, RATE_LIMIT_MAX: '1000000', REDIS_URL: '', DATABASE_URL: '' }
  const fastify = Fastify({ ...serverOptions(env), logger: false })
  await fastify.register(fp(app), { env })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  longest()
  console.log(`${values.daos} DAOs, ${values.swaps} swaps; an idle loop here: ${text(idle)}`)
  await fastify.cache.snapshot.get(ALL)
  console.log(`the first state, with which Anchor and web3.js are loaded, once in a process: ${text(longest())}`)
  while (!fastify.history.status().complete) await setTimeout(50)
  console.log(`reading the history: ${text(longest())}`)
  for (const round of ['first', 'next']) {
    for (const path of PATHS) {
      const { statusCode: status } = await fastify.inject(path)
      if (status !== 200) throw new Error(`${path}: ${status}`)
      await setTimeout(2 * TICK_MS)
      console.log(`${round} ${path}: ${text(longest())}`)
    }
    await setTimeout(LIFETIME_MS)
    console.log(`between: ${text(longest())}`)
  }
  await fastify.close()
} finally {
  clearInterval(ticks)
  chain.kill()
  rmSync(folder, { recursive: true, force: true })
}
