import { join } from 'node:path'
import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { createLedger, type Ledger } from '../../../simulator/index.js'
import { settled, until, watch } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'
import { sqliteRows } from '../../support/history/rows.js'
import { makeYear } from '../../support/history/year.js'

const offering = (ledger: Ledger, bulkLimit = 1000) => Object.assign(ledgerReader(ledger), { bulkLimit })

test('by whole transactions or by signatures: both ways end in the same rows', async t => {
  const ledger = makeYear(17, 60)
  const bySignatures = await watch(t, ledger)
  const inBulk = await watch(t, ledger, { reader: offering(ledger, 70), folder: join(bySignatures.folder, 'bulk') })
  for (const watched of [bySignatures, inBulk]) {
    await settled(watched, ledger)
    await watched.history.stop()
    await watched.store.close()
  }
  const [expected, found] = [sqliteRows(bySignatures.folder), sqliteRows(inBulk.folder)]
  t.ok(expected.events!.length > 400)
  for (const [table, rows] of Object.entries(expected)) t.same(found[table], rows, table)
  t.equal(bySignatures.reader.calls.bulk, 0)
  t.ok(
    inBulk.reader.calls.transactions.length < expected.events!.length / 10,
    `${inBulk.reader.calls.transactions.length} transactions were asked for one by one`
  )
})

test('transactions that were never executed are no trade, no gap and no fault, by either way', async t => {
  const ledger = createLedger({ seed: 6 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const act = () => {
    for (let at = 0; at < 100; at++) {
      ledger.advance(60)
      dao.swap(
        'buy',
        BigInt(1000 + at),
        at % 3 === 0 ? { unexecuted: true, version: at % 2 === 0 ? 0 : 1, via: 'aggregator' } : {}
      )
    }
  }
  act()
  for (const reader of [ledgerReader(ledger), offering(ledger)]) {
    const watched = await watch(t, ledger, { reader })
    await settled(watched, ledger)
    act()
    await until(() => watched.history.status().swaps === ledger.swaps.length)
    t.match(watched.history.status(), { complete: true, missingEvents: 0, missingTransactions: 0 })
    t.same(watched.events.filter(({ level }) => level !== 'info'), [])
    await watched.history.stop()
  }
})

test('at the head it is for many only', async t => {
  const ledger = makeYear(18, 10)
  const watched = await watch(t, ledger, { reader: offering(ledger) })
  await settled(watched, ledger)
  const { reader, history } = watched
  const trade = async (times: number) => {
    const before = { bulk: reader.calls.bulk, single: reader.calls.transactions.length }
    for (let at = 0; at < times; at++) ledger.daos[at % ledger.daos.length]!.swap('buy', BigInt(1000 + at))
    ledger.advance(60)
    await until(() => history.status().swaps === ledger.swaps.length)
    return { bulk: reader.calls.bulk - before.bulk, single: reader.calls.transactions.length - before.single }
  }
  t.same(await trade(30), { bulk: 0, single: 30 })
  const many = await trade(300)
  t.equal(many.bulk, 1)
  t.ok(many.single < 60, String(many.single))
})

test('a node that offers it and fails in it: the other way is taken, and for five minutes no other', async t => {
  const ledger = makeYear(19, 20)
  const reader = offering(ledger)
  let asked = 0
  reader.bulk = async () => {
    asked++
    throw new ServiceError('NODE_BAD_ANSWER', 'one of them is of a version that is not supported')
  }
  const watched = await watch(t, ledger, { reader })
  await settled(watched, ledger)
  t.match(watched.history.status(), { complete: true, swaps: ledger.swaps.length, missingEvents: 0 })
  const trade = async () => {
    for (let at = 0; at < 100; at++) ledger.daos[at % ledger.daos.length]!.swap('buy', BigInt(1000 + at))
    ledger.advance(5)
    await until(() => watched.history.status().swaps === ledger.swaps.length)
  }
  for (let times = 0; times < 4; times++) await trade()
  t.equal(asked, 1)
  ledger.advance(300)
  await trade()
  t.equal(asked, 2)
})
