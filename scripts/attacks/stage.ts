/** A market of two honest DAOs with the service before it, on a simulated chain of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import app, { serverOptions } from '../../app.js'
import { systemClock } from '../../lib/clock.js'
import { createLedger, type Dao, type Ledger, type Mint, startNode } from '../../simulator/index.js'
import { movesOn } from '../../simulator/moves.js'
import { type Figures, figuresBy, type Scene } from './scene.js'

export interface Stage extends Scene {
  ledger: Ledger
  usdc: Mint
  /** Deep pools in USDC that have traded. */
  honest: readonly [Dao, Dao]
  /** A pool in USDC, as anyone could make one. */
  pool (base: Mint, baseReserves: bigint, quoteReserves: bigint, quote?: Mint): Dao
}

const ROUTER = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'

export async function openStage (): Promise<Stage> {
  const ledger = createLedger({ time: Math.floor(systemClock.epoch() / 1000) - 7_200 })
  const usdc = ledger.usdc()
  const pool: Stage['pool'] = (base, baseReserves, quoteReserves, quote = usdc) =>
    ledger.dao({ base, quote, baseReserves, quoteReserves })
  const honest = ['ALPHA', 'BETA'].map(
    symbol => pool(ledger.mint({ symbol }), 2_000_000_000_000n, 200_000_000_000n)
  ) as [Dao, Dao]
  for (const dao of honest) dao.swap('buy', 50_000_000n)
  const node = await startNode(ledger)
  const folder = mkdtempSync(join(tmpdir(), 'attack-'))
  const open: Array<() => Promise<unknown>> = [() => node.close()]

  /** A service of its own each time: no cache stands between the chain and the figures. */
  async function look (): Promise<Figures> {
    ledger.advance(30)
    const settings = {
      CHAIN_RPC_URL: node.url,
      CHAIN_WS_URL: '',
      CHAIN_RPC_RATE: '100000',
      FACTORY_ADDRESS: ledger.program,
      ROUTER_ADDRESS: ROUTER,
      NODE_ENV: 'test',
      PROTOCOL_FEE_RATE: '0.005',
      RATE_LIMIT_MAX: '1000000',
      DATA_DIR: mkdtempSync(join(folder, 'store-'))
    }
    const fastify = Fastify({ ...serverOptions(settings), logger: false })
    await fastify.register(
      fp(app), { env: settings, now: () => ledger.time * 1000, pollMs: 20, bounds: { delay: 60_000 } }
    )
    await fastify.ready()
    open.push(() => fastify.close())
    return await figuresBy(async path => {
      for (let tries = 0; ; tries++) {
        const { statusCode: status, payload: text } = await fastify.inject(path)
        if (status !== 503 || tries === 600) return { status, text }
        await systemClock.sleep(50)
      }
    })
  }

  return {
    ledger,
    usdc,
    honest,
    pool,
    moves: movesOn(ledger),
    deepest: {
      base: honest[0].base.address,
      quote: usdc.address,
      dao: honest[0].address,
      vault: honest[0].identity.vault
    },
    look,
    async close () {
      for (const end of open.reverse()) await end()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
