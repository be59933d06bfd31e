import type { PublicKey } from '@solana/web3.js'
import type { RawAccount } from '../chain/types.js'
import type { LaunchpadVersion } from './addresses.js'
import { DecodeError } from './bytes.js'
import { type AnchorInteger, type ProgramClient, toBigInt, toKey } from './client.js'

/** Launches, team packages and external positions, as far as supply needs them. */

/**
 * A launch (programs/v06_, v07_ and v08_launchpad/src/state/launch.rs; the layouts differ, the owner program tells
 * which it is).
 */
export interface Launch {
  version: LaunchpadVersion
  complete: boolean
  baseMint: string
  baseVault: string
  /** The DAO, once complete. */
  dao: string | null
  daoVault: string | null
  /** Team tokens that the launch sets aside, raw units. */
  packageAmount: bigint
  /** False in v0.7 between completion and the package's initialisation: the team's tokens then lie in `baseVault`. */
  packageInitialized: boolean
  /** Unix second; null: not complete, or of a version that does not say. */
  completedAt: number | null
}

interface AnchorLaunch {
  baseMint: PublicKey
  launchBaseVault: PublicKey
  state: Record<string, unknown>
  dao: PublicKey | null
  daoVault: PublicKey | null
  performancePackageTokenAmount: AnchorInteger
  isPerformancePackageInitialized?: boolean
  unixTimestampCompleted?: AnchorInteger | null
}

/** Decodes the launch of `mint`. Throws a DecodeError where the account is no launch of that mint. */
export function decodeLaunch (
  client: ProgramClient, version: LaunchpadVersion, account: RawAccount, mint: string
): Launch {
  const launch = client.launch(version, account) as AnchorLaunch
  if (toKey(launch.baseMint) !== mint) throw new DecodeError('launch: of another mint')
  const complete = launch.state['complete'] !== undefined
  if (complete && (launch.dao === null || launch.daoVault === null)) {
    throw new DecodeError('launch: complete without a DAO')
  }
  return {
    version,
    complete,
    baseMint: mint,
    baseVault: toKey(launch.launchBaseVault),
    dao: launch.dao && toKey(launch.dao),
    daoVault: launch.daoVault && toKey(launch.daoVault),
    packageAmount: toBigInt(launch.performancePackageTokenAmount),
    // v0.6 initialises the package while completing, and has no such field
    packageInitialized: launch.isPerformancePackageInitialized ?? true,
    completedAt: launch.unixTimestampCompleted == null ? null : Number(toBigInt(launch.unixTimestampCompleted))
  }
}

/**
 * A price-based performance package (programs/price_based_performance_package/src/state/performance_package.rs). Raw
 * units.
 */
export interface Package {
  total: bigint
  unlocked: bigint
  vault: string
}

interface AnchorPackage {
  totalTokenAmount: AnchorInteger
  alreadyUnlockedAmount: AnchorInteger
  tokenMint: PublicKey
  performancePackageTokenVault: PublicKey
}

/** Decodes a package of `mint`. Throws a DecodeError where it is none, or has unlocked more than it had. */
export function decodePackage (client: ProgramClient, account: RawAccount, mint: string): Package {
  const decoded = client.package(account) as AnchorPackage
  if (toKey(decoded.tokenMint) !== mint) throw new DecodeError('package: of another mint')
  const total = toBigInt(decoded.totalTokenAmount)
  const unlocked = toBigInt(decoded.alreadyUnlockedAmount)
  if (unlocked > total) throw new DecodeError('package: more unlocked than it holds')
  return { total, unlocked, vault: toKey(decoded.performancePackageTokenVault) }
}
