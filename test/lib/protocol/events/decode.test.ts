import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'tap'
import { decodeEvent, type EventBody, UNKNOWN_KIND } from '../../../../lib/protocol/events/decode.js'
import { base58 } from '../../../../simulator/index.js'
import {
  type Emitted, emitted, type EventForm, FORMS, isState, lengthOf, sampleOf
} from '../../../support/event-forms.js'
import fc from '../../../support/property.js'

/** Events that can move fees into the spot pool or out of it, or that say how many there are. */
const MOVES_FEES = [
  'SpotSwap', 'ConditionalSwap', 'CollectFees', 'InitializeDao', 'LaunchProposal', 'FinalizeProposal',
  'AdminCancelProposal', 'ApplyLiquidation'
]

function liquidityOf ({ form: { name }, numbers, amm }: Emitted): EventBody['liquidity'] {
  if (name === 'ProvideLiquidity') return { quote: numbers['quoteIn']!, base: numbers['baseIn']! }
  if (name === 'WithdrawLiquidity') return { quote: -numbers['quoteOut']!, base: -numbers['baseOut']! }
  // a proposal's pass pool begins with what has come out of the spot pool
  return name === 'LaunchProposal' ? { quote: -amm!.pass.quote, base: -amm!.pass.base } : null
}

/** What an event tells of a decision, or of an external pool. */
function factsOf ({ form: { name }, keys, numbers, amm }: Emitted): EventBody['facts'] {
  const none = { proposal: keys['proposal'] ?? null, swap: null, averages: null, collected: null }
  if (name === 'ConditionalSwap') {
    const market = numbers['market'] === 1n ? 'pass' : 'fail'
    const reserves = amm && { quote: amm[market].quote, base: amm[market].base }
    return { ...none, swap: { ...swapOf(numbers), market, reserves } }
  }
  if (name === 'FinalizeProposal') {
    return {
      ...none, averages: { pass: numbers['passTwap']!, fail: numbers['failTwap']!, threshold: numbers['threshold']! }
    }
  }
  if (name === 'CollectMeteoraDammFees') {
    const { quoteCollected: quote, baseCollected: base } = numbers
    return {
      ...none, collected: { quote: quote!, base: base!, quoteMint: keys['quoteMint']!, baseMint: keys['baseMint']! }
    }
  }
  return ['InitializeProposal', 'AdminCancelProposal', 'RemoveProposal'].includes(name) ? none : null
}

const swapOf = (numbers: Emitted['numbers']): NonNullable<EventBody['swap']> =>
  ({ side: numbers['type'] === 0n ? 'buy' : 'sell', input: numbers['input']!, output: numbers['output']! })

/** What the fields of an event mean. */
function meaningOf (event: Emitted): EventBody {
  const { form: { name }, keys, numbers, amm } = event
  const isSwap = name === 'SpotSwap'
  return {
    name: name as EventBody['name'],
    slot: Number(event.slot),
    at: Number(event.at),
    seq: event.seq,
    dao: keys['dao'] ?? null,
    proposal: keys['proposal'] ?? null,
    user: keys['user'] ?? null,
    candidates: [],
    fees: name === 'InitializeDao'
      ? { quote: 0n, base: 0n }
      : amm && {
        quote: amm.spot.quoteFees, base: amm.spot.baseFees
      },
    reserves: amm && { quote: amm.spot.quote, base: amm.spot.base },
    keepsFees: !MOVES_FEES.includes(name),
    swap: isSwap ? swapOf(numbers) : null,
    liquidity: liquidityOf(event),
    facts: factsOf(event),
    reason: null,
    raw: null
  }
}

/** What is left of an event whose bytes fit no released form: what stands where it stands in all of them. */
function remainsOf (
  { data, ...event }: Emitted, reason: EventBody['reason'],
  has: 'common' | 'nothing' = data.length < 40 ? 'nothing' : 'common'
): EventBody {
  const keyOf = (field: string): string | null => {
    const at = event.offsets[field]
    return at !== undefined && data.length >= at + 32 ? event.keys[field] ?? null : null
  }
  const common = has === 'common'
    ? {
        slot: Number(event.slot), at: Number(event.at), seq: event.seq
      }
    : { slot: null, at: null, seq: null }
  return {
    ...common,
    name: 'Unreadable',
    dao: keyOf('dao'),
    proposal: keyOf('proposal'),
    user: keyOf('user'),
    candidates: [40, 72].filter(at => data.length >= at + 32).map(at => base58(data.subarray(at, at + 32))),
    fees: null,
    reserves: null,
    keepsFees: false,
    swap: null,
    liquidity: null,
    facts: null,
    reason,
    raw: data
  }
}

test('every released form of every event says what its fields say', t => {
  for (const form of FORMS) {
    fc.assert(
      fc.property(emitted(form), event => deepStrictEqual(decodeEvent(event.data), meaningOf(event))), { numRuns: 30 }
    )
  }
  t.end()
})

/** Without a state in any release: of any length from its shortest form on. */
const isOpenEnded = ({ name }: EventForm): boolean => FORMS.every(other => other.name !== name || !hasState(other))
const hasState = ({ fields }: EventForm): boolean => fields.some(({ type }) => isState(type))
const kindOf = ({ amm }: Emitted): 'spot' | 'live' => amm?.kind ?? 'spot'
const beginsWith = (form: EventForm, other: EventForm): boolean => other.fields.every(
  ({ name, type }, i) => form.fields[i]?.name === name && form.fields[i].type === type
)

/** The released form that an event's first `length` bytes are, if any. */
function formOfFirst (event: Emitted, length: number): EventForm | undefined {
  const forms = FORMS.filter(({ name }) => name === event.form.name)
  if (isOpenEnded(event.form)) {
    return length >= Math.min(...forms.map(form => lengthOf(form, 'spot')))
      ? event.form
      : undefined
  }
  return forms.find(form => lengthOf(form, kindOf(event)) === length && beginsWith(event.form, form))
}

test(
  'an event cut at any byte is read where that was released, and else kept: with its bytes, ' +
    'and the keys that are whole',
  t => {
    for (const form of FORMS) {
      const event = sampleOf(form)
      for (let length = 0; length < event.data.length; length++) {
        const data = event.data.subarray(0, length)
        const read = decodeEvent(data)
        const rest = formOfFirst(event, length)
        // before the discriminator nobody knows what stands where
        const kept = remainsOf({ ...event, data, keys: length < 16 ? {} : event.keys }, read.reason)
        deepStrictEqual(
          read,
          rest === undefined ? kept : meaningOf(hasState(rest) ? event : { ...event, amm: null }),
        `${length} bytes of ${form.name}`
        )
      }
    }
    t.end()
  }
)

test('an event with a tail is read by what is known of it; one that once had no state was never longer', t => {
  for (const form of FORMS) {
    for (const event of [1, 2, 3, 4].map(seed => sampleOf(form, seed))) {
      for (const bytes of [...Array.from({ length: 70 }, (_, i) => i + 1), 132, 133, 263, 264, 265, 277, 541]) {
        // no byte of it could be the tag of a state
        const data = Buffer.concat([event.data, Buffer.alloc(bytes, 0xa5)])
        const read = decodeEvent(data)
        const wasBare = !hasState(form) && FORMS.some(other => other.name === form.name && hasState(other))
        deepStrictEqual(
          read,
          wasBare ? remainsOf({ ...event, data }, read.reason) : meaningOf(event),
          `${form.name} and ${bytes} bytes`
        )
      }
    }
  }
  t.end()
})

test('an event that has changed in its middle is kept, whatever stands where its state was', t => {
  for (const form of FORMS.filter(hasState)) {
    for (const event of [1, 2, 3].map(seed => sampleOf(form, seed))) {
      const at = event.offsets['amm']!
      for (const bytes of [1, 8, 16, 32]) {
        for (const fill of [0, 1, 7]) {
          const data = Buffer.concat([event.data.subarray(0, at), Buffer.alloc(bytes, fill), event.data.subarray(at)])
          if (FORMS.some(other => other.name === form.name && lengthOf(other, kindOf(event)) === data.length)) continue
          const read = decodeEvent(data)
          deepStrictEqual(
            read, remainsOf({ ...event, data }, read.reason), `${form.name} with ${bytes} bytes of ${fill}`
          )
        }
      }
    }
  }
  t.end()
})

test('a state that there is no room for, or of no kind, is none', t => {
  for (const form of FORMS.filter(hasState)) {
    const event = sampleOf(form)
    for (const tag of [1, 2, 3, 255].filter(tag => tag !== event.data[event.offsets['amm']!])) {
      const data = Buffer.from(event.data)
      data[event.offsets['amm']!] = tag
      const read = decodeEvent(data)
      deepStrictEqual(read, remainsOf({ ...event, data }, read.reason), `${form.name} with tag ${tag}`)
    }
  }
  t.end()
})

test('a swap is a buy or a sale, on a market that there is, and nothing else', t => {
  for (const form of FORMS.filter(({ name }) => name.endsWith('Swap'))) {
    const event = sampleOf(form)
    const refused = (field: string, value: number) => {
      const data = Buffer.from(event.data)
      data[event.offsets[field]!] = value
      const [type, market] = ['type', 'market'].map(name => data[event.offsets[name] ?? -1])
      const reason = form.name === 'SpotSwap'
        ? `SpotSwap of type ${type}`
        : `ConditionalSwap of type ${type} on market ${market}`
      t.strictSame(decodeEvent(data), remainsOf({ ...event, data }, reason))
    }
    for (const type of [2, 3, 128, 255]) refused('type', type)
    if (form.name === 'ConditionalSwap') for (const market of [0, 3, 255]) refused('market', market)
  }
  t.end()
})

test('slots are whole numbers, times are seconds from 1970 to the year 9999; what says another is kept', t => {
  const event = sampleOf(FORMS[0]!)
  const at = (offset: number, value: bigint): EventBody => {
    const data = Buffer.from(event.data)
    data.writeBigInt64LE(value, offset)
    return decodeEvent(data)
  }
  const [slot, time] = [16, 24]
  for (const value of [0, 1, Number.MAX_SAFE_INTEGER]) {
    t.match(at(slot, BigInt(value)), { name: 'SpotSwap', slot: value })
  }
  for (const value of [BigInt(Number.MAX_SAFE_INTEGER) + 1n, -1n]) {
    t.match(at(slot, value), { name: 'Unreadable', slot: null, at: Number(event.at), swap: null })
  }
  const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000
  for (const value of [0, 1, last]) t.match(at(time, BigInt(value)), { name: 'SpotSwap', at: value })
  for (const value of [BigInt(last) + 1n, -1n]) {
    t.match(at(time, value), { name: 'Unreadable', at: null, slot: Number(event.slot), swap: null })
  }
  t.end()
})

test(
  'an event of a name that is not known keeps its bytes, and the keys at the two places where a DAO may stand',
  t => {
    const event = sampleOf(FORMS[0]!)
    const bent = (length: number): Buffer => {
      const data = Buffer.from(event.data.subarray(0, length))
      data.fill(0xee, 8, Math.min(16, length))
      return data
    }
    for (const length of [40, 71, 72, 103, 104, 406]) {
      const data = bent(length)
      t.strictSame(
        decodeEvent(data),
        { ...remainsOf({ ...event, data }, UNKNOWN_KIND), name: 'Unknown', dao: null, proposal: null, user: null }
      )
    }
    for (const length of [0, 15, 16, 39]) {
      t.match(decodeEvent(bent(length)), {
        name: 'Unreadable',
        slot: null,
        at: null,
        seq: null,
        dao: null,
        reason: `${length} bytes end before the sequence number`
      })
    }
    t.end()
  }
)

test('no change of an event makes the reader throw, and what it can\'t read it keeps', t => {
  const any = fc.oneof(...FORMS.map(emitted))
  fc.assert(fc.property(any, fc.array(
    fc.tuple(fc.nat(760), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }
  ), fc.nat(800), ({ data }, changes, length) => {
    const bytes = Buffer.from(data.subarray(0, length))
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
    const event = decodeEvent(bytes)
    return event.raw === null
      ? event.seq !== null && event.at !== null && event.slot !== null
      : event.raw.equals(bytes) && event.swap === null && event.reserves === null && event.liquidity === null
  }), { numRuns: 3000 })
  t.end()
})
