import { type Idl, Program } from '@coral-xyz/anchor'
import type { Connection, PublicKey } from '@solana/web3.js'
import futarchy from '../../idl/futarchy.json' with { type: 'json' }
import launchpadV06 from '../../idl/launchpad-v0.6.json' with { type: 'json' }
import launchpadV07 from '../../idl/launchpad-v0.7.json' with { type: 'json' }
import launchpadV08 from '../../idl/launchpad-v0.8.json' with { type: 'json' }
import performancePackage from '../../idl/performance-package.json' with { type: 'json' }
import externalPool from '../../idl/damm-v2.json' with { type: 'json' }
import type { RawAccount } from '../chain/types.js'
import { LAUNCHPADS, type LaunchpadVersion, PROGRAMS } from './addresses.js'
import { boundVec, DecodeError, need } from './bytes.js'
import { keyBytes } from './pda.js'

/** The program client: Anchor's Program over each IDL, and what its decoder leaves unchecked. */

/** The part of bn.js that Anchor's integers are read through. Never `toNumber`: u64 exceeds 2^53. */
export interface AnchorInteger { toString (radix: number): string }
export const toBigInt = (value: AnchorInteger): bigint => BigInt(`0x${value.toString(16)}`)
export const toKey = (value: PublicKey): string => value.toBase58()

const DISCRIMINATOR_BYTES = 8
/** Offset, item size and most items of the Vec in front of what is read (programs/v07_launchpad/src/state/launch.rs, performance_package.rs). */
const LAUNCH_MEMBERS = [25, 32, 10] as const
const PACKAGE_TRANCHES = [8, 25, 10] as const

const LAUNCHPAD_IDLS: Record<LaunchpadVersion, unknown> = { 'v0.6': launchpadV06, 'v0.7': launchpadV07, 'v0.8': launchpadV08 }

export interface ProgramClient {
  /** Program that owns the DAO accounts, base58. */
  readonly program: string
  readonly programBytes: Buffer
  /** First bytes of every DAO account. */
  readonly daoPrefix: Buffer
  /** Each gives Anchor's camelCase object; throws a DecodeError unless owner, discriminator and length are right. */
  dao (account: RawAccount): unknown
  launch (version: LaunchpadVersion, account: RawAccount): unknown
  package (account: RawAccount): unknown
  pool (account: RawAccount): unknown
  position (account: RawAccount): unknown
}

/**
 * A client for the program at `factory`. The connection is what Anchor's provider asks for; decoding makes no call on it.
 */
export function createProgramClient (factory: string, connection: Connection): ProgramClient {
  const open = (idl: unknown, address: string): Program => new Program({ ...idl as Idl, address }, { connection })

  const decoder = (program: Program, name: string, owner: string) => {
    const prefix = program.coder.accounts.memcmp(name).bytes
    if (prefix === undefined) throw new Error(`the IDL has no account ${name}`)
    return (account: RawAccount): unknown => {
      if (account.owner !== owner) throw new DecodeError(`${name}: owned by another program`)
      need(account.data, 0, DISCRIMINATOR_BYTES, name)
      try {
        return program.coder.accounts.decode(name, account.data)
      } catch (cause) {
        throw new DecodeError(`${name}: not decodable`, { cause })
      }
    }
  }

  const main = open(futarchy, factory)
  const launchDecoders = new Map(LAUNCHPADS.map(({ version, program }) =>
    [version, decoder(open(LAUNCHPAD_IDLS[version], program), 'launch', program)]))
  const packageDecoder = decoder(open(performancePackage, PROGRAMS.performancePackage), 'performancePackage', PROGRAMS.performancePackage)
  const external = open(externalPool, PROGRAMS.externalPool)

  return {
    program: factory,
    programBytes: keyBytes(factory),
    daoPrefix: Buffer.from(futarchy.accounts[0]!.discriminator),
    dao: decoder(main, 'dao', factory),
    launch (version, account) {
      boundVec(account.data, ...LAUNCH_MEMBERS, 'launch members')
      return launchDecoders.get(version)!(account)
    },
    package (account) {
      boundVec(account.data, ...PACKAGE_TRANCHES, 'package tranches')
      return packageDecoder(account)
    },
    pool: decoder(external, 'pool', PROGRAMS.externalPool),
    position: decoder(external, 'position', PROGRAMS.externalPool)
  }
}
