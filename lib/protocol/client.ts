import type { BorshAccountsCoder, Idl } from '@coral-xyz/anchor'
import futarchy from '../../idl/futarchy.json' with { type: 'json' }
import launchpadV06 from '../../idl/launchpad-v0.6.json' with { type: 'json' }
import launchpadV07 from '../../idl/launchpad-v0.7.json' with { type: 'json' }
import launchpadV08 from '../../idl/launchpad-v0.8.json' with { type: 'json' }
import performancePackage from '../../idl/performance-package.json' with { type: 'json' }
import externalPool from '../../idl/damm-v2.json' with { type: 'json' }
import type { RawAccount } from '../chain/types.js'
import type { LaunchpadVersion } from './addresses.js'
import { once } from '../once.js'
import { DecodeError, need, u128 } from './bytes.js'
import { keyBytes, keyText } from './pda.js'

/** The program client: Anchor's layouts of each IDL, and the bounds that they leave unchecked. */

/** What is used of the layout that Anchor makes of a type of the IDL. */
export interface Layout {
  property: string
  /** Bytes; below 0: it depends on them. */
  span: number
  /** Of a struct. */
  fields?: readonly Layout[]
  /** Of an Option, and of an enum at a place: what follows their byte. */
  layout?: Layout
  getVariant?: (data: Buffer, at: number) => { layout: Layout }
  getSpan (data: Buffer, at: number): number
  decode (data: Buffer, at: number): unknown
}

/**
 * A struct in an account, its fields by the IDL's names: keys, integers and times in an Option or not. They are read
 * when they are asked for, since decoding all of a DAO takes twice as long as what is needed of it.
 */
export class Struct {
  readonly #layout: Layout
  readonly #data: Buffer
  readonly #start: number

  constructor (layout: Layout, data: Buffer, start: number) {
    this.#layout = layout
    this.#data = data
    this.#start = start
  }

  /** Of what an enum holds, the variant. */
  get name () { return this.#layout.property }

  /** Where it ends in the account. */
  get end () { return this.#start + this.#layout.getSpan(this.#data, this.#start) }

  #find (name: string) {
    let at = this.#start
    for (const layout of this.#layout.fields!) {
      if (layout.property === name) return { layout, at }
      at += layout.getSpan(this.#data, at)
    }
    throw new TypeError(`${this.name} has no ${name}`)
  }

  /** Whether the IDL has the field and, of an Option, the account too. */
  has (name: string) {
    if (this.#layout.fields!.every(({ property }) => property !== name)) return false
    const { layout, at } = this.#find(name)
    return layout.span >= 0 || this.#data[at] === 1
  }

  bytes (name: string) {
    const { layout, at } = this.#find(name)
    const end = at + layout.getSpan(this.#data, at)
    return this.#data.subarray(end - (layout.layout ?? layout).span, end)
  }

  key (name: string) { return keyText(this.bytes(name)) }

  /** Of 64 or 128 bits, unsigned. */
  integer (name: string) {
    const bytes = this.bytes(name)
    return bytes.length === 16 ? u128(bytes, 0) : bytes.readBigUInt64LE()
  }

  /** Unix seconds. */
  time (name: string) { return Number(this.bytes(name).readBigInt64LE()) }

  /** A small number or a boolean. Throws a DecodeError where a boolean is neither. */
  value (name: string) {
    const { layout, at } = this.#find(name)
    try {
      return layout.decode(this.#data, at) as number | boolean
    } catch (error) {
      throw new DecodeError(`${name}: not decodable`, { cause: error })
    }
  }

  /** A struct, or what an enum holds. */
  struct (name: string) {
    const { layout, at } = this.#find(name)
    const variant = layout.getVariant?.(this.#data, at)
    return variant === undefined ? new Struct(layout, this.#data, at) : new Struct(variant.layout, this.#data, at + 1)
  }
}

const DISCRIMINATOR = 8

export type ProgramClient = ReturnType<typeof createProgramClient>

/** A client for the program at `factory`. */
export function createProgramClient (factory: string) {
  const own = { ...futarchy, address: factory }
  let Coder: typeof BorshAccountsCoder | undefined

  /** Throws a DecodeError unless owner, discriminator and length are right. */
  function decoder (idl: { address: string }, name: string) {
    const what = name.toLowerCase()
    const open = once(() => {
      if (Coder === undefined) throw new Error('the program client has not been loaded')
      const { discriminator, layout } = new Coder(idl as unknown as Idl)['accountLayouts'].get(name)!
      return { discriminator: Buffer.from(discriminator), layout: layout as unknown as Layout }
    })
    return ({ owner: program, data }: RawAccount): Struct => {
      if (program !== idl.address) throw new DecodeError(`${what}: owned by another program`)
      const { discriminator, layout } = open()
      try {
        // Anchor would read on behind the end, and lists of any length: they are measured, and never decoded
        need(data, DISCRIMINATOR, layout.getSpan(data, DISCRIMINATOR), what)
        if (!discriminator.equals(data.subarray(0, DISCRIMINATOR))) throw new DecodeError(`${what}: another kind`)
        return new Struct(layout, data, DISCRIMINATOR)
      } catch (error) {
        throw error instanceof DecodeError ? error : new DecodeError(`${what}: not decodable`, { cause: error })
      }
    }
  }

  return {
    /** Program that owns the DAO accounts, base58. */
    program: factory,
    programKey: keyBytes(factory),
    /** First bytes of every account of a DAO, and of a proposal. */
    daoPrefix: Buffer.from(futarchy.accounts[0]!.discriminator),
    proposalPrefix: Buffer.from(futarchy.accounts[1]!.discriminator),
    /** Loads Anchor, without which the decoders below throw. */
    async load () { Coder ??= (await import('./anchor.js')).BorshAccountsCoder },
    dao: decoder(own, 'Dao'),
    proposal: decoder(own, 'Proposal'),
    ammPosition: decoder(own, 'AmmPosition'),
    /** By version of the launchpad. */
    launch: {
      'v0.8': decoder(launchpadV08, 'Launch'),
      'v0.7': decoder(launchpadV07, 'Launch'),
      'v0.6': decoder(launchpadV06, 'Launch')
    } satisfies Record<LaunchpadVersion, unknown>,
    package: decoder(performancePackage, 'PerformancePackage'),
    pool: decoder(externalPool, 'Pool'),
    position: decoder(externalPool, 'Position')
  }
}
