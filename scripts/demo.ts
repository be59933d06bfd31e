/**
 * The whole service on a simulated chain, without a network: about 20 DAOs that trade live, and what to try on them.
 * `npm run demo [-- --port 3000] [--seconds 30]`; ends on Ctrl-C, or after the seconds where they are given.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import type { Ticker } from '../schemas/ticker.js'

const { values } = parseArgs({ options: { port: { type: 'string', default: process.env.PORT ?? '3000' }, seconds: { type: 'string' } } })

interface Chain { url: string, wsUrl: string, program: string, router: string, spam: string }

/** The simulated chain, in a process of its own as a node is. */
async function startChain (): Promise<{ chain: Chain, child: ChildProcess }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/ledger/serve.ts', '--daos', '20', '--swaps', '4000', '--days', '10', '--live'],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: join(import.meta.dirname, '..') })
  const [line] = await once(createInterface({ input: child.stdout! }), 'line') as [string]
  return { chain: JSON.parse(line) as Chain, child }
}

async function startService (chain: Chain, folder: string): Promise<FastifyInstance> {
  const env = {
    CHAIN_RPC_URL: chain.url,
    CHAIN_WS_URL: chain.wsUrl,
    FACTORY_ADDRESS: chain.program,
    ROUTER_ADDRESS: chain.router,
    PROTOCOL_FEE_RATE: '0.005',
    EXCLUDED_DAOS: chain.spam,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    PORT: values.port
  }
  const fastify = Fastify({ ...serverOptions(env), logger: { level: 'warn' } })
  await fastify.register(fp(app), { env })
  await fastify.listen({ port: Number(values.port), host: env.HOST })
  return fastify
}

function tell (address: string, tickers: Ticker[], { swaps, phase }: { swaps: number, phase: string }): void {
  const [deepest] = tickers
  console.log(`
DAO market data on a simulated chain: ${tickers.length} pools, ${swaps} swaps indexed, ${phase}. Try:

  curl ${address}/api/tickers
  curl ${address}/api/supply/${deepest?.base_currency}
  curl ${address}/api/supply/${deepest?.base_currency}/circulating
  curl ${address}/api/volume/aggregate
  curl ${address}/api/daos
  curl ${address}/health
  open ${address}/market and ${address}/documentation

The deepest pool, ${deepest?.base_symbol}/${deepest?.target_symbol}: price ${deepest?.last_price}, bid ${deepest?.bid}, ask ${deepest?.ask},
24 hours ${deepest?.target_volume} ${deepest?.target_symbol}, liquidity ${deepest?.liquidity_in_usd} USD. It trades while you look. Ctrl-C ends it.
`)
}

const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-demo-'))
const stopped = new Promise<void>(resolve => {
  // each stays: npm passes on a second one, which must not cut the end short
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve)
})
const { chain, child } = await startChain()
let service: FastifyInstance | undefined
try {
  service = await startService(chain, folder)
  const { history, server } = service
  while (!history.status().complete || !history.status().last24h) await setTimeout(100)
  const { address, port } = server.address() as { address: string, port: number }
  tell(`http://${address}:${port}`, (await service.inject('/api/tickers')).json<Ticker[]>(), history.status())
  await (values.seconds === undefined ? stopped : Promise.race([stopped, setTimeout(Number(values.seconds) * 1000, undefined, { ref: false })]))
} finally {
  await service?.close()
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit')
  rmSync(folder, { recursive: true, force: true })
}
