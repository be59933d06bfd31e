import { test } from 'tap'
import { add, compare, ratio, ZERO, type Rational } from '../../../../lib/decimal.js'
import { planStep, type AttributedEvent } from '../../../../lib/history/rules/plan-step.js'
import type { SequenceRange, StoredEvent } from '../../../../lib/history/rules/rows.js'
import { SCALE, sumOf } from '../../../../lib/history/rules/fixed-point.js'
import { dayOf } from '../../../../lib/time.js'
import { swapVolume, type VolumeRule } from '../../../../lib/market/volume.js'
import fc from '../../../support/property.js'

type Kind = 'swap' | 'bare swap' | 'collect' | 'neutral' | 'unknown'
interface Made { kind: Kind, side: 'buy' | 'sell', input: bigint, output: bigint, bps: bigint, wait: number }

const made = fc.record<Made>({
  kind: fc.constantFrom<Kind>('swap', 'swap', 'swap', 'bare swap', 'collect', 'neutral', 'unknown'),
  side: fc.constantFrom('buy', 'sell'),
  input: fc.bigInt(1n, (1n << 64n) - 1n),
  output: fc.bigInt(0n, (1n << 64n) - 1n),
  bps: fc.constantFrom(25n, 50n),
  wait: fc.nat(40_000)
})

/** The events of one DAO as the program would number them. */
function chain (dao: string, list: readonly Made[]): AttributedEvent[] {
  const fees = { quote: 0n, base: 0n }
  let at = 1_767_225_600
  const event = (seq: number, rest: Partial<StoredEvent>): StoredEvent => ({
    dao,
    seq: BigInt(seq),
    kind: 'SpotSwap',
    slot: seq,
    at,
    signature: `${dao}${seq}`,
    eventIndex: 0,
    blockIndex: null,
    maker: 'maker',
    liquidity: null,
    swap: null,
    fees: null,
    reserves: null,
    facts: null,
    reason: null,
    raw: null,
    ...rest
  })
  const events: AttributedEvent[] = [
    { event: event(1, { kind: 'InitializeDao', fees: { ...fees } }), keepsFees: false }
  ]
  for (const [index, { kind, side, input, output, bps, wait }] of list.entries()) {
    at += wait
    const seq = index + 2
    const isSwap = kind === 'swap' || kind === 'bare swap'
    if (isSwap) fees[side === 'buy' ? 'quote' : 'base'] += input - input * (10_000n - bps) / 10_000n
    if (kind === 'collect') fees.quote = fees.base = 0n
    events.push({
      event: event(seq, {
        swap: isSwap ? { side, input, output, fee: null } : null,
        fees: kind === 'swap' || kind === 'collect' ? { ...fees } : null
      }),
      keepsFees: kind === 'neutral'
    })
  }
  return events
}

/**
 * The fee of each swap by the rule itself: back from it over known neighbours to the last one that tells the balances.
 */
function feesByRule (events: readonly AttributedEvent[]): Map<bigint, bigint | null> {
  const bySeq = new Map(events.map(attributed => [attributed.event.seq, attributed]))
  const found = new Map<bigint, bigint | null>()
  for (const { event: { seq, swap, fees } } of events) {
    if (swap === null) continue
    let before = bySeq.get(seq - 1n)
    while (before !== undefined && before.keepsFees && before.event.fees === null) {
      before = bySeq.get(before.event.seq - 1n)
    }
    const side = swap.side === 'buy' ? 'quote' : 'base'
    const known = fees !== null && before?.event.fees != null
    found.set(seq, known ? fees[side] - before!.event.fees![side] : null)
  }
  return found
}

const clone = ({ event, keepsFees }: AttributedEvent): AttributedEvent => ({
  event: { ...event, swap: event.swap && { ...event.swap } }, keepsFees
})

/** What is kept after the events have come in the given batches. */
function keep (batches: readonly AttributedEvent[][], valuation: VolumeRule) {
  const sequenceRanges = new Map<string, SequenceRange[]>()
  const stored = new Map<string, StoredEvent>()
  const days = new Map<string, { base: bigint, quote: bigint, trades: number }>()
  let rates = new Map<string, number>()
  for (const batch of batches) {
    const planned = planStep({ sequenceRanges, rates }, batch.map(clone), valuation)
    for (const event of planned.events) stored.set(`${event.dao} ${event.seq}`, event)
    for (const { dao, seq, fee } of planned.fees) stored.get(`${dao} ${seq}`)!.swap!.fee = fee
    for (const [dao, ranges] of planned.sequenceRanges) sequenceRanges.set(dao, ranges)
    for (const { dao, size, start, base, quote, trades } of planned.candles) {
      if (size !== 'days') continue
      const day = dayOf(start)
      const old = days.get(`${dao} ${day}`) ?? { base: 0n, quote: 0n, trades: 0 }
      days.set(`${dao} ${day}`, { base: old.base + base, quote: old.quote + quote, trades: old.trades + trades })
    }
    rates = planned.rates
  }
  const sorted = <T>(map: Map<string, T>) => [...map].sort(([a], [b]) => a < b ? -1 : 1)
  return {
    stored,
    sequenceRanges: sorted(sequenceRanges),
    days: sorted(days),
    rates: sorted(rates).filter(([, swaps]) => swaps !== 0)
  }
}

const valuations = fc.record<VolumeRule>({
  rate: fc.constantFrom(ratio(25n, 10_000n), ratio(1n, 200n), ratio(3n, 1000n)), basis: fc.constantFrom('input', 'fees')
})
const text = (_: string, value: unknown) => typeof value === 'bigint'
  ? String(value)
  : value instanceof Map ? [...value].sort(([a], [b]) => a < b ? -1 : 1) : value
const withoutEnds = ({ firstSlot, lastSlot, firstAt, lastAt, ...rest }: SequenceRange) => rest

test('whatever the order of arrival and the steps: the same runs, fees, sums and rates', async () => {
  const lists = fc.tuple(fc.array(made, { maxLength: 25 }), fc.array(made, { maxLength: 6 }))
  fc.assert(fc.property(lists, valuations, fc.infiniteStream(fc.nat()), fc.nat(4), (
    [a, b], valuation, random, lossy
  ) => {
    const pick = (below: number) => random.next().value! % below
    const all = [...chain('A', a), ...chain('B', b)].filter(() => lossy !== 0 || pick(5) !== 0)
    const shuffled = all.flatMap(attributed => pick(6) === 0 ? [attributed, attributed] : [attributed])
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = pick(at + 1);
      [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!]
    }
    const batches: AttributedEvent[][] = []
    for (let at = 0; at < shuffled.length;) {
      const size = 1 + pick(7)
      batches.push(shuffled.slice(at, at += size))
    }
    const kept = keep(batches, valuation)
    const inOrder = keep([all], valuation)
    if (JSON.stringify(kept, text) !== JSON.stringify(inOrder, text)) return false
    for (const dao of ['A', 'B']) {
      const mine = all.filter(({ event }) => event.dao === dao)
      for (const [seq, fee] of feesByRule(mine)) if (kept.stored.get(`${dao} ${seq}`)!.swap!.fee !== fee) return false
    }
    return sumsAreRight(kept, valuation)
  }), { numRuns: 400 })
})

/** The kept day sums against exact sums of the stored swaps. */
function sumsAreRight ({ stored, days }: ReturnType<typeof keep>, valuation: VolumeRule): boolean {
  const exact = new Map<string, { base: Rational, quote: Rational, trades: number }>()
  for (const { dao, at, swap } of stored.values()) {
    if (swap === null) continue
    const key = `${dao} ${dayOf(at)}`
    const old = exact.get(key) ?? { base: ZERO, quote: ZERO, trades: 0 }
    const { base, quote } = swapVolume(swap, valuation)
    exact.set(key, { base: add(old.base, base), quote: add(old.quote, quote), trades: old.trades + 1 })
  }
  const near = (scaled: bigint, count: number, { n, d }: Rational) => {
    const kept = sumOf(scaled, count)
    const apart = kept.n * d - n * kept.d
    return compare({ n: apart < 0n ? -apart : apart, d: kept.d * d }, { n: BigInt(2 * count), d: SCALE }) <= 0
  }
  return days.length === exact.size && days.every(([key, sums]) => {
    const { base, quote, trades } = exact.get(key)!
    return trades === sums.trades && near(sums.base, trades, base) && near(sums.quote, trades, quote)
  })
}

test('runs close over a sequence gap as soon as it is filled, and only then is the fee known', async t => {
  const events = chain('A', [
    { kind: 'swap', side: 'buy', input: 1000n, output: 9n, bps: 50n, wait: 1 },
    { kind: 'neutral', side: 'buy', input: 1n, output: 0n, bps: 50n, wait: 1 },
    { kind: 'swap', side: 'buy', input: 2000n, output: 9n, bps: 50n, wait: 1 }
  ])
  const valuation: VolumeRule = { rate: ratio(1n, 200n), basis: 'input' }
  const half = keep([[events[3]!], [events[1]!], [events[0]!]], valuation)
  t.same(half.sequenceRanges[0]![1].map(({ first, last }) => [first, last]), [[1n, 2n], [4n, 4n]])
  t.equal(half.stored.get('A 4')!.swap!.fee, null)
  t.equal(half.stored.get('A 2')!.swap!.fee, 5n)
  const whole = keep([[events[3]!], [events[1]!], [events[0]!], [events[2]!]], valuation)
  t.match(
    whole.sequenceRanges[0]![1].map(withoutEnds),
    [{ first: 1n, last: 4n, keepsFees: false, feeBalancesAfter: { quote: 15n, base: 0n }, pendingSwap: null }]
  )
  t.equal(whole.stored.get('A 4')!.swap!.fee, 10n)
})

test('a balance that fell over a swap tells no fee', async t => {
  const events = chain('A', [{ kind: 'swap', side: 'buy', input: 1000n, output: 9n, bps: 50n, wait: 1 }])
  events[0]!.event.fees = { quote: 10n ** 6n, base: 0n }
  const kept = keep([events], { rate: ratio(1n, 200n), basis: 'input' })
  t.equal(kept.stored.get('A 2')!.swap!.fee, null)
})

test('a sum that should be a round number is one', async t => {
  const third = (SCALE + 1n) / 3n
  t.equal(compare(sumOf(3n * third, 3), ratio(1n)), 0)
  t.equal(compare(sumOf(2n * (2n * SCALE / 3n + 1n) + (2n * SCALE / 3n), 3), ratio(2n)), 0)
  t.not(compare(sumOf(third, 1), ratio(1n, 3n)), 0, 'a third has no end')
})

test('candles of each size and a fee are the same in whatever order the events come', t => {
  const DAY = 86_400
  const swap: Made = { kind: 'swap', side: 'buy', input: 10_000n, output: 100n, bps: 25n, wait: 5 * DAY }
  const rule: VolumeRule = { rate: ratio(25n, 10_000n), basis: 'input' }
  const [born, first, second] = chain('A', [swap, swap]) as [AttributedEvent, AttributedEvent, AttributedEvent]
  const all = planStep({ sequenceRanges: new Map(), rates: new Map() }, [born, second, first].map(clone), rule)
  for (const size of ['minutes', 'hours', 'days'] as const) {
    const candles = all.candles.filter(one => one.size === size).map(({ start, trades }) => [start, trades])
    t.same(candles, [[second.event.at, 1], [first.event.at, 1]], size)
  }
  t.same(
    [all.fees, all.events.find(({ seq }) => seq === 3n)!.swap!.fee],
    [[], 25n],
    'a fee that the step itself tells is written with its swap'
  )
  t.end()
})

test('a swap at the beginning of time has its candles', t => {
  const [, swap] = chain('A', [{ kind: 'swap', side: 'buy', input: 10_000n, output: 100n, bps: 25n, wait: 0 }])
  swap!.event.at = 0
  const plan = planStep(
    { sequenceRanges: new Map(), rates: new Map() }, [swap!], { rate: ratio(25n, 10_000n), basis: 'input' }
  )
  t.same(plan.candles.map(({ size, start }) => [size, start]), [['minutes', 0], ['hours', 0], ['days', 0]])
  t.end()
})
