/** The process of a world: the application as it runs, stopped, down for a while, started again. */
import type { FastifyInstance } from 'fastify'
import { GENESIS } from '../../../simulator/methods.js'
import { swap } from './chain.js'
import { get } from './clients.js'
import { Violation } from './failure.js'
import type { WorldEvent } from './plan.js'
import { listenerOf } from './listener.js'
import { fail, time, type World } from './scene.js'
import { realSleep } from './simulated-time.js'

const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
/** Another network's first block. */
const OTHER_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'
/** It ends within this, whatever it waits for, ms. */
const CLOSE_MS = 60_000
/** Whoever runs it starts it again so long after it has refused to start, ms. */
const START_AGAIN_MS = 10_000

let isLoaded = false

async function startApp (world: World): Promise<FastifyInstance> {
  const [
    { default: Fastify }, { default: fp }, { default: application, serverOptions }
  ] = await Promise.all([import('fastify'), import('fastify-plugin'), import('../../../app.js')])
  const { plan, ledger, folder, network } = world
  const env = {
    CHAIN_RPC_URL: Array.from({ length: plan.nodes }, (_, at) => `http://node-${at}.test`).join(),
    CHAIN_WS_URL: plan.leftOut === undefined ? '' : 'ws://node-0.test',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    RATE_LIMIT_ALLOW: '127.0.0.1',
    PROTOCOL_FEE_RATE: '0.005'
  }
  const app = Fastify(
    { ...serverOptions(env), logger: process.env.WORLD_LOG === undefined ? false : { level: 'warn' } }
  )
  await app.register(fp(application), {
    env,
    transport: { connections: network },
    listen: listenerOf(world),
    bounds: { delay: Infinity, heapBytes: Infinity, residentBytes: Infinity }
  })
  const loading = { isOver: false }
  const ready = Promise.resolve(app.ready()).finally(() => { loading.isOver = true })
  ready.catch(() => {})
  // Modules are read from the disk in real time, which the world does not notice
  for (let turn = 0; !loading.isOver; turn++) {
    await realSleep(1)
    if (turn > (isLoaded ? 400 : 5000)) await time.advance(100)
  }
  isLoaded = true
  await ready.catch(async (error: unknown) => {
    await time.until(app.close(), CLOSE_MS)
    throw error
  })
  await app.program.load()
  return app
}

/** Starts the service; without a disk to write to it may refuse until there is one. */
export async function startService (world: World): Promise<void> {
  for (;;) {
    world.troubledAt = world.startedAt = time.now()
    world.seen.clear()
    world.disk.begin()
    try {
      world.app = await startApp(world)
      return
    } catch (error) {
      if (world.disk.weather === undefined) throw error
      await time.advance(START_AGAIN_MS)
    }
  }
}

export async function stopService (world: World): Promise<void> {
  const { app } = world
  world.app = undefined
  if (app !== undefined) await time.until(app.close(), CLOSE_MS)
}

/** The chain goes on while the process is down. */
async function stayDown ({ ledger, plan, random }: World, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 20) {
    await time.advance(20_000)
    if (ledger.slotMs !== null) swap(ledger.daos[random.int(plan.daos)]!, random)
  }
}

/** Nothing of another network's may be served as that of the store. */
async function runElsewhere (world: World, seconds: number): Promise<void> {
  const nodes = world.nodes.map(({ service: { conditions } }) => conditions)
  for (const conditions of nodes) conditions.genesis = OTHER_GENESIS
  try {
    await startService(world)
    for (let left = seconds; left > 0; left -= 10) {
      await time.advance(10_000)
      for (const path of ['/api/tickers', '/api/volume/aggregate']) {
        if ((await get(world, path)).status === 200) {
          fail('network', `no 200 from ${path} on another network than the store's`, '200')
        }
      }
    }
  } catch (error) {
    // refusing to start is right
    if (error instanceof Violation) throw error
  }
  await stopService(world)
  for (const conditions of nodes) conditions.genesis = GENESIS
}

export async function restart (world: World, event: Extract<WorldEvent, { process: string }>): Promise<void> {
  await stopService(world)
  if (event.process === 'outage') {
    await stayDown(world, event.for)
    if (event.forget !== undefined) {
      world.isLost = true
      for (const { service } of world.nodes) service.conditions.retention = event.forget
    }
  }
  if (event.process === 'network') await runElsewhere(world, event.for)
  await startService(world)
}
