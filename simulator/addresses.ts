/**
 * Program ids, fixed accounts, and the derived addresses of the family (seeds as in the programs' `#[account(seeds =
 * …)]`).
 */
import { PublicKey } from '@solana/web3.js'
import { Writer, keyBytes } from './bytes.js'

/** The owner of deployed programs. */
export const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111'

export const PROGRAMS = {
  futarchy: 'FUTARELBfJfQ8RDGhg1wdhddq1odMAJUePHFuBYfUxKq',
  'v0.6': 'MooNyh4CBUYEKyXVnjGYQ8mEiJDpGvJMdvrZx1iGeHV',
  'v0.7': 'moontUzsdepotRGe5xsfip7vLPTJnVuafqdUWexVnPM',
  'v0.8': 'moonDJUoHteKkGATejA5bdJVwJ6V6Dg74gyqyJTx73n',
  relaunch: 'vaMpdXN2P3Z5v8y6GtAU5NzCUjxtphnRVpvqu37Spik',
  pricePackage: 'pbPPQH7jyKoSLu8QYs3rSY3YkDRXEBojKbTgnUg7NDS',
  packageV2: 'pPV2pfrxnmstSb9j7kEeCLny5BGj6SNwCWGd6xbGGzz',
  mintGovernor: 'gvnr27cVeyW3AVf3acL7VCJ5WjGAphytnsgcK1feHyH',
  conditionalVault: 'VLTX1ishMBbcX3rdBWGssxawAo1Q2X2qxYFYqiGodVg',
  damm: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
  squads: 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  ata: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  metaplex: 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
  system: '11111111111111111111111111111111',
  // Jupiter's aggregator: the usual caller of other programs' swaps.
  aggregator: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
} as const

/** Mainnet USDC; 6 decimals (`programs/v07_launchpad/src/lib.rs`). */
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** The vault that collects protocol fees (`scripts/v0.7/collectAllFees.ts`). */
export const FEE_VAULT = '6awyHMshBGVjJ3ozdSJdyyDE1CTAXUwrpNMaRGMsb4sf'
/** The admin that signs collections (`scripts/v0.7/collectLpFees.ts`). */
export const ADMIN = 'tSTp6B6kE9o6ZaTmHm2ZwnJBBtgd3x112tapxFhmBEQ'
/** External pool configuration of each launchpad version (`sdk/src/constants.ts`). */
export const POOL_CONFIG = {
  'v0.6': 'Asv1KQqeop9e4FFvTzEBZhwtTjuWHXPq5thUGtQrzzA3',
  'v0.7': 'FaA6RM9enPh1tU9Y8LiGCq715JubLc49WGcYTdNvDfsc',
  'v0.8': 'GtSwkni3qe1R74RKY1UsukU54zc8G7ZQsvN57DDs1ece'
} as const

export type LaunchVersion = keyof typeof POOL_CONFIG

const cache = new Map<string, { address: string, bump: number }>()
const u64 = (value: bigint): Buffer => new Writer(8).u64(value).buffer

/** A program-derived address and its bump. Cached: the curve test behind each costs half a millisecond. */
export function derive (program: string, ...seeds: Array<string | Uint8Array>): { address: string, bump: number } {
  const bytes = seeds.map(seed => typeof seed === 'string' ? Buffer.from(seed) : seed)
  const id = `${program}/${bytes.map(seed => Buffer.from(seed).toString('hex')).join('/')}`
  let found = cache.get(id)
  if (found === undefined) {
    const [key, bump] = PublicKey.findProgramAddressSync(bytes, new PublicKey(program))
    cache.set(id, found = { address: key.toBase58(), bump })
  }
  return found
}

export const eventAuthority = (program: string): string => derive(program, '__event_authority').address

/** Associated token account; the owner may itself be a derived address. */
export const ata = (owner: string, mint: string, tokenProgram: string = PROGRAMS.token): string =>
  derive(PROGRAMS.ata, keyBytes(owner), keyBytes(tokenProgram), keyBytes(mint)).address

export const metadataAddress = (mint: string): string =>
  derive(PROGRAMS.metaplex, 'metadata', keyBytes(PROGRAMS.metaplex), keyBytes(mint)).address

export const daoAddress = (program: string, creator: string, nonce: bigint) =>
  derive(program, 'dao', keyBytes(creator), u64(nonce))

export const multisigAddress = (dao: string): string =>
  derive(PROGRAMS.squads, 'multisig', 'multisig', keyBytes(dao)).address

/** The spending limit whose create key is the DAO. */
export const squadsLimitAddress = ({ address, multisig }: { address: string, multisig: string }): string =>
  derive(PROGRAMS.squads, 'multisig', keyBytes(multisig), 'spending_limit', keyBytes(address)).address

/** The treasury: vault 0 of the multisig. */
export const squadsVault = (multisig: string): string =>
  derive(PROGRAMS.squads, 'multisig', keyBytes(multisig), 'vault', Buffer.of(0)).address

export const ammPosition = (program: string, dao: string, authority: string): string =>
  derive(program, 'amm_position', keyBytes(dao), keyBytes(authority)).address

/** Every address of a launch, from its version and mints alone. */
export function launchAddresses (version: LaunchVersion, baseMint: string, quoteMint: string) {
  const launchpad = PROGRAMS[version]
  const { address: launch, bump: launchBump } = derive(launchpad, 'launch', keyBytes(baseMint))
  const { address: signer, bump: signerBump } = derive(launchpad, 'launch_signer', keyBytes(launch))
  const dao = daoAddress(PROGRAMS.futarchy, signer, 0n).address
  const multisig = multisigAddress(dao)
  const daoVault = squadsVault(multisig)
  const { address: packageAddress, bump: packageBump } =
    derive(version === 'v0.8' ? PROGRAMS.packageV2 : PROGRAMS.pricePackage, 'performance_package', keyBytes(signer))
  const governor = derive(PROGRAMS.mintGovernor, 'mint_governor', keyBytes(baseMint), keyBytes(signer)).address
  const positionNftMint = derive(launchpad, 'position_nft_mint', keyBytes(baseMint)).address
  const pool = poolAddress(POOL_CONFIG[version], baseMint, quoteMint)
  return {
    launch,
    launchBump,
    signer,
    signerBump,
    dao,
    multisig,
    daoVault,
    package: packageAddress,
    packageBump,
    packageVault: ata(packageAddress, baseMint),
    governor,
    ammBaseVault: ata(dao, baseMint),
    ammQuoteVault: ata(dao, quoteMint),
    ammPosition: ammPosition(PROGRAMS.futarchy, dao, daoVault),
    pool,
    poolBaseVault: derive(PROGRAMS.damm, 'token_vault', keyBytes(baseMint), keyBytes(pool)).address,
    poolQuoteVault: derive(PROGRAMS.damm, 'token_vault', keyBytes(quoteMint), keyBytes(pool)).address,
    position: derive(PROGRAMS.damm, 'position', keyBytes(positionNftMint)).address,
    positionNftMint,
    positionNftAccount: derive(PROGRAMS.damm, 'position_nft_account', keyBytes(positionNftMint)).address,
    baseVault: ata(signer, baseMint),
    quoteVault: ata(signer, quoteMint),
    treasuryBase: ata(daoVault, baseMint),
    treasuryQuote: ata(daoVault, quoteMint),
    metadata: metadataAddress(baseMint)
  }
}

/**
 * What `relaunch` makes a DAO by, of a mint that is not new; there is no Launch account. Its vault holds what is not
 * claimed yet.
 */
export function relaunchAddresses (mint: string) {
  const relaunch = derive(PROGRAMS.relaunch, 'relaunch', keyBytes(mint)).address
  const signer = derive(PROGRAMS.relaunch, 'relaunch_signer', keyBytes(relaunch)).address
  return { relaunch, signer, dao: daoAddress(PROGRAMS.futarchy, signer, 0n).address, vault: ata(signer, mint) }
}

/** The external pool of a pair under a configuration: its seeds sort the two mints by their bytes, the larger first. */
export function poolAddress (config: string, mintA: string, mintB: string): string {
  const [a, b] = [keyBytes(mintA), keyBytes(mintB)]
  const [larger, smaller] = a.compare(b) > 0 ? [a, b] : [b, a]
  return derive(PROGRAMS.damm, 'pool', keyBytes(config), larger, smaller).address
}
