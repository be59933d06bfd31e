import type { RawAccount } from '../chain/types.js'
import type { LaunchpadVersion } from './addresses.js'
import { DecodeError } from './bytes.js'
import type { ProgramClient } from './client.js'
import { MAX_TIME } from '../time.js'

/** Launches and team packages, as far as supply needs them. */

/** A launch (programs/v06_, v07_ and v08_launchpad/src/state/launch.rs; the owner tells which it is). */
export type Launch = ReturnType<typeof decodeLaunch>

const [COMPLETED, INITIALIZED] = ['unix_timestamp_completed', 'is_performance_package_initialized'] as const

/** Decodes the launch of `mint`. Throws a DecodeError where the account is no launch of that mint. */
export function decodeLaunch (
  client: ProgramClient, version: LaunchpadVersion, account: RawAccount, mint: string
) {
  const launch = client.launch[version](account)
  if (launch.key('base_mint') !== mint) throw new DecodeError('launch: of another mint')
  const complete = launch.struct('state').name === 'Complete'
  const [dao = null, daoVault = null] = ['dao', 'dao_vault'].map(name => launch.has(name) ? launch.key(name) : null)
  if (complete && (dao === null || daoVault === null)) throw new DecodeError('launch: complete without a DAO')
  const completedAt = launch.has(COMPLETED) ? launch.time(COMPLETED) : null
  if (completedAt !== null && completedAt > MAX_TIME) throw new DecodeError('launch: a time beyond all dates')
  return {
    version,
    complete,
    baseVault: launch.key('launch_base_vault'),
    /** The DAO, once complete. */
    dao,
    daoVault,
    /** Team tokens that the launch sets aside, raw units. */
    packageAmount: launch.integer('performance_package_token_amount'),
    /**
     * False in v0.7 between completion and the package's initialisation: the team's tokens then lie in `baseVault`.
     * v0.6 initialises the package while completing, and has no such field.
     */
    packageInitialized: !launch.has(INITIALIZED) || launch.value(INITIALIZED) === true,
    /** Unix second; null: not complete, or of a version that does not say. */
    completedAt
  }
}

/**
 * Decodes a performance package of `mint`, raw units
 * (programs/price_based_performance_package/src/state/performance_package.rs). Throws a DecodeError where it is none,
 * or has unlocked more than it had.
 */
export function decodePackage (client: ProgramClient, account: RawAccount, mint: string) {
  const team = client.package(account)
  if (team.key('token_mint') !== mint) throw new DecodeError('package: of another mint')
  const [total, unlocked] = [team.integer('total_token_amount'), team.integer('already_unlocked_amount')]
  if (unlocked > total) throw new DecodeError('package: more unlocked than it holds')
  return { total, unlocked, vault: team.key('performance_package_token_vault') }
}
