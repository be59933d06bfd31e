/**
 * `/api/tickers` of 500 DAOs with the limit shared through Redis, against a bare `node:http` server that sends the same bytes and against
 * the service that counts for itself, alternating in one run. `npm run bench -- redis [--seconds 3] [--rounds 3] [--daos 500]`.
 */
import { once } from 'node:events'
import { fork, type ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    daos: { type: 'string', default: '500' },
    redis: { type: 'string', default: 'redis://127.0.0.1:6379/9' }
  }
})
const SECONDS = Number(values.seconds)
const CONNECTIONS = 32

/** Starts one of the servers of `bench/servers.ts` in a process of its own. */
async function start (kind: string, argument: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess, url: string }> {
  const child = fork(new URL('./servers.ts', import.meta.url), [kind, argument], {
    execArgv: ['--import', 'tsx'], env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1', ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [{ url }] = await once(child, 'message') as [{ url: string }]
  return { child, url: `${url}/api/tickers` }
}

/** Answers per second, and the time that 99 of 100 take at most, ms. */
async function measure (url: string, seconds: number): Promise<{ rate: number, p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const begun = performance.now()
  const times: number[] = []
  const one = (): Promise<void> => new Promise((resolve, reject) => {
    request(url, { agent }, response => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.on('data', () => {}).on('end', resolve)
    }).on('error', reject).end()
  })
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() - begun < seconds * 1000) {
      const asked = performance.now()
      await one()
      times.push(performance.now() - asked)
    }
  }))
  agent.destroy()
  times.sort((a, b) => a - b)
  return { rate: times.length / (performance.now() - begun) * 1000, p99: times[Math.floor(times.length * 0.99)]! }
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!

const local = await start('service', values.daos)
const shared = await start('service', values.daos, { REDIS_URL: values.redis })
const bare = await start('bare', new URL(local.url).origin)
const servers = { bare, local, shared }
const results = { bare: [], local: [], shared: [] } as Record<keyof typeof servers, Array<{ rate: number, p99: number }>>
try {
  for (const { url } of Object.values(servers)) await measure(url, 0.5)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of ['bare', 'local', 'shared'] as const) results[name].push(await measure(servers[name].url, SECONDS))
  }
} finally {
  for (const { child } of Object.values(servers)) child.kill()
}
const ratio = (of: keyof typeof servers, to: keyof typeof servers): string => median(results[of].map(({ rate }, round) => rate / results[to][round]!.rate)).toFixed(2)
for (const [name, runs] of Object.entries(results)) {
  console.log(`${name}: ${Math.round(median(runs.map(({ rate }) => rate)))}/s, 99 of 100 within ${median(runs.map(({ p99 }) => p99)).toFixed(0)} ms`)
}
console.log(`/api/tickers with Redis against bare node:http, same bytes: ratio ${ratio('shared', 'bare')} (target 0.6)`)
console.log(`/api/tickers with Redis against counting locally: ratio ${ratio('shared', 'local')}`)
