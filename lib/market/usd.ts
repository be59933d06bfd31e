import { compare, multiply, ONE, powerOfTen, type Rational, ratio } from '../decimal.js'
import { type Pool, spotPrice } from './price.js'

/** What a token is worth in USD, by the pools themselves. Creating a pool is free for anyone: a dollar is only what the settings call one. */

export interface PricedPool extends Pool {
  address: string
  baseMint: string
  quoteMint: string
}

/** USD per whole token; undefined where no pool prices the mint in a dollar. */
export type Valuation = (mint: string) => Rational | undefined

/**
 * Dollars count as 1 USD; another mint by the spot price of the deepest pool that quotes it in a dollar (of equally deep ones, the lowest
 * address). Pools must have reserves.
 */
export function createValuation (pools: Iterable<PricedPool>, dollars: ReadonlySet<string>): Valuation {
  const deepest = new Map<string, { pool: PricedPool, depth: Rational }>()
  for (const pool of pools) {
    if (!dollars.has(pool.quoteMint)) continue
    const depth = multiply(ratio(pool.quoteReserves), powerOfTen(-pool.quoteDecimals))
    const known = deepest.get(pool.baseMint)
    const order = known === undefined ? 1 : compare(depth, known.depth)
    if (order > 0 || (order === 0 && pool.address < known!.pool.address)) deepest.set(pool.baseMint, { pool, depth })
  }
  return mint => {
    if (dollars.has(mint)) return ONE
    const priced = deepest.get(mint)
    return priced && spotPrice(priced.pool)
  }
}
