// The built service, as an operator runs it: it refuses wrong settings, listens without its node, and ends with status 0 when told to.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'
// as in the start script
const FLAGS = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.split(' ').filter(word => word.startsWith('--'))
/** A port that is free now: another service may run beside this one. */
const PORT = await new Promise(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(String(port)))
  })
})
const folder = mkdtempSync(join(tmpdir(), 'dao-market-data-smoke-'))

const children = []

function start (env) {
  const child = spawn(process.execPath, [...FLAGS, 'dist/server.js'], { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => { output += data })
  return { child, output: () => output }
}

try {
  const refused = start({ FACTORY_ADDRESS: '' })
  const [status] = await once(refused.child, 'exit')
  assert.notEqual(status, 0)
  assert.match(refused.output(), /FACTORY_ADDRESS not configured/)
  assert.match(refused.output(), /ROUTER_ADDRESS not configured/)

  const running = start({ FACTORY_ADDRESS: PROGRAM, ROUTER_ADDRESS: PROGRAM, CHAIN_RPC_URL: 'http://127.0.0.1:9', CHAIN_WS_URL: '', PORT, DATA_DIR: folder })
  const begun = performance.now()
  let health
  while (health === undefined && performance.now() - begun < 20_000) {
    await setTimeout(50)
    health = await fetch(`http://127.0.0.1:${PORT}/health`).catch(() => undefined)
  }
  assert.equal(health?.status, 200, running.output())
  console.log(`listening after ${Math.round(performance.now() - begun)} ms`)
  // a busy machine may be overloaded right after the start, which passes
  let tickers
  do {
    await setTimeout(200)
    tickers = await fetch(`http://127.0.0.1:${PORT}/api/tickers`)
  } while (tickers.status === 503 && performance.now() - begun < 30_000)
  assert.equal(tickers.status, 502, `${await tickers.text()}\n${running.output()}`)
  const exited = once(running.child, 'exit')
  // twice, as through npm
  running.child.kill('SIGTERM')
  running.child.kill('SIGTERM')
  const [code] = await exited
  assert.equal(code, 0, running.output())
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
