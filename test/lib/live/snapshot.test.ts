import { test } from 'tap'
import type { KnownAccounts, RawAccount } from '../../../lib/chain/types.js'
import { systemClock } from '../../../lib/clock.js'
import { ServiceError } from '../../../lib/errors.js'
import { dated } from '../../../lib/live/fresh.js'
import { createSnapshotReader, type Snapshot, type StoredDao } from '../../../lib/live/snapshot.js'
import { createTokenReader } from '../../../lib/live/tokens.js'
import { PROGRAMS, tokenAccountAddress } from '../../../lib/protocol/addresses.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { createLedger } from '../../../simulator/ledger.js'
import { withLists } from '../../support/account-lists.js'
import { atMoment } from '../../support/age-time.js'

function setUp (options: Partial<Parameters<typeof createSnapshotReader>[0]> = {}) {
  const ledger = createLedger({ seed: 5 })
  const usdc = ledger.usdc()
  const [still, moving] = [1, 2].map(
    () => ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  )
  const raw = (address: string): RawAccount | null => {
    const account = ledger.account(address)
    return account === null ? null : { address, owner: account.owner, data: Buffer.from(account.data) }
  }
  let listed = (): RawAccount[] => ledger.daos.map(({ address }) => raw(address)!)
  let isAway = false
  const asked: Array<KnownAccounts | undefined> = []
  const reader = withLists({
    programAccounts: async (_program, _prefix, known, check) => {
      asked.push(known)
      check?.(listed(), { slot: ledger.slot, time: ledger.time })
      return atMoment(ledger.slot, listed(), { time: ledger.time, readAt: 3 })
    },
    accounts: async addresses => {
      if (isAway) throw new ServiceError('NODE_UNAVAILABLE', 'no node has answered')
      return atMoment(ledger.slot, addresses.map(raw), { time: ledger.time })
    }
  })
  const client = createProgramClient(ledger.program)
  const read = createSnapshotReader({
    reader,
    tokens: createTokenReader({ reader, ttl: 1_000_000 }),
    client,
    excluded: new Set(),
    servedMs: 70_000,
    ...options
  })
  return {
    asked,
    ledger,
    still: still!,
    moving: moving!,
    read: () => dated(read),
    raw,
    list (accounts: () => RawAccount[]) { listed = accounts },
    /** Whether the accounts of tokens can't be read. */
    fail (isSo: boolean) { isAway = isSo }
  }
}

test('an account that stays as it was is not decoded again, one that moves is', async t => {
  const { ledger, still, moving, read } = setUp()
  const entryOf = (
    discovered: Snapshot['discovered'], address: string
  ) => discovered.find(entry => entry.address === address)!
  const { value: first, parts } = await read()
  t.same(
    parts, [{ time: ledger.time, readAt: 3, commitment: 'confirmed' }], 'as old as the list: a pair is of its moment'
  )
  ledger.advance(1)
  moving.swap('buy', 5_000_000n)
  const { value: second } = await read()
  t.equal(entryOf(second.discovered, still.address), entryOf(first.discovered, still.address))
  const pairOf = ({ pairs }: typeof first, { address }: typeof still) => pairs.get(address)
  t.same(pairOf(second, still), pairOf(first, still))
  t.notSame(pairOf(second, moving), pairOf(first, moving))
  t.equal(
    entryOf(first.discovered, moving.address).dao!.seqNum + 1n, entryOf(second.discovered, moving.address).dao!.seqNum
  )
  t.equal(
    second.pairs.get(moving.address)!.quoteReserves,
    10n ** 11n + 5_000_000n - entryOf(second.discovered, moving.address).dao!.quoteFees
  )
  t.equal(entryOf(second.discovered, moving.address).dao!.createdAt, moving.createdAt)
  t.equal(
    entryOf(second.discovered, still.address).dao!.baseVault,
    tokenAccountAddress(still.address, still.base.address, PROGRAMS.token)
  )
})

test('bytes of another DAO are found out, also where they were odd before and that DAO comes later', async t => {
  const { still, moving, read, raw, list } = setUp()
  const odd = (): RawAccount => ({ ...raw(still.address)!, address: moving.address })
  list(() => [odd()])
  t.equal((await read()).value.discovered.length, 1, 'alone it is an account like any other')
  list(() => [odd(), raw(still.address)!])
  const mixedUp = { code: 'NODE_BAD_ANSWER', message: /the node gave at .* the account of/ }
  await t.rejects(read(), mixedUp)
  const [one, other] = [raw(still.address)!, raw(moving.address)!]
  list(() => [{ ...one, data: other.data }, { ...other, data: one.data }])
  await t.rejects(read(), mixedUp, 'each has those of the other')
})

test('an account made as another one was, of tokens of its own, is a DAO beside it', async t => {
  const { still, moving, read, raw, list } = setUp()
  const another = raw(still.address)!
  another.data[another.data.length - 1]! ^= 1
  list(() => [raw(still.address)!, { ...another, address: moving.address }])
  t.equal((await read()).value.discovered.length, 2)
  list(() => [raw(still.address)!, raw(moving.address)!])
  await read()
  list(() => [raw(still.address)!, { ...another, address: moving.address }])
  await t.rejects(read(), { code: 'NODE_BAD_ANSWER' }, 'that one had its own before')
})

/** Stored from a slot on. */
const from = (address: string, firstSlot: number): [string, StoredDao] =>
  [address, { firstSlot, lastSlot: null, indexed: 0n }]

test(
  'what must be listed: stored DAOs from the first reading on, from the slot of an event of theirs, ' +
    'and what was seen a minute after it was made; excluded ones need not be',
  async t => {
    const stored = [from('stored', 70), from('excluded', 80)]
    const { ledger, still, moving, read, raw, list, asked } = setUp(
      { stored: () => stored, excluded: new Set(['excluded']) }
    )
    await read()
    t.same(asked.at(-1), new Map([['stored', 70]]))
    stored.push(from('later', 90), from(still.address, 85))
    ledger.advance(59)
    await read()
    await read()
    t.same(asked.at(-1), new Map([['stored', 70], ['later', 90], [still.address, 85]]))
    ledger.advance(1)
    await read()
    list(() => [raw(still.address)!])   // also what a list has lacked meanwhile
    await read()
    await read()
    t.same(asked.at(-1), new Map([['stored', 70], ['later', 90], [still.address, 0], [moving.address, 0]]))
  }
)

test('a DAO that was made right before a halt may be gone after it, ' +
  'also where the chain\'s clock does not leap', async t => {
  for (const leap of [0, 3600]) {
    const { ledger, still, moving, read, raw, list, asked } = setUp()
    await read()
    await read()
    t.same(asked.at(-1), new Map(), 'what is read again while the chain has halted proves nothing')
    list(() => [raw(still.address)!])
    for (const seconds of [leap, 1, 60]) {
      ledger.advance(seconds)
      await read()
    }
    await read()
    t.same(asked.at(-1), new Map([[still.address, 0]]), 'one that was never final need not be there')
    list(() => [moving, still].map(({ address }) => raw(address)!))
    await read()
    await read()
    t.same(asked.at(-1), new Map([[still.address, 0], [moving.address, 0]]))
  }
})

test('a list is refuted once an event from before it is stored of a DAO that it has not', async t => {
  const stored: Array<[string, StoredDao]> = []
  const { ledger, still, moving, read, raw, list } = setUp({ stored: () => stored })
  list(() => [raw(still.address)!])
  const { parts: [short], value: { slot } } = await read()
  stored.push(from(still.address, slot), from(moving.address, slot + 1))
  list(() => ledger.daos.map(({ address }) => raw(address)!))
  const { parts: [whole] } = await read()
  t.same(
    [short, whole].map(part => part!.isRefuted), [undefined, undefined], 'one that came later may not have been there'
  )
  list(() => [raw(still.address)!])
  const { parts: [shorter] } = await read()
  stored.push(from(moving.address, slot))
  await read()
  t.equal(shorter!.isRefuted, true)
  t.same([short, whole].map(part => part!.isRefuted), [true, undefined], 'as is one before it that may be served still')
})

test('a list without a stored event from before its slot is old: refused, and refuted where it was given', async t => {
  const stored: Array<[string, StoredDao]> = []
  const { ledger, moving, read, raw, list } = setUp({ stored: () => stored })
  const before = ledger.daos.map(({ address }) => raw(address)!)
  ledger.advance(60)
  const { slot, seq } = moving.swap('buy', 1_000_000n)
  list(() => before)
  let { parts: [old] } = await read()
  const know = (lastSlot: number | null): void => {
    stored.splice(0, 1, [moving.address, { firstSlot: 1, lastSlot, indexed: BigInt(seq) }])
  }
  for (const later of [null, ledger.slot + 1]) {
    know(later)
    ;({ parts: [old] } = await read())
  }
  t.equal(old!.isRefuted, undefined, 'it may have come later')
  know(slot)
  await t.rejects(read(), { code: 'NODE_BAD_ANSWER', message: new RegExp(moving.address) })
  t.equal(old!.isRefuted, true)
  list(() => ledger.daos.map(({ address }) => raw(address)!))
  t.equal((await read()).parts[0]!.isRefuted, undefined)
})

test('a list is refuted also where the reading after it has failed', async t => {
  const stored: Array<[string, StoredDao]> = []
  const { ledger, still, moving, read, raw, list, fail } = setUp({ stored: () => stored })
  list(() => [raw(still.address)!])
  const { parts: [short], value: { slot } } = await read()
  list(() => ledger.daos.map(({ address }) => raw(address)!))
  fail(true)
  await t.rejects(read(), { code: 'NODE_UNAVAILABLE' }, 'the tokens of the other one')
  stored.push(from(moving.address, slot))
  await t.rejects(read(), { code: 'NODE_UNAVAILABLE' })
  t.equal(short!.isRefuted, true)
})

test('the first list waits for what is stored, not for long, ' +
  'and is held against it as soon as that is known', async t => {
  const stored: Array<[string, StoredDao]> = []
  let tell = () => {}
  // the wait keeps no process alive
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const { ledger, still, moving, read, raw, list } = setUp({
    stored: () => stored, loaded: () => new Promise(resolve => { tell = resolve })
  })
  list(() => [raw(still.address)!])
  const begun = systemClock.now()
  const { parts: [short] } = await read()
  t.ok(systemClock.now() - begun > 1_500)
  t.equal(short!.isRefuted, undefined, 'without a store prices are served')
  stored.push(from(moving.address, ledger.slot))
  tell()
  await new Promise(setImmediate)
  t.equal(short!.isRefuted, true, 'without another reading')
})

test('a list that is read before what is stored is known is read again where that refutes it', async t => {
  const stored: Array<[string, StoredDao]> = []
  let tell = () => {}
  const { ledger, still, moving, read, raw, list, asked } = setUp({
    stored: () => stored, loaded: () => new Promise(resolve => { tell = resolve })
  })
  list(() => (asked.length === 1 ? [still] : [still, moving]).map(({ address }) => raw(address)!))
  const first = read()
  await new Promise(setImmediate)
  t.equal(asked.length, 1, 'at once')
  stored.push(from(moving.address, ledger.slot))
  tell()
  const { value: { daos }, parts: [part] } = await first
  t.same([...daos.keys()], [still.address, moving.address])
  t.equal(part!.isRefuted, undefined)
  t.same([...asked[1]!.keys()], [moving.address], 'and has to be there')
})
