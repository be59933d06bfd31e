import { test, type Test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { createLedger, type Dao, type Ledger } from '../../../simulator/index.js'
import { until, watch } from '../../support/history/history.js'
import { ledgerReader, type TestReader } from '../../support/history/reader.js'

/** What block ranges are published by, where a node shows less than there is. */

const born = (ledger: Ledger): Dao => ledger.dao(
  { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
)

function trade (ledger: Ledger, dao: Dao): void {
  for (let hour = 0; hour < 30; hour++) {
    ledger.advance(3600)
    dao.swap('buy', BigInt(1_000_000 + hour))
  }
}

/** One DAO rests while another trades; all that the first ever did is older than what nodes have. */
function lostPast (seed: number) {
  const ledger = createLedger({ seed })
  const [resting, busy] = [born(ledger), born(ledger)]
  resting.swap('buy', 5_000_000n)
  ledger.advance(60)
  const reader = ledgerReader(ledger)
  reader.forgotten = ledger.slot
  trade(ledger, busy)
  return { ledger, resting, busy, reader }
}

const pause = async () => await new Promise(resolve => setTimeout(resolve, 20))

/** A history that has published all there is; `behind` then lets the node's lists, and only they, stay behind. */
async function follow (t: Test, ledger: Ledger, reader: TestReader) {
  const { history, store } = await watch(t, ledger, { reader })
  const published = async () => (await store.published())?.slot ?? -1
  const newest = ledger.slot
  await until(async () => { ledger.advance(1); return await published() >= newest })
  return {
    history,
    store,
    published,
    async behind (act: () => Dao) {
      ledger.advance(60)
      const edge = ledger.slot
      reader.bendPage = page => page.filter(({ slot }) => slot < edge)
      const { missingEvents: before } = history.status()
      const { address } = act()
      const last = ledger.slot
      const isTold = () => history.status().missingEvents > before && history.status().searched
      await until(() => { ledger.advance(1); return isTold() })
      for (let looks = 0; looks < 20; looks++) { ledger.advance(10); await pause() }
      t.ok(isTold(), 'its account says that there is more, and it was looked for in vain')
      const slot = await published()
      t.ok(slot < edge, `published up to ${slot}, and what is not listed yet is of ${edge}`)
      t.equal((await history.last24h()).volumes.get(address)?.complete, false, 'and its volume is not known')
      delete reader.bendPage
      await until(async () => { ledger.advance(10); return await published() >= last })
      return (await store.poolEvents({ from: edge, to: last, limit: 100 })).map(({ kind }) => kind)
    }
  }
}

test('a node that gives blocks times of the future: what is published has that of the Clock', async t => {
  const ledger = createLedger({ seed: 20 })
  trade(ledger, born(ledger))
  const reader = ledgerReader(ledger)
  reader.blockTime = async slot => ledger.timeOf(slot) + 3600
  const { store } = await follow(t, ledger, reader)
  const { slot, at } = (await store.published())!
  t.equal(at, ledger.timeOf(slot))
})

test('a node whose lists are behind its accounts: nothing is published past a DAO that was born meanwhile', async t => {
  const ledger = createLedger({ seed: 21 })
  trade(ledger, born(ledger))
  const { behind } = await follow(t, ledger, ledgerReader(ledger))
  const kinds = await behind(() => {
    const young = born(ledger)
    young.swap('buy', 5_000_000n)
    return young
  })
  t.same(kinds, ['ProvideLiquidity', 'SpotSwap'])
})

test('nor past one that trades again, of which every event before is older than what nodes have', async t => {
  const { ledger, resting, reader } = lostPast(22)
  const { behind, history } = await follow(t, ledger, reader)
  t.equal(history.status().missingEvents, 2 + resting.seqNum, 'a lost past holds nothing up')
  const kinds = await behind(() => {
    resting.swap('sell', 3_000_000n)
    return resting
  })
  t.same(kinds, ['SpotSwap'])
  t.equal(history.status().missingEvents, 2 + resting.seqNum - 1)
})

/** `odd`: transactions of a version that is too new; `absent`: that the node does not give. */
function refusing (reader: TestReader) {
  const { transactions } = reader
  const [odd, absent] = [new Set<string>(), new Set<string>()]
  reader.transactions = async signatures => (await transactions(signatures)).map((outcome, at) => {
    if (absent.has(signatures[at]!)) return null
    return odd.has(signatures[at]!) ? new ServiceError('VERSION_UNSUPPORTED', 'version 7') : outcome
  })
  return { odd, absent }
}

test('a transaction of a version that is too new is a loss of its own: it holds no block range up', async t => {
  const ledger = createLedger({ seed: 24 })
  const [dao, other] = [born(ledger), born(ledger)]
  trade(ledger, dao)
  const reader = ledgerReader(ledger)
  const { odd } = refusing(reader)
  const { history, store, published } = await follow(t, ledger, reader)
  const from = ledger.slot + 1
  ledger.advance(60)
  dao.swap('buy', 7_000_000n)
  odd.add(ledger.swaps.at(-1)!.signature)
  ledger.advance(60)
  for (const pool of [dao, other]) pool.swap('sell', 5_000_000n)
  const last = ledger.slot
  await until(async () => { ledger.advance(10); return await published() >= last })
  t.same((await store.poolEvents({ from, to: last, limit: 100 })).map(({ dao }) => dao), [dao.address, other.address])
  const known = (after: number) => history.read(async ({ knowledge }) =>
    [dao, other].map(({ address }) => knowledge(address, after)))
  t.same(await known(-Infinity), ['lost', 'whole'])
  t.same(await known(ledger.timeOf(last) - 30), ['whole', 'whole'])
  const { volumes } = await history.last24h()
  t.same([dao, other].map(({ address }) => volumes.get(address)!.complete), [false, true])
})

test('one that was not given at first, and whose version turns out to be too new, holds nothing up either', async t => {
  const ledger = createLedger({ seed: 25 })
  const [dao, other] = [born(ledger), born(ledger)]
  trade(ledger, dao)
  const reader = ledgerReader(ledger)
  const { odd, absent } = refusing(reader)
  const { history, published } = await follow(t, ledger, reader)
  ledger.advance(60)
  dao.swap('buy', 7_000_000n)
  const { signature, slot } = ledger.swaps.at(-1)!
  odd.add(signature)
  absent.add(signature)
  await until(() => { ledger.advance(10); return history.status().missingTransactions === 1 })
  for (let looks = 0; looks < 20; looks++) { ledger.advance(10); await pause() }
  t.ok(await published() < slot, 'it may be given yet')
  absent.delete(signature)
  // heads of this reader may all be ahead of the accounts: then the newest event tells up to where
  other.swap('sell', 5_000_000n)
  const last = ledger.slot
  await until(async () => { ledger.advance(10); return await published() >= last })
  t.equal(await history.read(async ({ knowledge }) => knowledge(dao.address, -Infinity)), 'lost')
})

test('beside one that may be given yet it is no stated loss: what its DAO lacks is waited for', async t => {
  const ledger = createLedger({ seed: 29 })
  const [dao, other] = [born(ledger), born(ledger)]
  trade(ledger, dao)
  const reader = ledgerReader(ledger)
  const { odd, absent } = refusing(reader)
  const { history, published } = await follow(t, ledger, reader)
  const known = async () => await history.read(async ({ knowledge }) => knowledge(dao.address, -Infinity))
  const { slot } = ledger
  for (const some of [odd, absent]) {
    ledger.advance(60)
    dao.swap('buy', 7_000_000n)
    some.add(ledger.swaps.at(-1)!.signature)
  }
  ledger.advance(60)
  for (const pool of [dao, other]) pool.swap('sell', 5_000_000n)
  const last = ledger.slot
  const isTold = () => history.status().missingEvents === 2 && history.status().searched
  await until(() => { ledger.advance(10); return isTold() })
  for (let looks = 0; looks < 20; looks++) { ledger.advance(10); await pause() }
  t.equal(await known(), 'partly')
  t.ok(await published() <= slot)
  absent.clear()
  await until(async () => { ledger.advance(10); return await published() >= last })
  t.equal(await known(), 'lost')
})

test('with another end a gap is another one: nothing is published past it until that is searched', async t => {
  for (const [at, name] of ['it grew', 'it was searched before anything came after it'].entries()) {
    const ledger = createLedger({ seed: 30 + at })
    const [dao, other] = [born(ledger), born(ledger)]
    trade(ledger, dao)
    const reader = ledgerReader(ledger)
    const { odd } = refusing(reader)
    const { history, store, published } = await follow(t, ledger, reader)
    const trades = (...pools: Dao[]): number => {
      ledger.advance(60)
      for (const pool of pools) pool.swap('buy', 7_000_000n)
      return ledger.slot
    }
    trades(dao)
    odd.add(ledger.swaps.at(-1)!.signature)
    const newest = trades(other)
    await until(async () => { ledger.advance(10); return await published() >= newest })
    const edge = trades(dao)
    const { signature: left } = ledger.swaps.at(-1)!
    let isListed = false
    reader.bendPage = (page, { address }) =>
      isListed && address === dao.address ? page : page.filter(({ signature }) => signature !== left)
    if (at === 1) await until(() => { ledger.advance(10); return history.status().missingEvents === 2 })
    for (let looks = 0; looks < 20 * at; looks++) { ledger.advance(10); await pause() }
    const { signatures } = reader
    let isAway = true
    reader.signatures = async (address, ...asked) => {
      if (isAway && address === dao.address) throw new ServiceError('NODE_UNAVAILABLE', 'its list is not to be had')
      return await signatures(address, ...asked)
    }
    const last = trades(dao, other)
    for (let looks = 0; looks < 20; looks++) { ledger.advance(10); await pause() }
    t.ok(await published() < edge, `${name}: the program's list leaves one out`)
    isListed = true
    isAway = false
    await until(async () => { ledger.advance(10); return await published() >= last })
    t.equal((await store.poolEvents({ from: edge, to: last, limit: 100 })).length, 3)
  }
})

test('and none of another DAO, or of what follows: with lists behind accounts, ' +
  'nothing is published past it', async t => {
  const whose = ["another's", 'its own', 'its own, in the slot of one that is read']
  for (const [at, name] of whose.entries()) {
    const ledger = createLedger({ seed: 26 + at })
    const [dao, other, third] = [born(ledger), born(ledger), born(ledger)]
    trade(ledger, dao)
    const reader = ledgerReader(ledger)
    const { odd } = refusing(reader)
    const { published, behind } = await follow(t, ledger, reader)
    ledger.advance(60)
    const owner = at === 0 ? other : dao
    owner.swap('buy', 7_000_000n)
    odd.add(ledger.swaps.at(-1)!.signature)
    if (at === 2) dao.swap('buy', 4_000_000n)
    ledger.advance(60)
    third.swap('sell', 5_000_000n)
    const newest = ledger.slot
    await until(async () => { ledger.advance(10); return await published() >= newest })
    const kinds = await behind(() => {
      dao.swap('sell', 3_000_000n)
      return dao
    })
    t.same(kinds, ['SpotSwap'], name)
  }
})
