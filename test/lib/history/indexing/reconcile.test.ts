import { test, type Test } from 'tap'
import { toFixed } from '../../../../lib/decimal.js'
import { isServiceError, ServiceError } from '../../../../lib/errors.js'
import type { HistoryOptions } from '../../../../lib/history/history.js'
import { createLedger, type Dao, type Ledger } from '../../../../simulator/index.js'
import { clockOf } from '../../../support/history/clock.js'
import { accountsOf, settled, until, untilShown, watch, type Watched } from '../../../support/history/history.js'
import { ledgerReader } from '../../../support/history/reader.js'
import { DAY } from '../../../../lib/time.js'

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

test('once a walk that had stalled goes on, ' +
  'what is stored is confirmed up to the newest reading behind the head', async t => {
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
  await until(() => history.head().time === times.at(-1))
})

const completeOf = async ({ history }: Watched, ledger: Ledger) => {
  const { volumes } = await history.last24h()
  return ledger.daos.map(({ address }) => volumes.get(address)!.complete)
}

/** Of the first answer that is given. */
async function firstTold (watched: Watched, ledger: Ledger, wait = until) {
  const told: boolean[] = []
  await wait(async () => {
    told.push(...await completeOf(watched, ledger).catch((error: unknown) => {
      if (!isServiceError(error, 'WARMING_UP')) throw error
      return []
    }))
    return told.length > 0
  })
  return told
}

test('a list that is seconds behind the accounts hides nobody, one that stays behind does', async t => {
  const ledger = trading(2, 150)
  const reader = ledgerReader(ledger)
  const watched = await watch(t, ledger, { reader })
  await settled(watched, ledger)
  async function trade (): Promise<boolean[]> {
    ledger.advance(1)
    for (const dao of ledger.daos) dao.swap('buy', 1000n)
    const looks = reader.calls.slots
    await until(() => reader.calls.slots > looks + 1)
    return await completeOf(watched, ledger)
  }
  // as of a node whose index is behind: it holds `minContextSlot` against what it executes
  reader.bendPage = page => page.filter(({ slot }) => slot <= ledger.slotAt(ledger.elapsed - 8_000))
  for (let second = 0; second < 30; second++) t.same(await trade(), [true, true])
  const end = ledger.slot
  reader.bendPage = page => page.filter(({ slot }) => slot <= end)
  const told: boolean[][] = []
  for (let second = 0; second < 30; second++) told.push(await trade())
  t.same(told.at(-1), [false, false])
})

test('a window ends where accounts have confirmed the list, with both edges, though the clock goes on', async t => {
  const ledger = trading(1, 150)
  const reader = ledgerReader(ledger)
  const { history } = await watch(t, ledger, { reader, checkMs: 3_600_000 })
  await until(() => history.status().swaps === ledger.swaps.length && history.status().expected !== null)
  const end = ledger.slot
  reader.bendPage = page => page.filter(({ slot }) => slot <= end)
  for (let trade = 0; trade < 12; trade++) {
    // less than what finality takes, in which a trade of a day ago leaves
    ledger.advance(3)
    if (trade % 4 === 0) ledger.daos[0]!.swap('buy', 5_000n)
    const looks = reader.calls.slots
    await until(() => reader.calls.slots > looks + 1)
    const { head, volumes } = await history.last24h()
    const counted = ledger.swaps.filter(({ time }) => time > head.time - DAY && time <= head.time).length
    t.equal([...volumes.values()][0]!.trades, counted)
  }
})

test('after a restart nothing is told before accounts are read, though what they have shown is known', async t => {
  const ledger = trading(2, 3)
  const hidden = ledger.swaps.at(-1)!.signature
  const reader = ledgerReader(ledger)
  reader.bendPage = page => page.filter(({ signature }) => signature !== hidden)
  const { history, store, folder } = await watch(t, ledger, { reader })
  await untilShown(ledger, () => history.status().complete && history.status().missingEvents === 1)
  await history.stop()
  await store.close()
  let isGone = true
  const again = await watch(t, ledger, {
    folder,
    reader,
    daos: async () => {
      if (isGone) throw new ServiceError('NODE_UNAVAILABLE', 'gone')
      return await accountsOf(ledger)()
    }
  })
  await until(() => again.history.status().complete && reader.calls.slots > 20)
  t.match(again.history.status(), { missingEvents: 1, expected: null, phase: 'starting', headSlot: null })
  await t.rejects(again.history.last24h(), { code: 'WARMING_UP' })
  isGone = false
  t.same(await firstTold(again, ledger), [true, false])
})

const FINALITY = 32

/**
 * Started anew two minutes after it has followed all, with a trade in between, and one that is not final yet.
 * `isShown`: whether the node has accounts at `finalized`.
 */
async function restarted (t: Test, isShown = true) {
  const ledger = trading(2, 3)
  const first = await watch(t, ledger)
  await settled(first, ledger)
  await first.history.stop()
  await first.store.close()
  const stoppedAt = ledger.slot
  ledger.advance(60)
  ledger.daos[1]!.swap('buy', 5_000n)
  ledger.advance(60)
  ledger.daos[0]!.swap('buy', 5_000n)
  const reader = Object.assign(ledgerReader(ledger), { lag: FINALITY, isFrozen: true })
  const accounts = accountsOf(ledger)
  const daos: HistoryOptions['daos'] = async final => {
    const { slot, time, daos } = await accounts(final)
    if (final === undefined) return { slot, time, daos }
    if (!isShown) return { slot: slot - FINALITY, time, daos: [] }
    const isOpen = slot - ledger.swaps.at(-1)!.slot < FINALITY
    const asFinal = daos.map(dao => isOpen && dao.address === ledger.daos[0]!.address
      ? { ...dao, seqNum: dao.seqNum - 1n }
      : dao)
    return { slot: slot - FINALITY, time, daos: asFinal }
  }
  return { ledger, reader, stoppedAt, start: () => watch(t, ledger, { folder: first.folder, reader, daos }) }
}

test('after a restart accounts that are final confirm the list, though somebody trades all the time', async t => {
  const { ledger, start } = await restarted(t)
  t.same(await firstTold(await start(), ledger), [true, true], 'while no slot follows')
})

test('accounts that a node does not show at finalized confirm nothing', async t => {
  const { ledger, reader, start } = await restarted(t, false)
  const again = await start()
  await until(() => again.history.status().complete && reader.calls.slots > 20)
  await t.rejects(again.history.last24h(), { code: 'WARMING_UP' })
  ledger.advance(20)
  t.same(await firstTold(again, ledger), [true, true], 'those of before do, once it is past them')
})

test('after a restart a list that lags passes for nothing: accounts show what it lacks', async t => {
  const { ledger, reader, stoppedAt, start } = await restarted(t)
  reader.bendPage = page => page.filter(({ slot }) => slot <= stoppedAt)
  const again = await start()
  await until(() => again.history.status().complete && reader.calls.slots > 20)
  await t.rejects(again.history.last24h(), { code: 'WARMING_UP' })
  ledger.advance(20)
  t.same(await firstTold(again, ledger), [false, false])
  delete reader.bendPage
  await until(async () => (await completeOf(again, ledger)).every(Boolean))
  t.equal((await again.history.last24h()).volumes.get(ledger.daos[1]!.address)!.trades, 4)
})

/** Nobody has traded for a day, and one DAO not since `begin`, after which a node has all. */
function silent () {
  const ledger = trading(2, 1)
  const begin = ledger.slot
  ledger.advance(60)
  ledger.daos[1]!.swap('buy', 5_000n)
  ledger.advance(DAY + 3600)
  return { ledger, begin }
}

test('what an account has numbered since the first comparison is missed, ' +
  'though nothing of its DAO is stored', async t => {
  const { ledger, begin } = silent()
  ledger.daos[1]!.swap('buy', 5_000n)
  const reader = ledgerReader(ledger)
  let end = Infinity
  reader.bendPage = page => page.filter(({ slot }) => slot > begin && slot <= end)
  const first = await watch(t, ledger, { reader })
  await untilShown(ledger, () => {
    const { complete, expected, searched } = first.history.status()
    return complete && expected !== null && searched
  })
  t.same(await firstTold(first, ledger), [true, true], 'it was before what the node has')
  const restart = async ({ history, store }: Watched) => {
    await history.stop()
    await store.close()
    return await watch(t, ledger, { folder: first.folder, reader })
  }
  end = ledger.slot
  ledger.advance(60)
  ledger.daos[0]!.swap('buy', 5_000n)
  ledger.advance(60)
  const second = await restart(first)
  const shown: typeof until = condition => untilShown(ledger, condition)
  t.same(await firstTold(second, ledger, shown), [false, true])
  const third = await restart(second)
  t.same(await firstTold(third, ledger, shown), [false, true], 'it is known after another restart, too')
  await until(() => third.history.status().searched)
  t.same(await completeOf(third, ledger), [false, true], 'it is no loss')
  end = Infinity
  await until(async () => (await completeOf(third, ledger)).every(Boolean))
  t.equal((await third.history.last24h()).volumes.get(ledger.daos[0]!.address)!.trades, 1)
})

/** What is final is `FINALITY` slots old, and the accounts have not changed since. */
const quiet = (ledger: Ledger): HistoryOptions['daos'] => async final => {
  const { slot, time, daos } = await accountsOf(ledger)(final)
  return final === undefined
    ? { slot, time, daos }
    : { slot: slot - FINALITY, time, daos: daos.map(({ address, seqNum }) => ({ address, seqNum })) }
}

test('at a first start accounts that are final confirm the list, though nothing is stored of a DAO', async t => {
  const { ledger, begin } = silent()
  const reader = Object.assign(ledgerReader(ledger), { lag: FINALITY, isFrozen: true })
  reader.bendPage = page => page.filter(({ slot }) => slot > begin)
  const { history } = await watch(t, ledger, { reader, daos: quiet(ledger) })
  await until(() => history.status().complete && history.status().expected !== null)
  t.ok(history.head().slot < ledger.slot, 'before they are final')
})

test('at a first start a DAO that a node does not show at finalized confirms nothing', async t => {
  const { ledger, begin } = silent()
  const reader = Object.assign(ledgerReader(ledger), { lag: FINALITY, isFrozen: true })
  reader.bendPage = page => page.filter(({ slot }) => slot > begin)
  const daos: HistoryOptions['daos'] = async final => {
    const read = await quiet(ledger)(final)
    return final === undefined ? read : { ...read, daos: read.daos.slice(1) }
  }
  const { history } = await watch(t, ledger, { reader, daos })
  await until(() => history.status().complete && reader.calls.slots > 20)
  await t.rejects(history.last24h(), { code: 'WARMING_UP' })
})

test('at a first start all nodes are asked until accounts confirm a head: one may list a trade late', async t => {
  const { ledger, begin } = silent()
  const [dao, other] = ledger.daos as [Dao, Dao]
  other.swap('buy', 5_000n)
  ledger.advance(60)
  const reader = Object.assign(ledgerReader(ledger), { lag: FINALITY })
  let late = Infinity
  reader.bendPage = (page, { isOfEach }) => page.filter(({ slot }) => isOfEach === true || slot < late)
  const { signatures, transactions } = reader
  const past = new Set(ledger.swaps.filter(({ slot }) => slot <= begin).map(({ signature }) => signature))
  reader.transactions = async (list, options) => {
    if (list.some(signature => past.has(signature))) throw new ServiceError('NODE_UNAVAILABLE', 'not yet')
    return await transactions(list, options)
  }
  reader.signatures = async (...asked) => {
    const page = await signatures(...asked)
    if (late === Infinity) {
      ledger.advance(1)
      late = ledger.slot
      dao.swap('buy', 5_000n)
      ledger.advance(60)
    }
    return page
  }
  const watched = await watch(t, ledger, { reader, daos: quiet(ledger), pageSize: 2 })
  const told: string[] = []
  await untilShown(ledger, async () => {
    const { volumes } = await watched.history.last24h().catch(() => ({ volumes: undefined }))
    const volume = volumes?.get(dao.address)
    if (volume?.complete === true) told.push(toFixed(volume.quote, 0))
    return told.length > 0
  })
  t.same(told, ['5000'])
})

test('while the past is read it is missed, too, and so is all of a DAO that was made since', async t => {
  const ledger = trading(2, 3)
  const past = new Set(ledger.swaps.slice(0, -1).map(({ signature }) => signature))
  ledger.advance(2 * DAY)
  ledger.daos[1]!.swap('buy', 5_000n)
  ledger.advance(60)
  const reader = Object.assign(ledgerReader(ledger), { lag: FINALITY, isFrozen: true })
  const { transactions } = reader
  reader.transactions = async (list, options) => {
    if (list.some(signature => past.has(signature))) throw new ServiceError('NODE_UNAVAILABLE', 'gone')
    return await transactions(list, options)
  }
  // a page that holds no more of the past than shows that the last day is whole
  const first = await watch(t, ledger, { reader, daos: quiet(ledger), pageSize: 2 })
  t.same(await firstTold(first, ledger), [true, true])
  await first.history.stop()
  await first.store.close()
  const end = ledger.slot
  reader.bendPage = page => page.filter(({ slot }) => slot <= end)
  ledger.advance(60)
  ledger.daos[0]!.swap('buy', 5_000n)
  const options = { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  ledger.dao(options).swap('buy', 5_000n)
  ledger.advance(60)
  const { slots } = reader.calls
  const second = await watch(t, ledger, { folder: first.folder, reader, daos: quiet(ledger) })
  await until(() => reader.calls.slots > slots + 20)
  ledger.advance(20)
  t.same(await firstTold(second, ledger), [false, true, false])
  t.equal(second.history.status().complete, false)
  delete reader.bendPage
  await until(async () => (await completeOf(second, ledger)).every(Boolean))
})
