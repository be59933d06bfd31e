import { test, type Test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { createLedger, type Dao, type Ledger } from '../../../simulator/index.js'
import { settled, until, untilShown, watch, type Watched } from '../../support/history/history.js'
import { ageTime } from '../../support/age-time.js'
import { clockOf } from '../../support/history/clock.js'
import { ledgerReader } from '../../support/history/reader.js'

/** A ledger of a few days with `swaps` swaps of two DAOs, one each quarter of an hour. */
function trading (swaps = 400): Ledger {
  const ledger = createLedger({ seed: 21 })
  const born = () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  const daos = [born(), born()]
  for (let at = 0; at < swaps; at++) {
    ledger.advance(900)
    daos[at % 2]!.swap(at % 3 === 0 ? 'sell' : 'buy', BigInt(1000 + at), { failed: at % 20 === 0 })
  }
  return ledger
}

const SMALL = { pageSize: 50, stepSize: 20 }

/** All is stored, nothing twice, nothing missing. */
async function whole (t: Test, watched: Watched, ledger: Ledger): Promise<void> {
  await settled(watched, ledger)
  const { history } = watched
  t.match(
    history.status(),
    { complete: true, missingEvents: 0, missingTransactions: 0, swaps: ledger.swaps.length, phase: 'following' }
  )
  for (const { address, seqNum } of ledger.daos) {
    t.match(history.report().get(address), { indexed: BigInt(seqNum), missingEvents: 0n })
  }
}

const codes = ({ events }: Watched) => new Set(events.map(({ code }) => code))
const slow = () => new Promise(resolve => setTimeout(resolve, 60))

test('a page shorter than asked for is not the end', async t => {
  const ledger = trading()
  const watched = await watch(t, ledger, SMALL)
  watched.reader.bendPage = page => page.slice(0, Math.ceil(page.length / 3))
  await whole(t, watched, ledger)
})

test('a head is as old as its own time, whenever it was first seen: what came after it is not known', async t => {
  const ledger = trading(40)
  let lag = 90
  const reader = Object.assign(ledgerReader(ledger), { headTime: () => ledger.time - lag })
  const { history } = await watch(t, ledger, { ...SMALL, reader, staleMs: 60_000 })
  await until(() => history.status().headSlot !== null)
  t.match(history.status(), { isBehind: true, headAge: 90_000 })
  t.throws(
    () => history.head(), { code: 'HISTORY_UNAVAILABLE', message: /the newest state that is stored is 90 s old/ }
  )
  lag = 15
  ledger.advance(1)   // accounts of a later slot confirm it
  await until(() => !history.status().isBehind)
  t.match(history.status(), { headAge: 15_000 })
})

test('a head that goes no further grows old while the chain goes on, and not while it has halted', async t => {
  const ledger = trading(40)
  let [passed, halted] = [0, false]
  const time = ageTime(
    () => (ledger.time + passed) * 1000, () => halted ? { slot: ledger.slot, time: ledger.time } : undefined
  )
  const { history, reader } = await watch(t, ledger, { ...SMALL, staleMs: 60_000, time })
  await until(() => history.status().last24h)
  reader.isFrozen = true
  passed = 60
  t.match(history.status(), { isBehind: false, headAge: 60_000 })
  passed = 90
  t.match(history.status(), { isBehind: true })
  await t.rejects(history.last24h(), { code: 'HISTORY_UNAVAILABLE' })
  halted = true
  t.match(history.status(), { isBehind: false, headAge: 90_000 })
  await history.last24h()
  halted = false
  ledger.advance(passed)
  passed = 0
  await until(() => !history.status().isBehind)
})

test('pages out of order, repeated or with doubles move nothing', async t => {
  for (const bend of ['reverse', 'repeat', 'double'] as const) {
    const ledger = trading()
    const reader = ledgerReader(ledger)
    let first: Awaited<ReturnType<typeof reader.signatures>> = []
    reader.bendPage = (page, { before }) => {
      if (before === undefined || page.length < 2 || reader.calls.transactions.length < 100) return page
      if (bend === 'reverse') return page.toReversed()
      if (bend === 'double') return [page[0]!, ...page]
      first = first.length === 0 ? page : first
      return first
    }
    const watched = await watch(t, ledger, { ...SMALL, reader })
    const { history } = watched
    await until(() => codes(watched).has('retry'))
    await slow()
    const { events } = history.status()
    await slow()
    t.equal(history.status().events, events, `${bend}: no step with such a page`)
    t.notOk(history.status().complete)
    delete reader.bendPage
    await whole(t, watched, ledger)
    await history.stop()
  }
})

test('what a node that began from a snapshot again lacks is looked for in the lists of all', async t => {
  const ledger = trading()
  const reader = ledgerReader(ledger)
  const lacking = new Set(ledger.swaps.slice(200, 240).map(({ signature }) => signature))
  reader.bendPage = (page, { address, isOfEach }) =>
    isOfEach === true && address !== ledger.program ? page : page.filter(({ signature }) => !lacking.has(signature))
  const watched = await watch(t, ledger, { ...SMALL, reader })
  await whole(t, watched, ledger)
  const asked = reader.calls.transactions.filter(signature => lacking.has(signature))
  t.same(asked.toSorted(), [...lacking].sort(), 'each is read once')
  t.notOk(codes(watched).has('sequence-gap'), 'before it is said to be missing')
})

test('a search goes on where an event behind what is missing was stored meanwhile', async t => {
  const ledger = trading(40)
  const reader = ledgerReader(ledger)
  const [lost] = ledger.swaps.slice(-1)
  const dao = ledger.daos.find(({ address }) => address === lost!.dao)!
  const isThere = ({ signature }: { signature: string }): boolean => signature !== lost!.signature
  reader.bendPage = (page, { address, isOfEach }) =>
    isOfEach === true && address === dao.address ? page : page.filter(isThere)
  const { signatures } = reader
  const now: { watched?: Watched } = {}
  const stored = () => now.watched?.history.status().swaps ?? 0
  let traded: Promise<void> | undefined
  reader.signatures = async (address, asked, options) => {
    // as a node answers that has not come so far
    const isAhead = (asked.minSlot ?? 0) > ledger.slot
    if (address === dao.address && isAhead) throw new ServiceError('NODE_UNAVAILABLE', 'it is at an older slot')
    if (address === dao.address) {
      traded ??= (async () => {
        ledger.advance(10)
        dao.swap('buy', 1_000n)
        await until(() => stored() >= ledger.swaps.length - 1)
      })()
      await traded
    }
    return await signatures(address, asked, options)
  }
  now.watched = await watch(t, ledger, { ...SMALL, reader })
  await untilShown(ledger, () => traded !== undefined)
  await whole(t, now.watched, ledger)
  t.notOk(codes(now.watched).has('sequence-gap'), 'found by the first search')
})

test('what no list has is looked for twice as late each time', async t => {
  const ledger = trading(40)
  const reader = ledgerReader(ledger)
  const [lost] = ledger.swaps.slice(20)
  let ms = ledger.time * 1000
  const searches: number[] = []
  reader.bendPage = (page, { address, isOfEach }) => {
    if (address === lost!.dao && isOfEach === true) searches.push(ms)
    return page.filter(({ signature }) => signature !== lost!.signature)
  }
  const { history } = await watch(t, ledger, {
    ...SMALL, reader, clock: clockOf(() => ms, wait => { ms += Math.min(wait, 1_000) })
  })
  await until(() => searches.length >= 6)
  await history.stop()
  const waits = searches.slice(1).map((at, i) => Math.round((at - searches[i]!) / 1000))
  for (const [at, wait] of waits.entries()) {
    const expected = 10 * 2 ** at
    t.ok(wait >= expected && wait <= expected + 5, `${wait} s after the search ${at + 1}`)
  }
})

test('what has long been missing is asked for again once something else that was missing is given', async t => {
  const ledger = trading(40)
  const reader = ledgerReader(ledger)
  const old = ledger.swaps.at(-9)!
  const bad = new Set([old.signature])
  reader.bendTransaction = (_, signature) => bad.has(signature) ? null : undefined
  let ms = ledger.time * 1000
  const { history } = await watch(t, ledger, {
    ...SMALL, reader, pollMs: 2000, clock: clockOf(() => ms, wait => { ms += Math.min(wait, 1_000) })
  })
  const asked = (of: string) => reader.calls.transactions.filter(signature => signature === of).length
  const tries = async (of: string, n: number) => { await until(() => asked(of) >= n) }
  await until(() => history.status().missingTransactions === 1)
  await tries(old.signature, 17)
  const last = asked(old.signature)
  const dao = ledger.daos[0]!
  ledger.advance(900)
  dao.swap('buy', 5000n)
  const young = ledger.swaps.at(-1)!.signature
  bad.add(young)
  history.wake()
  await until(() => history.status().missingTransactions === 2)
  await tries(young, asked(young) + 2)
  bad.clear()
  const begun = ms
  await until(() => history.status().missingTransactions === 0)
  t.ok(ms - begun < 180_000, `${(ms - begun) / 1000} s, after ${last} tries`)
})

test('what is lost is not looked for again for each trade that accounts number before the lists have it', async t => {
  const ledger = createLedger({ seed: 22 })
  const [lost, busy] = Array.from({ length: 2 }, () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )) as [Dao, Dao]
  ledger.advance(60)
  const reader = ledgerReader(ledger)
  reader.forgotten = ledger.slot
  for (const dao of [lost, busy]) {
    ledger.advance(100_000)
    dao.swap('buy', 5_000_000n)
  }
  let asked = 0
  reader.bendPage = (page, { address }) => {
    if (address === lost.address) asked++
    return address === ledger.program ? page.filter(({ slot }) => ledger.timeOf(slot) <= ledger.time - 12) : page
  }
  let ms = ledger.time * 1000
  const { history } = await watch(t, ledger, {
    reader, pollMs: 2000, checkMs: 5000, clock: clockOf(() => ms, wait => { ms += Math.min(wait, 1_000) })
  })
  const pass = async (seconds: number, every = Infinity) => {
    const [end, before] = [ms + seconds * 1000, asked]
    let next = ledger.time + every
    await until(() => {
      ledger.advance(Math.max(0, Math.floor(ms / 1000) - ledger.time))
      if (ledger.time >= next) {
        busy.swap('buy', 5000n)
        next += every
      }
      return ms >= end
    })
    return asked - before
  }
  await pass(3600)
  t.ok(history.status().complete)
  t.match(await pass(3600), 3)
  const among = await pass(3600, 45)
  t.ok(among <= 6, `${among} times in an hour of trades`)
})

test('a node that loses the past for a while ends nothing', async t => {
  const ledger = trading()
  const reader = ledgerReader(ledger)
  let asked = 0
  reader.bendPage = (page, { before }) => before !== undefined && reader.calls.transactions.length > 100 && asked++ < 4
    ? []
    : page
  const watched = await watch(t, ledger, { ...SMALL, reader })
  await whole(t, watched, ledger)
  t.ok(asked > 4)
  t.notOk(codes(watched).has('past-lost'))
})

test('a past that stays lost is told, and shows as sequence gaps', async t => {
  const ledger = trading()
  const reader = ledgerReader(ledger)
  reader.bendPage = (page, { before }) => reader.calls.transactions.length < 100
    ? page
    : before !== undefined ? [] : page.slice(0, 30)
  const watched = await watch(t, ledger, { ...SMALL, reader })
  const { history } = watched
  await until(() => history.status().complete)
  t.ok(codes(watched).has('past-lost'))
  await until(() => history.status().missingEvents > 0)
  const { events, missingEvents } = history.status()
  t.equal(events + missingEvents, ledger.daos.reduce((sum, { seqNum }) => sum + seqNum, 0))
  const daily = await history.daily()
  for (const { address } of ledger.daos) t.equal(daily.get(address)!.complete, false)
  await until(() => codes(watched).has('sequence-gap'))

  await t.test('and is read once the node has it again', async t => {
    delete reader.bendPage
    // it is told once the search has ended, after what it found
    await until(() => history.status().missingEvents === 0 && codes(watched).has('sequence-gap-filled'))
    await whole(t, watched, ledger)
  })
})

test('a node that answers as it did a while ago is behind: nothing is taken back, nothing taken for new', async t => {
  const ledger = trading()
  const watched = await watch(t, ledger, SMALL)
  const { reader, history } = watched
  await whole(t, watched, ledger)
  const before = history.status()
  reader.lag = 20_000
  await until(() => codes(watched).has('node-behind'))
  ledger.advance(900)
  ledger.daos[0]!.swap('buy', 5_000_000n)
  await slow()
  t.match(history.status(), { events: before.events, slot: before.slot })
  reader.lag = 0
  await whole(t, watched, ledger)
})

test(
  'behind one address, some nodes do not know the newest signatures: what they leave out is walked later',
  async t => {
    const ledger = trading(200)
    const watched = await watch(t, ledger, { ...SMALL, pageSize: 10 })
    const { reader } = watched
    await whole(t, watched, ledger)
    // Every second node is a hundred transactions behind: it does not know `before`, so it lists nothing after it
    let turn = 0
    reader.bendPage = (page, { before }) => before !== undefined && turn++ % 2 === 0 ? [] : page
    for (let at = 0; at < 100; at++) {
      ledger.advance(60)
      ledger.daos[at % 2]!.swap('buy', BigInt(9000 + at))
    }
    await whole(t, watched, ledger)
    t.notOk(codes(watched).has('past-lost'))
    t.equal(new Set(reader.calls.transactions).size, reader.calls.transactions.length)
  }
)

test('nodes that order the transactions of one slot differently', async t => {
  const ledger = trading(100)
  for (let at = 0; at < 30; at++) {
    if (at % 3 === 0) ledger.advance(1)
    ledger.daos[at % 2]!.swap('buy', BigInt(9000 + at))
  }
  const watched = await watch(t, ledger, SMALL)
  const { reader } = watched
  let turn = 0
  reader.bendPage = page => turn++ % 3 === 0
    ? page
    : page.toSorted((a, b) => b.slot - a.slot || (turn % 2 === 0 ? 1 : -1) * a.signature.localeCompare(b.signature))
  const { history } = watched
  await until(() =>
    history.status().complete && history.status().missingEvents === 0 && history.status().swaps === ledger.swaps.length)
  t.pass()
})

test(
  'a transaction of another signature, of another slot, or without its inner instructions is asked for again',
  async t => {
    for (const bend of ['signature', 'slot', 'inner'] as const) {
      const ledger = trading(100)
      const watched = await watch(t, ledger, SMALL)
      const seen = new Set<string>()
      watched.reader.bendTransaction = (tx, signature) => {
        if (seen.has(signature)) return undefined
        seen.add(signature)
        if (bend === 'signature') return { ...tx, transaction: { ...tx.transaction, signatures: ['another'] } }
        if (bend === 'slot') return { ...tx, slot: tx.slot - 1 }
        return { ...tx, meta: { ...tx.meta, innerInstructions: null } }
      }
      await whole(t, watched, ledger)
      t.notOk(codes(watched).has('transaction-missing'))
    }
  }
)

test('one bad transaction in a call does not spoil the others', async t => {
  const ledger = trading(100)
  const watched = await watch(t, ledger, SMALL)
  const { reader, history } = watched
  const bad = new Set(ledger.swaps.filter((_, at) => at % 40 === 7).map(({ signature }) => signature))
  const read = reader.transactions
  reader.transactions = async signatures => {
    const outcomes = await read(signatures)
    return outcomes.map(
      (outcome, at) => bad.has(signatures[at]!) ? new ServiceError('NODE_BAD_ANSWER', 'parts are missing') : outcome
    )
  }
  await until(() => history.status().complete)
  t.match(history.status(), { missingTransactions: bad.size, swaps: ledger.swaps.length - bad.size })
  bad.clear()
  await whole(t, watched, ledger)
})

test(
  'a transaction that is not given is missing: its number shows, the window says so, and it is found later',
  async t => {
    const ledger = trading(200)
    const lost = ledger.swaps.at(-3)!
    const watched = await watch(t, ledger, SMALL)
    const { reader, history } = watched
    reader.bendTransaction = (_, signature) => signature === lost.signature ? null : undefined
    await until(() => history.status().complete && history.status().missingEvents === 1)
    t.match(history.status(), { missingTransactions: 1, missingEvents: 1, swaps: ledger.swaps.length - 1 })
    t.equal(history.report().get(lost.dao)!.missingEvents, 1n)
    await until(() => codes(watched).has('sequence-gap'))
    t.match(
      watched.events.filter(({ code }) => code === 'sequence-gap'),
      [{ detail: { dao: lost.dao, from: String(lost.seq), to: String(lost.seq) } }]
    )
    const now = ledger.time
    const volumes = await watched.lastDayAt(now)
    for (const { address } of ledger.daos) t.equal(volumes.get(address)!.complete, address !== lost.dao)
    t.equal((await watched.lastDayAt(now + 86_400)).get(lost.dao)!.complete, true, 'it lies before the window by then')
    delete reader.bendTransaction
    await whole(t, watched, ledger)
    t.equal((await watched.lastDayAt(now)).get(lost.dao)!.complete, true)
  }
)

test('the newest transaction of a DAO is missing: only its account tells', async t => {
  const ledger = trading(100)
  const lost = ledger.swaps.at(-1)!
  const watched = await watch(t, ledger, SMALL)
  const { reader, history } = watched
  reader.bendTransaction = (_, signature) => signature === lost.signature ? null : undefined
  reader.bendPage = (page, { address }) => address === ledger.program
    ? page
    : page.filter(({ signature }) => signature !== lost.signature)
  await untilShown(ledger, () => history.status().complete && history.status().missingEvents === 1)
  t.equal((await history.last24h()).volumes.get(lost.dao)!.complete, false)
  delete reader.bendTransaction
  await whole(t, watched, ledger)
})

test('a silence that a node asks for, which its queue keeps, holds nothing up once there are answers', async t => {
  const ledger = trading(60)
  let drift = 0
  const now = () => ledger.time * 1000 + (drift += 0.01)
  const reader = ledgerReader(ledger)
  const asked: number[] = []
  const { head } = reader
  reader.head = async () => { asked.push(now()); return await head() }
  reader.failure = new ServiceError('NODE_UNAVAILABLE', 'allows no more calls for now', { retryAfter: 600 })
  const watched = await watch(t, ledger, {
    ...SMALL,
    reader,
    clock: clockOf(now, ms => { drift += ms })
  })
  await until(() => asked.length > 5)
  reader.failure = undefined
  t.same(asked.slice(1, 5).filter((time, at) => time - asked[at]! > 6_000), [])
  await whole(t, watched, ledger)
})

test('a call that fails is repeated on its own, a fault of ours is told and survived', async t => {
  const ledger = trading(60)
  const reader = ledgerReader(ledger)
  const read = reader.transactions
  let calls = 0
  reader.transactions = async signatures => {
    calls++
    if (calls % 3 === 1) throw new ServiceError('NODE_UNAVAILABLE', 'reset')
    if (calls % 7 === 0) throw new TypeError('a fault of ours')
    return await read(signatures)
  }
  const watched = await watch(t, ledger, { ...SMALL, stepSize: 4, reader })
  await whole(t, watched, ledger)
  t.ok(watched.events.some(({ level, message }) => level === 'error' && message.startsWith('a fault of ours')))
})
