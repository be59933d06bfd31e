import { test, type Test } from 'tap'
import { createLedger, type Dao, type Ledger } from '../../../simulator/index.js'
import { settled, until, untilShown, watch, type Watched } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'

const HOUR = 3600
const SMALL = { pageSize: 50, stepSize: 20 }

const born = (ledger: Ledger): Dao => ledger.dao(
  { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
)

function trade (ledger: Ledger, daos: Dao[], hours: number): void {
  for (let hour = 0; hour < hours; hour++) {
    ledger.advance(HOUR)
    for (const dao of daos) dao.swap('buy', BigInt(1_000_000 + hour))
  }
}

/**
 * Three DAOs that trade, then an outage of three days of which a node keeps the last two alone; one DAO rests, one is
 * born in what is lost.
 */
async function outage (t: Test, { unknown = false } = {}) {
  const ledger = createLedger({ seed: 9 })
  const [busy, resting, early] = [born(ledger), born(ledger), born(ledger)]
  trade(ledger, [busy, resting, early], 48)
  const folder = t.testdir()
  const before = await watch(t, ledger, { ...SMALL, folder })
  await settled(before, ledger)
  await before.history.stop()
  await before.store.close()

  ledger.advance(HOUR)
  early.swap('buy', 5_000_000n)
  const young = born(ledger)
  young.swap('buy', 3_000_000n)
  trade(ledger, [busy], 23)
  const reader = ledgerReader(ledger)
  const forgotten = ledger.slot
  if (unknown) {
    reader.unknownCursors = new Set(
      Array.from({ length: ledger.history.length }, (_, at) => ledger.history.signature(at))
    )
  }
  trade(ledger, [busy, young], 48)
  if (!unknown) reader.forgotten = forgotten
  const after = await watch(t, ledger, { ...SMALL, folder, reader })
  return { ledger, busy, resting, early, young, reader, after, forgotten }
}

const codes = ({ events }: Watched) => new Set(events.map(({ code }) => code))

test(
  'a gap that no node can fill is closed as a stated loss: the last day is whole, totals say what they lack',
  async t => {
    const { ledger, busy, resting, early, young, after } = await outage(t)
    const { history } = after
    await untilShown(ledger, () => history.status().phase === 'following' && history.status().missingEvents > 0)
    t.ok(codes(after).has('past-lost'))
    t.match(history.status(), { complete: true, last24h: true, losses: 1 })
    const lost = ledger.swaps.filter(({ slot }) => slot > 0).length - history.status().swaps
    t.equal(lost, 1 + 1 + 23)
    await until(() => history.status().searched)
    const today = (await history.last24h()).volumes
    for (const dao of [busy, resting, early, young]) {
      t.equal(today.get(dao.address)?.complete, true, 'what is lost lies before the last day')
    }
    t.match(today.get(busy.address), { trades: 24 })
    t.match(today.get(early.address), { trades: 0 })
    const days = await history.daily()
    t.same([busy, resting, early, young].map(({ address }) => days.get(address)!.complete), [false, true, false, false])
    t.equal(history.report().get(early.address)!.missingEvents, 1n)
    t.equal(history.report().get(resting.address)!.missingEvents, 0n)

    await t.test('while it lies within the window, only those who lost nothing are complete', async t => {
      const back = ledger.time - 30 * HOUR
      const then = await after.lastDayAt(back)
      t.same(
        [busy, resting, early, young].map(({ address }) => then.get(address)!.complete), [false, true, false, false]
      )
    })

    await t.test('it is kept: the next start waits for nothing', async t => {
      await history.stop()
      const again = await watch(t, ledger, { ...SMALL, store: after.store, reader: after.reader })
      await until(() => again.history.status().phase === 'following' && again.history.status().searched &&
      again.history.status().missingEvents > 0)
      t.equal(again.history.status().losses, 1)
      t.notOk(codes(again).has('past-lost'))
      t.equal((await again.history.last24h()).volumes.get(busy.address)!.complete, true)
    })
  }
)

test('what was lost is read once a node has it after all', async t => {
  const { ledger, busy, early, after, reader } = await outage(t)
  const { history } = after
  await untilShown(ledger, () => history.status().phase === 'following' && history.status().missingEvents > 0)
  delete reader.forgotten
  await until(() => history.status().missingEvents === 0 && history.status().swaps === ledger.swaps.length)
  const days = await history.daily()
  t.same([busy, early].map(({ address }) => days.get(address)!.complete), [true, true])
})

test('a cursor that every node has lost: a new range is begun, the old one closed by a stated loss', async t => {
  const { ledger, busy, resting, after } = await outage(t, { unknown: true })
  const { history } = after
  await until(() => history.status().complete && history.status().last24h && history.status().searched)
  t.equal((await history.last24h()).volumes.get(busy.address)!.complete, true)
  t.equal((await history.daily()).get(resting.address)!.complete, true)
  t.equal(
    history.status().missingEvents + history.status().events, ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0)
  )
})

test('a cursor that one node of two has lost costs nothing', async t => {
  const ledger = createLedger({ seed: 9 })
  const dao = born(ledger)
  trade(ledger, [dao], 200)
  const reader = ledgerReader(ledger)
  let turn = 0
  const { signatures } = reader
  const all = new Set(Array.from({ length: ledger.history.length }, (_, at) => ledger.history.signature(at)))
  reader.signatures = async (address, page) => {
    if (turn++ % 2 === 0) reader.unknownCursors = all
    else delete reader.unknownCursors
    return await signatures(address, page)
  }
  const watched = await watch(t, ledger, { ...SMALL, reader })
  await settled(watched, ledger)
  t.match(watched.history.status(), { complete: true, missingEvents: 0, losses: 0, swaps: 200 })
  t.notOk(codes(watched).has('past-lost'))
})

test('nodes that began from a snapshot again list nothing of a quiet market: the head goes on', async t => {
  const ledger = createLedger({ seed: 10 })
  const [busy, resting] = [born(ledger), born(ledger)]
  trade(ledger, [busy, resting], 30)
  const watched = await watch(t, ledger, SMALL)
  const { history, reader, events } = watched
  await settled(watched, ledger)
  const complete = async () => {
    const { volumes } = await history.last24h()
    return [busy, resting].map(({ address }) => volumes.get(address)!.complete)
  }
  const isAtHead = (): boolean => history.status().headAge === 0
  ledger.advance(HOUR)
  reader.forgotten = ledger.slot
  ledger.advance(10)
  await until(isAtHead)
  await until(async () => (await complete()).every(Boolean))
  busy.swap('buy', 7_000_000n)
  const { slot } = ledger
  ledger.advance(10)
  reader.forgotten = ledger.slot
  ledger.advance(10)
  const passed: number[] = []
  await untilShown(ledger, async () => {
    const { head, volumes } = await history.last24h()
    if (head.slot >= slot && volumes.get(busy.address)!.complete) passed.push(head.slot)
    return history.status().missingEvents === 1 && history.status().searched
  })
  t.same(passed, [], 'no window that has the trade passes for whole without it')
  t.same(await complete(), [false, true], 'what they have lost shows by the accounts')
  t.equal(history.status().losses, 1, 'the same loss, which is longer now')
  reader.forgotten = undefined
  reader.bendPage = () => []
  ledger.advance(HOUR)
  await until(() => events.some(({ message }) => message.includes('the node lists no signature at all')))
  t.notOk(isAtHead(), 'one that has its past, and lists nothing, is broken')
})
