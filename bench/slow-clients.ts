import { fork } from 'node:child_process'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../app.js'
import { createLedger, startNode } from '../simulator/index.js'
import { createWorld } from '../test/system/reliability/truth.js'
import { options, scratchFolder } from './support/run.js'
import { settingsOf } from './support/settings.js'

/**
 * Slow clients: thousands of connections that say nothing, drip headers or a body, or never read their answer, and come
 * back as soon as they are cut off. Normal requests on new connections must be answered meanwhile.
 * `tsx bench/slow-clients.ts [--connections N] [--seconds S]`
 */

const KINDS = [
  '',
  'GET /api/tickers HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  'POST /api/tickers HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n',
  'GET /documentation/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'
]

interface Attack { port: number, connections: number, seconds: number }

/** In a process of its own: the attackers must not be what is slow. */
function attack ({ port, connections, seconds }: Attack): void {
  const until = Date.now() + seconds * 1000
  const sockets = new Set<Socket>()
  function open (kind: number): void {
    if (Date.now() > until) return
    const socket = connect(port, '127.0.0.1', () => socket.write(KINDS[kind]!))
    if (kind === 3) socket.pause()
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => {
      sockets.delete(socket)
      globalThis.setTimeout(open, 100, kind)
    })
  }
  for (let i = 0; i < connections; i++) open(i % KINDS.length)
  const drip = setInterval(() => {
    for (const socket of sockets) if (!socket.isPaused() && socket.writable) socket.write('a')
    if (Date.now() < until) return
    clearInterval(drip)
    for (const socket of sockets) socket.destroy()
  }, 1_000)
}

async function measure (): Promise<void> {
  const { connections, seconds } = options({ connections: 2000, seconds: 30 })
  const ledger = createLedger()
  const node = await startNode(ledger)
  createWorld(ledger)
  const env = {
    ...settingsOf(node.url, ledger.program),
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: scratchFolder(),
    RATE_LIMIT_MAX: '1000000000'
  }
  const service = Fastify({ ...serverOptions(env), logger: false })
  const begun = performance.now()
  await service.register(fp(app), { env, now: () => ledger.time * 1000 + performance.now() - begun })
  await service.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })   // as server.ts does
  const { port } = service.server.address() as AddressInfo
  await setTimeout(2_000)

  const attacker = fork(
    fileURLToPath(import.meta.url),
    [],
    { env: { ...process.env, ATTACK: JSON.stringify({ port, connections, seconds } satisfies Attack) } }
  )
  await setTimeout(1_500)
  const times: number[] = []
  const failures: string[] = []
  let most = 0
  const until = Date.now() + (seconds - 3) * 1000
  while (Date.now() < until) {
    const from = performance.now()
    most = Math.max(most, service.connections.count())
    try {
      const answer = await fetch(
        `http://127.0.0.1:${port}/api/tickers`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5_000) }
      )
      await answer.arrayBuffer()
      if (answer.status !== 200) failures.push(String(answer.status))
    } catch (error) {
      failures.push(`${String(error)} at ${Math.round(performance.now() - begun)} ms`)
    }
    times.push(performance.now() - from)
    await setTimeout(20)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => `${times[Math.floor((times.length - 1) * share)]!.toFixed(1)} ms`
  console.log(`${connections} slow connections for ${seconds} s, at most ${most} open at once`)
  console.log(
    `${times.length} normal requests, ${failures.length} failed; median ${at(0.5)}, 99 % ${at(0.99)}, slowest ${at(1)}`
  )
  console.log(`memory ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`)
  attacker.kill()
  await service.close()
  await node.close()
  if (failures.length > 0 || most < connections * 0.8) {
    console.error('FAILED', failures.slice(0, 5))
    process.exitCode = 1
  }
}

const { ATTACK } = process.env
if (ATTACK === undefined) await measure()
else attack(JSON.parse(ATTACK) as Attack)
