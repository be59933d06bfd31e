import { formatUnits } from '../decimal.js'
import { ServiceError } from '../errors.js'
import type { Supply } from '../../schemas/supply.js'

interface TeamTokens {
  complete: boolean
  /** The launch's own figure, which counts until the package is initialised. */
  packageAmount: bigint
  packageInitialized: boolean
  /** Null: there is no such account (never made, or burned and closed). */
  package: { total: bigint, unlocked: bigint } | null
  /** Balance of the package's vault; 0 where there is none. */
  vaultBalance: bigint
}

/**
 * Raw team tokens that do not circulate: until the package is initialised (v0.7) those in the launch's vault, then what
 * it has not unlocked, never more than its vault holds; burning closes both
 * (programs/price_based_performance_package/src/instructions/complete_unlock.rs).
 */
export function lockedTeamTokens (team: TeamTokens): bigint {
  if (!team.complete) return 0n
  if (!team.packageInitialized) return team.packageAmount
  if (team.package === null) return 0n
  const locked = team.package.total - team.package.unlocked
  return locked < team.vaultBalance ? locked : team.vaultBalance
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
