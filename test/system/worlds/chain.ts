/** What happens on the chain of a world: DAOs, swaps, and what people and strangers do with the program. */
import { type createRandom, type Dao, FORGERIES, type Ledger } from '../../../simulator/index.js'
import type { ChainAction, Plan } from './plan.js'
import type { World } from './scene.js'

type Random = ReturnType<typeof createRandom>

const DOLLAR = 1_000_000n

/** The DAOs that there are from the beginning. */
export function populate (ledger: Ledger, plan: Plan, random: Random): void {
  const usdc = ledger.usdc()
  for (let at = 0; at < plan.daos; at++) {
    const decimals = random.int(9)
    const quoteReserves = random.amount(20_000n * DOLLAR, 3_000_000n * DOLLAR)
    ledger.dao({
      base: ledger.mint({ decimals, symbol: `T${at}` }),
      quote: usdc,
      baseReserves: 10n ** BigInt(decimals) * 1_000_000n + 10n ** 9n,
      quoteReserves
    })
  }
}

export function swap (dao: Dao, random: Random): void {
  const side = random.int(2) === 0 ? 'buy' : 'sell'
  const reserve = side === 'buy' ? dao.reserves.quote : dao.reserves.base
  if (reserve < 200_000n) return
  dao.swap(
    side,
    random.amount(reserve / 100_000n + 1n, reserve / 200n + 1n),
    random.int(12) === 0 ? { failed: true } : random.int(8) === 0 ? { via: 'aggregator' } : {}
  )
}

/** A swap in any pool. */
export const swapSomewhere = (ledger: Ledger, random: Random): void => swap(
  ledger.daos[random.int(ledger.daos.length)]!, random
)

/** What anyone does with one of the first DAOs, or beside them. */
export function act (world: World, kind: ChainAction): void {
  const { ledger, plan, random, unjudged } = world
  const dao = ledger.daos[random.int(plan.daos)]!
  switch (kind) {
    case 'born': ledger.dao({
      base: ledger.mint({ decimals: random.int(9) }),
      quote: ledger.usdc(),
      baseReserves: 10n ** 15n,
      quoteReserves: 10n ** 11n
    }); break
    case 'hostile': {
      const quote = ledger.mint({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
      const thin = ledger.dao(
        { base: dao.base, quote: random.int(2) === 0 ? quote : ledger.usdc(), baseReserves: 1n, quoteReserves: 1n }
      )
      // A million of what calls itself a dollar
      thin.swap('buy', quote === thin.quote ? 10n ** 12n : 1n)
      break
    }
    case 'launch': if (!dao.proposalLive) dao.launchProposal(); break
    case 'finalize': if (dao.proposalLive) dao.finalizeProposal({ passed: random.int(2) === 0 }); break
    case 'collect': if (!dao.proposalLive) dao.collectFees(); break
    case 'fees': dao.setFees(25, 25); break
    case 'upgrade': ledger.upgradeProgram(
      { appended: { SpotSwapEvent: 8 * random.int(6), '*': random.int(40) }, layout: 'F3', room: random.int(64) }
    ); break
    case 'burst': for (let at = 0; at < 40; at++) swap(ledger.daos[random.int(plan.daos)]!, random); break
    case 'unknown': if (dao.proposalLive) unjudged.add(dao.address); dao.unknownEvent(
      { event: { name: `Event${random.int(99)}`, keyAt: random.int(80), rest: random.int(90) } }
    ); break
    case 'forged': ledger.forgedEvent(dao, FORGERIES[random.int(FORGERIES.length)]!); break
    case 'donate': dao.donate(10n ** 9n, 10n ** 9n); break
    case 'liquidity': if (!dao.proposalLive) dao.provideLiquidity(10n ** 8n); break
  }
}
