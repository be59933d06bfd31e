import { test } from 'tap'
import { parseDecimal, toFixed } from '../../../lib/decimal.js'
import { ServiceError } from '../../../lib/errors.js'
import { allDays } from '../../../lib/history/daily.js'
import { createHistory } from '../../../lib/history/history.js'
import { openSqliteStore } from '../../../lib/history/sqlite.js'
import { createLedger, type Ledger } from '../../ledger/index.js'
import { accountsOf, settled, until, watch } from './support/history.js'
import { ledgerReader } from './support/reader.js'

const shown = (value: { n: bigint, d: bigint }) => toFixed(value, 3)

function market (days = 0): Ledger {
  const ledger = createLedger({ seed: 33 })
  const born = () => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n })
  const daos = [born(), born(), born()]
  for (let hour = 0; hour < days * 24; hour++) {
    ledger.advance(3600)
    daos[hour % 2]!.swap('buy', BigInt(1_000_000 + hour))
  }
  return ledger
}

const SMALL = { pageSize: 20, stepSize: { least: 3, most: 5 } }

test('before it has begun, and while the last 24 hours are not covered, it says so', async t => {
  const ledger = market(4)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  const reader = ledgerReader(ledger)
  const history = createHistory({
    reader, store, program: ledger.program, daos: accountsOf(ledger), rate: parseDecimal('0.005')!, basis: 'auto', now: () => ledger.time * 1000, ...SMALL
  })
  t.teardown(async () => { await history.stop(); await store.close() })
  const warming = { name: 'ServiceError', code: 'WARMING_UP' }
  t.match(history.status(), { phase: 'starting', last24h: false, complete: false, headAt: null, slot: null, swaps: 0, holes: 0 })
  t.equal(history.report().size, 0)
  await t.rejects(history.last24h(ledger.time), warming)
  await t.rejects(history.daily(), warming)
  history.wake()
  const gate = { held: true }
  reader.bendPage = page => gate.held ? page.slice(0, 4) : page
  const { transactions } = reader
  reader.transactions = async signatures => {
    // Half of the last day is there: then the node takes its time
    while (gate.held && history.status().swaps >= 12) await new Promise(resolve => setTimeout(resolve, 5))
    return await transactions(signatures)
  }
  history.start()
  history.start()
  await until(() => history.status().swaps >= 12)
  t.match(history.status(), { phase: 'last-day', last24h: false, complete: false, headAt: ledger.time * 1000 })
  await t.rejects(history.last24h(ledger.time), warming)
  t.equal((await history.daily()).size > 0, true, 'days are given as far as they are walked')
  gate.held = false
  await until(() => history.status().complete)
  t.match(history.status(), { last24h: true, oldestTime: 1_767_225_600 })
  t.equal((await history.last24h(ledger.time)).size, 3)
})

test('the last 24 hours are there before the rest is', async t => {
  const ledger = market(6)
  const reader = ledgerReader(ledger)
  const { transactions } = reader
  const gate = { held: true }
  const watched = await watch(t, ledger, {
    ...SMALL,
    reader: Object.assign(reader, {
      transactions: async (signatures: readonly string[]) => {
        while (gate.held && watched?.history.status().last24h) await new Promise(resolve => setTimeout(resolve, 5))
        return await transactions(signatures)
      }
    })
  })
  const { history } = watched
  await until(() => history.status().last24h)
  t.equal(history.status().complete, false)
  const volumes = await history.last24h(ledger.time)
  t.equal([...volumes.values()].reduce((sum, { trades }) => sum + trades, 0), 24)
  t.ok([...volumes.values()].every(({ complete }) => complete))
  const daily = await history.daily()
  t.ok([...daily.values()].every(({ complete, holes }) => !complete && holes === 0), 'what is not walked yet is no hole, and not complete')
  gate.held = false
  await settled(watched, ledger)
  t.ok([...(await history.daily()).values()].every(({ complete }) => complete))
})

test('a DAO without a swap has a volume of zero, and days from its launch on', async t => {
  const ledger = market(3)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const { history } = watched
  const idle = ledger.daos[2]!.address
  t.match((await history.last24h(ledger.time)).get(idle), { base: { n: 0n }, quote: { n: 0n }, trades: 0, complete: true })
  const daily = (await history.daily()).get(idle)!
  t.match(daily, { launchedAt: 1_767_225_600, complete: true, holes: 0 })
  t.equal(allDays(daily.days).size, 0)
  t.match(history.report().get(idle), { indexed: 2n, holes: [], firstSwap: null })
  t.equal(history.report(), history.report(), 'the same as long as nothing changes')
})

test('a program without any transaction', async t => {
  const ledger = createLedger({ seed: 1 })
  const watched = await watch(t, ledger)
  const { history } = watched
  await until(() => history.status().complete && history.status().headAt !== null)
  t.same(await history.last24h(ledger.time), new Map())
  t.same(await history.daily(), new Map())
  t.match(history.status(), { slot: null, oldestTime: null, last24h: true })

  await t.test('and then its first ones', async t => {
    const dao = ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 9n, baseReserves: 10n ** 9n })
    ledger.advance(60)
    dao.swap('buy', 1000n)
    history.wake()
    await until(() => history.status().swaps === 1)
    await settled(watched, ledger)
    t.match((await history.last24h(ledger.time)).get(dao.address), { trades: 1, complete: true })
  })
})

test('a swap counts from its second on, for 86,400 seconds', async t => {
  const ledger = market(3)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const { history } = watched
  ledger.advance(100_000)
  const { time, dao } = ledger.daos[0]!.swap('buy', 200_000n)
  await until(() => history.status().swaps === ledger.swaps.length)
  const at = async (now: number) => (await history.last24h(now)).get(dao)!.trades
  t.same([await at(time - 1), await at(time), await at(time + 86_399), await at(time + 86_400)], [0, 1, 1, 0])
  t.same([await at(time + 300), await at(time), await at(time - 1), await at(time)], [1, 1, 0, 1], 'also when the time is set back')
  t.equal(await at(time + 10 * 86_400), 0)
  t.equal(await at(time + 5), 1)
  const many = await Promise.all([time + 1, time - 1, time + 86_400, time + 2].map(at))
  t.same(many, [1, 0, 0, 1], 'readings at the same time')
})

test('is unavailable when the head has not been reached for a while, and comes back', async t => {
  const ledger = market(3)
  let extra = 0
  const watched = await watch(t, ledger, { now: () => ledger.time * 1000 + (extra += 0.01), sleep: async ms => { extra += ms; await new Promise(resolve => setImmediate(resolve)) } })
  await settled(watched, ledger)
  const { history, reader, facts } = watched
  await history.last24h(ledger.time)
  reader.failure = new ServiceError('NODE_UNAVAILABLE', 'gone')
  await until(async () => await history.last24h(ledger.time).then(() => false, (error: unknown) => error instanceof ServiceError && error.code === 'HISTORY_UNAVAILABLE'))
  t.ok(facts.some(({ code, message }) => code === 'retry' && message.startsWith('gone')))
  reader.failure = undefined
  await until(async () => await history.last24h(ledger.time).then(() => true, () => false))
  t.pass()
})

test('a store that fails is told, and nothing is lost by it', async t => {
  const ledger = market(3)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  let writes = 0
  const watched = await watch(t, ledger, {
    ...SMALL,
    store: { ...store, write: async changes => { if (writes++ % 3 === 1) throw new ServiceError('HISTORY_UNAVAILABLE', 'the disk is full'); await store.write(changes) } }
  })
  await settled(watched, ledger)
  t.match(watched.history.status(), { swaps: ledger.swaps.length, holes: 0, missing: 0 })
  t.ok(watched.facts.some(({ message }) => message.startsWith('the disk is full')))
  for (const { trades, complete } of (await watched.history.last24h(ledger.time)).values()) t.ok(complete && trades <= 12)
})

test('stops in the middle, at once also while it waits, and goes on from there', async t => {
  const ledger = market(5)
  const folder = t.testdir()
  const read: string[] = []
  for (let round = 0; round < 6; round++) {
    const watched = await watch(t, ledger, { ...SMALL, folder })
    await until(() => watched.reader.calls.transactions.length > (round + 1) * 8 || watched.history.status().complete)
    await watched.history.stop()
    await t.rejects(watched.history.last24h(ledger.time), { code: 'SHUTTING_DOWN' })
    read.push(...watched.reader.calls.transactions)
    await watched.store.close()
  }
  const watched = await watch(t, ledger, { ...SMALL, folder })
  await settled(watched, ledger)
  t.equal(watched.history.status().swaps, ledger.swaps.length)

  const waiting = await watch(t, ledger, { folder: t.testdir(), sleep: async (ms, signal) => { await new Promise<void>(resolve => { signal?.addEventListener('abort', () => resolve(), { once: true }) }) } })
  waiting.reader.failure = new ServiceError('NODE_UNAVAILABLE', 'gone')
  await until(() => waiting.facts.length > 0)
  await waiting.history.stop()
  t.pass()
})

test('another rate or basis at the next start: sums are made anew without a call to the node', async t => {
  const ledger = market(5)
  const folder = t.testdir()
  const first = await watch(t, ledger, { folder })
  await settled(first, ledger)
  await first.history.stop()
  await first.store.close()
  const totals: string[] = []
  for (const [rate, basis] of [['0.0025', 'fees'], ['0.0025', 'auto'], ['0.005', 'auto'], ['0.0050', 'auto']] as const) {
    const watched = await watch(t, ledger, { folder, rate: parseDecimal(rate)!, basis })
    await until(() => watched.history.status().headAt !== null)
    const days = allDays((await watched.history.daily()).get(ledger.daos[0]!.address)!.days)
    totals.push(shown(days.get('2026-01-02')!.quote), String(watched.facts.filter(({ code }) => code === 'revalued').length))
    t.equal(watched.reader.calls.transactions.length, 0)
    await watched.history.stop()
    await watched.store.close()
  }
  const inputs = ledger.swaps.filter(({ dao, time }) => dao === ledger.daos[0]!.address && new Date(time * 1000).toISOString().startsWith('2026-01-02'))
  const sum = inputs.reduce((sum, { input }) => sum + input, 0n)
  const byFee = inputs.reduce((sum, { input }) => sum + (input - input * 9950n / 10_000n) * 200n, 0n)
  t.same(totals, [`${2n * byFee}.000`, '1', `${sum}.000`, '1', `${byFee}.000`, '1', `${byFee}.000`, '0'])
})
