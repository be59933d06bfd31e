import { feeAt, observedBps } from '../../market/volume.js'
import { ratio, type Rational } from '../../decimal.js'
import type { GrownEvent, LocatedState, Sides, SpotSwap } from '../../protocol/events.js'

/**
 * A swap event of an unknown form counts where it proves itself: what went into the pool and came out of it since the event before must stand
 * in its data as side, input and output. While a proposal is live, arbitrage moves reserves as well; then the swap is read where such events
 * have proved to hold it, and its fee must be one that some rate takes.
 */

/** The spot pool after an event. */
export interface PoolState { reserves: Sides, fees: Sides }

export interface ProvenSwap {
  swap: SpotSwap
  /** Where its side stands; input and output follow. */
  at: number
}

const SWAP_BYTES = 17
const BPS = 10_000n
/** Protocol's and liquidity providers' fees of every release so far, bps (programs/futarchy/src/state/futarchy_amm.rs). */
const FEES: ReadonlyArray<readonly [bigint, bigint]> = [[50n, 0n], [25n, 25n]]
const MIN_FEE = ratio(25n, BPS)
/** Fewer units than these the curve may give by chance. */
const TELLING = 1_000n
/** Tag, discriminator, slot, time and number. */
const HEAD_BYTES = 40
/** Of the state of a pool without a live proposal. */
const SPOT_STATE_BYTES = 277

/** What a spot pool's step from `before` to `after` says of the swap between them; undefined where no swap explains it. */
function swapOfStep (before: PoolState, after: PoolState): SpotSwap | undefined {
  const [quote, base] = [after.reserves.quote - before.reserves.quote, after.reserves.base - before.reserves.base]
  const [quoteFee, baseFee] = [after.fees.quote - before.fees.quote, after.fees.base - before.fees.base]
  if (quoteFee >= 0n && baseFee === 0n && quote + quoteFee > 0n && base <= 0n) return { side: 'buy', input: quote + quoteFee, output: -base }
  if (baseFee >= 0n && quoteFee === 0n && base + baseFee > 0n && quote <= 0n) return { side: 'sell', input: base + baseFee, output: -quote }
  return undefined
}

function bytesOf ({ side, input, output }: SpotSwap): Buffer {
  const bytes = Buffer.alloc(SWAP_BYTES)
  bytes.writeUInt8(side === 'buy' ? 0 : 1)
  bytes.writeBigUInt64LE(input, 1)
  bytes.writeBigUInt64LE(output, 9)
  return bytes
}

function inSpot ({ data }: GrownEvent, state: LocatedState, before: PoolState): ProvenSwap | undefined {
  const swap = swapOfStep(before, state)
  const at = swap === undefined ? -1 : data.indexOf(bytesOf(swap), HEAD_BYTES)
  const isOutside = at !== -1 && (at + SWAP_BYTES <= state.from || at >= state.from + SPOT_STATE_BYTES)
  return isOutside ? { swap: swap!, at } : undefined
}

function swapIn (data: Buffer, at: number): SpotSwap {
  return { side: data[at] === 0 ? 'buy' : 'sell', input: data.readBigUInt64LE(at + 1), output: data.readBigUInt64LE(at + 9) }
}

/** Whether the curve gives `output` for `input` and leaves the pool as it is after the swap: the program's own arithmetic, backwards. */
function isOfCurve ({ side, input, output }: SpotSwap, { reserves }: PoolState): boolean {
  const [paid, got] = side === 'buy' ? [reserves.quote, reserves.base] : [reserves.base, reserves.quote]
  return FEES.some(([protocol, providers]) => {
    const net = input * (BPS - protocol) / BPS
    const weighed = net * (BPS - providers)
    return paid > net && output === weighed * (got + output) / ((paid - net) * BPS + weighed)
  })
}

/** Where outside the state the one swap stands from which the curve leads to the pool that the event shows. */
function onCurve ({ data }: GrownEvent, state: LocatedState, places: readonly number[]): ProvenSwap | undefined {
  const found = places.filter(at => data[at]! <= 1).map(at => ({ swap: swapIn(data, at), at }))
    .filter(({ swap }) => swap.output >= TELLING && isOfCurve(swap, state))
  return found.length === 1 ? found[0] : undefined
}

/** Where a swap may stand in an event: behind its head, beside its state. */
const placesIn = ({ data }: GrownEvent, { from }: LocatedState): number[] =>
  Array.from({ length: Math.max(0, data.length - HEAD_BYTES - SWAP_BYTES + 1) }, (_, i) => HEAD_BYTES + i).filter(at => at + SWAP_BYTES <= from || at >= from + SPOT_STATE_BYTES)

/**
 * The swap of a grown SpotSwap event where the pool before it is not known, behind an event of which nothing is understood. Where events of its form
 * have proved to hold theirs, or else anywhere, it must stand so that the curve leads from it to the pool that the event shows. While a proposal is live
 * arbitrage moves reserves as well; then the form's word counts, if the pool's fees hold what the least rate takes of the swap. Undefined where that can't be told.
 */
export function swapWithoutBefore (event: GrownEvent, state: LocatedState, proven: ReadonlyMap<string, number>): ProvenSwap | undefined {
  const at = proven.get(formOf(event, state))
  if (state.kind === 'spot') return onCurve(event, state, at === undefined ? placesIn(event, state) : [at])
  if (at === undefined || event.data[at]! > 1) return undefined
  const swap = swapIn(event.data, at)
  return swap.input > 0n && state.fees[swap.side === 'buy' ? 'quote' : 'base'] >= feeAt(swap.input, MIN_FEE) ? { swap, at } : undefined
}

function inFutarchy ({ data }: GrownEvent, state: LocatedState, before: PoolState, at: number | undefined, rate: Rational): ProvenSwap | undefined {
  if (at === undefined || at + SWAP_BYTES > state.from || data[at]! > 1) return undefined
  const swap = swapIn(data, at)
  const [paid, other] = swap.side === 'buy' ? ['quote', 'base'] as const : ['base', 'quote'] as const
  const fee = state.fees[paid] - before.fees[paid]
  if (state.fees[other] !== before.fees[other] || fee < 0n || fee > swap.input) return undefined
  return fee === feeAt(swap.input, rate) || observedBps(fee, swap.input) !== undefined ? { swap, at } : undefined
}

/** Bytes before and behind the state: events that agree in them are of one form. */
export const formOf = ({ name }: GrownEvent, { from, behind }: Pick<LocatedState, 'from' | 'behind'>): string => `${name} of ${from} bytes before its state and ${behind} behind`

/**
 * The swap that a grown SpotSwap event proves; undefined where it does not. `before` is the pool after the event before it, `proven` says where
 * events of a form have been seen to hold their swap.
 */
export function provenSwap (event: GrownEvent, state: LocatedState, before: PoolState, proven: ReadonlyMap<string, number>, rate: Rational): ProvenSwap | undefined {
  return state.kind === 'spot' ? inSpot(event, state, before) : inFutarchy(event, state, before, proven.get(formOf(event, state)), rate)
}
