import bs58 from 'bs58'
import { test, type Test } from 'tap'
import type { RawTransaction } from '../../../lib/chain/types.js'
import { ratio } from '../../../lib/decimal.js'
import { createStepWriter } from '../../../lib/history/indexing/step-writer.js'
import { openSqliteStore } from '../../../lib/history/store/sqlite.js'
import { allDays } from '../../../lib/history/volumes/daily.js'
import { readEvents } from '../../../lib/protocol/events.js'
import { createLedger, type Dao, type Ledger } from '../../../simulator/index.js'
import { settled, until, watch, type Watched } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'

/** A release of the program: what it makes of the bytes of each event. */
type Release = (data: Buffer, name: string) => Buffer

const NAMES: Record<string, string> = { '1dfd79ff523c94c3': 'SpotSwap', '260225eee5d6ffeb': 'ProvideLiquidity', b137bf5dcb7cb80b: 'LaunchProposal', '8d38f6c0a8fe406f': 'InitializeProposal' }
const TAG = 'e445a52e51cb9a1d'
const added = (data: Buffer, at: number, bytes: number): Buffer => Buffer.concat([data.subarray(0, at), Buffer.alloc(bytes, 7), data.subarray(at)])

/** A reader of the ledger as if the program had been upgraded at `slot`. */
function upgraded (ledger: Ledger, slot: number, release: Release) {
  const reader = ledgerReader(ledger)
  reader.bendTransaction = tx => {
    if (tx.slot < slot) return undefined
    for (const { instructions } of tx.meta.innerInstructions!) {
      for (const instruction of instructions) {
        const data = Buffer.from(bs58.decode(instruction.data))
        if (data.toString('hex', 0, 8) !== TAG) continue
        instruction.data = bs58.encode(release(data, NAMES[data.toString('hex', 8, 16)] ?? ''))
      }
    }
    return tx as RawTransaction
  }
  return reader
}

function market () {
  const ledger = createLedger({ seed: 41 })
  const born = () => ledger.dao({ base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n })
  return { ledger, daos: [born(), born(), born()] as const }
}

function tradeAll (ledger: Ledger, daos: readonly Dao[], rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    for (const dao of daos) {
      ledger.advance(30)
      if (round % 2 === 0) dao.swap('buy', 1_000_000n + BigInt(round))
      else dao.swap('sell', 7_000_001n)
    }
  }
}

async function quotesOf ({ history }: Watched, dao: Dao): Promise<bigint> {
  const days = allDays((await history.daily()).get(dao.address)!.days)
  return [...days.values()].reduce((sum, { quote }) => sum + quote.n / quote.d, 0n)
}

const paid = (ledger: Ledger, dao: Dao): bigint => ledger.swaps.filter(swap => swap.dao === dao.address)
  .reduce((sum, { side, input, output }) => sum + (side === 'buy' ? input : output), 0n)

async function holds (t: Test, watched: Watched, ledger: Ledger, daos: readonly Dao[]): Promise<void> {
  await settled(watched, ledger)
  await until(() => watched.history.status().missingEvents === 0)
  const volumes = await watched.history.last24h(() => ledger.time)
  for (const dao of daos) {
    t.ok(volumes.get(dao.address)?.complete, 'listed')
    t.equal(await quotesOf(watched, dao), paid(ledger, dao), 'and each swap counted')
  }
}

const RELEASES: Record<string, Release> = {
  'a field behind the state': data => added(data, data.length, 8),
  'a field before the amounts': (data, name) => name === 'SpotSwap' ? added(data, 104, 32) : data,
  'fields before the DAO and behind the amounts': (data, name) => name === 'SpotSwap' ? added(added(data, 121, 3), 40, 17) : data
}

for (const [name, release] of Object.entries(RELEASES)) {
  test(`an upgrade of the program does not empty the list: ${name}`, async t => {
    const { ledger, daos } = market()
    tradeAll(ledger, daos, 4)
    const slot = ledger.slot + 1
    ledger.advance(10)
    tradeAll(ledger, daos, 3)
    daos[0].initializeProposal()
    daos[0].launchProposal()
    tradeAll(ledger, daos, 4)
    const watched = await watch(t, ledger, { reader: upgraded(ledger, slot, release) })
    await holds(t, watched, ledger, daos)
    const forms = watched.events.filter(({ code }) => code === 'grown-event')
    t.equal(new Set(forms.map(({ message }) => message)).size, forms.length, 'told once a form')
    t.equal(watched.history.status().grownForms, forms.length)
    t.ok(forms.length > 0)
    tradeAll(ledger, daos, 2)
    await holds(t, watched, ledger, daos)
  })
}

test('what does not prove itself stays unreadable and hides its DAO, and no other', async t => {
  const { ledger, daos } = market()
  tradeAll(ledger, daos, 2)
  const slot = ledger.slot + 1
  ledger.advance(10)
  tradeAll(ledger, daos, 1)
  // an amount that is not what the pool shows
  const reader = upgraded(ledger, slot, (data, name) => {
    if (name !== 'SpotSwap') return data
    const grown = added(data, data.length, 8)
    if (bs58.encode(data.subarray(40, 72)) === daos[1].address) grown.writeBigUInt64LE(grown.readBigUInt64LE(105) + 1n, 105)
    return grown
  })
  const watched = await watch(t, ledger, { reader })
  await settled(watched, ledger)
  await until(async () => (await watched.history.last24h(() => ledger.time)).get(daos[0].address)?.complete === true)
  const volumes = await watched.history.last24h(() => ledger.time)
  t.same(daos.map(({ address }) => volumes.get(address)?.complete), [true, false, true])
})

/** A market of which the program is upgraded while a DAO has a live proposal, and only that one trades afterwards. */
async function upgradedInProposal (t: Test) {
  const { ledger, daos } = market()
  tradeAll(ledger, daos, 4)
  daos[0].initializeProposal()
  daos[0].launchProposal()
  const slot = ledger.slot + 1
  ledger.advance(10)
  tradeAll(ledger, [daos[0]], 3)
  const last = ledger.slot
  const watched = await watch(t, ledger, { reader: upgraded(ledger, slot, RELEASES['a field before the amounts']!) })
  const published = async () => (await watched.store.published())?.slot ?? -1
  await until(() => { ledger.advance(1); return watched.history.status().missingEvents === 3 && watched.history.status().searched })
  await until(async () => { ledger.advance(1); return await published() > 0 })
  t.ok(await published() < slot, 'nothing is published past a swap that may be read soon')
  t.equal((await watched.history.last24h(() => ledger.time)).get(daos[0].address)?.complete, false)
  return { ledger, daos, watched, published, last }
}

test('a swap while a proposal is live waits until one of another pool has proved its form', async t => {
  const { ledger, daos, watched, published, last } = await upgradedInProposal(t)
  tradeAll(ledger, [daos[1]], 1)
  await until(() => { ledger.advance(10); return watched.history.status().missingEvents === 0 })
  await holds(t, watched, ledger, daos)
  await until(async () => { ledger.advance(1); return await published() >= last })
})

test('and no longer than a day: then it stays unreadable, and holds nothing up', async t => {
  const { ledger, watched, published, last } = await upgradedInProposal(t)
  ledger.advance(86_400)
  await until(async () => { ledger.advance(10); return await published() >= last })
  t.equal(watched.events.filter(({ code }) => code === 'unreadable').length, 3)
})

test('an unknown event belongs to the DAO whose key stands anywhere in it, or to the only one of the instruction that emitted it', async t => {
  for (const keyAt of [56, undefined]) {
    const { ledger, daos } = market()
    tradeAll(ledger, daos, 2)
    for (const dao of daos) dao.initializeProposal()
    tradeAll(ledger, daos, 1)
    const reader = upgraded(ledger, 0, (data, name) => {
      if (name !== 'InitializeProposal') return data
      const dao = data.subarray(72, 104)
      const unknown = Buffer.concat([data.subarray(0, 8), Buffer.alloc(8, 0xab), data.subarray(16, 40), Buffer.alloc(120, 3)])
      if (keyAt !== undefined) dao.copy(unknown, keyAt)
      return unknown
    })
    const watched = await watch(t, ledger, { reader })
    await holds(t, watched, ledger, daos)
  }
})

test('a swap that was seen and can\'t be told yet counts as missing before any account says so', async t => {
  const { ledger, daos: [dao] } = market()
  const slot = ledger.slot
  tradeAll(ledger, [dao], 2)
  // of so few units that the curve may give them by chance
  dao.swap('sell', 199n)
  const reader = upgraded(ledger, slot, RELEASES['a field behind the state']!)
  const store = await openSqliteStore({ folder: t.testdir(), program: ledger.program })
  t.teardown(() => store.close())
  const valuation = { rate: ratio(5n, 1000n), basis: 'input' as const }
  await store.revalue(valuation, [], new Map())
  const writer = await createStepWriter(store, valuation, () => {})
  await writer.learn([dao.address])
  const [before, last] = ledger.swaps.slice(-2)
  const located = async ({ signature, slot }: { signature: string, slot: number }) =>
    readEvents((await reader.transactions([signature]))[0] as RawTransaction, ledger.program, ledger.eventAuthority).map(event => ({ event, signature, slot }))
  await writer.commit({ events: await located(last!) })
  t.equal(writer.leftOut.get(dao.address), BigInt(last!.seq))
  t.equal(writer.state.swaps, 0)
  await writer.commit({ events: [...await located(before!), ...await located(last!)] })
  t.equal(writer.state.swaps, 2, 'the one before is told by the curve, and it with that one')
})
