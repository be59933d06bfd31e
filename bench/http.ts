/**
 * Requests per second of the service's hot paths against bare `node:http` servers that send the same bytes, alternating in one run.
 * `npm run bench -- http [--seconds 4]`. The service runs in a process of its own with limiter and log on; so does each reference.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request, Agent } from 'node:http'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } } })
const SECONDS = Number(values.seconds)
const ROUNDS = Number(values.rounds)
const CONNECTIONS = 32

export interface Started { url: string, rss?: number }

/** Starts one of the servers of `bench/servers.ts` in a process of its own. */
async function start (kind: string, ...args: string[]): Promise<{ child: ChildProcess, started: Started }> {
  const child = fork(new URL('./servers.ts', import.meta.url), [kind, ...args], { execArgv: ['--import', 'tsx'], env: { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [started] = await once(child, 'message') as [Started]
  return { child, started }
}

/** Answers per second over keep-alive connections; every answer is read whole. */
async function measure (url: string, headers: Record<string, string>, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  let answers = 0
  const one = (): Promise<void> => new Promise((resolve, reject) => {
    request(url, { agent, headers }, response => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.on('data', () => {}).on('end', resolve)
    }).on('error', reject).end()
  })
  const begun = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() < end) {
      await one()
      answers++
    }
  }))
  agent.destroy()
  return answers / (performance.now() - begun) * 1000
}

/** Ratio of `subject` to `reference`, the median of rounds that alternate between them. */
async function compare (name: string, subject: string, reference: string, headers: Record<string, string> = {}): Promise<void> {
  await measure(subject, headers, 0.5)
  await measure(reference, headers, 0.5)
  const ratios: number[] = []
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await measure(reference, headers, SECONDS)
    const ours = await measure(subject, headers, SECONDS)
    ratios.push(ours / bare)
    rates.push(ours)
  }
  const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
  console.log(`${name}: ${Math.round(median(rates))}/s, ratio ${median(ratios).toFixed(2)}`)
}

const service = await start('service', '500')
const bare = await start('bare', service.started.url)
const express = await start('express', service.started.url)
try {
  console.log(`service with 500 DAOs: ${Math.round(service.started.rss! / 1e6)} MB resident`)
  await compare('/api/tickers against bare node:http, same bytes', `${service.started.url}/api/tickers`, `${bare.started.url}/api/tickers`)
  await compare('/api/tickers, brotli, against bare node:http with the plain bytes', `${service.started.url}/api/tickers`, `${bare.started.url}/api/tickers`, { 'accept-encoding': 'br' })
  await compare('/health against bare node:http', `${service.started.url}/health`, `${bare.started.url}/health`)
  await compare('/api/tickers against Express answering the array by res.json', `${service.started.url}/api/tickers`, `${express.started.url}/api/tickers`)
} finally {
  for (const { child } of [service, bare, express]) child.kill()
}
