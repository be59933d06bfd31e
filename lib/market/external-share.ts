/** A price range and the price in it; square roots of token B per token A, Q64.64. */
interface PriceCurve {
  sqrtMinPrice: bigint
  sqrtMaxPrice: bigint
  sqrtPrice: bigint
}

/**
 * Tokens that `liquidity` would withdraw on one side, rounded down (cp-amm: curve helpers). Token A: L × (max − p) / (p
 * × max); token B: L × (p − min) / 2^128.
 */
export function positionAmount (
  { sqrtMinPrice, sqrtMaxPrice, sqrtPrice }: PriceCurve, liquidity: bigint, side: 'A' | 'B'
): bigint {
  return side === 'A'
    ? liquidity * (sqrtMaxPrice - sqrtPrice) / (sqrtPrice * sqrtMaxPrice)
    : liquidity * (sqrtPrice - sqrtMinPrice) >> 128n
}
