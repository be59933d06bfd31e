import type { RawAccount } from '../chain/types.js'
import type { LaunchpadVersion } from './addresses.js'
import { DecodeError } from './bytes.js'
import { fieldsOf, type ProgramClient } from './client.js'
import { MAX_TIME } from '../time.js'

/** Launches and team packages, as far as supply needs them. */

/** A launch (programs/v06_, v07_ and v08_launchpad/src/state/launch.rs; the owner tells which it is). */
export type Launch = ReturnType<typeof decodeLaunch>

/** Decodes the launch of `mint`. Throws a DecodeError where the account is no launch of that mint. */
export function decodeLaunch (
  client: ProgramClient, version: LaunchpadVersion, account: RawAccount, mint: string
) {
  const { key, integer, fields } = fieldsOf(client.launch[version](account))
  if (key('base_mint') !== mint) throw new DecodeError('launch: of another mint')
  const complete = 'Complete' in (fields['state'] as object)
  const orNull = <T>(name: string, read: (name: string) => T): T | null => fields[name] == null ? null : read(name)
  const [dao, daoVault] = [orNull('dao', key), orNull('dao_vault', key)]
  if (complete && (dao === null || daoVault === null)) throw new DecodeError('launch: complete without a DAO')
  const completedAt = orNull('unix_timestamp_completed', name => Number(integer(name)))
  if (completedAt !== null && completedAt > MAX_TIME) throw new DecodeError('launch: a time beyond all dates')
  return {
    version,
    complete,
    baseVault: key('launch_base_vault'),
    /** The DAO, once complete. */
    dao,
    daoVault,
    /** Team tokens that the launch sets aside, raw units. */
    packageAmount: integer('performance_package_token_amount'),
    /**
     * False in v0.7 between completion and the package's initialisation: the team's tokens then lie in `baseVault`.
     * v0.6 initialises the package while completing, and has no such field.
     */
    packageInitialized: fields['is_performance_package_initialized'] !== false,
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
  const { key, integer } = fieldsOf(client.package(account))
  if (key('token_mint') !== mint) throw new DecodeError('package: of another mint')
  const [total, unlocked] = [integer('total_token_amount'), integer('already_unlocked_amount')]
  if (unlocked > total) throw new DecodeError('package: more unlocked than it holds')
  return { total, unlocked, vault: key('performance_package_token_vault') }
}
