import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Test } from 'tap'
import app, { type AppOptions, serverOptions } from '../app.js'
import { holdToContract } from './system/contract/watch.js'
import { steadyNow } from './support/steady-time.js'
import { until } from './support/until.js'
import { createLedger, type Ledger, type SimulatedNode, startNode } from '../simulator/index.js'

type TestApp = Omit<AppOptions, 'env'> & { env?: Record<string, string> }

export const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'

/** A ledger with a node before it for which everything is final at once, closed with the test. */
export async function startChain (
  t: Test, options: Parameters<typeof createLedger>[0] = {}
): Promise<{ ledger: Ledger, node: SimulatedNode }> {
  const ledger = createLedger(options)
  const node = await startNode(ledger, { finalityLag: 0 })
  t.teardown(() => node.close())
  return { ledger, node }
}

/** The settings that every test needs; the store is a folder that goes with the test. */
export function settings (
  t: Test, node: SimulatedNode, ledger: Ledger, env: Record<string, string> = {}
): Record<string, string> {
  return {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: '',
    // a node of one's own: no slow start, which has tests of its own
    CHAIN_RPC_RATE: '100000',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: t.testdir(),
    ...env
  }
}

/**
 * The application on a simulated chain, closed with the test. Every answer it gives is held to the document it serves.
 */
export async function build (t: Test, { env = {}, ...options }: TestApp): Promise<FastifyInstance> {
  const fastify = Fastify({ ...serverOptions(env), logger: false, pluginTimeout: 0 })
  t.teardown(() => fastify.close())
  holdToContract(fastify, problem => t.fail(problem))
  // on a busy machine the event loop is late: when that is too much has a test of its own
  await fastify.register(fp(app), { env, bounds: { delay: Infinity }, ...options })
  await fastify.ready()
  return fastify
}

export { until }

/**
 * Waits until the history has been walked to its beginning and follows the head. `ledger`: goes on meanwhile, as it
 * must where accounts number what no node has.
 */
export async function historyComplete (app: FastifyInstance, ledger?: Ledger): Promise<void> {
  await until('the history is complete', () => {
    ledger?.advance(0.2)
    return app.history.status().complete && app.history.status().last24h
  })
}

/**
 * Lets the chain go on by `seconds`; where the history is behind, about as real time does in `until`, so that it
 * catches up: of a chain that has halted, accounts do not prove that an event is missing.
 */
export function goOn (app: FastifyInstance, ledger: Ledger, seconds = 1): void {
  ledger.advance(app.history.status().isBehind ? 0.01 : seconds)
}

/** Of chain time, s: what the service leaves between two looks, and what passes in all. */
const BETWEEN_LOOKS = 30
const MOST = 60

/** Lets the chain go on, for a minute at most, until the history has reached the head at `time`, Unix seconds. */
export async function headReached (app: FastifyInstance, ledger: Ledger, time: number): Promise<void> {
  const began = steadyNow()
  let passed = 0
  await until('the head is reached', () => {
    const { headAge } = app.history.status()
    if (headAge !== null && headAge <= app.chain.time.age(time)) return true
    // as real time goes, too: some looks come by that
    if (passed < Math.min(MOST, BETWEEN_LOOKS + (steadyNow() - began) / 1000)) {
      ledger.advance(0.2)
      passed += 0.2
    }
    return false
  }, 120_000)
}

/**
 * Lets the chain go on until the tickers are of now. What is being read when the clock leaps is as old as the leap,
 * and is not read again within a second: if the clock stands still, never.
 */
export async function allOfNow (app: FastifyInstance, ledger: Ledger): Promise<void> {
  await until('the tickers are of now', async () => {
    ledger.advance(0.2)
    const { statusCode, headers } = await app.inject('/api/tickers')
    return statusCode === 200 && headers.age === undefined
  })
}

/** Asks until the answer is not that the service is warming up, or that other tests keep this machine too busy. */
export async function patient (
  app: FastifyInstance, url: string, headers: Record<string, string> = {}
): Promise<Awaited<ReturnType<FastifyInstance['inject']>>> {
  let answer: Awaited<ReturnType<FastifyInstance['inject']>>
  await until(`${url} is answered`, async () => {
    answer = await app.inject({ url, headers })
    return ![502, 503].includes(answer.statusCode)
  })
  return answer!
}

/** Asks patiently; the JSON of what must be a 200, and what must be an error of this status and sentence. */
export const asking = (t: Test, app: FastifyInstance) => ({
  async get<T> (url: string): Promise<T> {
    const answer = await patient(app, url)
    t.equal(answer.statusCode, 200, `${url}: ${answer.payload.slice(0, 200)}`)
    return answer.json<T>()
  },
  async refused (url: string, status: number, error: string): Promise<void> {
    const answer = await patient(app, url)
    t.same([answer.statusCode, answer.json()], [status, { error }], url)
  }
})
