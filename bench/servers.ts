/** The servers that `bench/http.ts` compares, each started in a process of its own: `servers.ts service|bare|express`. */
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { createLogStream } from '../lib/log-stream.js'
import { createLedger, startNode } from '../simulator/index.js'

const [kind, argument = ''] = process.argv.slice(2)
const tell = (port: number, more: object = {}): void => { process.send!({ url: `http://127.0.0.1:${port}`, ...more }) }

/** The service as it runs, limiter and log on, over a chain of as many DAOs as asked for. */
async function startService (daos: number): Promise<void> {
  const start = Math.floor(Date.now() / 1000) - 3600
  const ledger = createLedger({ time: start })
  const usdc = ledger.usdc()
  for (let i = 0; i < daos; i++) ledger.dao({ base: ledger.mint({ symbol: `T${i}`, name: `Token number ${i}` }), quote: usdc, baseReserves: 10n ** 12n + BigInt(i), quoteReserves: 10n ** 11n + BigInt(i) })
  const node = await startNode(ledger)
  // a chain that has halted is no longer served after a while
  const slots = setInterval(() => ledger.advance(Date.now() / 1000 - start - ledger.elapsed / 1000), ledger.slotMs!)
  slots.unref()
  const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.on('SIGTERM', () => process.exit())
  const env = { CHAIN_RPC_URL: node.url, CHAIN_WS_URL: '', FACTORY_ADDRESS: ledger.program, ROUTER_ADDRESS: ledger.program, DATA_DIR: folder, RATE_LIMIT_MAX: '1000000000', REDIS_URL: process.env.REDIS_URL ?? '' }
  const fastify = Fastify({ ...serverOptions(env), logger: { level: 'info', stream: createLogStream({ fd: 1, terminal: false, redact: line => line }) } })
  await fastify.register(fp(app), { env })
  await fastify.listen({ port: 0, host: '127.0.0.1' })
  while (!fastify.history.status().last24h || !fastify.history.status().complete) await setTimeout(50)
  await fastify.inject('/api/tickers')
  tell((fastify.server.address() as AddressInfo).port, { rss: process.memoryUsage().rss })
}

/** node:http and nothing else, sending the bytes that the service sends. */
async function startBare (url: string): Promise<void> {
  const bodies = new Map<string, Buffer>()
  for (const path of ['/api/tickers', '/health']) bodies.set(path, Buffer.from(await (await fetch(url + path)).arrayBuffer()))
  const server = createServer((request, response) => {
    const body = bodies.get(request.url!)!
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
}

/** Express as one finds it: the array, serialised for each request. */
async function startExpress (url: string): Promise<void> {
  const { default: express } = await import('express')
  const tickers: unknown = await (await fetch(`${url}/api/tickers`)).json()
  const server = express().get('/api/tickers', (_request, response) => { response.json(tickers) }).listen(0, '127.0.0.1', () => tell((server.address() as AddressInfo).port))
}

if (kind === 'service') await startService(Number(argument))
else if (kind === 'bare') await startBare(argument)
else if (kind === 'express') await startExpress(argument)
else throw new Error('servers.ts service|bare|express')
