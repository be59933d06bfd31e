import Fastify, { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Test } from 'tap'
import app, { type AppOptions, serverOptions } from '../app.js'
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

/** The application on a simulated chain, closed with the test. */
export async function build (t: Test, { env = {}, ...options }: TestApp): Promise<FastifyInstance> {
  const fastify = Fastify({ ...serverOptions(env), logger: false })
  t.teardown(() => fastify.close())
  await fastify.register(fp(app), { env, ...options })
  await fastify.ready()
  return fastify
}
