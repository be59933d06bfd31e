/**
 * What one address within its 60 requests a minute may cost the others, on a market that strangers have made dear, and
 * what thousands who follow the stream do: everybody else asks for `/api/tickers` ten times a second. Prints for each
 * how long others wait, how many of their answers are not 200, and CPU and memory of the built service.
 *
 * `npm run build && npm run bench -- greed [--seconds 20] [--only 'a part of the name']`
 */
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createLedger, startNode } from '../simulator/index.js'
import { startBuilt } from './support/built-service.js'
import { options } from './support/run.js'
import { goOn, settingsOf } from './support/settings.js'

const { seconds, only } = options({ seconds: 20, only: '' })
const EVENTS = 16_000
const SLOTS = 3_300
const LONG = 'W\u0301'.repeat(1_000)
const HOSTILE = 70

const begun = Math.floor(Date.now() / 1000) - 3 * 3600
const ledger = createLedger({ time: begun })
const usdc = ledger.usdc()
const base = ledger.mint({ symbol: 'AAA' })
const honest = ledger.dao({ base, quote: usdc, baseReserves: 2n * 10n ** 12n, quoteReserves: 2n * 10n ** 11n })
const hostile = Array.from({ length: HOSTILE }, (_, at) => ledger.dao({
  base: at % 2 === 0 ? base : ledger.mint({ symbol: LONG, name: LONG, program: 'token-2022', metadata: 'token-2022' }),
  quote: usdc,
  baseReserves: 10n ** 10n,
  quoteReserves: 10n ** 6n
}))
for (const dao of hostile) dao.swap('buy', 1_000n)
const first = ledger.slot
for (let i = 0; i < EVENTS; i++) {
  if (i % Math.ceil(EVENTS / SLOTS) === 0) ledger.advance(ledger.slotMs! / 1000)
  honest.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n + BigInt(i))
}
const last = ledger.slot
const node = await startNode(ledger)
const slots = goOn(ledger, begun)

const service = await startBuilt(settingsOf(node.url, ledger.program))
const { port } = new URL(service.url)

interface Answer { status: number, ms: number, bytes: number }

/** Asks from an address of this machine, of which there are 16 million. */
const ask = async (path: string, localAddress: string): Promise<Answer> => await new Promise((resolve, reject) => {
  const begun = performance.now()
  get({ host: '127.0.0.1', port, path, localAddress, agent: new Agent() }, response => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => { bytes += chunk.length })
    response.on('end', () => resolve({ status: response.statusCode!, ms: performance.now() - begun, bytes }))
    response.on('error', reject)
  }).on('error', reject)
})

let addresses = 0
function newAddress (): string {
  addresses++
  return `127.${1 + (addresses >> 14)}.${(addresses >> 7) & 127}.${1 + (addresses & 127)}`
}

/** Everybody else, each from an address of his own. */
async function others (until: number): Promise<Answer[]> {
  const answers: Array<Promise<Answer>> = []
  while (performance.now() < until) {
    answers.push(ask('/api/tickers', newAddress()))
    await setTimeout(100)
  }
  return await Promise.all(answers)
}

type Attack = (until: number, address: string) => Promise<void>
/** Asks without a pause, `atOnce` at a time, as the limit of an address allows. */
const greedy = (pathOf: (turn: number) => string, atOnce: number): Attack => async (until, address) => {
  let turn = 0
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (performance.now() < until && turn < 60) await ask(pathOf(turn++), address).catch(() => undefined)
  }))
}

/** Takes answers 512 bytes at a time. */
const sipping = (path: string, connections: number): Attack => async (until, address) => {
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: address })
    socket.on('error', () => {}).write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    socket.pause()
    return socket
  })
  while (performance.now() < until) {
    for (const socket of sockets) socket.read(512)
    await setTimeout(50)
  }
  for (const socket of sockets) socket.destroy()
}

/** So many who follow the stream, five of an address, while somebody trades five times a second. */
const following = (count: number): Attack => async until => {
  const sockets: Socket[] = []
  let address = newAddress()
  const trading = setInterval(() => { honest.swap('buy', 1_000_000n) }, 200)
  while (performance.now() < until) {
    for (let i = 0; i < 100 && sockets.length < count; i++) {
      if (sockets.length % 5 === 0) address = newAddress()
      const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: address })
      socket.on('error', () => {}).resume().write('GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
      sockets.push(socket)
    }
    await setTimeout(50)
  }
  clearInterval(trading)
  for (const socket of sockets) socket.destroy()
}

const events = (turn: number): string => `/dexscreener/events?fromBlock=${first - turn}&toBlock=${last}`
const ATTACKS: Array<[string, Attack]> = [
  ['nothing', async until => await setTimeout(until - performance.now())],
  ['events of 16,000, one after the other', greedy(events, 1)],
  ['the same, four at once', greedy(events, 4)],
  ['the same, 512 bytes at a time on 30 connections', sipping(events(0), 30)],
  ['cards of 70 tokens with long names',
    greedy(turn => `/market/pool/${hostile[turn % HOSTILE]!.address}/card.png`, 4)],
  ['candles of minutes', greedy(turn => `/api/pools/${honest.address}/ohlcv?interval=1m&limit=${1_000 - turn}`, 4)],
  ['trades', greedy(turn => `/api/pools/${honest.address}/trades?limit=${1_000 - turn}`, 4)],
  ['trades of a pair',
    greedy(turn => `/coingecko/historical_trades?ticker_id=${base.address}_${usdc.address}&limit=${1_000 - turn}`, 4)],
  ['1,000 streams, five of an address', following(1_000)],
  ['10,000 streams, five of an address', following(10_000)]
]

try {
  for (;;) {
    const { status } = await ask(events(0), newAddress())
    if (status === 200) break
    await setTimeout(500)
  }
  console.log('| Attack | others: p90, ms | slowest, ms | not 200 | of a core | MB more |\n|---|---|---|---|---|---|')
  for (const [name, attack] of ATTACKS.filter(([name]) => name.includes(only))) {
    const [cpu, memory] = [service.cpuMs(), service.megabytes().now]
    const until = performance.now() + seconds * 1000
    const [answers] = await Promise.all([others(until), attack(until, newAddress())])
    const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
    const cells = [
      times[Math.floor(times.length * 0.9)]!.toFixed(0), times.at(-1)!.toFixed(0),
      `${answers.filter(({ status }) => status !== 200).length} of ${answers.length}`,
      ((service.cpuMs() - cpu) / seconds / 1000).toFixed(2), (service.megabytes().peak - memory).toFixed(0)
    ]
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
} finally {
  await service.stop()
  clearInterval(slots)
  await node.close()
}
