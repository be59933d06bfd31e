/** What a launch is made of, and what it needs of the ledger. */
import { type LaunchVersion, USDC } from './addresses.js'
import { type Chain } from './chain.js'
import { type Dao } from './dao.js'
import { type DaoLayout } from './layouts.js'
import { type Mint, type MintOptions } from './mint.js'

export interface LaunchOptions {
  version: LaunchVersion
  /** A mint of the caller's, or the address or name for a new one; its supply is set to what the launch mints. */
  mint?: Mint | string | MintOptions
  /** Default USDC. */
  quote?: Mint
  /** Raw quote units. */
  raise: bigint
  /** Raw base units for the team; may be 0 or dust. */
  packageAmount: bigint
  /** Raw base units for another party; v0.7 and v0.8. */
  additional?: bigint
  olderLayout?: boolean
  spendingMembers?: number
  monthsLocked?: number
  /** Build of the DAO's program. */
  layout?: DaoLayout
  protocolFeeBps?: number
  lpFeeBps?: number
}

/** What a launch needs of the ledger. */
export interface LaunchHost {
  chain: Chain
  mint (options?: MintOptions): Mint
  usdc (): Mint
  adopt (dao: Dao): void
}

/** The mint that is given, or a new one. */
export function mintOf (host: LaunchHost, given: LaunchOptions['mint']): Mint {
  if (typeof given === 'object' && 'tokenProgram' in given) return given
  const options = typeof given === 'string' ? { address: given } : given
  if (options?.address === USDC) throw new RangeError('USDC is no launch token')
  return host.mint({ decimals: 6, ...options })
}
