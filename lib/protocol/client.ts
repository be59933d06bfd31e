import type * as Anchor from '@coral-xyz/anchor'
import type * as Web3 from '@solana/web3.js'
import futarchy from '../../idl/futarchy.json' with { type: 'json' }
import launchpadV06 from '../../idl/launchpad-v0.6.json' with { type: 'json' }
import launchpadV07 from '../../idl/launchpad-v0.7.json' with { type: 'json' }
import launchpadV08 from '../../idl/launchpad-v0.8.json' with { type: 'json' }
import performancePackage from '../../idl/performance-package.json' with { type: 'json' }
import externalPool from '../../idl/damm-v2.json' with { type: 'json' }
import type { RawAccount } from '../chain/types.js'
import { LAUNCHPADS, type LaunchpadVersion, PROGRAMS } from './addresses.js'
import { ServiceError } from '../errors.js'
import { once } from '../once.js'
import { boundVec, DecodeError, need } from './bytes.js'
import { keyBytes, keyText } from './pda.js'

/** The program client: Anchor's Program over each IDL, and what its decoder leaves unchecked. */

/** The part of bn.js that Anchor's integers are read through. Never `toNumber`: u64 exceeds 2^53. */
export interface AnchorInteger { toString (radix: number): string }
export const toBigInt = (value: AnchorInteger): bigint => BigInt(`0x${value.toString(16)}`)
export const toKey = (value: Web3.PublicKey): string => keyText(value.toBytes())

/**
 * Offset, item size and most items of the Vec in front of what is read (programs/v07_launchpad/src/state/launch.rs,
 * performance_package.rs).
 */
const LAUNCH_MEMBERS = [25, 32, 10] as const
const PACKAGE_TRANCHES = [8, 25, 10] as const

const LAUNCHPAD_IDLS: Record<LaunchpadVersion, unknown> = {
  'v0.6': launchpadV06,
  'v0.7': launchpadV07,
  'v0.8': launchpadV08
}

export interface ProgramClient {
  /** Program that owns the DAO accounts, base58. */
  readonly program: string
  readonly programBytes: Buffer
  /** First bytes of every DAO account. */
  readonly daoPrefix: Buffer
  /** Loads what the decoders below need; they throw before it is there. */
  load (): Promise<void>
  /** Each gives Anchor's camelCase object; throws a DecodeError unless owner, discriminator and length are right. */
  launch (version: LaunchpadVersion, account: RawAccount): unknown
  package (account: RawAccount): unknown
  pool (account: RawAccount): unknown
  position (account: RawAccount): unknown
}

/**
 * Nodes are asked through `lib/chain` alone, which paces calls and keeps their keys to itself; Anchor's own connection
 * reaches none.
 */
const refuse = async (): Promise<never> => {
  throw new ServiceError(
    'NODE_UNAVAILABLE',
    'nodes are asked through the node client'
  )
}

interface Libraries { Connection: typeof Web3.Connection, Program: typeof Anchor.Program }

/**
 * Anchor and web3.js, loaded when a node is first asked: until then nobody needs them. One after the other, so that
 * neither holds the loop for both.
 */
async function loadLibraries (): Promise<Libraries> {
  const { Connection } = await import('./libraries/web3.js')
  const { Program } = await import('./libraries/anchor.js')
  return { Connection, Program }
}

const openProgram = ({ Connection, Program }: Libraries, idl: unknown, address: string): Anchor.Program =>
  new Program({ ...idl as Anchor.Idl, address }, { connection: new Connection('http://localhost', { fetch: refuse }) })

/** A client for the program at `factory`. */
export function createProgramClient (factory: string): ProgramClient {
  let libraries: Libraries | undefined
  const open = (idl: unknown, address: string): () => Anchor.Program => once(() => {
    if (libraries === undefined) throw new Error('the program client has not been loaded')
    return openProgram(libraries, idl, address)
  })

  const decoder = (
    program: () => Anchor.Program,
    name: string,
    owner: string,
    list?: readonly [offset: number, itemBytes: number, most: number]
  ) => {
    // throws where the IDL has no such account
    const coder = once(() => ({ accounts: program().coder.accounts, size: program().coder.accounts.size(name) }))
    return (account: RawAccount): unknown => {
      if (account.owner !== owner) throw new DecodeError(`${name}: owned by another program`)
      const { accounts, size } = coder()
      // Accounts have room for their longest form, and of one that is cut short Anchor would read shorter numbers and
      // keys. It counts a list as one byte
      need(account.data, 0, list === undefined ? size : size - 1 + boundVec(account.data, ...list, name), name)
      try {
        return accounts.decode(name, account.data)
      } catch (cause) {
        throw new DecodeError(`${name}: not decodable`, { cause })
      }
    }
  }

  const launchDecoders = new Map(LAUNCHPADS.map(({ version, program }) =>
    [version, decoder(open(LAUNCHPAD_IDLS[version], program), 'launch', program, LAUNCH_MEMBERS)]))
  const external = open(externalPool, PROGRAMS.externalPool)

  return {
    program: factory,
    programBytes: keyBytes(factory),
    daoPrefix: Buffer.from(futarchy.accounts[0]!.discriminator),
    async load () { libraries ??= await loadLibraries() },
    launch: (version, account) => launchDecoders.get(version)!(account),
    package: decoder(open(
      performancePackage,
      PROGRAMS.performancePackage
    ), 'performancePackage', PROGRAMS.performancePackage, PACKAGE_TRANCHES),
    pool: decoder(external, 'pool', PROGRAMS.externalPool),
    position: decoder(external, 'position', PROGRAMS.externalPool)
  }
}
