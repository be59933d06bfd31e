import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'tap'
import { keysOfData, readGrown } from '../../../../lib/protocol/events/grown.js'
import { layoutOf } from '../../../../lib/protocol/events/layouts.js'
import { ata } from '../../../../simulator/addresses.js'
import { base58 } from '../../../../simulator/index.js'
import { type Emitted, emitted, type EventForm, FORMS, isState, lengthOf, sampleOf } from '../../../support/event-forms.js'
import fc from '../../../support/property.js'

const hasState = ({ fields }: EventForm): boolean => fields.some(({ type }) => isState(type))
const STATEFUL = FORMS.filter(hasState)
const STATELESS = FORMS.filter(({ name }) => !STATEFUL.some(form => form.name === name))
const STRANGER = base58(Buffer.alloc(32, 99))

/** The keys of a transaction that acts on the event's pool. */
const accountsOf = ({ keys, amm }: Emitted): string[] => [keys['user'] ?? STRANGER, keys['dao']!, ata(keys['dao']!, amm!.baseMint), ata(keys['dao']!, amm!.quoteMint), STRANGER]

/** From the beginning of a live proposal's state to the byte in front of its last pool: what would be the tag, were that a spot pool. */
const BEFORE_LAST_POOL = 264

const inserted = (data: Buffer, at: number, bytes: Uint8Array): Buffer => Buffer.concat([data.subarray(0, at), bytes, data.subarray(at)])

/** What the state of an event shows, once so many bytes more stand in front of it and behind it. */
function shownBy ({ form, data, keys, amm, offsets }: Emitted, before = 0, behind = 0) {
  const from = offsets['amm']!
  const size = lengthOf({ name: '', fields: [{ name: 'amm', type: 'any' }] }, amm!.kind) - 40
  return {
    name: form.name,
    dao: keys['dao'],
    state: {
      kind: amm!.kind === 'spot' ? 'spot' : 'futarchy',
      from: from + before,
      behind: data.length - from - size + behind,
      reserves: { quote: amm!.spot.quote, base: amm!.spot.base },
      fees: { quote: amm!.spot.quoteFees, base: amm!.spot.baseFees }
    }
  }
}

test('a state is found wherever new fields have moved it, by the vaults that follow from the DAO and its mints', t => {
  const bytes = fc.uint8Array({ maxLength: 70 })
  for (const form of STATEFUL) {
    fc.assert(fc.property(emitted(form), bytes, bytes, fc.nat(20), (event, before, behind, nth) => {
      const places = Object.values(event.offsets).filter(at => at <= event.offsets['amm']!)
      const data = Buffer.concat([inserted(event.data, places[nth % places.length]!, before), behind])
      deepStrictEqual(readGrown(data, accountsOf(event)), { layout: layoutOf(data), data, ...shownBy(event, before.length, behind.length) })
    }), { numRuns: 25 })
  }
  t.end()
})

test('a state may begin where the common fields end, and the DAO may stand behind it', t => {
  for (const form of STATEFUL) {
    const event = sampleOf(form)
    const moved = Buffer.concat([event.data.subarray(0, 40), event.data.subarray(event.offsets['amm']), event.data.subarray(40, event.offsets['amm'])])
    t.match(readGrown(moved, accountsOf(event)), { ...shownBy(event), state: { ...shownBy(event).state, from: 40, behind: event.data.length - 40 - (event.amm!.kind === 'spot' ? 277 : 541) } })
    // one byte less in front, and it would have begun within them; the last pool of a live proposal is not to pass for a spot pool's state
    if (event.amm!.kind === 'live') moved[40 + BEFORE_LAST_POOL] = 9
    t.equal(readGrown(Buffer.concat([moved.subarray(0, 39), moved.subarray(40)]), accountsOf(event)), undefined)
  }
  t.end()
})

test('a live proposal\'s pools of small amounts are not taken for a spot pool', t => {
  const form = STATEFUL.find(({ name }) => name === 'LaunchProposal')!
  const event = fc.sample(emitted(form), { seed: 5, numRuns: 1 })[0]!
  // the oracle and balances of the fail pool then look like those behind the tag of a spot pool
  event.data.fill(0, event.offsets['amm']! + BEFORE_LAST_POOL - 7, event.offsets['amm']! + BEFORE_LAST_POOL + 1)
  t.match(readGrown(inserted(event.data, 40, Buffer.alloc(3)), accountsOf(event)), { state: { kind: 'futarchy', from: event.offsets['amm']! + 3 } })
  t.end()
})

test('what does not prove itself tells nothing', t => {
  for (const form of STATEFUL) {
    const event = sampleOf(form)
    if (event.amm!.kind === 'live') event.data[event.offsets['amm']! + BEFORE_LAST_POOL] = 9
    const [, dao, baseVault, quoteVault] = accountsOf(event) as [string, string, string, string]
    const data = Buffer.concat([event.data, Buffer.alloc(8, 7)])
    const from = event.offsets['amm']!
    const mints = from + (event.amm!.kind === 'spot' ? 149 : 413)
    t.ok(readGrown(data, [dao, baseVault, quoteVault]))
    for (const accounts of [[], [baseVault, quoteVault], [dao, quoteVault], [dao, baseVault], [STRANGER, baseVault, quoteVault]]) t.equal(readGrown(data, accounts), undefined)
    const bent = (at: number, ...bytes: number[]): Buffer => Buffer.concat([data.subarray(0, at), Buffer.from(bytes), data.subarray(at + bytes.length)])
    const refused = (what: string, changed: Buffer): void => { t.equal(readGrown(changed, [dao, baseVault, quoteVault]), undefined, { message: `${form.name}: ${what}`, diagnostic: false }) }
    refused('another tag', bent(from, 2))
    refused('the other kind\'s tag', bent(from, event.amm!.kind === 'spot' ? 1 : 0))
    for (const at of [mints, mints + 31, mints + 32, mints + 63, mints + 64, mints + 95, mints + 96, mints + 127]) refused(`a bit of byte ${at - mints} of the mints and vaults`, bent(at, data[at]! ^ 1))
    refused('cut within the vaults', event.data.subarray(0, mints + 127))
    const swapped = Buffer.concat([data.subarray(0, mints + 64), data.subarray(mints + 96, mints + 128), data.subarray(mints + 64, mints + 96), data.subarray(mints + 128)])
    refused('the vaults in the other order', swapped)
  }
  t.end()
})

test('a pool began after 2019 and before 2129, or it is none', t => {
  const event = sampleOf(STATEFUL[0]!)
  const at = (second: number): boolean => {
    const data = Buffer.concat([event.data, Buffer.alloc(1)])
    data.writeBigInt64LE(BigInt(second), event.offsets['amm']! + 25)
    return readGrown(data, accountsOf(event)) !== undefined
  }
  const first = Date.UTC(2020, 0, 1) / 1000
  t.same([first, first + 1, Date.UTC(2026, 0, 2) / 1000, 4_999_999_999].map(at), [false, true, true, true])
  t.same([0, -1, -1_767_225_600, first - 1, 5_000_000_000, Date.UTC(2129, 0, 1) / 1000].map(at), [false, false, false, false, false, false])
  t.end()
})

test('an event without a state has grown where it is longer than any form of it; of one of any length that can\'t be told', t => {
  for (const form of STATELESS) {
    const event = sampleOf(form)
    const { data } = event
    const isExact = !['InitializeDao', 'UpdateDao', 'InitializeProposal', 'SetSpendingLimit', 'SyncSpendingLimit'].includes(form.name)
    for (const bytes of [1, 2, 32, 541]) {
      const longer = Buffer.concat([data, Buffer.alloc(bytes)])
      t.strictSame(readGrown(longer, [STRANGER]), isExact ? { name: form.name, layout: layoutOf(data), data: longer, dao: null, state: null } : undefined)
    }
    t.equal(readGrown(data, [STRANGER]), undefined, 'as long as it was')
    t.equal(readGrown(data.subarray(0, -1), [STRANGER]), undefined, 'shorter')
  }
  t.end()
})

test('of data that name no known event nothing is told', t => {
  const event = sampleOf(STATEFUL[0]!)
  for (const length of [0, 8, 15, 16, 40]) t.equal(readGrown(event.data.subarray(0, length), accountsOf(event)), undefined)
  const other = Buffer.concat([event.data, Buffer.alloc(1)])
  other[8]! ^= 1
  t.equal(readGrown(other, accountsOf(event)), undefined)
  t.end()
})

test('keys of the transaction are found anywhere behind the common fields, once each, as they stand', t => {
  const key = (value: number): Buffer => Buffer.from(Array.from({ length: 32 }, (_, i) => i * value % 251))
  const [a, b, c, d] = [3, 5, 7, 11].map(key) as [Buffer, Buffer, Buffer, Buffer]
  const data = Buffer.concat([Buffer.alloc(40, 1), b, Buffer.alloc(3), a, b, Buffer.alloc(1), c])
  t.same(keysOfData(data, [a, b, c, d].map(base58)), [b, a, c].map(base58))
  t.same(keysOfData(data, [c, b, a, c, a].map(base58)), [b, a, c].map(base58))
  t.same(keysOfData(data, [STRANGER]), [])
  t.same(keysOfData(data, []), [])
  t.same(keysOfData(Buffer.concat([Buffer.alloc(39, 1), a]), [base58(a)]), [], 'not within them')
  t.same(keysOfData(data.subarray(0, -1), [base58(c)]), [], 'not in part')
  t.end()
})
