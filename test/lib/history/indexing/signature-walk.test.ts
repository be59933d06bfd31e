import { setImmediate } from 'node:timers/promises'
import { test, type Test } from 'tap'
import type { SignaturePage } from '../../../../lib/chain/types.js'
import { ServiceError } from '../../../../lib/errors.js'
import { createFetcher } from '../../../../lib/history/indexing/fetch.js'
import { createSignatureWalk } from '../../../../lib/history/indexing/signature-walk.js'
import { createStepWriter } from '../../../../lib/history/indexing/commit.js'
import { UNREADABLE_VERSION } from '../../../../lib/history/rules/losses.js'
import { unindexedRanges } from '../../../../lib/history/rules/signature-ranges.js'
import { openSqliteStore } from '../../../../lib/history/store/sqlite.js'
import { ratio } from '../../../../lib/decimal.js'
import { createLedger, type Ledger } from '../../../../simulator/index.js'
import { clockOf } from '../../../support/history/clock.js'
import { ledgerReader } from '../../../support/history/reader.js'

const VALUATION = { rate: ratio(5n, 1000n), basis: 'input' as const }

/** One DAO with a swap a minute. */
function trading (swaps: number): Ledger {
  const ledger = createLedger({ seed: 2 })
  const dao = ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 10n ** 12n, baseReserves: 10n ** 13n }
  )
  for (let at = 0; at < swaps; at++) {
    ledger.advance(60)
    dao.swap('buy', BigInt(1000 + at))
  }
  return ledger
}

async function setUp (t: Test, ledger: Ledger, { pageSize = 1000, stepSize = 20 } = {}) {
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  const { signal } = new AbortController()
  t.teardown(() => store.close())
  const writer = await createStepWriter(store, VALUATION, () => {})
  const reader = ledgerReader(ledger)
  const time = { drift: 0 }
  const clock = clockOf(() => ledger.time * 1000 + (time.drift += 0.01), ms => { time.drift += ms })
  const context = {
    reader,
    store,
    program: ledger.program,
    clock,
    signal,
    onLog () {},
    daos: async () => ({ slot: 0, time: 0, daos: [] })
  }
  const walk = createSignatureWalk({ ...context, writer, fetcher: createFetcher(context) }, { pageSize, stepSize })
  const ask = async () => (await reader.head()).moment
  const edge = () => ledger.time - 86_460
  const ranges = () => unindexedRanges(writer.state)
  // where a step finds nothing to store, what is under way for the next one may have let the event loop go: a loop of
  // steps alone would keep it for itself
  const step = async <T>(work: Promise<T>): Promise<T> => await work.finally(() => setImmediate())
  return {
    walk,
    writer,
    reader,
    time,
    ask,
    edge,
    ranges,
    head: () => step(walk.head(ask, edge(), 0, false)),
    back: () => step(walk.back(edge()))
  }
}

test('transactions that were given are kept and stored though others failed, and none is asked for twice', async t => {
  const ledger = trading(100)
  const { walk, writer, reader, head, back, ranges } = await setUp(t, ledger)
  const { transactions } = reader
  let calls = 0
  reader.transactions = async signatures => {
    // In each call the third has no answer, and the fifth call fails whole
    if (++calls === 5) throw new ServiceError('NODE_UNAVAILABLE', 'gone')
    const outcomes = await transactions(signatures.filter((_, at) => at !== 2))
    return signatures.map((_, at) => at === 2 ? undefined : outcomes[at > 2 ? at - 1 : at])
  }
  await head()
  let [steps, failures] = [0, 0]
  while (ranges().length > 0) {
    const { failure } = await back().catch((error: unknown) => ({ failure: error }))
    if (failure !== undefined) failures++
    if (++steps > 500) break
  }
  t.equal(writer.state.swaps, 100)
  t.equal(failures, 1)
  t.equal(new Set(reader.calls.transactions).size, reader.calls.transactions.length)
  t.equal(walk.walked, ledger.history.length)
})

test('a transaction that is refused holds up nothing that comes after it for longer than its patience', async t => {
  const ledger = trading(60)
  const { walk, writer, reader, time, edge, head, back, ranges } = await setUp(t, ledger)
  const lost = ledger.swaps.at(-30)!.signature
  reader.bendTransaction = (_, signature) => signature === lost ? null : undefined
  await head()
  while (walk.remaining(edge()) === undefined) await back()
  let waits = 0
  for (let steps = 0; ranges().length > 0 && steps < 200; steps++) {
    const { taken, waitUntil } = await back()
    if (taken > 0) continue
    t.ok(reader.calls.transactions.length >= 50, 'meanwhile the next ones are brought in')
    waits++
    if (waitUntil !== undefined && waitUntil > time.drift) time.drift += 1000
  }
  t.ok(waits > 0 && waits < 20, `${waits} waits`)
  t.match([...writer.state.missing.values()], [{ signature: lost, reason: 'the node does not have it' }])
  t.equal(writer.state.swaps, 59)
})

test('one for which every call fails is missing once others are given; where none is, it waits', async t => {
  const ledger = trading(60)
  const { writer, reader, time, head, back, ranges } = await setUp(t, ledger)
  const { transactions } = reader
  const failing = new Set([ledger.swaps.at(-30)!.signature])
  let isAway = false
  reader.transactions = async signatures => {
    // a node that fails at one ends the calls behind it
    const end = isAway ? 0 : signatures.findIndex(signature => failing.has(signature))
    if (end === 0) throw new ServiceError('NODE_UNAVAILABLE', 'HTTP 500')
    const outcomes = await transactions(signatures.slice(0, end === -1 ? undefined : end))
    return signatures.map((_, at) => outcomes[at])
  }
  await head()
  const step = async (work: typeof head | typeof back) => {
    const { waitUntil, taken } = await work().catch(() => ({ waitUntil: undefined, taken: 0 }))
    if (taken === 0) time.drift = Math.max(waitUntil ?? 0, time.drift + 100)
  }
  for (let steps = 0; ranges().length > 0 && steps < 400; steps++) await step(back)
  t.match([...writer.state.missing.values()], [{ signature: [...failing][0], reason: 'HTTP 500' }])
  t.equal(writer.state.swaps, 59)

  const trade = (): string => {
    ledger.advance(60)
    return ledger.daos[0]!.swap('buy', 7000n).signature
  }
  isAway = true
  trade()
  trade()
  for (let steps = 0; steps < 1000; steps++) await step(head)
  t.equal(writer.state.missing.size, 1, 'a node that is away tells of no transaction')
  isAway = false
  for (let steps = 0; writer.state.swaps < 61 && steps < 400; steps++) await step(head)
  t.equal(writer.state.swaps, 61)

  failing.add(trade())
  for (let steps = 0; steps < 400; steps++) await step(head)
  t.equal(writer.state.missing.size, 1, 'nor one whose only transaction it is')
  trade()
  for (let steps = 0; writer.state.swaps < 62 && steps < 400; steps++) await step(head)
  t.same(new Set(writer.state.missing.keys()), failing)
  t.equal(writer.state.swaps, 62)
})

test('nothing older than the last day is asked for before the last day is whole', async t => {
  const ledger = trading(30)
  ledger.advance(2 * 86_400)
  for (let at = 0; at < 30; at++) {
    ledger.advance(60)
    ledger.daos[0]!.swap('buy', BigInt(9000 + at))
  }
  const { writer, reader, edge, head, back } = await setUp(t, ledger)
  const oldest = () => writer.state.indexedRanges[0]?.oldestTime ?? Infinity
  await head()
  while (oldest() > edge()) await back()
  t.equal(reader.calls.transactions.length, 31, 'thirty, and the one that shows them to be all')
})

test('how far the walk has come is told by the times of events, not by those of a list', async t => {
  const ledger = trading(100)
  const { writer, reader, edge, head } = await setUp(t, ledger)
  reader.bendPage = page => page.map(entry => ({ ...entry, blockTime: edge() - 3600 }))
  const { taken } = await head()
  const [range] = writer.state.indexedRanges
  const oldest = ledger.swaps.at(-taken)!
  t.ok(taken < 100)
  t.equal(range!.oldest, oldest.signature)
  t.equal(range!.oldestTime, oldest.time)
})

test('where a list is wrong about events, what tells no time has none', async t => {
  const ledger = trading(0)
  for (let at = 0; at < 100; at++) {
    ledger.advance(60)
    ledger.daos[0]!.swap('buy', BigInt(1000 + at), { failed: at % 2 === 0 })
  }
  const { writer, reader, time, edge, head, back } = await setUp(t, ledger)
  const lost = ledger.swaps.at(-2)!.signature
  reader.bendTransaction = (_, signature) => signature === lost ? null : undefined
  reader.bendPage = page => page.map(entry => ({ ...entry, blockTime: edge() - 3600 }))
  await head()
  const oldest = () => writer.state.indexedRanges[0]!.oldestTime
  while (writer.state.missing.size === 0 || oldest()! > ledger.time - 1800) {
    t.ok(oldest()! > edge(), `${oldest()} is after ${edge()}`)
    const { taken } = await back()
    if (taken === 0) time.drift += 1000
  }
  t.match([...writer.state.missing.values()], [{ signature: lost, at: null }], 'nor is it known whose time may lack it')
})

test('one of a version that can not be read is a loss of its own, at once', async t => {
  const ledger = trading(40)
  const { writer, reader, head, back, ranges } = await setUp(t, ledger)
  const { transactions } = reader
  const odd = ledger.swaps.at(-20)!.signature
  reader.transactions = async signatures => (await transactions(signatures)).map(
    (tx, at) => signatures[at] === odd ? new ServiceError('VERSION_UNSUPPORTED', 'version 7') : tx
  )
  await head()
  while (ranges().length > 0) t.ok((await back()).taken >= 0)
  t.match([...writer.state.missing.values()], [{ signature: odd, reason: UNREADABLE_VERSION }])
  t.equal(reader.calls.transactions.filter(signature => signature === odd).length, 1)
})

test('what is new is stored from the oldest up: what is covered never has a gap', async t => {
  const ledger = trading(30)
  const { writer, reader, head, back, ranges } = await setUp(t, ledger, { stepSize: 5 })
  await head()
  while (ranges().length > 0) await back()
  for (let at = 0; at < 40; at++) {
    ledger.advance(60)
    ledger.daos[0]!.swap('sell', BigInt(5000 + at))
  }
  const asked = reader.calls.slots
  let result = await head()
  let steps = 0
  for (; result.reached === undefined && steps < 40; steps++) {
    t.equal(writer.state.indexedRanges.length, 1)
    t.equal(writer.state.sequenceRanges.get(ledger.daos[0]!.address)!.length, 1)
    result = await head()
  }
  t.ok(steps >= 7)
  t.equal(writer.state.swaps, 70)
  t.equal(reader.calls.slots, asked + 1, 'the head that is reached is the one that was asked for')
})

test('after a longer absence the last day comes first', async t => {
  const ledger = trading(30)
  const { writer, head, back, ranges, edge } = await setUp(t, ledger, { pageSize: 20 })
  await head()
  while (ranges().length > 0) await back()
  for (let hour = 0; hour < 60; hour++) {
    ledger.advance(3600)
    ledger.daos[0]!.swap('sell', BigInt(5000 + hour))
  }
  while (writer.state.indexedRanges.length === 1) t.equal((await head()).reached, undefined)
  while (ranges().length > 0 && writer.state.indexedRanges[0]!.oldestTime! > edge()) await back()
  t.equal(writer.state.indexedRanges.length, 2, 'the rest lies between')
  while (ranges().length > 0) await back()
  t.equal(writer.state.indexedRanges.length, 1)
  t.equal(writer.state.swaps, 90)
})

test('the last day is listed first, so the work is known: a call for a thousand', async t => {
  const ledger = trading(1500)
  const { walk, reader, head, back, edge } = await setUp(t, ledger, { pageSize: 200 })
  await head()
  t.equal(walk.remaining(edge()), undefined)
  const calls = reader.calls.signatures
  while (walk.remaining(edge()) === undefined) await back()
  t.ok(reader.calls.signatures - calls <= 7)
  const left = walk.remaining(edge())!
  const today = ledger.swaps.filter(({ time }) => time > edge()).length
  t.ok(Math.abs(left - (today - 20)) <= 20, `${left} of ${today}`)
  await back()
  t.ok(walk.remaining(edge())! < left)
})

test('the head is listed by a node that has come as far as the slot up to which it is then known', async t => {
  const ledger = trading(10)
  const { reader, head, ask, walk, edge } = await setUp(t, ledger)
  await head()
  ledger.advance(60)
  const asked = await ask()
  const pages: unknown[] = []
  reader.bendPage = (page, { minSlot, since, isOfEach }) => { pages.push([minSlot, since, isOfEach]); return page }
  const { reached } = await walk.head(async () => asked, edge(), 0, true)
  t.strictSame(reached, asked)
  await walk.head(async () => asked, edge(), asked.slot, false)
  await walk.head(async () => asked, edge(), asked.slot, true)
  const since = ledger.swaps.at(-1)!.slot
  t.strictSame(
    pages, [[asked.slot, since, true], [asked.slot, since, true], [asked.slot, since, false]],
    'one that lags would list less than there is; while the past is read all are asked until accounts confirm a head'
  )
})

test(
  'each page below a cursor is asked of nodes that have come as far as the cursor, ' +
    'and those above what is stored as far as the head',
  async t => {
    const ledger = trading(40)
    const { writer, reader, head, back, ranges } = await setUp(t, ledger, { pageSize: 10 })
    const asked: Array<Pick<SignaturePage, 'before' | 'minSlot'>> = []
    reader.bendPage = (page, { before, minSlot }) => {
      asked.push({ ...(before !== undefined && { before }), ...(minSlot !== undefined && { minSlot }) })
      return page
    }
    await head()
    while (ranges().length > 0) await back()
    const slotOf = new Map(
      Array.from({ length: ledger.history.length }, (_, at) => [ledger.history.signature(at), ledger.history.slot(at)])
    )
    const below = asked.filter(({ before }) => before !== undefined)
    t.ok(below.length >= 4)
    for (const { before, minSlot } of below) t.ok(minSlot! >= slotOf.get(before!.signature)!)

    asked.length = 0
    const dao = ledger.daos[0]!
    for (let at = 0; at < 30; at++) {
      ledger.advance(1)
      dao.swap('buy', BigInt(9000 + at))
    }
    ledger.advance(60)
    while ((await head()).reached === undefined);
    t.equal(writer.state.swaps, 70)
    const [{ minSlot: reached = 0 } = {}] = asked
    t.ok(reached > ledger.swaps.at(-1)!.slot && asked.length >= 4)
    t.ok(asked.every(({ minSlot }) => minSlot! >= reached), JSON.stringify(asked))
  }
)

test('what nodes list before they give it, and a list behind the accounts, ' +
  'hold up the head no longer than so', async t => {
  const ledger = trading(10)
  const { writer, reader, time, head, ask, walk, edge, ranges, back } = await setUp(t, ledger)
  await head()
  while (ranges().length > 0) await back()
  const { transactions } = reader
  const listedAt = new Map<string, number>()
  reader.transactions = async signatures => {
    const outcomes = await transactions(signatures)
    return outcomes.map((outcome, at) => time.drift < (listedAt.get(signatures[at]!) ?? 0) + 4_000 ? null : outcome)
  }
  reader.bendPage = page => {
    for (const { signature } of page) if (!listedAt.has(signature)) listedAt.set(signature, time.drift)
    return page
  }
  const heads: number[] = []
  for (let second = 0; second < 40; second++) {
    for (let at = 0; at < 4; at++) ledger.daos[0]!.swap('buy', BigInt(3000 + 4 * second + at))
    ledger.advance(1)
    const { reached } = await head().catch(() => ({ reached: undefined }))
    if (reached !== undefined) heads.push(second)
    time.drift += 500
  }
  t.ok(heads.length >= 3, `${heads.length} heads`)
  t.ok(writer.state.swaps >= 90, `${writer.state.swaps} swaps`)

  reader.transactions = transactions
  let isDone = false
  while (!isDone) {
    time.drift += 10_000
    isDone = (await head().catch(() => ({ reached: undefined }))).reached !== undefined
  }
  const asked: number[] = []
  const behind = (await ask()).slot
  reader.bendPage = (page, { minSlot = 0 }) => {
    asked.push(minSlot)
    if (minSlot > behind) throw new ServiceError('NODE_BAD_ANSWER', 'minContextSlot')
    return page
  }
  const at = async (slot: number) => await walk.head(async () => ({ slot, time: ledger.time }), edge(), 0, false)
  await t.rejects(at(behind + 5))
  await t.rejects(at(behind + 10))
  await t.rejects(at(behind + 3), 'one that says less was right, or the other wrong')
  t.strictSame(asked, [behind + 5, behind + 5, behind + 3])
  let { reached } = await at(behind)
  while (reached === undefined) ({ reached } = await at(behind))
  t.equal(reached.slot, behind)
})
