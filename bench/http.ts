/**
 * Answers a second of the built service, as `npm start` runs it, limiter and log on, against a bare `node:http` server
 * with Node's own flags that sends the same bytes, alternating in one run.
 *
 * `npm run build && npm run bench -- http [--seconds 3] [--rounds 3] [--daos 500] [--redis redis://127.0.0.1:6379/9]`
 *
 * `--redis`: the same with the limit shared through Redis. The load comes from plain sockets, which cost a fraction of
 * what an answer does; the CPU time of an answer does not depend on them, nor much on what else the machine does.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createLedger, startNode } from '../simulator/index.js'
import { cpuMsOf, startBuilt } from './support/built-service.js'
import { median } from './support/measure.js'
import { options } from './support/run.js'
import { goOn, settingsOf } from './support/settings.js'

const values = options({ seconds: 3, rounds: 3, daos: 500, redis: '' })
const CONNECTIONS = 32
const TRADES = 1_100
const HEAD_END = Buffer.from('\r\n\r\n')

const begun = Math.floor(Date.now() / 1000) - 7200
const ledger = createLedger({ time: begun })
const usdc = ledger.usdc()
const daos = Array.from({ length: values.daos }, (_, i) => ledger.dao({
  base: ledger.mint({ symbol: `T${i}`, name: `Token number ${i}` }),
  quote: usdc,
  baseReserves: 10n ** 12n + BigInt(i),
  quoteReserves: 10n ** 11n + BigInt(i)
}))
for (let i = 0; i < TRADES; i++) {
  ledger.advance(3)
  daos[0]!.swap(i % 2 === 0 ? 'buy' : 'sell', 1_000_000n + BigInt(i))
}
const node = await startNode(ledger)
const slots = goOn(ledger, begun)

interface Server { origin: string, pid: number }

/** Answers a second, and CPU time of one, µs, over connections that are kept, each answer read whole. */
async function measure ({ origin, pid }: Server, path: string, head: string, seconds: number) {
  const { hostname, port } = new URL(origin)
  const question = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${head}\r\n`
  const cpu = cpuMsOf(pid)
  const from = performance.now()
  const end = from + seconds * 1000
  let answers = 0
  await Promise.all(Array.from({ length: CONNECTIONS }, () => new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let left = 0
    socket.on('connect', () => socket.write(question)).on('error', reject).on('data', bytes => {
      if (left === 0) {
        const headEnd = bytes.indexOf(HEAD_END)
        const text = bytes.toString('latin1', 0, headEnd)
        if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text.split('\r\n')[0]))
        left = headEnd + HEAD_END.length + Number(/content-length: (\d+)/i.exec(text)![1])
      }
      left -= bytes.length
      if (left > 0) return
      answers++
      if (performance.now() < end) return socket.write(question)
      socket.destroy()
      resolve()
    })
  })))
  return { rate: answers / (performance.now() - from) * 1000, cpu: (cpuMsOf(pid) - cpu) * 1000 / answers }
}

/** Rates, CPU times and their ratios, the medians of rounds that alternate between the two. */
async function compare (subject: Server, reference: Server, path: string, head = ''): Promise<void> {
  type Figures = Awaited<ReturnType<typeof measure>>
  const rounds: Array<{ ours: Figures, bare: Figures }> = []
  for (const server of [subject, reference]) await measure(server, path, head, 0.5)
  for (let round = 0; round < values.rounds; round++) {
    const bare = await measure(reference, path, head, values.seconds)
    rounds.push({ bare, ours: await measure(subject, path, head, values.seconds) })
  }
  const name = path.replace(/[1-9A-HJ-NP-Za-km-z]{32,}/, '{pool_id}')
  const of = (read: (round: typeof rounds[number]) => number): number => median(rounds.map(read))
  console.log(`${name}${head === '' ? '' : ', brotli'}: ${Math.round(of(({ ours }) => ours.rate))}/s, ` +
    `ratio ${of(({ ours, bare }) => ours.rate / bare.rate).toFixed(2)}; CPU of an answer ` +
    `${of(({ ours }) => ours.cpu).toFixed(0)} µs, ratio ${of(({ ours, bare }) => bare.cpu / ours.cpu).toFixed(2)}`)
}

const service = await startBuilt({
  ...settingsOf(node.url, ledger.program),
  METRICS_PORT: '0',
  RATE_LIMIT_MAX: '1000000000',
  ...(values.redis !== '' && { REDIS_URL: values.redis })
})
const pool = `/api/pools/${daos[0]!.address}`
const paths = [
  '/api/tickers', '/health', `${pool}/trades?limit=1000`, `${pool}/ohlcv?interval=1m&limit=1000&empty=true`
]
let bare: ReturnType<typeof fork> | undefined
try {
  await service.complete()
  bare = fork(
    new URL('./support/bare-server.ts', import.meta.url), [service.url, ...paths], { execArgv: ['--import', 'tsx'] }
  )
  const [port] = await once(bare, 'message') as [number]
  const subject = { origin: service.url, pid: service.child.pid! }
  const reference = { origin: `http://127.0.0.1:${port}`, pid: bare.pid! }
  for (const path of paths) await compare(subject, reference, path)
  await compare(subject, reference, '/api/tickers', 'Accept-Encoding: br\r\n')
} finally {
  bare?.kill()
  await service.stop()
  clearInterval(slots)
  await node.close()
}
