import type { ExternalPool } from '../protocol/external-pool.js'

/**
 * Tokens that `liquidity` would withdraw on one side, rounded down (cp-amm: curve helpers). Token A: L × (max − p) / (p
 * × max); token B: L × (p − min) / 2^128.
 */
export function positionAmount (
  { sqrtMinPrice, sqrtMaxPrice, sqrtPrice }: Omit<ExternalPool, 'tokenA' | 'tokenB'>, liquidity: bigint, side: 'A' | 'B'
): bigint {
  return side === 'A'
    ? liquidity * (sqrtMaxPrice - sqrtPrice) / (sqrtPrice * sqrtMaxPrice)
    : liquidity * (sqrtPrice - sqrtMinPrice) >> 128n
}
