/**
 * How long single pieces of work hold the event loop with many DAOs, against the time that the loop of an idle process
 * is held on this machine in the same run: `npm run build && npm run bench -- loop [--daos 5000] [--swaps 5000]`: what
 * is built is what is measured. The chain runs in a process of its own. Between two ticks the loop goes round once: of
 * each round the time that passed is told, in which others may have had the processor, and on Linux the processor time
 * of the loop's thread.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { spawnMarket } from '../simulator/spawn.js'
import { type BuiltService, HOME, startArguments, startBuilt } from './support/built-service.js'
import { options } from './support/run.js'
import { settingsOf } from './support/settings.js'

const { daos, swaps } = options({ daos: 5000, swaps: 5000 })
const PATHS = [
  '/api/tickers', '/api/pools', '/api/daos', '/api/volume/aggregate', '/api/fees/aggregate', '/coingecko/tickers',
  '/cmc/v1/summary', '/cmc/v1/assets', '/market'
]
/** What has been held is known with the next tick. */
const NEXT_TICK_MS = 20
const LIFETIME_MS = 10_500
const IDLE_MS = 2_000
const HELD = join(import.meta.dirname, 'support/held.js')

interface Held { ms: number, cpu: number }
/** The longest round of a process's loop since it was asked last. */
async function longest (child: ChildProcess): Promise<string> {
  await setTimeout(NEXT_TICK_MS)
  child.send('how long?')
  const [{ ms, cpu }] = await once(child, 'message') as [Held]
  return `${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU`
}

const chain = await spawnMarket('--daos', String(daos), '--swaps', String(swaps), '--live')
const idle = spawn(
  process.execPath,
  ['--import', HELD, '--eval', 'setInterval(() => {}, 1000)'],
  { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }
)
let service: BuiltService | undefined

try {
  await longest(idle)
  await setTimeout(IDLE_MS)
  console.log(`${daos} DAOs, ${swaps} swaps; an idle loop here: ${await longest(idle)}`)
  idle.kill()

  service = await startBuilt({
    ...settingsOf(chain.url, chain.program),
    RATE_LIMIT_MAX: '1000000',
    LOG_LEVEL: 'error'
  }, { args: ['--import', HELD, ...startArguments(HOME)], hasChannel: true })
  const { url: home, child } = service
  const get = async (path: string): Promise<Response> => await fetch(home + path)
  console.log(`the start, up to the first answer: ${await longest(child)}`)
  while ((await get('/api/daos')).status !== 200) await setTimeout(50)
  console.log(`the first state: ${await longest(child)}`)
  await service.complete()
  console.log(`reading the history: ${await longest(child)}`)
  for (const round of ['first', 'next']) {
    for (const path of PATHS) {
      const response = await get(path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      await response.arrayBuffer()
      console.log(`${round} ${path}: ${await longest(child)}`)
    }
    await setTimeout(LIFETIME_MS)
    console.log(`between: ${await longest(child)}`)
  }
} finally {
  idle.kill()
  await chain.stop()
  await service?.stop()
}
