/** The whole service on a simulated chain: about 20 DAOs that trade live, and what to try on them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { lastDayText } from '../lib/history/status.js'
import type { Ticker } from '../schemas/ticker.js'
import { NODE_KINDS, isNodeKind } from '../simulator/kinds.js'
import { type ServedMarket, spawnMarket } from '../simulator/spawn.js'
import { readCommandLine, refuse } from './command-line.js'

const HELP = `npm run demo -- [options]

  --port <number>     port of the service (PORT, or 3000)
  --node <kind>       the simulated node: ${Object.keys(NODE_KINDS).join(', ')} (own: without limits)
  --seconds <number>  ends by itself after so many seconds
  --help              this text`

const { values } = readCommandLine(HELP, {
  port: { type: 'string', default: process.env.PORT ?? '3000' },
  node: { type: 'string', default: 'own' },
  seconds: { type: 'string' }
})
const port = Number(values.port)
const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  refuse(`--port ${values.port}: a port is a whole number from 0 to 65535.`)
}
if (!isNodeKind(values.node)) refuse(`--node ${values.node}: one of ${Object.keys(NODE_KINDS).join(', ')}.`)
if (seconds !== undefined && !(seconds > 0)) refuse(`--seconds ${values.seconds}: a number above 0.`)

const HOST = '127.0.0.1'
/** From where the demo itself asks, so that it uses up nobody's limit. */
const OWN_ADDRESS = '127.0.0.2'
/** Between two lines that say how far the last day is. */
const TELL_MS = 10_000

/** Before anything is started. */
async function requirePort (): Promise<void> {
  const probe = createServer()
  await new Promise<void>(resolve => {
    probe.once('error', (error: NodeJS.ErrnoException) => refuse(
      `Port ${port} can't be used (${error.code}). Another one: npm run demo -- --port ${port + 1}`
    ))
    probe.listen(port, HOST, resolve)
  })
  await new Promise(resolve => probe.close(resolve))
}

/** A limited node gives a market of a size that it lets through in minutes. */
const [swaps, days, every] = values.node === 'own' ? ['4000', '10', '0.6'] : ['200', '3', '10']
const startChain = (): Promise<ServedMarket> => spawnMarket(
  '--daos', '20', '--swaps', swaps!, '--days', days!, '--node', values.node, '--live', '--every', every!, '--moves'
)

async function startService (chain: ServedMarket, folder: string): Promise<FastifyInstance> {
  const env = {
    CHAIN_RPC_URL: chain.url,
    CHAIN_WS_URL: chain.wsUrl,
    FACTORY_ADDRESS: chain.program,
    ROUTER_ADDRESS: chain.router,
    PROTOCOL_FEE_RATE: '0.005',
    EXCLUDED_DAOS: chain.spam,
    DATA_DIR: folder,
    RATE_LIMIT_ALLOW: OWN_ADDRESS,
    HOST,
    PORT: values.port
  }
  const fastify = Fastify({ ...serverOptions(env), logger: { level: 'warn' } })
  await fastify.register(fp(app), { env })
  await fastify.listen({ port, host: HOST })
  return fastify
}

function tell (
  address: string, chain: ServedMarket, tickers: Ticker[], { swaps, phase }: { swaps: number, phase: string }
): void {
  const [deepest] = tickers
  const { base_symbol: base, target_symbol: target } = deepest ?? {}
  const launched = tickers.find(({ base_currency: mint }) => chain.launched.includes(mint)) ?? deepest
  console.log(`
DAO market data on a simulated chain: ${tickers.length} pools, ${swaps} swaps indexed, ${phase}. Try:

  curl ${address}/api/tickers
  curl ${address}/api/supply/${launched?.base_currency}
  curl ${address}/api/supply/${launched?.base_currency}/circulating
  curl ${address}/api/volume/aggregate
  curl ${address}/api/daos
  curl ${address}/health
  open ${address}/market and ${address}/documentation

The deepest pool, ${base}/${target}: price ${deepest?.last_price}, bid ${deepest?.bid}, ask ${deepest?.ask},
24 hours ${deepest?.target_volume} ${target}, liquidity ${deepest?.liquidity_in_usd} USD. It trades while you look.
Ctrl-C ends it.

What anyone could do with a DAO of his own, carried out here, with the figures before and after:

  npm run attacks -- --url ${address} --chain ${chain.movesUrl}

The simulated node (${values.node}) answers npm start too, once it is built:

  npm run build && \\
  CHAIN_RPC_URL=${chain.url} CHAIN_WS_URL=${chain.wsUrl} \\
  FACTORY_ADDRESS=${chain.program} ROUTER_ADDRESS=${chain.router} PROTOCOL_FEE_RATE=0.005 PORT=${port + 1} npm start
`)
}

const stopped = new Promise<void>(resolve => {
  // each stays: npm passes on a second one, which must not cut the end short
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, resolve)
  // whoever started it is gone, killed hard: nobody could end it any more
  const parent = process.ppid
  setInterval(() => { if (process.ppid !== parent) resolve() }, 1000).unref()
})
await requirePort()
const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-demo-'))
const chain = await startChain()
let service: FastifyInstance | undefined
try {
  service = await startService(chain, folder)
  const { history, server } = service
  const { address, port: bound } = server.address() as { address: string, port: number }
  const url = `http://${address}:${bound}`
  const isOver = Promise.race(
    [stopped, ...seconds === undefined ? [] : [setTimeout(seconds * 1000, undefined, { ref: false })]]
  ).then(() => true)
  if (values.node !== 'own') {
    console.log(`The node is limited (${values.node}): the history comes at its pace. curl ${url}/ready says how far ` +
      `it is; its node: ${chain.url}`)
  }
  let over = false
  let tickers: Ticker[] | undefined
  let toldAt = -Infinity
  while (!over && tickers === undefined) {
    const answer = await service.inject({ url: '/api/tickers', remoteAddress: OWN_ADDRESS })
    const { lastDay } = history.status()
    if (answer.statusCode === 200) tickers = answer.json<Ticker[]>()
    else if (lastDay !== null && performance.now() - toldAt > TELL_MS) {
      toldAt = performance.now()
      console.log(lastDayText(lastDay))
    }
    if (tickers === undefined) over = await Promise.race([isOver, setTimeout(200, false)])
  }
  while (!over && values.node === 'own' && !history.status().complete) {
    over = await Promise.race([isOver, setTimeout(100, false)])
  }
  if (!over && tickers !== undefined) tell(url, chain, tickers, history.status())
  await isOver
} finally {
  await service?.close()
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
}
