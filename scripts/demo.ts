/** The whole service on a simulated chain: about 20 DAOs that trade live, and what to try on them. */
import { once } from 'node:events'
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
import { readCommandLine, runScript, UsageError, wholeNumber } from './command-line.js'

const KINDS = Object.keys(NODE_KINDS).join(', ')
const HELP = `npm run demo -- [options]

  --port <number>     port of the service (PORT, or 3000)
  --node <kind>       the simulated node: ${KINDS} (own: without limits)
  --seconds <number>  ends by itself after so many seconds
  --help              this text`

const { values } = readCommandLine(HELP, {
  port: { type: 'string', default: process.env.PORT ?? '3000' },
  node: { type: 'string', default: 'own' },
  seconds: { type: 'string' }
})
const HOST = '127.0.0.1'
/** From where the demo itself asks, so that it uses up nobody's limit. */
const OWN_ADDRESS = '127.0.0.2'
/** Between two lines that say how far the last day is, and between two looks, ms. */
const [TELL_MS, LOOK_MS] = [10_000, 200]

/** Before anything is started. */
async function requirePort (port: number): Promise<void> {
  const probe = createServer().listen(port, HOST)
  await once(probe, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`Port ${port} can't be used (${code}). Another one: npm run demo -- --port ${port + 1}`)
  })
  probe.close()
  await once(probe, 'close')
}

async function startService (chain: ServedMarket, port: number, folder: string): Promise<FastifyInstance> {
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
    PORT: String(port)
  }
  const fastify = Fastify({ ...serverOptions(env), logger: { level: 'warn' } })
  await fastify.register(fp(app), { env })
  await fastify.listen({ port, host: HOST })
  return fastify
}

function tell (
  address: string, port: number, chain: ServedMarket, tickers: Ticker[],
  { swaps, phase }: { swaps: number, phase: string }
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

/** Whoever started it may be gone, killed hard: nobody could end it any more. */
const parent = process.ppid

await runScript(async signal => {
  const port = wholeNumber('port', values.port, 0, 65_535)
  if (!isNodeKind(values.node)) throw new UsageError(`--node ${values.node}: one of ${KINDS}`)
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds)
  if (seconds !== undefined && !(seconds > 0)) throw new UsageError(`--seconds ${values.seconds}: a number above 0`)
  await requirePort(port)
  // a limited node gives a market of a size that it lets through in minutes
  const [swaps, days, every] = values.node === 'own' ? ['4000', '10', '0.6'] as const : ['200', '3', '10'] as const
  const chain = await spawnMarket(
    '--daos', '20', '--swaps', swaps, '--days', days, '--node', values.node, '--live', '--every', every, '--moves'
  )
  const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-demo-'))
  let service: FastifyInstance | undefined
  try {
    service = await startService(chain, port, folder)
    const { history, server } = service
    const { address, port: bound } = server.address() as { address: string, port: number }
    const url = `http://${address}:${bound}`
    const begun = performance.now()
    const isOver = (): boolean => signal.aborted || process.ppid !== parent ||
      performance.now() - begun > 1000 * (seconds ?? Infinity)
    if (values.node !== 'own') {
      console.log(`The node is limited (${values.node}): the history comes at its pace. curl ${url}/ready says how ` +
        `far it is; its node: ${chain.url}`)
    }
    let isTold = false
    for (let toldAt = -Infinity; !isOver(); await setTimeout(LOOK_MS)) {
      if (isTold) continue
      const answer = await service.inject({ url: '/api/tickers', remoteAddress: OWN_ADDRESS })
      const { lastDay, complete } = history.status()
      isTold = answer.statusCode === 200 && (values.node !== 'own' || complete)
      if (isTold) tell(url, port, chain, answer.json<Ticker[]>(), history.status())
      else if (answer.statusCode !== 200 && lastDay !== null && performance.now() - toldAt > TELL_MS) {
        toldAt = performance.now()
        console.log(lastDayText(lastDay))
      }
    }
  } finally {
    await service?.close()
    await chain.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, { interrupted: 'the demo is over.' })
