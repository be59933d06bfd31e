import { compare, divide, multiply, ONE, type Rational, ratio, wholeTokens } from '../decimal.js'
import { type Pool, spotPrice } from './price.js'

/** USD values of tokens, by pools that the settings name: anyone can make a pool or a name. */

export interface PricedPool extends Pool {
  address: string
  baseMint: string
  quoteMint: string
}

/** USD per whole token; undefined where the settings give the mint no value. */
export type UsdValuation = (mint: string) => Rational | undefined

interface UsdRules {
  /** Mints that count as 1 USD. */
  usdMints: ReadonlySet<string>
  /** Further mints, and the address of the pool that prices each. */
  pricedBy: ReadonlyMap<string, string>
  /** Whole units of a dollar that such a pool must hold. */
  minDepth: Rational
}

/** USD per whole `mint` by `pool`, which must be one between it and a dollar, and deep enough. */
function priceBy (pool: PricedPool, mint: string, { usdMints, minDepth }: UsdRules): Rational | undefined {
  const isBase = pool.baseMint === mint && usdMints.has(pool.quoteMint)
  if (!isBase && !(pool.quoteMint === mint && usdMints.has(pool.baseMint))) return undefined
  const depth = isBase
    ? wholeTokens(ratio(pool.quoteReserves), pool.quoteDecimals)
    : wholeTokens(ratio(pool.baseReserves), pool.baseDecimals)
  if (compare(depth, minDepth) < 0) return undefined
  return isBase ? spotPrice(pool) : divide(ONE, spotPrice(pool))
}

/**
 * 1 USD for a dollar; for a mint that the settings name the spot price of its pool, while that holds `minDepth` of a
 * dollar. Pools must have reserves.
 */
export function createValuation (pools: ReadonlyMap<string, PricedPool>, rules: UsdRules): UsdValuation {
  const prices = new Map(Array.from(rules.pricedBy, ([mint, address]) => {
    const pool = pools.get(address)
    return [mint, pool && priceBy(pool, mint, rules)]
  }))
  return mint => rules.usdMints.has(mint) ? ONE : prices.get(mint)
}

/** USD per whole base token by its pool; null where that is empty, or its quote token has no value. */
export function baseUsd (
  pool: Omit<PricedPool, 'address'>, { usd, usdMints }: { usd: UsdValuation, usdMints: ReadonlySet<string> }
): Rational | null {
  if (usdMints.has(pool.baseMint)) return ONE
  const quoteUsd = usd(pool.quoteMint)
  return quoteUsd === undefined || pool.baseReserves === 0n || pool.quoteReserves === 0n
    ? null
    : multiply(spotPrice(pool), quoteUsd)
}
