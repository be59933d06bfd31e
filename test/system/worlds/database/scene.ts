/**
 * What a world is made of: the chain that goes on by the clock, its nodes, the truth, and where the processes keep
 * their things.
 */
import {
  createLedger, createRandom, type Dao, FORGERIES, type Ledger, type SimulatedNode, startNode, USDC
} from '../../../../simulator/index.js'
import { swapSomewhere } from '../chain.js'
import type { Host } from '../network.js'
import type { ChainAction } from '../plan.js'
import { createTruth, type Counting } from '../truth.js'
import type { DatabasePlan, Setting } from './plan.js'

const DOLLAR = 1_000_000n
/** Shares of a raw unit in which legs by fees are counted: their quotients have no end. */
const SCALE = 10n ** 24n
/** PROTOCOL_FEE_RATE, as one over it. */
const FEE_DIVISOR = 200n
const TICK_MS = 25

/** fee ÷ rate, and the other leg by what the swap exchanged. */
const BY_FEES: Counting = {
  scale: SCALE,
  legs ({ side, input, output, fee }) {
    const paid = fee * FEE_DIVISOR * SCALE
    const received = paid * output / input
    return side === 'buy' ? { base: received, quote: paid } : { base: paid, quote: received }
  }
}

export type Truth = ReturnType<typeof createTruth>
export interface WorldNode { node: SimulatedNode, host: Host }

export interface Scene {
  ledger: Ledger
  /** The first slot of all. */
  begin: number
  nodes: WorldNode[]
  /** Milliseconds since the world began. */
  now (): number
  truth (basis: Setting['basis']): Truth
  act (kind: ChainAction): void
  /** Ends the trading; what there is stays. */
  settle (): void
  close (): Promise<void>
}

export async function setScene (plan: DatabasePlan): Promise<Scene> {
  const random = createRandom(plan.seed)
  const begun = performance.now()
  const now = () => performance.now() - begun
  const past = plan.past.days * 86_400
  const ledger = createLedger({ seed: plan.seed, time: Math.floor(Date.now() / 1000) - past })
  const begin = ledger.slot
  const usdc = ledger.usdc()
  for (let at = 0; at < plan.daos; at++) {
    const decimals = random.int(9)
    ledger.dao({
      base: ledger.mint({ decimals, symbol: `T${at}` }),
      quote: usdc,
      baseReserves: 10n ** BigInt(decimals) * 1_000_000n + 10n ** 9n,
      quoteReserves: random.amount(20_000n * DOLLAR, 3_000_000n * DOLLAR)
    })
  }
  // Where the rate is another than the settings', what is counted by fees is twice or half of what was paid
  if (plan.seed % 2 === 0) ledger.daos[0]!.setFees(25, 25)
  const start = ledger.time
  const finalityLag = () => plan.finalityLag
  const truths = {
    input: createTruth(ledger, USDC, finalityLag), fees: createTruth(ledger, USDC, finalityLag, BY_FEES)
  }

  for (let at = 0; at < plan.past.swaps; at++) {
    ledger.advance(Math.max(0, past * (at + 1) / (plan.past.swaps + 1) - (ledger.time - start)))
    swapSomewhere(ledger, random)
  }
  ledger.advance(Math.max(0, Date.now() / 1000 - ledger.time))

  const nodes: WorldNode[] = await Promise.all(Array.from({ length: plan.nodes }, async (_, at) => {
    const node = await startNode(
      ledger,
      { finalityLag: plan.finalityLag, bulk: plan.bulk && at === 0 ? { fullLimit: 1000 } : null }
    )
    return { node, host: { service: node, latencyMs: 0, down: false } }
  }))
  let moved = Math.floor(now())
  let nextSwap = 0
  const note = () => {
    const at = now()
    for (const truth of Object.values(truths)) truth.note(at)
  }
  note()

  const going = setInterval(() => {
    const at = Math.floor(now())
    ledger.advance((at - moved) / 1000)
    moved = at
    // however late this is: as many as there would have been
    while (nextSwap <= at) {
      nextSwap += random.next() * 2000 * plan.every
      if (ledger.slotMs !== null) swapSomewhere(ledger, random)
    }
    note()
  }, TICK_MS)

  function act (kind: ChainAction): void {
    if (ledger.slotMs === null) return
    const dao: Dao = ledger.daos[random.int(plan.daos)]!
    switch (kind) {
      case 'born': ledger.dao({
        base: ledger.mint({ decimals: random.int(9) }), quote: usdc, baseReserves: 10n ** 15n, quoteReserves: 10n ** 11n
      }); break
      case 'launch': if (!dao.proposalLive) dao.launchProposal(); break
      case 'finalize': if (dao.proposalLive) dao.finalizeProposal({ passed: random.int(2) === 0 }); break
      case 'collect': if (!dao.proposalLive) dao.collectFees(); break
      case 'burst': for (let at = 0; at < 40; at++) swapSomewhere(ledger, random); break
      case 'forged': ledger.forgedEvent(dao, FORGERIES[random.int(FORGERIES.length)]!); break
      case 'fees': dao.setFees(25, 25); break
      case 'liquidity': if (!dao.proposalLive) dao.provideLiquidity(10n ** 8n); break
      default: throw new Error(`${kind} does not happen in these worlds`)
    }
    note()
  }

  return {
    ledger,
    begin,
    nodes,
    now,
    truth: basis => truths[basis],
    act,
    settle () { nextSwap = Infinity },
    async close () {
      clearInterval(going)
      await Promise.all(nodes.map(async ({ node }) => await node.close()))
    }
  }
}
