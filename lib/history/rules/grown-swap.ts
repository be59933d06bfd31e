import { feeAt, observedBps } from '../../market/volume.js'
import type { Rational } from '../../decimal.js'
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
  const at = swap === undefined ? -1 : data.indexOf(bytesOf(swap), 40)
  const isOutside = at !== -1 && (at + SWAP_BYTES <= state.from || at >= state.from + SPOT_STATE_BYTES)
  return isOutside ? { swap: swap!, at } : undefined
}

function inFutarchy ({ data }: GrownEvent, state: LocatedState, before: PoolState, at: number | undefined, rate: Rational): ProvenSwap | undefined {
  if (at === undefined || at + SWAP_BYTES > state.from || data[at]! > 1) return undefined
  const swap: SpotSwap = { side: data[at] === 0 ? 'buy' : 'sell', input: data.readBigUInt64LE(at + 1), output: data.readBigUInt64LE(at + 9) }
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
