// The built service, as an operator runs it: it refuses wrong settings, listens without its node, and ends with status
// 0 when told to.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { freePort, SERVICE, withProcesses } from './processes.js'

const PROGRAM = 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq'

await withProcesses(async ({ folder, start }) => {
  function startService (env) {
    const child = start(SERVICE, env, ['ignore', 'pipe', 'pipe'])
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => { output += data })
    return { child, output: () => output }
  }

  const refused = startService({ FACTORY_ADDRESS: '' })
  const [status] = await once(refused.child, 'exit')
  assert.notEqual(status, 0)
  assert.match(refused.output(), /FACTORY_ADDRESS not configured/)
  assert.match(refused.output(), /ROUTER_ADDRESS not configured/)

  const PORT = await freePort()
  const settings = {
    FACTORY_ADDRESS: PROGRAM,
    ROUTER_ADDRESS: PROGRAM,
    CHAIN_RPC_URL: 'http://127.0.0.1:9',
    CHAIN_WS_URL: '',
    PORT,
    DATA_DIR: folder
  }
  const ask = () => fetch(`http://127.0.0.1:${PORT}/health`).catch(() => undefined)
  async function answers () {
    let health
    for (const since = performance.now(); health === undefined && performance.now() - since < 20_000;) {
      await setTimeout(50)
      health = await ask()
    }
    return health?.status
  }
  const running = startService(settings)
  const begun = performance.now()
  assert.equal(await answers(), 200, running.output())
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

  // npm hands a signal to its child alone, a shell where there is one between
  const started = spawn('npm', ['start'], { env: { ...process.env, ...settings }, stdio: 'ignore' })
  assert.equal(await answers(), 200, 'npm start')
  const ended = once(started, 'exit')
  started.kill('SIGTERM')
  await ended
  await setTimeout(2_000)
  assert.equal(await ask(), undefined, 'npm start has left the service running')
})
