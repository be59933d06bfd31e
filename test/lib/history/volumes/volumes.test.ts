import { test } from 'tap'
import type { SignatureInfo } from '../../../../lib/chain/types.js'
import { compare, ratio } from '../../../../lib/decimal.js'
import { EMPTY_CANDLE, executedPrice } from '../../../../lib/history/rules/candles.js'
import { SCALE } from '../../../../lib/history/rules/fixed-point.js'
import type { SequenceRange } from '../../../../lib/history/rules/rows.js'
import type { StepChanges } from '../../../../lib/history/store/types.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import type { Completeness } from '../../../../lib/history/rules/completeness.js'
import { createVolumes } from '../../../../lib/history/volumes/volumes.js'
import { ServiceError } from '../../../../lib/errors.js'
import { createLedger } from '../../../../simulator/index.js'
import { until, watch } from '../../../support/history/history.js'
import { bySignature, NOTHING_MISSING } from '../../../support/history/knowledge.js'
import { ledgerReader } from '../../../support/history/reader.js'

const DAY = 86_400
const NOTHING_DONE: StepChanges = {
  events: [],
  fees: [],
  sequenceRanges: new Map(),
  candles: [],
  makers: [],
  missing: [],
  found: [],
  state: {}
}
const NOW = 1_760_000_000
const DAOS = 40_000
const NOTHING_KNOWN: Completeness = { ...NOTHING_MISSING, sequenceRanges: new Map() }

test('windows of many DAOs are made in slices, and complete by what was known when they were begun', async t => {
  const store = await openSqliteStore({ folder: t.testdir(), program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq' })
  t.teardown(() => store.close())
  const daos = Array.from({ length: DAOS }, (_, at) => `dao ${at}`)
  const sequenceRanges = new Map<string, readonly SequenceRange[]>()
  const { windows } = createVolumes(store, { rate: ratio(5n, 1000n), basis: 'input' })
  let isBegun = false
  const reading = windows(NOW, {
    ...NOTHING_KNOWN,
    sequenceRanges,
    numbersAhead: new Map(daos.map(dao => [dao, 1n])),
    numbersBefore: new Map(),
    // anybody's who has no event yet
    get missing () {
      isBegun = true
      return bySignature([{ signature: 'x', slot: 50, at: NOW - 60, reason: 'the node does not have it' }])
    }
  })
  let turns = 0
  // as a step that is written meanwhile would
  const timer = setInterval(() => {
    if (!isBegun) return
    turns++
    for (const dao of daos) sequenceRanges.set(dao, [])
  }, 0)
  const made = await reading
  clearInterval(timer)
  t.ok(turns > 0)
  t.equal(made.size, DAOS)
  t.equal([...made.values()].filter(({ complete }) => complete).length, 0)
})

test('days of many DAOs are read page by page', async t => {
  const store = await openSqliteStore({ folder: t.testdir(), program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq' })
  t.teardown(() => store.close())
  const [rule, daos] = [
    { rate: ratio(5n, 1000n), basis: 'input' as const }, Array.from({ length: 5_500 }, (_, at) => `dao ${at}`)
  ]
  const candles = daos.map((dao, at) => ({
    ...EMPTY_CANDLE,
    dao,
    size: 'days' as const,
    start: (20_000 + at % 3) * DAY,
    quote: BigInt(at + 1) * SCALE,
    trades: 1
  }))
  // only a step numbers new DAOs
  await store.write({ ...NOTHING_DONE, candles })
  const asked: number[] = []
  const volumes = createVolumes({
    ...store,
    async daysAfter (change, limit) {
      asked.push(limit)
      return await store.daysAfter(change, limit)
    }
  }, rule)
  const made = await volumes.daily({ ...NOTHING_KNOWN, sequenceRanges: new Map(daos.map(dao => [dao, []])) })
  t.ok(asked.length > 5 && asked.every(limit => limit <= 1000), `${asked.length} pages`)
  const sums = daos.map(dao => [...made.get(dao)!.days.values()].map(({ quote }) => quote))
  t.same(sums, daos.map((_, at) => [{ n: BigInt(at + 1) * SCALE, d: SCALE }]))
})

test('days are not complete while a transaction that is listed and not given may be their DAO\'s', async t => {
  const store = await openSqliteStore({ folder: t.testdir(), program: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq' })
  t.teardown(() => store.close())
  const { daily } = createVolumes(store, { rate: ratio(5n, 1000n), basis: 'input' })
  const range = {
    first: 1n, firstAt: NOW - 60, firstSlot: 50, last: 3n, lastAt: NOW - 30, lastSlot: 90
  } as SequenceRange
  const isComplete = async (slot: number) => {
    const missing = bySignature([{ signature: 'x', slot, at: NOW, reason: 'the node does not have it' }])
    return (await daily(
      { ...NOTHING_KNOWN, sequenceRanges: new Map([['dao', [range]]]), missing }
    )).get('dao')!.complete
  }
  t.equal(await isComplete(100), true, 'up to the slot that was compared it would show as a sequence gap')
  t.equal(await isComplete(101), false)
})

test('a price from before the window that could not be read once is read the next time', async t => {
  const ledger = createLedger({ seed: 24 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  dao.swap('buy', 1_000_000n)
  ledger.advance(2 * 86_400)
  const { history, store } = await watch(t, ledger)
  await until(() => history.status().swaps === 1)
  let isAway = true
  const { windows } = createVolumes({
    ...store,
    async lastTrades (...asked) {
      if (isAway) throw new ServiceError('HISTORY_UNAVAILABLE', 'the store is away')
      return await store.lastTrades(...asked)
    }
  }, { rate: ratio(5n, 1000n), basis: 'input' })
  const { sequenceRanges } = await store.load()
  const before = async () =>
    (await windows(ledger.time, { ...NOTHING_KNOWN, sequenceRanges })).get(dao.address)!.prices['24h']
  await t.rejects(before(), { code: 'HISTORY_UNAVAILABLE' })
  isAway = false
  t.ok(await before())
  dao.swap('sell', 1_000_000n)
  await until(() => history.status().swaps === 2)
  ledger.advance(2 * 86_400)
  isAway = true
  await t.rejects(before(), { code: 'HISTORY_UNAVAILABLE' })
  isAway = false
  t.match(await before(), executedPrice((await store.lastTrades(ledger.time, [dao.address]))[0]!.swap))
})

for (const basis of ['input', 'fees'] as const) {
  test(`the day of a pool whose oldest swap has no known fee yet, by ${basis}`, async t => {
    const ledger = createLedger({ seed: 25 })
    const pool = () => ledger.dao(
      { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
    )
    const [dao, other] = [pool(), pool()]
    // half of what the settings have
    dao.setFees(25, 25)
    dao.swap('buy', 3_000_000n)
    ledger.advance(2 * DAY)
    const { signature } = other.swap('buy', 1_000_000n)
    ledger.advance(DAY + 3_600)
    dao.swap('buy', 8_000_000n)
    ledger.advance(60)
    let isHeld = true
    const reader = Object.assign(ledgerReader(ledger), {
      bendPage (page: SignatureInfo[]) {
        if (!isHeld) return page
        const end = page.findIndex(one => one.signature === signature)
        if (end === -1) throw new ServiceError('NODE_UNAVAILABLE', 'the node is away')
        return page.slice(0, end + 1)
      }
    })
    const { history } = await watch(t, ledger, { reader, basis })
    const day = async () => (await history.last24h()).volumes.get(dao.address)!
    const window = () => history.read(async reading =>
      (await reading.windows((await history.last24h()).head.time)).get(dao.address)!)
    await until(() => history.status().phase === 'walking-back')
    t.equal(history.status().last24h, true)
    t.equal((await day()).complete, basis === 'input', 'its fee is told by the event before it')
    t.equal((await window()).complete, basis === 'input')
    isHeld = false
    await until(() => history.status().complete)
    for (const { complete, trades, quote } of [await day(), await window()]) {
      const expected = ratio(basis === 'input' ? 8_000_000n : 4_000_000n)
      t.match({ complete, trades, order: compare(quote, expected) }, { complete: true, trades: 1, order: 0 })
    }
  })
}
