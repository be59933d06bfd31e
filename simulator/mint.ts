/** Mints, token accounts and token metadata: the layouts of the token programs and of the metadata program. */
import { type AccountStore } from './accounts.js'
import { PROGRAMS, ata, metadataAddress } from './addresses.js'
import { Writer } from './bytes.js'

/**
 * Where a token's name is: the metadata program's account, an extension of the mint, an account the mint points to, or
 * nowhere.
 */
export type MetadataKind = 'metaplex' | 'token-2022' | 'pointer' | 'none'

export interface MintOptions {
  address?: string
  decimals?: number
  /** Raw units. */
  supply?: bigint
  symbol?: string
  name?: string
  program?: 'spl' | 'token-2022'
  metadata?: MetadataKind
  mintAuthority?: string | null
}

export interface Mint {
  readonly address: string
  readonly decimals: number
  readonly symbol: string
  readonly name: string
  readonly tokenProgram: string
  /** Where the metadata account is; null without one. */
  readonly metadataAccount: string | null
  /** Raw units; assigning changes the mint account. */
  supply: bigint
  mintAuthority: string | null
}

/** 82 bytes: option tags of 4 bytes, payload always present. */
function writeMint (writer: Writer, mint: Mint): Writer {
  return writer.u32(mint.mintAuthority === null ? 0 : 1).key(mint.mintAuthority ?? PROGRAMS.system).u64(mint.supply)
    .u8(mint.decimals).u8(1).u32(0).key(PROGRAMS.system)
}

/** Room for texts that are longer than any honest one. */
const textBytes = ({ name, symbol }: Mint): number =>
  name.length + symbol.length > 256 ? Buffer.byteLength(name + symbol) : 0

/** Extensions: type, length, value; 18 points to the metadata, 19 is the metadata. */
function writeExtensions (writer: Writer, mint: Mint, kind: MetadataKind, pointsTo: string | null): void {
  writer.offset = 165
  writer.u8(1)
  // A transfer fee configuration first, as many foreign tokens have: a reader must step over it.
  writer.u16(1).u16(108).skip(108)
  if (kind === 'none') return
  writer.u16(18).u16(64).key(PROGRAMS.system).key(pointsTo ?? mint.address)
  if (kind !== 'token-2022') return
  const body = new Writer(1024 + textBytes(mint)).key(PROGRAMS.system).key(mint.address).text(mint.name)
    .text(mint.symbol).text('https://example.org/token.json').u32(0)
  writer.u16(19).u16(body.offset).bytes(body.done())
}

/** MetadataV1 with padded strings, as launches create it. */
function writeMetadata (mint: Mint): Buffer {
  return new Writer(679).u8(4).key(mint.mintAuthority ?? PROGRAMS.system).key(mint.address)
    .text(mint.name, 32).text(mint.symbol, 10).text('https://example.org/token.json', 200)
    .u16(0).u8(0).u8(0).u8(1).u8(1).u8(255).u8(1).u8(2).buffer
}

/**
 * Creates a mint and its metadata. Tokens of the newer token program keep their name in the mint unless told otherwise.
 */
export function createMint (accounts: AccountStore, address: string, options: MintOptions): Mint {
  const tokenProgram = options.program === 'token-2022' ? PROGRAMS.token2022 : PROGRAMS.token
  const kind = options.metadata ?? (options.program === 'token-2022' ? 'token-2022' : 'metaplex')
  const metadataAccount = kind === 'metaplex' || kind === 'pointer' ? metadataAddress(address) : null
  let supply = options.supply ?? 10n ** 15n
  let mintAuthority = options.mintAuthority ?? null
  const mint: Mint = {
    address,
    decimals: options.decimals ?? 6,
    symbol: options.symbol ?? address.slice(0, 4).toUpperCase(),
    name: options.name ?? options.symbol ?? `Token ${address.slice(0, 4)}`,
    tokenProgram,
    metadataAccount,
    get supply () { return supply },
    set supply (value) {
      supply = value
      entry.touch()
    },
    get mintAuthority () { return mintAuthority },
    set mintAuthority (value) {
      mintAuthority = value
      entry.touch()
    }
  }
  const entry = accounts.put(address, tokenProgram, () => {
    if (tokenProgram === PROGRAMS.token) return writeMint(new Writer(82), mint).buffer
    const writer = writeMint(new Writer(1400 + textBytes(mint)), mint)
    writeExtensions(writer, mint, kind === 'metaplex' ? 'none' : kind, metadataAccount)
    return Buffer.from(writer.done())
  })
  if (metadataAccount !== null) {
    accounts.put(metadataAccount, PROGRAMS.metaplex, () => writeMetadata(mint))
  }
  return mint
}

/** A token account whose amount is a number of raw units that the ledger moves. */
export interface TokenAccount {
  readonly address: string
  amount: bigint
  /** Ends the account: reading it gives nothing from then on. */
  close (): void
}

/** 165 bytes. `address` defaults to the owner's associated account. */
export function createTokenAccount (
  accounts: AccountStore, owner: string, mint: { address: string, tokenProgram?: string }, amount = 0n, address?: string
): TokenAccount {
  const tokenProgram = mint.tokenProgram ?? PROGRAMS.token
  const at = address ?? ata(owner, mint.address, tokenProgram)
  const entry = accounts.put(at, tokenProgram, () =>
    new Writer(165).key(mint.address).key(owner).u64(amount).u32(0).skip(32).u8(1).u32(0).skip(8).u64(0n).u32(0).buffer)
  return {
    address: at,
    get amount () { return amount },
    set amount (value) {
      amount = value
      entry.touch()
    },
    close: () => accounts.remove(at)
  }
}
