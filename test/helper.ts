import { setTimeout } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Test } from 'tap'
import app, { type AppOptions, serverOptions } from '../app.js'
import { holdToContract } from './contract/watch.js'
import { createLedger, type Ledger, type SimulatedNode, startNode } from './ledger/index.js'

type TestApp = Omit<AppOptions, 'env'> & { env?: Record<string, string> }

export const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'

/** A ledger with a node before it, closed with the test. */
export async function startChain (t: Test, options: Parameters<typeof createLedger>[0] = {}): Promise<{ ledger: Ledger, node: SimulatedNode }> {
  const ledger = createLedger(options)
  const node = await startNode(ledger)
  t.teardown(() => node.close())
  return { ledger, node }
}

/** The settings that every test needs; the store is a folder that goes with the test. */
export function settings (t: Test, node: SimulatedNode, ledger: Ledger, env: Record<string, string> = {}): Record<string, string> {
  return {
    CHAIN_RPC_URL: node.url,
    CHAIN_WS_URL: '',
    FACTORY_ADDRESS: ledger.program,
    ROUTER_ADDRESS: ROUTER,
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATA_DIR: t.testdir(),
    ...env
  }
}

/** The application on a simulated chain, closed with the test. Every answer it gives is held to the document it serves. */
export async function build (t: Test, { env = {}, ...options }: TestApp): Promise<FastifyInstance> {
  const fastify = Fastify({ ...serverOptions(env), logger: false })
  t.teardown(() => fastify.close())
  holdToContract(fastify, problem => t.fail(problem))
  await fastify.register(fp(app), { env, ...options })
  await fastify.ready()
  return fastify
}

/** Waits until `holds`, for ten seconds at most. */
export async function until (what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (holds()) return
    await setTimeout(20)
  }
  throw new Error(`in ten seconds it did not come to this: ${what}`)
}

/** Waits until the history has been walked to its beginning and follows the head. */
export async function historyComplete (app: FastifyInstance): Promise<void> {
  await until('the history is complete', () => app.history.status().complete && app.history.status().last24h)
}

/** Waits until the history has reached the head at `time`, unix seconds of the test's clock, or later. */
export async function headReached (app: FastifyInstance, time: number): Promise<void> {
  await until('the head is reached', () => (app.history.status().headAt ?? 0) >= time * 1000)
}
