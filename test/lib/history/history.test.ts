import { test } from 'tap'
import { parseDecimal, toFixed } from '../../../lib/decimal.js'
import { ServiceError } from '../../../lib/errors.js'
import { createHistory } from '../../../lib/history/history.js'
import { NO_ROOM } from '../../../lib/history/store/failures.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { dayOfDate } from '../../../lib/time.js'
import { createLedger, type Ledger } from '../../../simulator/index.js'
import { ageTime } from '../../support/age-time.js'
import { clockOf, realClock } from '../../support/history/clock.js'
import { accountsOf, settled, until, watch } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'

const shown = (value: { n: bigint, d: bigint }) => toFixed(value, 3)

function market (days = 0): Ledger {
  const ledger = createLedger({ seed: 33 })
  const born = () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const daos = [born(), born(), born()]
  for (let hour = 0; hour < days * 24; hour++) {
    ledger.advance(3600)
    daos[hour % 2]!.swap('buy', BigInt(1_000_000 + hour))
  }
  return ledger
}

const SMALL = { pageSize: 20, stepSize: 5 }

test('a start that fails for the nodes goes on as soon as accounts are read', async t => {
  const ledger = market()
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  const reader = ledgerReader(ledger)
  let asked = 0
  const history = createHistory({
    reader: {
      ...reader,
      genesisHash: async () => {
        if (asked++ === 0) throw new ServiceError('NODE_UNAVAILABLE', 'down')
        return await reader.genesisHash()
      }
    },
    store,
    program: ledger.program,
    daos: accountsOf(ledger),
    rate: parseDecimal('0.005')!,
    basis: 'input',
    // no time passes: a pause never ends by itself
    clock: clockOf(() => ledger.time * 1000, () => {}),
    time: ageTime(() => ledger.time * 1000)
  })
  t.teardown(async () => { await history.stop(); await store.close() })
  let isLoaded = false
  history.loaded.then(() => { isLoaded = true }, t.fail)
  history.start()
  await until(() => asked === 1)
  history.compare(await accountsOf(ledger)())
  await until(() => isLoaded)
  t.equal(asked, 2)
})

test('before it has begun, and while the last 24 hours are not covered, it says so', async t => {
  const ledger = market(4)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  const reader = ledgerReader(ledger)
  const history = createHistory({
    reader,
    store,
    program: ledger.program,
    // of before the list: what that lacks is not merely later
    daos: async final => ({ ...await accountsOf(ledger)(final), slot: ledger.slot - 1 }),
    rate: parseDecimal('0.005')!,
    basis: 'input',
    clock: realClock(() => ledger.time * 1000),
    time: ageTime(() => ledger.time * 1000),
    ...SMALL
  })
  t.teardown(async () => { await history.stop(); await store.close() })
  const warming = { name: 'ServiceError', code: 'WARMING_UP' }
  t.match(history.status(), {
    phase: 'starting',
    last24h: false,
    complete: false,
    headAge: null,
    headSlot: null,
    slot: null,
    swaps: 0,
    missingEvents: 0
  })
  t.equal(history.report().size, 0)
  await t.rejects(history.last24h(), warming)
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
  t.match(history.status(), { phase: 'last-day', last24h: false, complete: false, headAge: 0 })
  await t.rejects(history.last24h(), warming)
  t.equal((await history.daily()).size > 0, true, 'days are given as far as they are walked')
  gate.held = false
  await until(() => history.status().complete)
  t.match(history.status(), { last24h: true, oldestTime: 1_767_225_600 })
  t.equal((await history.last24h()).volumes.size, 3)
})

test('a window ends at the head\'s own time, and the head never goes back', async t => {
  const ledger = market(6)
  const watched = await watch(t, ledger)
  const { history, reader } = watched
  t.throws(() => history.head(), { code: 'WARMING_UP' })
  await t.rejects(history.last24h(), { code: 'WARMING_UP' })
  await settled(watched, ledger)
  const { head, volumes } = await history.last24h()
  t.equal(head.time, ledger.time)
  t.same(volumes, await watched.lastDayAt(head.time))

  reader.headTime = () => head.time - 1000
  const { slots } = reader.calls
  await until(() => reader.calls.slots > slots + 3)
  t.equal(history.head().time, head.time, 'a node that is behind shows an older one')
  delete reader.headTime
  ledger.advance(86_400)
  await until(() => history.status().headAge === 0)
  const later = await history.last24h()
  t.equal(later.head.time, head.time + 86_400)
  t.equal([...later.volumes.values()].reduce((sum, { trades }) => sum + trades, 0), 0, 'nobody has traded since')
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
  const volumes = (await history.last24h()).volumes
  t.equal([...volumes.values()].reduce((sum, { trades }) => sum + trades, 0), 24)
  t.ok([...volumes.values()].every(({ complete }) => complete))
  const daily = await history.daily()
  t.ok(
    [...daily].every(([dao, { complete }]) => !complete && history.report().get(dao)!.missingEvents === 0n),
    'what is not walked yet is no sequence gap, and not complete'
  )
  gate.held = false
  await settled(watched, ledger)
  t.ok([...(await history.daily()).values()].every(({ complete }) => complete))
})

test('a wall clock that is set freezes nothing: windows end at chain time, ages go by a steady clock', async t => {
  const ledger = market(3)
  let [drift, step] = [0, 0]
  const steady = clockOf(() => 1000 + (drift += 0.01), ms => { drift += ms })
  const watched = await watch(t, ledger, { clock: { ...steady, epoch: () => Date.now() + step } })
  await settled(watched, ledger)
  const { history } = watched
  for (const hours of [-1, 2, -25]) {
    step += hours * 3_600_000
    ledger.advance(600)
    const { dao } = ledger.daos[0]!.swap('buy', 123_456n)
    await until(() => history.status().swaps === ledger.swaps.length && history.status().headAge === 0)
    const known = ledger.swaps.filter(swap => swap.dao === dao && swap.time > ledger.time - 86_400)
    t.match((await history.last24h()).volumes.get(dao), { trades: known.length, complete: true })
    t.match(history.status(), { phase: 'following', isBehind: false })
    const { headAge } = history.status()
    t.ok(headAge !== null && headAge < 60_000)
  }
})

test('before the head and its time are known, no window is given out', async t => {
  const ledger = market(2)
  const reader = ledgerReader(ledger)
  const { head } = reader
  reader.head = async () => { throw new ServiceError('NODE_BAD_ANSWER', 'a Clock of another owner') }
  const watched = await watch(t, ledger, { reader })
  const { history } = watched
  await until(() => watched.events.some(({ message }) => message.startsWith('a Clock of another owner')))
  t.match(history.status(), { last24h: false, phase: 'starting', headAge: null, headSlot: null })
  await t.rejects(history.last24h(), { code: 'WARMING_UP' })
  reader.head = head
  await settled(watched, ledger)
  t.match(history.status(), { last24h: true })
  t.equal((await history.last24h()).volumes.size, 3)
})

test('a DAO without a swap has a volume of zero, and days from its launch on', async t => {
  const ledger = market(3)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const { history } = watched
  const idle = ledger.daos[2]!.address
  t.match((await history.last24h()).volumes.get(idle), { base: { n: 0n }, quote: { n: 0n }, trades: 0, complete: true })
  const daily = (await history.daily()).get(idle)!
  t.match(daily, { launchedAt: 1_767_225_600, complete: true })
  t.equal(daily.days.size, 0)
  t.match(history.report().get(idle), { indexed: 2n, missingEvents: 0n, firstSwap: null, firstSlot: Number })
})

test('a program without any transaction', async t => {
  const ledger = createLedger({ seed: 1 })
  const watched = await watch(t, ledger)
  const { history } = watched
  await until(() => history.status().complete && history.status().headSlot !== null)
  t.same((await history.last24h()).volumes, new Map())
  t.same(await history.daily(), new Map())
  t.match(history.status(), { slot: null, oldestTime: null, last24h: true })

  await t.test('and then its first ones', async t => {
    const dao = ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 9n, baseReserves: 10n ** 9n }
    )
    ledger.advance(60)
    dao.swap('buy', 1000n)
    history.wake()
    await until(() => history.status().swaps === 1)
    await settled(watched, ledger)
    t.match((await history.last24h()).volumes.get(dao.address), { trades: 1, complete: true })
  })
})

test('accounts that number what is not stored are a word that the head has moved', async t => {
  const ledger = market(3)
  const now = () => ledger.time * 1000 + performance.now()
  let isListening = false
  const seldom = { pollMs: 10, listeningMs: 3_600_000, checkMs: 3_600_000, isListening: () => isListening }
  const { history } = await watch(t, ledger, { ...seldom, clock: realClock(now) })
  await until(() => history.status().complete)
  isListening = true
  await new Promise(resolve => setTimeout(resolve, 500))   // the last look of before is over
  ledger.advance(20)
  ledger.daos[0]!.swap('buy', 200_000n)
  history.compare(await accountsOf(ledger)())
  await until(() => history.status().swaps === ledger.swaps.length, 10_000)
})

test('a swap counts from its second on, for 86,400 seconds', async t => {
  const ledger = market(3)
  const watched = await watch(t, ledger)
  await settled(watched, ledger)
  const { history } = watched
  ledger.advance(100_000)
  const { time, dao } = ledger.daos[0]!.swap('buy', 200_000n)
  await until(() => history.status().swaps === ledger.swaps.length && !history.status().isBehind)
  const at = async (now: number) => (await watched.lastDayAt(now)).get(dao)!.trades
  t.same([await at(time - 1), await at(time), await at(time + 86_399), await at(time + 86_400)], [0, 1, 1, 0])
  t.same(
    [await at(time + 300), await at(time), await at(time - 1), await at(time)],
    [1, 1, 0, 1],
    'also when the time is set back'
  )
  t.equal(await at(time + 10 * 86_400), 0)
  t.equal(await at(time + 5), 1)
  const many = await Promise.all([time + 1, time - 1, time + 86_400, time + 2].map(at))
  t.same(many, [1, 0, 0, 1], 'readings at the same time')
})

test('is unavailable when the head has not been reached for a while, and comes back', async t => {
  const ledger = market(3)
  let extra = 0
  const now = () => ledger.time * 1000 + (extra += 0.01)
  const chain = Object.assign(ledgerReader(ledger), { headTime: () => Math.floor(now() / 1000) })
  const accounts = accountsOf(ledger)
  const watched = await watch(t, ledger, {
    reader: chain,
    daos: async final =>
      ({ ...await accounts(final), slot: ledger.slot + chain.calls.slots, time: Math.floor(now() / 1000) }),
    clock: clockOf(now, ms => { extra += ms }),
    time: ageTime(now)
  })
  await settled(watched, ledger)
  const { history, reader, events } = watched
  await history.last24h()
  reader.failure = new ServiceError('NODE_UNAVAILABLE', 'gone')
  await until(async () => await history.last24h().then(
    () => false, (error: unknown) => error instanceof ServiceError && error.code === 'HISTORY_UNAVAILABLE'
  ))
  t.ok(events.some(({ code, message }) => code === 'retry' && message.startsWith('gone')))
  reader.failure = undefined
  await until(async () => await history.last24h().then(() => true, () => false))
  t.pass()
})

test('a store that fails is told, and nothing is lost by it', async t => {
  const ledger = market(3)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  let writes = 0
  const watched = await watch(t, ledger, {
    ...SMALL,
    store: {
      ...store,
      write: async changes => {
        if (writes++ % 3 === 1) {
          throw new ServiceError('HISTORY_UNAVAILABLE', 'the disk is full')
        } await store.write(changes)
      }
    }
  })
  await settled(watched, ledger)
  t.match(watched.history.status(), { swaps: ledger.swaps.length, missingEvents: 0, missingTransactions: 0 })
  t.ok(watched.events.some(({ message }) => message.startsWith('the disk is full')))
  for (const { trades, complete } of (await watched.history.last24h()).volumes.values()) t.ok(complete && trades <= 12)
})

test('stops in the middle, at once also while it waits, and goes on from there', async t => {
  const ledger = market(5)
  const folder = t.testdir()
  const read: string[] = []
  for (let round = 0; round < 6; round++) {
    const watched = await watch(t, ledger, { ...SMALL, folder })
    await until(() => watched.reader.calls.transactions.length > (round + 1) * 8 || watched.history.status().complete)
    await watched.history.stop()
    await t.rejects(watched.history.last24h(), { code: 'SHUTTING_DOWN' })
    read.push(...watched.reader.calls.transactions)
    await watched.store.close()
  }
  const watched = await watch(t, ledger, { ...SMALL, folder })
  await settled(watched, ledger)
  t.equal(watched.history.status().swaps, ledger.swaps.length)

  const waiting = await watch(t, ledger, { folder: t.testdir(), clock: realClock(() => ledger.time * 1000) })
  waiting.reader.failure = new ServiceError('NODE_UNAVAILABLE', 'gone')
  await until(() => waiting.events.length > 0)
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
  for (const [rate, basis] of [
    ['0.0025', 'fees'], ['0.0025', 'input'], ['0.005', 'fees'], ['0.0050', 'fees']
  ] as const) {
    const watched = await watch(t, ledger, { folder, rate: parseDecimal(rate)!, basis })
    await until(() => watched.history.status().headSlot !== null)
    const { days } = (await watched.history.daily()).get(ledger.daos[0]!.address)!
    totals.push(
      shown(days.get(dayOfDate('2026-01-02'))!.quote),
      String(watched.events.filter(({ code }) => code === 'rebuilt').length)
    )
    t.equal(watched.reader.calls.transactions.length, 0)
    await watched.history.stop()
    await watched.store.close()
  }
  const inputs = ledger.swaps.filter(
    ({ dao, time }) => dao === ledger.daos[0]!.address && new Date(time * 1000).toISOString().startsWith('2026-01-02')
  )
  const sum = inputs.reduce((sum, { input }) => sum + input, 0n)
  const byFee = inputs.reduce((sum, { input }) => sum + (input - input * 9950n / 10_000n) * 200n, 0n)
  t.same(totals, [`${2n * byFee}.000`, '1', `${sum}.000`, '1', `${byFee}.000`, '1', `${byFee}.000`, '0'])
})

test('a store without room says so in the first line and in the status, and goes on when there is some', async t => {
  const ledger = market(1)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  let isFull = true
  const full: typeof store = {
    ...store,
    hasNoRoom: () => isFull,
    async write (changes) {
      if (isFull) {
        throw new ServiceError(
          'HISTORY_UNAVAILABLE',
          NO_ROOM,
          { cause: Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }) }
        )
      }
      await store.write(changes)
    }
  }
  const watched = await watch(t, ledger, { store: full })
  // the store says it from the start, the log at the first write
  await until(() => watched.events.length > 0)
  t.equal(watched.history.status().refusal, NO_ROOM)
  t.match(watched.events[0]?.message, /^the history can't be written: there is no room left for its store/)
  isFull = false
  await settled(watched, ledger)
  t.equal(watched.history.status().refusal, null)
})

test('a store without room says so in the status also where the history can\'t begin', async t => {
  const ledger = market(1)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  const full: typeof store = {
    ...store,
    hasNoRoom: () => true,
    load: () => Promise.reject(new ServiceError('HISTORY_UNAVAILABLE', NO_ROOM))
  }
  const watched = await watch(t, ledger, { store: full })
  await until(() => watched.events.length > 0)
  t.match(watched.history.status(), { phase: 'starting', refusal: NO_ROOM })
})

test('a store without room for what is published says so, too, though nothing else is to be written', async t => {
  const ledger = market(1)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  let isFull = false
  const full: typeof store = {
    ...store,
    hasNoRoom: () => isFull,
    async publish (slot) {
      if (isFull) {
        throw new ServiceError(
          'HISTORY_UNAVAILABLE',
          NO_ROOM,
          { cause: Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }) }
        )
      }
      await store.publish(slot)
    }
  }
  const watched = await watch(t, ledger, { store: full })
  await settled(watched, ledger)
  t.equal(watched.history.status().refusal, null)
  isFull = true
  await until(() => {
    ledger.advance(5)
    return watched.history.status().refusal === NO_ROOM
  })
  isFull = false
  await until(() => watched.history.status().refusal === null)
})
