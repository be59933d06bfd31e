import { ratio, type Rational } from '../decimal.js'
import type { SpotSwap } from '../protocol/events.js'

/** input: a swap counts its own input and output; fees: its fee / rate, with the fee's rounding up. */
export type VolumeBasis = 'input' | 'fees'

export interface VolumeRule {
  /** PROTOCOL_FEE_RATE: above 0 and below 1. */
  rate: Rational
  basis: VolumeBasis
}

/** `fee`: of the input token; null while the balance before the swap is not known. */
export interface SwapFacts extends SpotSwap { fee: bigint | null }

/** Both legs in raw units, exact, and whether the fee is the one that the configured rate takes. */
export interface SwapVolume { base: Rational, quote: Rational, agrees: boolean }

/** The fee on `input` at `rate`, rounded up (programs/futarchy/src/state/futarchy_amm.rs, swap). */
export const feeAt = (input: bigint, { n, d }: Rational) => input - input * (d - n) / d

/**
 * The volume of a spot swap. By 'fees' the leg that was paid counts fee / rate, an unknown fee being taken from the
 * input, and the other leg that × output / input.
 */
export function swapVolume ({ side, input, output, fee }: SwapFacts, { rate, basis }: VolumeRule): SwapVolume {
  const expected = feeAt(input, rate)
  const agrees = fee === null || fee === expected
  const notional = basis === 'fees' ? ratio((fee ?? expected) * rate.d, rate.n) : ratio(input)
  const other = basis === 'fees' && input > 0n ? ratio(notional.n * output, notional.d * input) : ratio(output)
  return side === 'buy' ? { base: other, quote: notional, agrees } : { base: notional, quote: other, agrees }
}

const BPS = 10_000n

/** The fee rate in whole basis points that takes `fee` on `input`; undefined: none does, or several. */
export function observedBps (fee: bigint, input: bigint): bigint | undefined {
  if (input <= 0n) return undefined
  // fee = ceil(input × bps / 10,000) holds for bps in ((fee − 1) × 10,000 / input, fee × 10,000 / input]
  const most = fee * BPS / input
  const least = fee > 0n ? (fee - 1n) * BPS / input + 1n : 0n
  return most === least ? most : undefined
}
