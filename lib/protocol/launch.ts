import type { PublicKey } from '@solana/web3.js'
import type { RawAccount } from '../chain/types.js'
import type { LaunchpadVersion } from './addresses.js'
import { DecodeError } from './bytes.js'
import { type AnchorInteger, type ProgramClient, toBigInt, toKey } from './client.js'
import { MAX_TIME } from '../time.js'

/** Launches and team packages, as far as supply needs them. */

/** A launch (programs/v06_, v07_ and v08_launchpad/src/state/launch.rs; the owner tells which it is). */
export interface Launch {
  version: LaunchpadVersion
  complete: boolean
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
  base_mint: PublicKey
  launch_base_vault: PublicKey
  state: Record<string, unknown>
  dao: PublicKey | null
  dao_vault: PublicKey | null
  performance_package_token_amount: AnchorInteger
  is_performance_package_initialized?: boolean
  unix_timestamp_completed?: AnchorInteger | null
}

/** Decodes the launch of `mint`. Throws a DecodeError where the account is no launch of that mint. */
export function decodeLaunch (
  client: ProgramClient, version: LaunchpadVersion, account: RawAccount, mint: string
): Launch {
  const launch = client.launch(version, account) as AnchorLaunch
  if (toKey(launch.base_mint) !== mint) throw new DecodeError('launch: of another mint')
  const complete = launch.state['Complete'] !== undefined
  if (complete && (launch.dao === null || launch.dao_vault === null)) {
    throw new DecodeError('launch: complete without a DAO')
  }
  const completedAt = launch.unix_timestamp_completed == null ? null : Number(toBigInt(launch.unix_timestamp_completed))
  if (completedAt !== null && completedAt > MAX_TIME) throw new DecodeError('launch: a time beyond all dates')
  return {
    version,
    complete,
    baseVault: toKey(launch.launch_base_vault),
    dao: launch.dao && toKey(launch.dao),
    daoVault: launch.dao_vault && toKey(launch.dao_vault),
    packageAmount: toBigInt(launch.performance_package_token_amount),
    // v0.6 initialises the package while completing, and has no such field
    packageInitialized: launch.is_performance_package_initialized ?? true,
    completedAt
  }
}

interface AnchorPackage {
  total_token_amount: AnchorInteger
  already_unlocked_amount: AnchorInteger
  token_mint: PublicKey
  performance_package_token_vault: PublicKey
}

/**
 * Decodes a performance package of `mint`, raw units
 * (programs/price_based_performance_package/src/state/performance_package.rs). Throws a DecodeError where it is none,
 * or has unlocked more than it had.
 */
export function decodePackage (client: ProgramClient, account: RawAccount, mint: string) {
  const decoded = client.package(account) as AnchorPackage
  if (toKey(decoded.token_mint) !== mint) throw new DecodeError('package: of another mint')
  const total = toBigInt(decoded.total_token_amount)
  const unlocked = toBigInt(decoded.already_unlocked_amount)
  if (unlocked > total) throw new DecodeError('package: more unlocked than it holds')
  return { total, unlocked, vault: toKey(decoded.performance_package_token_vault) }
}
