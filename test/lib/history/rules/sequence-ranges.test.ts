import { test } from 'tap'
import { insert, rangeOf, type FoundFee } from '../../../../lib/history/rules/sequence-ranges.js'
import type { SequenceRange, StoredEvent } from '../../../../lib/history/rules/rows.js'
import fc from '../../../support/property.js'

interface Made { seq: bigint, side: 'buy' | 'sell' | null, fee: bigint }

/**
 * Events of one DAO as the program numbers them, each with the fee balances after it. Events without a swap touch no
 * balance.
 */
function eventsOf (made: Made[]): Array<{ event: StoredEvent, keepsFees: boolean }> {
  const balances = { base: 0n, quote: 0n }
  return made.map(({ seq, side, fee }) => {
    if (side !== null) balances[side === 'buy' ? 'quote' : 'base'] += fee
    const event = {
      dao: 'dao',
      seq,
      kind: side === null ? 'other' : 'SpotSwap',
      slot: Number(seq),
      at: Number(seq),
      signature: `s${seq}`,
      eventIndex: 0,
      swap: side === null ? null : { side, input: 100n, output: 99n, fee: null },
      fees: side === null ? null : { ...balances },
      reserves: null,
      reason: null,
      raw: null
    } as unknown as StoredEvent
    return { event, keepsFees: side === null }
  })
}

const arbitrary = fc.array(
  fc.record({ side: fc.constantFrom('buy' as const, 'sell' as const, null), fee: fc.bigInt(0n, 10n ** 12n) }),
  { minLength: 1, maxLength: 25 }
)
  .map(list => list.map((one, at): Made => ({ ...one, seq: BigInt(at + 1) })))

test('in whatever order events arrive, the fees found are those that were taken, and one range is left', t => {
  fc.assert(fc.property(arbitrary.chain(
    made => fc.tuple(fc.constant(made), fc.shuffledSubarray(made.map((_, at) => at), { minLength: made.length }))
  ), ([made, order]) => {
    const events = eventsOf(made)
    const ranges: SequenceRange[] = []
    const found: FoundFee[] = []
    for (const at of order) {
      const { event, keepsFees } = events[at]!
      const settled = insert(ranges, rangeOf(event, keepsFees))
      if (settled === undefined) throw new Error('held before it came')
      found.push(...settled)
      if (insert(ranges, rangeOf(event, keepsFees)) !== undefined) throw new Error('not held after it came')
    }
    if (ranges.length !== 1 || ranges[0]!.first !== 1n ||
      ranges[0]!.last !== BigInt(made.length)) throw new Error('not one range')
    // the first swap of the run has no balance before it
    const settled = made.filter(({ side }) => side !== null).slice(1)
    const expected = new Map(settled.map(({ seq, fee }) => [seq, fee]))
    for (const { swap, fee } of found) if (expected.get(swap.seq) !== fee) throw new Error(`fee of ${swap.seq}: ${fee}`)
    if (found.length !== settled.length) throw new Error(`${found.length} fees of ${settled.length}`)
  }))
  t.end()
})

test('a fee balance that falls over a swap tells no fee', t => {
  const ranges: SequenceRange[] = []
  const [first, second] = eventsOf([{ seq: 1n, side: 'buy', fee: 10n }, { seq: 2n, side: 'buy', fee: 10n }])
  second!.event.fees = { base: 0n, quote: 3n }
  const found = [first!, second!].map(({ event, keepsFees }) => insert(ranges, rangeOf(event, keepsFees)))
  t.same([found, ranges.length], [[[], []], 1])
  t.end()
})

/** Ranges of events that touch no fee, with their numbers as slots. */
function rangesOf (...held: Array<[first: bigint, last: bigint]>): SequenceRange[] {
  const [event] = eventsOf([{ seq: 1n, side: null, fee: 0n }])
  return held.map(([first, last]) => ({
    ...rangeOf(event!.event, true), first, last, firstSlot: Number(first), lastSlot: Number(last)
  }))
}

test('a number is held where a range has it, both ends included, however many ranges there are', t => {
  const ranges = rangesOf([2n, 3n], [5n, 5n], [8n, 12n], [20n, 21n], [30n, 30n])
  const held = (seq: bigint): boolean => [[2, 3], [5, 5], [8, 12], [20, 21], [30, 30]].some(
    ([first, last]) => seq >= first! && seq <= last!
  )
  for (let seq = 0n; seq < 40n; seq++) {
    const [range] = rangesOf([seq, seq])
    t.equal(insert([...ranges], range!) === undefined, held(seq), `${seq}`)
  }
  t.end()
})

test('a range begins with one event; the swap in it waits for the balance before it', t => {
  const [other, swap] = eventsOf([{ seq: 7n, side: null, fee: 0n }, { seq: 8n, side: 'buy', fee: 5n }])
  t.match(
    rangeOf(other!.event, true),
    { first: 7n, last: 7n, firstSlot: 7, lastSlot: 7, keepsFees: true, feeBalancesAfter: null, pendingSwap: null }
  )
  t.match(rangeOf(other!.event, false), { keepsFees: false })
  t.match(
    rangeOf(swap!.event, true),
    { keepsFees: false, feeBalancesAfter: { base: 0n, quote: 5n }, pendingSwap: { seq: 8n, feeBalanceAfter: 5n } }
  )
  t.equal(rangeOf({ ...swap!.event, fees: null }, false).pendingSwap, null, 'without a balance nothing is settled')
  t.end()
})

test('an event that may have changed the balances without saying so ends what is known of them', t => {
  const [first, unknown, swap] = eventsOf(
    [{ seq: 1n, side: 'buy', fee: 10n }, { seq: 2n, side: null, fee: 0n }, { seq: 3n, side: 'buy', fee: 10n }]
  )
  for (const order of [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1, 0, 2]]) {
    const ranges: SequenceRange[] = []
    const found = order.flatMap(at => insert(ranges, rangeOf([first, unknown, swap][at]!.event, false)))
    t.same(found, [], `${order.join()}`)
    t.match(ranges, [{
      first: 1n,
      last: 3n,
      firstSlot: 1,
      lastSlot: 3,
      firstAt: 1,
      lastAt: 3,
      keepsFees: false,
      feeBalancesAfter: { quote: 20n },
      pendingSwap: { seq: 1n }
    }])
  }
  t.end()
})
