import { formatUnits } from '../decimal.js'
import { badAnswer } from '../errors.js'
import type { ExternalPool } from '../protocol/external-pool.js'
import type { Launch } from '../protocol/launch.js'
import type { Mint } from '../protocol/token.js'
import type { Supply } from '../../schemas/supply.js'

/**
 * Raw team tokens that do not circulate: until the package is initialised (v0.7) those in the launch's vault, then what
 * it has not unlocked, never more than its vault holds; burning closes both, which leaves null and 0
 * (programs/price_based_performance_package/src/instructions/complete_unlock.rs).
 */
export function lockedTeamTokens (
  { complete, packageAmount, packageInitialized }: Pick<Launch, 'complete' | 'packageAmount' | 'packageInitialized'>,
  team: { total: bigint, unlocked: bigint } | null,
  vaultBalance: bigint
): bigint {
  if (!complete) return 0n
  if (!packageInitialized) return packageAmount
  if (team === null) return 0n
  const locked = team.total - team.unlocked
  return locked < vaultBalance ? locked : vaultBalance
}

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

/** Where tokens are, by the token account or position, raw units. */
export interface AllocatedPart {
  kind: 'team_package' | 'internal_pool' | 'external_pool' | 'launch_vault' | 'bid_wall'
  address: string
  amount: bigint
  circulating: boolean
}

const sum = (parts: readonly AllocatedPart[]) => parts.reduce((sum, { amount }) => sum + amount, 0n)

/** Raw units of a supply that circulate. */
export const circulatingOf = (supply: bigint, allocation: readonly AllocatedPart[]) =>
  supply - sum(allocation.filter(({ circulating }) => !circulating))

/** The record as served. Throws NODE_BAD_ANSWER when a part exceeds the whole. */
export function supplyRecord (
  { address: mint, supply, decimals }: Pick<Mint, 'address' | 'supply' | 'decimals'>,
  allocation: readonly AllocatedPart[]
): Supply {
  const sumOf = (kind: AllocatedPart['kind']) => sum(allocation.filter(part => part.kind === kind))
  const circulating = circulatingOf(supply, allocation)
  const [internal, external] = [sumOf('internal_pool'), sumOf('external_pool')]
  if (circulating < 0n || internal > supply || external > supply) {
    throw badAnswer(`a part of the supply of ${mint} exceeds the whole`)
  }
  return {
    mint,
    totalSupply: formatUnits(supply, decimals),
    circulatingSupply: formatUnits(circulating, decimals),
    teamPerformancePackage: formatUnits(sumOf('team_package'), decimals),
    protocolAmmLiquidity: formatUnits(internal, decimals),
    externalLpLiquidity: formatUnits(external, decimals),
    decimals,
    rawTotalSupply: supply.toString()
  }
}
