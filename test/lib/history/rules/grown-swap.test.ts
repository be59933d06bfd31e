import { test } from 'tap'
import { ratio } from '../../../../lib/decimal.js'
import { formOf, type PoolState, provenSwap, swapWithoutBefore } from '../../../../lib/history/rules/grown-swap.js'
import type { GrownEvent, LocatedState, SpotSwap } from '../../../../lib/protocol/events.js'

const RATE = ratio(25n, 10_000n)
const FROM = 100
const SPOT_BYTES = 277
const BEFORE: PoolState = { reserves: { base: 1_000_000n, quote: 5_000_000n }, fees: { base: 10n, quote: 20n } }
const BUY: SpotSwap = { side: 'buy', input: 10_000n, output: 2_000n }
const SELL: SpotSwap = { side: 'sell', input: 10_000n, output: 49_000n }

/** An event of 500 bytes that holds `swap` at `at`. */
function eventWith (swap: SpotSwap, at: number): GrownEvent {
  const data = Buffer.alloc(500, 0xEE)
  data.writeUInt8(swap.side === 'buy' ? 0 : 1, at)
  data.writeBigUInt64LE(swap.input, at + 1)
  data.writeBigUInt64LE(swap.output, at + 9)
  return { name: 'SpotSwap', data } as GrownEvent
}

/** The pool after `swap`, of whose input `fee` went to the protocol. */
function after ({ side, input, output }: SpotSwap, fee: bigint, kind: LocatedState['kind'] = 'spot'): LocatedState {
  const [paid, got] = side === 'buy' ? ['quote', 'base'] as const : ['base', 'quote'] as const
  const { reserves, fees } = BEFORE
  return {
    kind,
    from: FROM,
    behind: 4,
    reserves: { ...reserves, [paid]: reserves[paid] + input - fee, [got]: reserves[got] - output },
    fees: { ...fees, [paid]: fees[paid] + fee }
  }
}

const proof = (event: GrownEvent, state: LocatedState, proven: ReadonlyMap<string, number> = new Map()) => provenSwap(event, state, BEFORE, proven, RATE)

test('a swap that explains the step of the pool and stands in the event counts, whatever the event has grown by', t => {
  for (const swap of [BUY, SELL]) {
    for (const at of [40, 60, FROM - 17, FROM + SPOT_BYTES, 483]) t.same(proof(eventWith(swap, at), after(swap, 25n)), { swap, at }, `${swap.side} at ${at}`)
    t.same(proof(eventWith(swap, 60), after(swap, 0n))?.swap, swap, 'without a fee')
    const nothing = { ...swap, output: 0n }
    t.same(proof(eventWith(nothing, 60), after(nothing, 25n))?.swap, nothing, 'that yielded nothing')
    const allFee = { ...swap, input: 1n }
    t.same(proof(eventWith(allFee, 60), after(allFee, 1n))?.swap, allFee, 'of which all was the fee')
  }
  t.end()
})

test('numbers in the event\'s head, or inside its state, prove nothing', t => {
  for (const at of [39, FROM - 16, FROM, FROM + SPOT_BYTES - 1]) t.equal(proof(eventWith(BUY, at), after(BUY, 25n)), undefined, `${at}`)
  t.end()
})

test('a step that the event\'s numbers do not explain proves nothing', t => {
  const event = eventWith(BUY, 60)
  const state = after(BUY, 25n)
  const moved = (rest: Partial<PoolState>): LocatedState => ({ ...state, ...rest })
  const { reserves, fees } = state
  const steps: Record<string, LocatedState> = {
    'another input': moved({ reserves: { ...reserves, quote: reserves.quote + 1n } }),
    'another output': moved({ reserves: { ...reserves, base: reserves.base + 1n } }),
    'both reserves grew': moved({ reserves: { base: BEFORE.reserves.base + 1n, quote: reserves.quote } }),
    'the other fee moved': moved({ fees: { ...fees, base: fees.base + 1n } }),
    'the fee fell': moved({ fees: { ...fees, quote: BEFORE.fees.quote - 1n } }),
    'nothing moved': moved(BEFORE)
  }
  for (const [what, step] of Object.entries(steps)) t.equal(proof(event, step), undefined, what)
  for (const side of ['buy', 'sell'] as const) t.equal(proof(eventWith({ side, input: 0n, output: 0n }, 60), moved(BEFORE)), undefined, 'a swap of nothing is none')
  const backwards = after(SELL, 25n)
  t.equal(proof(eventWith(SELL, 60), { ...backwards, fees: { ...backwards.fees, base: BEFORE.fees.base - 1n } }), undefined, 'the fee of a sale fell')
  t.equal(proof(eventWith(SELL, 60), { ...backwards, reserves: { ...backwards.reserves, quote: BEFORE.reserves.quote + 1n } }), undefined, 'a sale that brought quote tokens')
  const fell = { ...BUY, output: (1n << 64n) - 1n }
  t.equal(proof(eventWith(fell, 60), moved({ reserves: { base: reserves.base, quote: BEFORE.reserves.quote - 100n } })), undefined, 'a purchase that took quote tokens')
  t.end()
})

test('while a proposal is live, a swap is read where events of its form have proved to hold it, if its fee is one that a rate takes', t => {
  for (const swap of [BUY, SELL]) {
    const arbitraged = (fee: bigint, rest: Partial<PoolState['fees']> = {}): LocatedState => {
      const state = after(swap, fee, 'futarchy')
      return { ...state, reserves: { base: 1n, quote: 1n }, fees: { ...state.fees, ...rest } }
    }
    const read = (at: number, state: LocatedState, event = eventWith(swap, at)) => proof(event, state, new Map([[formOf(event, state), at]]))
    t.same(read(60, arbitraged(25n)), { swap, at: 60 }, 'at the rate of the settings')
    t.same(read(FROM - 17, arbitraged(25n))?.swap, swap)
    t.same(read(60, arbitraged(50n))?.swap, swap, 'at another whole rate')
    t.equal(proof(eventWith(swap, 60), arbitraged(25n)), undefined, 'of a form that has not proved itself')
    t.equal(read(FROM - 16, arbitraged(25n)), undefined, 'into its state')
    const [, other] = swap.side === 'buy' ? ['quote', 'base'] as const : ['base', 'quote'] as const
    t.equal(read(60, arbitraged(25n, { [other]: BEFORE.fees[other] + 1n })), undefined, 'the other fee moved')
    t.equal(read(60, arbitraged(-25n)), undefined, 'the fee fell')
    t.equal(read(60, arbitraged(0n)), undefined, 'no fee, where the rate takes one')
    const free = arbitraged(0n)
    t.same(provenSwap(eventWith(swap, 60), free, BEFORE, new Map([[formOf(eventWith(swap, 60), free), 60]]), ratio(0n))?.swap, swap, 'no fee at a rate of nothing')
    t.equal(read(60, arbitraged(10_001n)), undefined, 'a fee above the input')
    const odd = eventWith(swap, 60)
    odd.data[60] = 2
    t.equal(read(60, arbitraged(25n), odd), undefined, 'no side')
    const large = { ...swap, input: 10n ** 10n }
    const off = after(large, 25_000_001n, 'futarchy')
    t.equal(read(60, off, eventWith(large, 60)), undefined, 'a fee that no whole rate takes')
    const small = { ...swap, input: 199n }
    t.same(read(60, after(small, 1n, 'futarchy'), eventWith(small, 60))?.swap, small, 'dust at the rate of the settings')
    t.equal(read(60, after(small, 9n, 'futarchy'), eventWith(small, 60)), undefined, 'dust at none')
    const dear = { ...swap, input: 10_000n }
    t.same(read(60, after(dear, 10_000n, 'futarchy'), eventWith(dear, 60))?.swap, dear, 'all of it')
  }
  t.end()
})

test('events of one name that agree before and behind their state are of one form', t => {
  const event = eventWith(BUY, 60)
  t.equal(formOf(event, { from: 100, behind: 4 }), formOf(event, { from: 100, behind: 4 }))
  t.not(formOf(event, { from: 101, behind: 4 }), formOf(event, { from: 100, behind: 4 }))
  t.not(formOf(event, { from: 100, behind: 5 }), formOf(event, { from: 100, behind: 4 }))
  t.end()
})

/** Swaps on a pool of 200,000,000,000 quote and 2,000,000,000,000 base units, and that pool after each (the program's own arithmetic, 50/0 and 25/25 bps). */
const VECTORS: ReadonlyArray<[swap: SpotSwap, quote: bigint, base: bigint]> = [
  [{ side: 'buy', input: 1_000_000n, output: 9_949_950n }, 200_000_995_000n, 1_999_990_050_050n],
  [{ side: 'buy', input: 1_000_000n, output: 9_950_012n }, 200_000_997_500n, 1_999_990_049_988n],
  [{ side: 'sell', input: 10_000_000_001n, output: 990_074_379n }, 199_009_925_621n, 2_009_950_000_000n],
  [{ side: 'sell', input: 10_000_000_001n, output: 990_080_568n }, 199_009_919_432n, 2_009_975_000_000n]
]
const TINY: (typeof VECTORS)[number] = [{ side: 'sell', input: 199n, output: 19n }, 199_999_999_981n, 2_000_000_000_198n]

test('without the pool before it a swap is read where the curve gives it to the last unit', t => {
  const stateOf = (quote: bigint, base: bigint, kind: LocatedState['kind'] = 'spot'): LocatedState => ({ kind, from: FROM, behind: 4, reserves: { quote, base }, fees: { quote: 7n, base: 9n } })
  const knownAt = (event: GrownEvent, state: LocatedState, at = 60) => new Map([[formOf(event, state), at]])
  for (const [swap, quote, base] of VECTORS) {
    const [event, state] = [eventWith(swap, 60), stateOf(quote, base)]
    t.same(swapWithoutBefore(event, state, knownAt(event, state)), { swap, at: 60 })
    t.same(swapWithoutBefore(event, state, new Map()), { swap, at: 60 }, 'wherever it stands, where its form has proved nothing yet')
    const twice = { ...event, data: Buffer.from(event.data) }
    event.data.copy(twice.data, 420, 60, 77)
    t.equal(swapWithoutBefore(twice, state, new Map()), undefined, 'which of two it is can\'t be told')
    t.equal(swapWithoutBefore(eventWith(swap, FROM), state, new Map()), undefined, 'not inside the state')
    t.equal(swapWithoutBefore(eventWith(swap, 39), state, new Map()), undefined, 'nor in the head')
    t.equal(swapWithoutBefore(event, state, knownAt(event, state, 61)), undefined, 'a place that holds no side')
    for (const wrong of [{ ...swap, output: swap.output + 1n }, { ...swap, output: swap.output - 1n }, { ...swap, side: swap.side === 'buy' ? 'sell' as const : 'buy' as const }]) {
      t.equal(swapWithoutBefore(eventWith(wrong, 60), state, knownAt(event, state)), undefined, 'the curve gives another')
    }
  }
  const live = (fees: PoolState['fees']): LocatedState => ({ ...stateOf(1n, 1n, 'futarchy'), fees })
  for (const [swap, fees] of [[BUY, { quote: 25n, base: 0n }], [SELL, { quote: 0n, base: 25n }]] as const) {
    const event = eventWith(swap, 60)
    t.same(swapWithoutBefore(event, live(fees), knownAt(event, live(fees))), { swap, at: 60 }, 'while a proposal is live the form\'s word counts')
    t.equal(swapWithoutBefore(event, live({ quote: 24n, base: 24n }), knownAt(event, live(fees))), undefined, 'unless the pool has not even its fee')
    t.equal(swapWithoutBefore(eventWith({ ...swap, input: 0n }, 60), live(fees), knownAt(event, live(fees))), undefined, 'or it is none')
  }
  const [tiny, ...after] = TINY
  t.equal(swapWithoutBefore(eventWith(tiny, 60), stateOf(...after), knownAt(eventWith(tiny, 60), stateOf(...after))), undefined, 'so few units it may give by chance')
  const nothing = { side: 'buy', input: 1n, output: 0n } as const
  const [event, state] = [eventWith(nothing, 60), stateOf(200_000_000_000n, 2_000_000_000_000n)]
  t.equal(swapWithoutBefore(event, state, knownAt(event, state)), undefined, 'of a swap of nothing the curve says nothing')
  const all = { side: 'buy', input: 1_000_000_000n, output: 5n } as const
  t.equal(swapWithoutBefore(eventWith(all, 60), stateOf(1_000n, 1_000n), knownAt(eventWith(all, 60), stateOf(1_000n, 1_000n))), undefined, 'more than the pool holds')
  t.end()
})
