/**
 * How long the built service takes from its start to its first answer, and what it weighs then, against `node -e 0` in the same run:
 * `npm run build && npm run bench -- start [--rounds 7]`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '7' } } })
const ROOT = join(import.meta.dirname, '..')
const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
/** As `npm start` has them. */
const [, ...flags] = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }).scripts.start.split(' ')

const freePort = async (): Promise<number> => await new Promise(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resolve(port))
  })
})

async function start (): Promise<{ ms: number, megabytes: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-bench-'))
  const port = await freePort()
  const begun = performance.now()
  const child = spawn(process.execPath, flags, {
    cwd: ROOT,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, FACTORY_ADDRESS: PROGRAM, ROUTER_ADDRESS: PROGRAM, CHAIN_RPC_URL: 'http://127.0.0.1:9', CHAIN_WS_URL: '', DATA_DIR: folder, HOST: '127.0.0.1', PORT: String(port) }
  })
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined)   // not listening yet
      if (answer?.status === 200) break
      if (child.exitCode !== null) throw new Error(`the service ended with status ${child.exitCode}: is it built?`)
      await setTimeout(5)
    }
    const ms = performance.now() - begun
    const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    return { ms, megabytes: Number(kilobytes) / 1000 }
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function bare (): number {
  const begun = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - begun
}

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
const starts = []
const bares = []
for (let round = 0; round < Number(values.rounds); round++) {
  bares.push(bare())
  starts.push(await start())
}
const ms = median(starts.map(({ ms }) => ms))
console.log(`from the start to the first answer: ${ms.toFixed(0)} ms (median of ${starts.length}), ${median(starts.map(({ megabytes }) => megabytes)).toFixed(0)} MB resident`)
console.log(`node -e 0: ${median(bares).toFixed(0)} ms; ratio ${(ms / median(bares)).toFixed(1)}`)
