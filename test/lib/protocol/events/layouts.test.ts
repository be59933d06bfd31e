import { test } from 'tap'
import { layoutOf, NEUTRAL_KINDS } from '../../../../lib/protocol/events/layouts.js'
import { createLedger, discriminator } from '../../../../simulator/index.js'
import { eventsOf } from '../../../support/transaction-events.js'
import { EVENT_NAMES, FORMS, sampleOf } from '../../../support/event-forms.js'

test('discriminators are the hashes of the names', t => {
  for (const name of EVENT_NAMES) {
    t.equal(layoutOf(Buffer.concat([Buffer.alloc(8), discriminator('event', `${name}Event`)]))?.name, name)
  }
  t.end()
})

const keepsFees = (name: string): boolean => NEUTRAL_KINDS.some(kind => kind === name)

test('the name of an event is found by its discriminator, whatever else it holds', t => {
  for (const form of FORMS) t.equal(layoutOf(sampleOf(form).data)?.name, form.name)
  const { data } = sampleOf(FORMS[0]!)
  for (let at = 8; at < 16; at++) {
    const bent = Buffer.from(data)
    bent[at]! ^= 1
    t.equal(layoutOf(bent), undefined)
  }
  t.end()
})

test('what is said to keep the fee balances keeps them, in every build', t => {
  const seen = new Map<string, boolean>()
  for (const layout of ['F0', 'F1', 'F2'] as const) {
    const ledger = createLedger({ seed: 9 })
    const dao = ledger.dao({
      base: ledger.mint(),
      quote: ledger.usdc(),
      quoteReserves: 200_000_000_000n,
      baseReserves: 2_000_000_000_000n,
      layout
    })
    const acts: Array<() => unknown> = [
      () => dao.swap('buy', 1_000_003n), () => dao.swap('sell', 1_000_003n), () => dao.updateDao(),
      () => dao.initializeProposal(), () => dao.stake(), () => dao.unstake(), () => dao.sponsor(),
      () => dao.provideLiquidity(1_000_000n), () => dao.withdrawLiquidity(0.1), () => dao.launchProposal(),
      () => dao.conditionalSwap('pass', 'buy', 90_000_000n),
      () => dao.finalizeProposal({ passed: true }), () => dao.initializeProposal(), () => dao.removeProposal(),
      () => dao.launchProposal(), () => dao.cancelProposal(), () => dao.collectFees()
    ]
    for (const act of acts) {
      const before = dao.feeBalances
      act()
      const name = layoutOf(eventsOf(ledger).at(-1)!)!.name
      const kept = before.base === dao.feeBalances.base && before.quote === dao.feeBalances.quote
      seen.set(name, kept && (seen.get(name) ?? true))
    }
  }
  for (const [name, kept] of seen) if (keepsFees(name)) t.ok(kept, name)
  for (const [name, kept] of seen) if (!kept) t.notOk(keepsFees(name), name)
  // an instruction that sets what is decided, staked or allowed has nothing to do with the pool
  // (programs/futarchy/src/instructions)
  const beside = EVENT_NAMES.filter(
    name =>
      /^(Update|InitializeProposal|Stake|Unstake|Sponsor|CollectMeteora|Remove|AdminFix|AdminUpdate|Initiate|FinalizeOptimistic|Approve|Set|Sync|Provide|Withdraw)/.test(name)
  )
  t.same(EVENT_NAMES.filter(keepsFees), beside)
  t.notOk(keepsFees('Unknown'))
  t.notOk(keepsFees('Unreadable'))
  t.end()
})
