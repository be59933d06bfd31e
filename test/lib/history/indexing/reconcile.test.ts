import { test } from 'tap'
import { ServiceError } from '../../../../lib/errors.js'
import { createLedger, type Ledger } from '../../../../simulator/index.js'
import { clockOf } from '../../../support/history/clock.js'
import { accountsOf, until, watch } from '../../../support/history/history.js'
import { ledgerReader } from '../../../support/history/reader.js'

/** `daos` DAOs with a swap every ten minutes each. */
function trading (daos: number, swaps: number): Ledger {
  const ledger = createLedger({ seed: 12 })
  for (let at = 0; at < daos; at++) {
    ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n })
  }
  for (let at = 0; at < swaps; at++) {
    ledger.advance(600)
    for (const dao of ledger.daos) dao.swap('buy', BigInt(1000 + at))
  }
  return ledger
}

test('searching for what is listed and never given starves nobody, and ends', async t => {
  const ledger = trading(20, 60)
  const reader = ledgerReader(ledger)
  const lost = new Set(ledger.daos.flatMap(
    ({ address }) => ledger.swaps.filter(swap => swap.dao === address).slice(20, 40).map(({ signature }) => signature)
  ))
  reader.bendTransaction = (_, signature) => lost.has(signature) ? null : undefined
  // A node of a call in 50 ms, by the clock of the test
  let drift = 0
  const now = () => ledger.time * 1000 + drift
  const { signatures, transactions, head } = reader
  const looks: number[] = []
  reader.signatures = async (address, page) => { drift += 50; return await signatures(address, page) }
  reader.transactions = async (list, options) => {
    drift += 50 +
    5 * list.length; return await transactions(list, options)
  }
  reader.head = async () => { looks.push(now()); return await head() }
  const watched = await watch(
    t, ledger, { reader, clock: clockOf(now, ms => { drift += Math.min(ms, 60_000) }), pollMs: 2000, checkMs: 30_000 }
  )
  const { history } = watched
  await until(() => history.status().phase === 'following' && history.status().missingEvents === lost.size)
  const from = looks.length
  await until(() => history.status().searched)
  const waits = looks.slice(from + 1).map((at, i) => at - looks[from + i]!)
  // minutes if it waited for the search; on a busy machine what is in between takes more turns, of which each that
  // sleeps moves the clock
  t.ok(Math.max(...waits) < 20_000, `the head waited ${Math.max(...waits)} ms at most`)
  t.match(history.status(), { complete: true, missingTransactions: lost.size })

  await t.test('what is given after all is found', async t => {
    delete reader.bendTransaction
    await until(() => history.status().missingEvents === 0 && history.status().missingTransactions === 0)
    t.equal(history.status().swaps, ledger.swaps.length)
  })
})

test('a search goes on where its time ended', async t => {
  const ledger = trading(1, 400)
  const [dao] = ledger.daos
  const reader = ledgerReader(ledger)
  const hidden = new Set(ledger.swaps.slice(100, 300).map(({ signature }) => signature))
  reader.bendPage = (page, { address }) => address === ledger.program
    ? page.filter(({ signature }) => !hidden.has(signature))
    : page
  let drift = 0
  const now = () => ledger.time * 1000 + drift
  const { transactions } = reader
  // Two seconds for a step: an attempt is over after two of them
  reader.transactions = async (list, options) => {
    drift += list.some(signature => hidden.has(signature))
      ? 2000
      : 1; return await transactions(list, options)
  }
  const watched = await watch(t, ledger, { reader, clock: clockOf(now, ms => { drift += Math.min(ms, 60_000) }) })
  await until(() => watched.history.status().complete && watched.history.status().swaps === 400)
  t.equal(watched.history.status().missingEvents, 0)
  const asked = reader.calls.transactions.filter(signature => hidden.has(signature))
  t.equal(new Set(asked).size, asked.length, 'nothing is read twice')
  t.equal(watched.history.report().get(dao!.address)!.missingEvents, 0n)
})

test('once a walk that had stalled goes on, what is stored is confirmed up to the newest reading behind the head', async t => {
  const ledger = trading(2, 3)
  const reader = ledgerReader(ledger)
  reader.isFrozen = true
  const { history } = await watch(t, ledger, { reader, checkMs: 3_600_000 })
  history.compare(await accountsOf(ledger)())
  await until(() => history.status().complete && history.status().swaps === ledger.swaps.length)
  const [from, times] = [ledger.slot, [] as number[]]
  // longer than what is kept of readings; somebody trades in each of them, so that none is met by what is stored
  for (let round = 0; round < 20; round++) {
    ledger.advance(8)
    for (const dao of ledger.daos) dao.swap('buy', 1000n)
    reader.lag = ledger.slot - from
    history.compare(await accountsOf(ledger)())
    times.push(ledger.time)
  }
  ledger.advance(1)
  for (const dao of ledger.daos) dao.swap('buy', 1000n)
  reader.lag = 1
  await until(() => history.status().swaps === ledger.swaps.length - ledger.daos.length)
  await until(() => history.head().confirmedTo === times.at(-1))
  t.ok(history.head().time >= times.at(-1)!)
})

test('what accounts have shown to be missing at the end is known after a restart, before they are read', async t => {
  const ledger = trading(2, 3)
  const hidden = ledger.swaps.at(-1)!.signature
  const reader = ledgerReader(ledger)
  reader.bendPage = page => page.filter(({ signature }) => signature !== hidden)
  const { history, store, folder } = await watch(t, ledger, { reader })
  await until(() => history.status().complete && history.status().missingEvents === 1)
  await history.stop()
  await store.close()
  const again = await watch(
    t, ledger, { folder, reader, daos: async () => { throw new ServiceError('NODE_UNAVAILABLE', 'gone') } }
  )
  await until(() => again.history.status().last24h)
  t.match(again.history.status(), { missingEvents: 1, expected: null })
  const { volumes } = await again.history.last24h()
  t.same(ledger.daos.map(({ address }) => volumes.get(address)!.complete), [true, false])
})
