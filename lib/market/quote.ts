import { divide, ONE, type Rational, ratio, subtract } from '../decimal.js'
import { feeAt } from './volume.js'

/** Shares of a swap's input, each above or equal to 0 and below 1. */
export interface SwapFees { protocol: Rational, lp: Rational }

const U64 = (1n << 64n) - 1n

/** The most of a token that can be asked about: what the pool holds of it, and what its u64 reserve has room for. */
export const mostInput = (reserve: bigint) => reserve < U64 - reserve ? reserve : U64 - reserve

/**
 * One swap of `input` raw units between two positive reserves: the protocol's fee never enters them, that of liquidity
 * providers stays in them (programs/futarchy/src/state/futarchy_amm.rs, swap). `impact`: what its size costs it of the
 * spot price, fees apart, 0 to 1.
 */
export function quoteSwap (input: bigint, reserveIn: bigint, reserveOut: bigint, { protocol, lp }: SwapFees) {
  const fee = feeAt(input, protocol)
  const weighted = (input - fee) * (lp.d - lp.n)
  const output = weighted * reserveOut / (reserveIn * lp.d + weighted)
  const atSpot = ratio(weighted * reserveOut, lp.d * reserveIn)
  const impact = atSpot.n === 0n ? ONE : subtract(ONE, divide(ratio(output), atSpot))
  return { output, fee, impact }
}
