import fc from 'fast-check'
import { test } from 'tap'
import { difference, holds, insert, rangeOf } from '../../../../lib/history/rules/sequence-ranges.js'
import type { FoundFee } from '../../../../lib/history/rules/swap-fee.js'
import type { SequenceRange, StoredEvent } from '../../../../lib/history/rules/types.js'

interface Made { seq: bigint, side: 'buy' | 'sell' | null, fee: bigint }

/** Events of one DAO as the program numbers them, each with the fee balances after it. Events without a swap touch no balance. */
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

const arbitrary = fc.array(fc.record({ side: fc.constantFrom('buy' as const, 'sell' as const, null), fee: fc.bigInt(0n, 10n ** 12n) }), { minLength: 1, maxLength: 25 })
  .map(list => list.map((one, at): Made => ({ ...one, seq: BigInt(at + 1) })))

test('in whatever order events arrive, the fees found are those that were taken, and one range is left', t => {
  fc.assert(fc.property(arbitrary.chain(made => fc.tuple(fc.constant(made), fc.shuffledSubarray(made.map((_, at) => at), { minLength: made.length }))), ([made, order]) => {
    const events = eventsOf(made)
    const ranges: SequenceRange[] = []
    const found: FoundFee[] = []
    for (const at of order) {
      const { event, keepsFees } = events[at]!
      if (holds(ranges, event.seq)) throw new Error('held before it came')
      insert(ranges, rangeOf(event, keepsFees), found)
      if (!holds(ranges, event.seq)) throw new Error('not held after it came')
    }
    if (ranges.length !== 1 || ranges[0]!.first !== 1n || ranges[0]!.last !== BigInt(made.length)) throw new Error('not one range')
    // the first swap of the run has no balance before it
    const settled = made.filter(({ side }) => side !== null).slice(1)
    const expected = new Map(settled.map(({ seq, fee }) => [seq, fee]))
    for (const { swap, fee } of found) if (expected.get(swap.seq) !== fee) throw new Error(`fee of ${swap.seq}: ${fee}`)
    if (found.length !== settled.length) throw new Error(`${found.length} fees of ${settled.length}`)
  }))
  t.end()
})

test('a fee balance that falls over a swap tells no fee', t => {
  const found: FoundFee[] = []
  const ranges: SequenceRange[] = []
  const [first, second] = eventsOf([{ seq: 1n, side: 'buy', fee: 10n }, { seq: 2n, side: 'buy', fee: 10n }])
  second!.event.fees = { base: 0n, quote: 3n }
  for (const { event, keepsFees } of [first!, second!]) insert(ranges, rangeOf(event, keepsFees), found)
  t.same([found, ranges.length], [[], 1])
  t.end()
})

test('what has to be written and deleted', t => {
  const [one, two, three] = eventsOf([1n, 2n, 5n].map(seq => ({ seq, side: null, fee: 0n }))).map(({ event }) => rangeOf(event, true))
  const ranges = [one!, three!]
  const old = [...ranges]
  insert(ranges, two!, [])
  const { put, drop } = difference(old, ranges)
  t.same([put.map(({ first, last }) => [first, last]), drop], [[[1n, 2n]], []])
  const filled = [...ranges]
  insert(filled, { ...two!, first: 3n, last: 4n }, [])
  t.same(difference(ranges, filled).drop, [5n])
  t.end()
})
