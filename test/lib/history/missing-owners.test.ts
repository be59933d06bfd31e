import { test } from 'tap'
import { ServiceError } from '../../../lib/errors.js'
import { createMissingOwners } from '../../../lib/history/indexing/owners.js'
import { NO_OWNERS, suspectsAt } from '../../../lib/history/rules/completeness.js'
import type { HistoryReader } from '../../../lib/chain/transactions.js'
import type { MissingTransaction } from '../../../lib/history/rules/rows.js'
import { createLedger, type Dao, type Ledger } from '../../../simulator/index.js'
import { bySignature, mayOwnOf } from '../../support/history/knowledge.js'
import { settled, until, untilShown, watch, type Watched } from '../../support/history/history.js'
import { ledgerReader } from '../../support/history/reader.js'

function market () {
  const ledger = createLedger({ seed: 51 })
  const born = () => ledger.dao(
    { base: ledger.mint(), quote: ledger.usdc(), quoteReserves: 200_000_000_000n, baseReserves: 2_000_000_000_000n }
  )
  return { ledger, honest: [born(), born()] as const, stranger: born(), born }
}

const complete = async ({ history }: Watched, ledger: Ledger, daos: readonly Dao[]) => {
  const volumes = (await history.last24h()).volumes
  return daos.map(({ address }) => volumes.get(address)?.complete)
}

test(
  'transactions of a stranger that the node lists and does not give hide his DAO alone, ' +
    'from the first moment and for good',
  async t => {
    const { ledger, honest, stranger } = market()
    for (const dao of honest) dao.swap('buy', 1_000_000n)
    ledger.advance(60)
    const reader = ledgerReader(ledger)
    const withheld = new Set<string>()
    reader.bendTransaction = (_tx, signature) => withheld.has(signature) ? null : undefined
    const watched = await watch(t, ledger, { reader, staleMs: 1e12 })
    await settled(watched, ledger)
    t.same(await complete(watched, ledger, [...honest, stranger]), [true, true, true])
    for (let round = 0; round < 6; round++) {
      ledger.advance(1)   // a slot of its own: accounts are read as they are at its end
      for (let i = 0; i < 40; i++) withheld.add(stranger.swap('buy', 1_000n).signature)
      for (const dao of honest) dao.swap('buy', 1_000_000n)
      ledger.advance(5)
      const { missingTransactions } = watched.history.status()
      await until(() => watched.history.status().missingTransactions > missingTransactions)
      await until(async () => (await complete(watched, ledger, honest)).every(Boolean))
      t.same(await complete(watched, ledger, [...honest, stranger]), [true, true, false], `round ${round}`)
    }
  }
)

test('what is reached is told and published where a DAO\'s own list is refused', async t => {
  const { ledger, honest: [honest], stranger } = market()
  honest.swap('buy', 1_000_000n)
  ledger.advance(60)
  const reader = ledgerReader(ledger)
  const { signatures } = reader
  reader.signatures = async (address, ...rest) => {
    if (address === stranger.address) throw new ServiceError('NODE_UNAVAILABLE', 'its list is refused')
    return await signatures(address, ...rest)
  }
  const withheld = new Set<string>()
  reader.bendTransaction = (_tx, signature) => withheld.has(signature) ? null : undefined
  let told = 0
  const watched = await watch(t, ledger, {
    reader, checkMs: 1e12, onProgress: async ({ verifiedTo }) => { told = verifiedTo?.slot ?? 0 }
  })
  await until(() => watched.history.status().complete && told > 0)
  ledger.advance(5)
  withheld.add(stranger.swap('buy', 1_000n).signature)
  honest.swap('buy', 1_000_000n)
  const { slot } = ledger
  ledger.advance(60)
  await untilShown(ledger, () => told >= slot)
  await until(() => watched.events.some(({ message }) => message.includes('its list is refused')))
  t.pass('which is told as well')
})

/** The owner of one missing transaction, the newest of a walk down to `range.oldestSlot`; `ended`: all there is. */
function ownersOf (
  reader: HistoryReader, daos: readonly Dao[], row: Pick<MissingTransaction, 'signature' | 'slot'>, ended = false
) {
  const range = { oldestSlot: row.slot - 10, newestSlot: row.slot }
  const state = { missing: bySignature([row]), sequenceRanges: new Map(), indexedRanges: [range], ended }
  const owners = createMissingOwners({
    reader,
    writer: { state },
    daos: async () => ({ slot: row.slot, daos: daos.map(({ address }) => ({ address, seqNum: 1n })) }),
    signal: new AbortController().signal
  } as never)
  return { owners, range }
}

test('a node that has not come so far names nobody: the lists are asked of one that has', async t => {
  const { ledger, honest: [honest], stranger } = market()
  ledger.advance(60)
  const { signature } = stranger.swap('buy', 1_000n)
  const { slot } = ledger
  const reader = ledgerReader(ledger)
  reader.bendPage = (page, { minSlot = 0 }) => minSlot < slot ? page.filter(entry => entry.slot < slot) : page
  const { owners } = ownersOf(reader, [stranger, honest], { signature, slot })
  await owners.look(slot - 5)
  t.same(owners.missingOwners, { slot, owners: { [stranger.address]: [slot] } })
})

test('none is named while the walk may find another that is missing below it: it could be anybody\'s', async t => {
  const { ledger, honest: [honest], stranger } = market()
  ledger.advance(60)
  const { signature } = stranger.swap('buy', 1_000n)
  const { slot } = ledger
  const { owners, range } = ownersOf(ledgerReader(ledger), [stranger, honest], { signature, slot })
  for (const verifiedSlot of [0, range.oldestSlot - 1]) await owners.look(verifiedSlot)
  t.same(owners.missingOwners, NO_OWNERS)
  await owners.look(range.oldestSlot)
  t.same(owners.missingOwners.slot, slot)
  const all = ownersOf(ledgerReader(ledger), [stranger, honest], { signature, slot }, true).owners
  await all.look(0)
  t.equal(all.missingOwners.slot, slot, 'where all is walked, as after a restart, no comparison is waited for')
})

test('a hundred thousand of them are looked at once, not once for each DAO', async t => {
  let looks = 0
  const missing = Array.from({ length: 100_000 }, (_, i) => ({
    signature: `s${i}`,
    get slot () {
      looks++
      return 1_000 + i
    },
    at: null,
    reason: ''
  }))
  const daos = Array.from({ length: 5_000 }, (_, i) => `dao${i}`)
  const sequenceRanges = new Map(daos.map(dao => [dao, []]))
  const missingOwners = { slot: 200_000, owners: { dao7: [5_000] } }
  const facts = { verifiedSlot: 999, numbersAhead: new Map(), missingOwners, sequenceRanges, sequenceGaps: new Map() }
  const mayOwn = mayOwnOf(missing, facts)
  t.same(daos.filter(mayOwn), ['dao7'])
  t.ok(looks < 10 * missing.length, `${looks} looks`)
  t.ok(mayOwn('born just now'), 'a DAO that the history does not know may own any of them')
  t.ok(
    mayOwnOf(missing, { ...facts, missingOwners: { ...missingOwners, slot: 50_000 } })('dao1'),
    'until they are named they may be anybody\'s'
  )
  t.notOk(
    mayOwnOf(missing, { ...facts, verifiedSlot: 200_000 })('dao7'), 'once compared, sequence gaps tell'
  )
})

test('who can\'t own them by his account is not asked', async t => {
  const range = (last: bigint) => [{ first: 1n, last }] as never
  const ranges = new Map([['a', range(7n)], ['b', range(6n)]])
  const accounts = [{ address: 'a', seqNum: 7n }, { address: 'b', seqNum: 7n }, { address: 'c', seqNum: 1n }]
  t.same(suspectsAt(100, accounts, 100, ranges), accounts.slice(1))
  t.same(suspectsAt(101, accounts, 100, ranges), accounts, 'an account that was read before tells nothing')
})
