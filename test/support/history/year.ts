import { createLedger, FORGERIES, type Dao, type Ledger } from '../../../simulator/index.js'

const DAY = 86_400

/** What one DAO does in an hour, now and then. */
function live (ledger: Ledger, dao: Dao, day: number): void {
  const { random } = ledger
  const chance = (part: number) => random.next() < part
  const amount = () => BigInt(Math.floor(1 + random.next() * 10 ** (1 + Math.floor(random.next() * 9))))
  const via = chance(0.3) ? 'aggregator' as const : 'direct' as const
  const swap = () => dao.swap(chance(0.5) ? 'buy' : 'sell', amount(), { via, ...(chance(0.1) && { blockTime: null }) })
  if (chance(0.5)) swap()
  if (chance(0.05)) ledger.transaction(() => { swap(); swap() }, { via })
  if (chance(0.05)) dao.swap('buy', 10n ** 9n, { failed: true, via })
  if (chance(0.03)) ledger.forgedEvent(dao, FORGERIES[Math.floor(random.next() * FORGERIES.length)]!)
  if (dao.proposalLive) {
    if (chance(0.5)) dao.conditionalSwap(chance(0.5) ? 'pass' : 'fail', chance(0.5) ? 'buy' : 'sell', amount())
    if (chance(0.1)) {
      if (chance(0.3)) dao.cancelProposal()
      else dao.finalizeProposal({ passed: chance(0.5) })
    }
    return
  }
  if (chance(0.03)) dao.collectFees()
  if (chance(0.02)) dao.provideLiquidity(amount() + 1000n)
  if (chance(0.02)) dao.withdrawLiquidity(0.01)
  if (chance(0.02)) dao.updateDao()
  if (chance(0.01)) {
    dao.unknownEvent()
    // The fee of a swap right after it could not be known: what the unknown event did to the balances is not
    dao.provideLiquidity(5000n)
  }
  if (chance(0.02) && day > 3) {
    dao.initializeProposal()
    if (chance(0.8)) {
      dao.stake()
      if (chance(0.3)) dao.unstake(500_000n)
    }
    if (chance(0.8)) dao.launchProposal()
    else dao.removeProposal()
  }
}

/**
 * `days` of the lives of five DAOs, one of them of another build and one with a quote token of its own, in which the
 * program's fee goes from 25 to 50 basis points. `each` is called after every hour.
 */
export function makeYear (seed: number, days: number, hours = 4, each: (ledger: Ledger) => void = () => {}): Ledger {
  const ledger = createLedger({ seed })
  const usdc = ledger.usdc()
  const born = (options: Partial<Parameters<Ledger['dao']>[0]> = {}) => ledger.dao({
    base: ledger.mint(),
    quote: usdc,
    quoteReserves: 200_000_000_000n,
    baseReserves: 2_000_000_000_000n,
    protocolFeeBps: 25,
    lpFeeBps: 25,
    ...options
  })
  born()
  born({ layout: 'F0' })
  for (let day = 0; day < days; day++) {
    if (day === Math.floor(days / 5)) born({ layout: 'F1' })
    if (day === Math.floor(days / 3)) born({ quote: ledger.mint({ decimals: 9 }) })
    if (day === Math.floor(days / 2)) for (const dao of ledger.daos) dao.setFees(50, 0)
    if (day === Math.floor(days * 0.7)) born({ protocolFeeBps: 50, lpFeeBps: 0 })
    for (let hour = 0; hour < hours; hour++) {
      for (const dao of ledger.daos) {
        ledger.advance(ledger.random.next() * DAY / hours / ledger.daos.length)
        live(ledger, dao, day)
      }
      each(ledger)
    }
    const midnight = 1_767_225_600 + (day + 1) * DAY
    if (ledger.time < midnight) ledger.advance(midnight - ledger.time)
  }
  return ledger
}
