import { test } from 'tap'
import { movedAcross } from '../../../../lib/history/rules/unknown-kinds.js'
import type { StoredEvent } from '../../../../lib/history/rules/rows.js'
import { readEvents, UNKNOWN_KIND } from '../../../../lib/protocol/events.js'
import { createLedger, type Dao } from '../../../../simulator/index.js'
import type { RawTransaction } from '../../../../lib/chain/types.js'

function market () {
  const ledger = createLedger({ seed: 21 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 13n, quoteReserves: 10n ** 12n }
  )
  dao.swap('buy', 5_000_000n)
  /** The DAO's events as they are stored. */
  const stored = (): StoredEvent[] => Array.from(
    { length: ledger.history.length }, (_, index) => index
  ).flatMap(index => {
    const events = readEvents(
      JSON.parse(ledger.history.json(index)) as RawTransaction, ledger.program, ledger.eventAuthority
    )
    return events.map(({ name: kind, seq, swap, reserves, fees, liquidity, reason }) => (
      { seq, kind, reason, reserves, fees, liquidity, swap: swap && { ...swap, fee: null } } as StoredEvent
    ))
  })
  const moved = (now = false) => [...movedAcross(stored(), now ? dao.reserves : undefined).values()]
  return { ledger, dao, stored, moved }
}

const DRAIN = { event: { moves: { base: 0n, quote: -1n } } }

/** What follows an event of an unknown kind, and lets it be judged. */
const FOLLOWING: Record<string, (dao: Dao) => unknown> = {
  'a purchase': dao => dao.swap('buy', 7_000_001n),
  'a sale': dao => dao.swap('sell', 7_000_001n),
  'a deposit': dao => dao.provideLiquidity(1_000_000n),
  'a withdrawal': dao => dao.withdrawLiquidity(0.1),
  'a collection': dao => dao.collectFees(),
  'a proposal': dao => dao.launchProposal(),
  'something beside, then a purchase': dao => { dao.updateDao(); dao.swap('buy', 1_000n) },
  'another of its kind, then a purchase': dao => { dao.unknownEvent(); dao.swap('buy', 1_000n) }
}

for (const [what, follow] of Object.entries(FOLLOWING)) {
  test(`an event of an unknown kind, and ${what}: whether the pool moved across it`, async t => {
    for (const moves of [false, true]) {
      const { dao, moved } = market()
      dao.unknownEvent(moves ? DRAIN : {})
      t.same(moved(), [], 'not before anything follows')
      follow(dao)
      const found = moved()
      t.ok(found.length > 0)
      t.ok(found.every(one => one === moves), `${found.join()} where it ${moves ? 'moved' : 'did not move'}`)
    }
  })
}

test('the account tells while nothing has followed', async t => {
  const { dao, moved } = market()
  dao.unknownEvent()
  dao.updateDao()
  t.same(moved(true), [false])
  dao.unknownEvent(DRAIN)
  t.same(moved(true), [true, true])
})

test('what the events on both sides do not say is not told', async t => {
  const { dao, stored, moved } = market()
  dao.launchProposal()
  dao.unknownEvent()
  dao.swap('buy', 100_000_000n)
  t.same(moved(), [], 'arbitrage with the pools of a live proposal moves reserves, too')
  dao.unknownEvent()
  dao.finalizeProposal({ passed: true })
  t.same(moved(), [], 'the end of a proposal does not say what it brings back')
  dao.unknownEvent()
  dao.swap('buy', 1_000n)
  t.same(moved(), [false])
  const events = stored()
  const [before, unknown, after] = events.slice(-3) as [StoredEvent, StoredEvent, StoredEvent]
  t.same([...movedAcross([before, unknown, after]).values()], [false])
  t.same(movedAcross([unknown, after]).size, 0, 'nothing before it')
  t.same(movedAcross([{ ...before, seq: before.seq - 1n }, unknown, after]).size, 0, 'one between is missing')
  t.same(movedAcross([before, unknown, { ...after, seq: after.seq + 1n }]).size, 0)
  t.same(movedAcross([before, { ...unknown, reason: null }, after]).size, 0, 'it has been judged')
  t.same(movedAcross([before, { ...unknown, kind: 'Unreadable', reason: 'SpotSwap of 3 bytes' }, after]).size, 0)
  t.equal(unknown.reason, UNKNOWN_KIND)
})
