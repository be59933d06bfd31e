import { test } from 'tap'
import type { AtSlot, RawAccount } from '../../../lib/chain/types.js'
import { createFreshCache } from '../../../lib/live/fresh.js'
import { packAccounts } from '../../../lib/live/packed-accounts.js'
import { createSharedState, type StatePlace } from '../../../lib/live/shared-state.js'
import { createSlotAges } from '../../../lib/live/slot-ages.js'
import { createSnapshotReader, type Snapshot } from '../../../lib/live/snapshot.js'
import { createTokenReader } from '../../../lib/live/tokens.js'
import { createProgramClient } from '../../../lib/protocol/client.js'
import { createLedger } from '../../../simulator/ledger.js'
import { until } from '../../support/until.js'
import { withLists } from '../../support/account-lists.js'

const TTL = 10_000

/** A chain, a place for its state, and any number of processes; they share a clock that moves when it is told to. */
function setUp () {
  const ledger = createLedger({ seed: 5 })
  const usdc = ledger.usdc()
  for (let at = 0; at < 2; at++) ledger.dao({ base: ledger.mint(), quote: usdc, baseReserves: 10n ** 12n, quoteReserves: 10n ** 11n })
  const clock = { now: 1_000_000 }
  let row: { slot: number, seenAt: number, bytes: Buffer } | undefined
  const published: number[] = []
  const place = { fails: undefined as Error | undefined, hangs: false, asked: 0 }
  const raw = (address: string): RawAccount | null => {
    const account = ledger.account(address)
    return account === null ? null : { address, owner: account.owner, data: Buffer.from(account.data) }
  }
  const listed = (): AtSlot<RawAccount[]> => ({ slot: ledger.slot, value: ledger.daos.map(({ address }) => raw(address)!) })
  const client = createProgramClient(ledger.program)

  function startProcess ({ leads = false, pastMs, canBe }: { leads?: boolean, pastMs?: (slot: number) => number, canBe?: (slot: number) => boolean } = {}) {
    const known = { calls: 0, tokensFail: false, troubles: [] as unknown[], frozen: undefined as AtSlot<RawAccount[]> | undefined }
    const now = () => clock.now
    const ages = createSlotAges(now, pastMs)
    const reader = withLists({
      async programAccounts () {
        known.calls++
        return known.frozen ?? listed()
      },
      accounts: async addresses => ({ slot: ledger.slot, value: addresses.map(raw) })
    })
    const own: StatePlace = {
      publishes: async () => leads,
      async publish (state) {
        if (place.fails !== undefined) throw place.fails
        row = state
        published.push(state.slot)
      },
      async read (knownSlot) {
        place.asked++
        if (place.hangs) return await new Promise(() => {})
        if (place.fails !== undefined) throw place.fails
        return leads || row === undefined ? undefined : { ...row, bytes: row.slot === knownSlot ? null : row.bytes }
      }
    }
    const shared = createSharedState({
      place: () => own, program: ledger.program, prefix: client.daoPrefix, ttl: TTL, now, ages, ...(canBe && { canBe }), onTrouble: error => { known.troubles.push(error) }
    })
    const read = createSnapshotReader({ reader, tokens: createTokenReader({ reader, ttl: 1_000_000, now }), client, excluded: new Set(), now, ages, shared })
    const cache = createFreshCache<'all', Snapshot>({ load: read, ttl: TTL, staleIfError: 60_000, max: 1, now, readAt: ({ seenAt }) => seenAt })
    return { known, read, cache }
  }

  const passes = (ms: number): void => {
    clock.now += ms
    ledger.advance(ms / 1000)
  }
  return { ledger, clock, place, passes, published, raw, startProcess, listed, row: () => row, setRow (to: typeof row) { row = to } }
}

test('of three processes one asks the node at each refresh, and all show the same, as old as it is', async t => {
  const { clock, passes, published, startProcess } = setUp()
  const leader = startProcess({ leads: true })
  const followers = [startProcess(), startProcess()]
  for (let refresh = 1; refresh <= 5; refresh++) {
    const { value: { slot } } = await leader.cache.get('all', TTL * 0.7)
    await until('it is published', () => published.at(-1) === slot)
    for (let at = 0; at < 7; at++) {
      passes(1_000)
      for (const { cache } of followers) {
        const { value, age } = await cache.get('all', 0)
        t.same([value.slot, value.discovered.length, value.pairs.length, age], [slot, 2, 2, (at + 1) * 1_000])
      }
    }
    t.equal(leader.known.calls, refresh)
  }
  t.same(followers.map(({ known: { calls, troubles } }) => [calls, troubles]), [[0, []], [0, []]])
  t.equal(clock.now, 1_035_000)
})

test('as long as there is no newer state, what was made of it stands', async t => {
  const { published, passes, startProcess } = setUp()
  await startProcess({ leads: true }).read()
  await until('it is published', () => published.length === 1)
  const { read } = startProcess()
  const first = await read()
  passes(1_000)
  t.equal(await read(), first)
})

test('a state is read from the node where the published one is too old, by its age or by what is known of its slot', async t => {
  const { published, passes, startProcess } = setUp()
  const leader = startProcess({ leads: true })
  await leader.read()
  await until('it is published', () => published.length === 1)
  const past = { ms: 0 }
  const [plain, further] = [startProcess(), startProcess({ pastMs: slot => slot === published[0] ? past.ms : 0 })]
  passes(TTL - 1)
  past.ms = TTL
  await Promise.all([plain.read(), further.read()])
  t.same([plain.known.calls, further.known.calls], [0, 1], 'the nodes of the second have gone past it long ago')
  passes(1)
  await plain.read()
  t.equal(plain.known.calls, 1)
})

test('a leader whose node stands makes nobody fresh, and nobody go back', async t => {
  const { published, passes, startProcess, listed, setRow, row } = setUp()
  const leader = startProcess({ leads: true })
  leader.known.frozen = listed()
  await leader.read()
  await until('it is published', () => published.length === 1)
  const follower = startProcess()
  const { slot } = await follower.read()
  passes(TTL)
  await leader.read()
  const own = await follower.read()
  t.same([follower.known.calls, published.length], [1, 1])
  t.ok(own.slot > slot)
  setRow({ ...row()!, slot, seenAt: own.seenAt })
  t.equal((await follower.read()).slot, own.slot, 'what is published is behind')
  t.equal(follower.known.calls, 2)
})

test('what is published is believed no more than a node', async t => {
  const { ledger, clock, passes, listed, raw, setRow, startProcess } = setUp()
  const { value } = listed()
  const publish = async (accounts: RawAccount[], slot = ledger.slot, change = (bytes: Buffer) => bytes) =>
    setRow({ slot, seenAt: clock.now, bytes: change(await packAccounts(ledger.program, accounts)) })
  const stranger = { ...value[0]!, address: ledger.daos[0]!.base.address, data: Buffer.from('of another kind, whatever it is') }

  const bad: Array<[string, RawAccount[], ((bytes: Buffer) => Buffer)?]> = [
    ['another kind', [...value, stranger]], ['an account twice', [...value, value[0]!]], ['half of the bytes', value, bytes => bytes.subarray(0, bytes.length / 2)]
  ]
  for (const [name, accounts, change] of bad) {
    const follower = startProcess()
    await publish(accounts, ledger.slot, change)
    t.equal((await follower.read()).discovered.length, 2, name)
    t.same([follower.known.calls, follower.known.troubles.length], [1, 1], name)
    passes(1_000)
    await publish(value)
    await follower.read()
    t.same([follower.known.calls, follower.known.troubles.length, follower.known.troubles[1]], [1, 2, undefined], `${name}, then what is right`)
  }

  const follower = startProcess({ canBe: slot => slot < ledger.slot + 9_000 })
  await publish(value)
  await follower.read()
  t.equal(follower.known.calls, 0)
  await publish(value, ledger.slot + 10_000)
  await follower.read()
  t.equal(follower.known.calls, 1, 'a slot that can\'t be')
  passes(61_000)
  await publish([value[0]!])
  t.equal((await follower.read()).discovered.length, 2, 'an account less than was known for a minute')
  await publish([])
  t.equal((await follower.read()).discovered.length, 2)
  const mixed = { ...raw(ledger.daos[0]!.address)!, address: ledger.daos[1]!.address }
  await publish([mixed, raw(ledger.daos[0]!.address)!])
  const other = startProcess()
  t.equal((await other.read()).pairs.length, 2, 'an answer that is mixed up')
  t.equal(other.known.calls, 1)
})

test('a place that fails or hangs costs half a second at most, is told once, and harms nothing', async t => {
  const { place, passes, startProcess } = setUp()
  const [leader, follower] = [startProcess({ leads: true }), startProcess()]
  place.fails = new Error('no place')
  for (let at = 0; at < 3; at++) {
    passes(1_000)
    t.equal((await leader.read()).slot, (await follower.read()).slot)
  }
  await until('the leader has told', () => leader.known.troubles.length === 2)
  t.same([leader.known.calls, follower.known.calls], [3, 3])
  t.same(follower.known.troubles, [place.fails])
  place.fails = undefined
  place.hangs = true
  // the deadline's timer keeps no process alive, and a place that hangs does not either
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const asked = place.asked
  passes(1_000)
  await follower.read()
  await follower.read()
  t.equal(place.asked, asked + 1, 'while it hangs it is not asked again')
  t.same([follower.known.calls, follower.known.troubles.length], [5, 1])
})
