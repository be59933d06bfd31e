import { formatUnits } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Launch } from '../protocol/launch.js'
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

interface SupplyParts {
  mint: string
  supply: bigint
  decimals: number
  teamPackage: bigint
  /** Of a token issued anew, what nobody has claimed yet; it does not circulate. */
  unclaimed: bigint
  ammLiquidity: bigint
  externalLiquidity: bigint
}

/** The record as served. Throws NODE_BAD_ANSWER when a part exceeds the whole. */
export function supplyRecord (
  { mint, supply, decimals, teamPackage, unclaimed, ammLiquidity, externalLiquidity }: SupplyParts
): Supply {
  for (const part of [teamPackage + unclaimed, ammLiquidity, externalLiquidity]) {
    if (part > supply) throw new ServiceError('NODE_BAD_ANSWER', `a part of the supply of ${mint} exceeds the whole`)
  }
  return {
    mint,
    totalSupply: formatUnits(supply, decimals),
    circulatingSupply: formatUnits(supply - teamPackage - unclaimed, decimals),
    teamPerformancePackage: formatUnits(teamPackage, decimals),
    protocolAmmLiquidity: formatUnits(ammLiquidity, decimals),
    externalLpLiquidity: formatUnits(externalLiquidity, decimals),
    decimals,
    rawTotalSupply: supply.toString()
  }
}
