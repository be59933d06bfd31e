import { test, type Test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { ratio } from '../../../lib/decimal.js'
import { createStepWriter } from '../../../lib/history/indexing/commit.js'
import { createJudge } from '../../../lib/history/indexing/judge.js'
import type { LogEvent } from '../../../lib/history/log-events.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { createLedger, NEXT_RELEASE } from '../../../simulator/index.js'

const VALUATION = { rate: ratio(5n, 1000n), basis: 'input' as const }

/** A store that follows a ledger, and what judges events of unknown kinds in it. */
async function follow (t: Test) {
  const ledger = createLedger({ seed: 31 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 13n, quoteReserves: 10n ** 12n }
  )
  dao.swap('buy', 5_000_000n)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const log: LogEvent[] = []
  const writer = await createStepWriter(store, VALUATION, event => { log.push(event) })
  const { signal } = new AbortController()
  const judge = createJudge({ store, writer, signal, onLog: event => { log.push(event) } })
  let read = 0
  const catchUp = async () => {
    for (; read < ledger.history.length; read++) {
      const tx = JSON.parse(ledger.history.json(read)) as RawTransaction
      const place = { signature: ledger.history.signature(read), blockIndex: 0 }
      await writer.commit(
        { events: readEvents(tx, ledger.program, ledger.eventAuthority).map(event => ({ event, ...place })) }
      )
    }
  }
  const account = () => [{ address: dao.address, seqNum: BigInt(dao.seqNum), reserves: dao.reserves }]
  return { ledger, dao, store, writer, judge, catchUp, account, log }
}

test(
  'a DAO is left out while nobody knows what an event did, and comes back once it is seen to have left the pool alone',
  async t => {
    const { dao, store, writer, judge, catchUp, account } = await follow(t)
    dao.unknownEvent()
    await catchUp()
    const { unreadable } = writer.state
    t.ok(unreadable.has(dao.address))
    await judge([])
    t.ok(writer.state.unreadable.has(dao.address), 'nothing has come after it')
    await judge(account())
    t.notOk(writer.state.unreadable.has(dao.address), 'its account shows the same pool')
    t.same((await store.load()).unreadable.size, 0, 'for those who read the store, too')
    dao.unknownEvent()
    dao.swap('sell', 1_000_000n)
    await catchUp()
    await judge([])
    t.equal(writer.state.unreadable.size, 0)
    t.same(
      writer.state.sequenceRanges.get(dao.address)!.map(({ first, last }) => [first, last]),
      [[1n, BigInt(dao.seqNum)]],
      'they keep their numbers'
    )
  }
)

test('many that nothing can be said of hide nobody else', async t => {
  const { ledger, dao, writer, judge, catchUp } = await follow(t)
  dao.unknownEvent()
  dao.swap('buy', 1_000_000n)
  const others = Array.from({ length: 3 }, () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), baseReserves: 10n ** 13n, quoteReserves: 10n ** 12n }
  ))
  ledger.advance(60)
  for (const other of others) for (let count = 0; count < 40; count++) other.unknownEvent()
  await catchUp()
  t.equal(writer.state.unreadable.size, 4)
  for (let turn = 0; turn < 2; turn++) await judge([])
  t.same([...writer.state.unreadable.keys()].sort(), others.map(({ address }) => address).sort())
  for (const other of others) other.swap('buy', 1_000_000n)
  await catchUp()
  for (let turn = 0; turn < 2; turn++) await judge([])
  t.equal(writer.state.unreadable.size, 0)
})

test('an event of an unknown kind that moved the pool hides its DAO, and says so once', async t => {
  const { dao, store, writer, judge, catchUp, log } = await follow(t)
  dao.unknownEvent({ event: { moves: { base: -1_000_000n, quote: 900n } } })
  dao.swap('buy', 1_000_000n)
  await catchUp()
  for (let turn = 0; turn < 3; turn++) await judge([])
  t.ok(writer.state.unreadable.has(dao.address))
  t.same(log.filter(({ level }) => level === 'error').map(
    ({ message }) => /reserves of the pool moved across it/.test(message)
  ), [true])
  t.same(await store.unjudged(), new Map())
  t.ok((await store.load()).unreadable.has(dao.address))
})

test(
  'the program\'s next release in the middle of a run: every event is understood, and no number is lost',
  async t => {
    const { ledger, dao, writer, catchUp, log } = await follow(t)
    await catchUp()
    ledger.upgradeProgram(NEXT_RELEASE)
    dao.initializeProposal()
    dao.launchProposal()
    dao.swap('buy', 9_000_000n)
    dao.finalizeProposal({ passed: false })
    dao.swap('sell', 9_000_000n)
    dao.applyLiquidation()
    await catchUp()
    t.same(log, [])
    t.same([writer.state.unreadable.size, writer.state.swaps], [0, ledger.swaps.length])
    t.same(writer.state.sequenceRanges.get(dao.address)!.map(({ last }) => last), [BigInt(dao.seqNum)])
  }
)
