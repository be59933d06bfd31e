import type { BorshAccountsCoder, Idl } from '@coral-xyz/anchor'
import type { PublicKey } from '@solana/web3.js'
import futarchy from '../../idl/futarchy.json' with { type: 'json' }
import launchpadV06 from '../../idl/launchpad-v0.6.json' with { type: 'json' }
import launchpadV07 from '../../idl/launchpad-v0.7.json' with { type: 'json' }
import launchpadV08 from '../../idl/launchpad-v0.8.json' with { type: 'json' }
import performancePackage from '../../idl/performance-package.json' with { type: 'json' }
import externalPool from '../../idl/damm-v2.json' with { type: 'json' }
import type { RawAccount } from '../chain/types.js'
import { LAUNCHPADS, type LaunchpadVersion, PROGRAMS } from './addresses.js'
import { once } from '../once.js'
import { boundVec, DecodeError, need } from './bytes.js'
import { keyBytes, keyText } from './pda.js'

/** The program client: Anchor's decoder over each IDL, and the bounds that it leaves unchecked. */

/** All that is used of Anchor's keys, and that the build has; of its integers it is the text. */
export type AnchorKey = Pick<PublicKey, 'toBuffer'>

/** A decoded account, and readers of its keys (`bytes`, or text) and integers, all by the IDL's names. */
export function fieldsOf (decoded: unknown) {
  const fields = decoded as Record<string, unknown>
  const bytes = (name: string) => (fields[name] as AnchorKey).toBuffer()
  return {
    fields,
    bytes,
    key: (name: string) => keyText(bytes(name)),
    integer: (name: string) => BigInt(String(fields[name]))
  }
}

/**
 * Offset, item size and most items of the Vec in front of what is read (programs/v07_launchpad/src/state/launch.rs,
 * performance_package.rs).
 */
const LAUNCH_MEMBERS = [25, 32, 10] as const
const PACKAGE_TRANCHES = [8, 25, 10] as const

const LAUNCHPAD_IDLS = { 'v0.6': launchpadV06, 'v0.7': launchpadV07, 'v0.8': launchpadV08 }

const DISCRIMINATOR = 8

type Decode = (account: RawAccount) => unknown

export type ProgramClient = ReturnType<typeof createProgramClient>

/** A client for the program at `factory`. */
export function createProgramClient (factory: string) {
  let Coder: typeof BorshAccountsCoder | undefined

  /** Gives an object with the IDL's names; throws a DecodeError unless owner, discriminator and length are right. */
  function decoder (
    idl: unknown, name: string, owner: string, list?: readonly [offset: number, itemBytes: number, most: number]
  ): Decode {
    const what = name.toLowerCase()
    const open = once(() => {
      if (Coder === undefined) throw new Error('the program client has not been loaded')
      const { discriminator, layout } = new Coder(idl as Idl)['accountLayouts'].get(name)!
      return { discriminator: Buffer.from(discriminator), layout }
    })
    return ({ owner: program, data }) => {
      if (program !== owner) throw new DecodeError(`${what}: owned by another program`)
      const { discriminator, layout } = open()
      if (list !== undefined) boundVec(data, ...list, what)
      try {
        // Anchor would read shorter numbers and keys from an account that is cut short
        need(data, DISCRIMINATOR, layout.getSpan(data, DISCRIMINATOR), what)
        if (!discriminator.equals(data.subarray(0, DISCRIMINATOR))) throw new DecodeError(`${what}: another kind`)
        return layout.decode(data, DISCRIMINATOR)
      } catch (error) {
        throw error instanceof DecodeError ? error : new DecodeError(`${what}: not decodable`, { cause: error })
      }
    }
  }

  return {
    /** Program that owns the DAO accounts, base58. */
    program: factory,
    programKey: keyBytes(factory),
    /** First bytes of every DAO account. */
    daoPrefix: Buffer.from(futarchy.accounts[0]!.discriminator),
    /** Loads Anchor, without which the decoders below throw. */
    async load () { Coder ??= (await import('./anchor.js')).BorshAccountsCoder },
    dao: decoder(futarchy, 'Dao', factory),
    /** By version of the launchpad. */
    launch: Object.fromEntries(LAUNCHPADS.map(({ version, program }) =>
      [version, decoder(LAUNCHPAD_IDLS[version], 'Launch', program, LAUNCH_MEMBERS)])) as
      Record<LaunchpadVersion, Decode>,
    package: decoder(performancePackage, 'PerformancePackage', PROGRAMS.performancePackage, PACKAGE_TRANCHES),
    pool: decoder(externalPool, 'Pool', PROGRAMS.externalPool),
    position: decoder(externalPool, 'Position', PROGRAMS.externalPool)
  }
}
