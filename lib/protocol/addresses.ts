import { LRUCache } from 'lru-cache'
import { upTo } from '../lru.js'
import { derive, keyBytes, keyText } from './pda.js'

/** Programs and the addresses derived from them. Seeds by the programs' sources, named at each function. */

/** Ids of the programs that tokens, metadata, launches and packages belong to (the protocol's sdk/src/constants.ts). */
export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  metaplex: 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  performancePackage: 'pbPPQH7jyKoSLu8QYs3rSY3YkDRXEBojKbTgnUg7NDS',
  externalPool: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
  bidWall: 'WALL8ucBuUyL46QYxwYJjidaFYhdvxUFrgvBxPshERx',
  relaunch: 'vaMpdXN2P3Z5v8y6GtAU5NzCUjxtphnRVpvqu37Spik'
} as const

/** The launchpads, newest first: the order in which a mint's launch is looked for. */
export const LAUNCHPADS = [
  { version: 'v0.8', program: 'moonDJUoHteKkGATejA5bdJVwJ6V6Dg74gyqyJTx73n' },
  { version: 'v0.7', program: 'moontUzsdepotRGe5xsfip7vLPTJnVuafqdUWexVnPM' },
  { version: 'v0.6', program: 'MooNyh4CBUYEKyXVnjGYQ8mEiJDpGvJMdvrZx1iGeHV' }
] as const
export type Launchpad = typeof LAUNCHPADS[number]
export type LaunchpadVersion = Launchpad['version']

const text = (seed: string): Buffer => Buffer.from(seed)
const PROGRAM_BYTES = new Map<string, Buffer>(Object.values(PROGRAMS).map(program => [program, keyBytes(program)]))
const programBytes = (program: string): Buffer => PROGRAM_BYTES.get(program) ?? keyBytes(program)
const pda = (program: string, ...seeds: Buffer[]): string => keyText(derive(seeds, programBytes(program)))

/** Metaplex metadata of a mint (mpl-token-metadata: seeds `metadata`, program id, mint). */
export const metadataAddress = (mint: string): string =>
  pda(PROGRAMS.metaplex, text('metadata'), programBytes(PROGRAMS.metaplex), keyBytes(mint))

/** What has been derived for the supplies of late, which are read again every few seconds; 2 KB a mint. */
const MAX_KEPT = 2_000
const tokenAccounts = new LRUCache<string, string>(upTo(8 * MAX_KEPT))
const positions = new LRUCache<string, string>(upTo(MAX_KEPT))
const launches = new LRUCache<string, LaunchAddresses>(upTo(MAX_KEPT))
const relaunches = new LRUCache<string, { signer: string, dao: string }>(upTo(MAX_KEPT))

/** What is kept under `key`, or is from now on. */
function keptIn<T extends {}> (kept: LRUCache<string, T>, key: string, make: () => T): T {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  kept.set(key, made)
  return made
}

/** Associated token account of any owner, program-derived ones too (spl-token: owner, token program, mint). */
export const tokenAccountAddress = (owner: string, mint: string, tokenProgram: string = PROGRAMS.token): string =>
  keptIn(tokenAccounts, `${owner} ${tokenProgram} ${mint}`, () =>
    pda(PROGRAMS.associatedToken, keyBytes(owner), programBytes(tokenProgram), keyBytes(mint)))

/** Signer of a program's CPI events (anchor: seed `__event_authority`). */
export const eventAuthority = (program: string): string => pda(program, text('__event_authority'))

/**
 * A DAO's own liquidity in its pool (programs/futarchy/src/instructions/provide_liquidity.rs; the seed is the vault
 * whatever authority is stored).
 */
export const ammPositionAddress = (program: string, dao: string, vault: string): string =>
  keptIn(positions, `${program} ${dao} ${vault}`, () =>
    pda(program, text('amm_position'), keyBytes(dao), keyBytes(vault)))
/**
 * The bid wall of a launch (programs/v07_launchpad/src/instructions/complete_launch.rs: creator the launch's signer,
 * nonce 0).
 */
export const bidWallAddress = (mint: string, signer: string): string =>
  keptIn(positions, `${mint} ${signer}`, () =>
    pda(PROGRAMS.bidWall, text('bid_wall'), keyBytes(mint), keyBytes(signer), Buffer.alloc(8)))

/**
 * The DAO of a token that was issued anew for it, and who made it and holds what is unclaimed
 * (sdk/src/relaunch/v0.1/pda.ts, programs/relaunch/src/instructions/complete_relaunch.rs).
 */
export const relaunchAddresses = (program: string, mint: string): { signer: string, dao: string } =>
  keptIn(relaunches, `${program} ${mint}`, () => {
    const relaunch = pda(PROGRAMS.relaunch, text('relaunch'), keyBytes(mint))
    const signer = pda(PROGRAMS.relaunch, text('relaunch_signer'), keyBytes(relaunch))
    return { signer, dao: pda(program, text('dao'), keyBytes(signer), Buffer.alloc(8)) }
  })

/** What belongs to the launch of a mint by one launchpad, all derivable from the mint alone. */
export interface LaunchAddresses {
  readonly launch: string
  /** Creator of the DAO and create key of the package. */
  readonly signer: string
  /** Price-based performance package; v0.8 has none. */
  readonly package: string
  /** The position that the launch opened in the external pool, and the token account that holds its NFT. */
  readonly position: string
  readonly positionNft: string
  readonly positionNftAccount: string
}

/**
 * Addresses of a launch (programs/v07_launchpad/src/instructions/initialize_launch.rs and complete_launch.rs; the NFT
 * mint's seed lies under the launchpad, the position's under the external pool program).
 */
export const launchAddresses = (launchpad: string, mint: string): LaunchAddresses =>
  keptIn(launches, `${launchpad} ${mint}`, () => deriveLaunch(launchpad, mint))

function deriveLaunch (launchpad: string, mint: string): LaunchAddresses {
  const launch = pda(launchpad, text('launch'), keyBytes(mint))
  const signer = pda(launchpad, text('launch_signer'), keyBytes(launch))
  const positionNft = pda(launchpad, text('position_nft_mint'), keyBytes(mint))
  return {
    launch,
    signer,
    package: pda(PROGRAMS.performancePackage, text('performance_package'), keyBytes(signer)),
    position: pda(PROGRAMS.externalPool, text('position'), keyBytes(positionNft)),
    positionNft,
    positionNftAccount: pda(PROGRAMS.externalPool, text('position_nft_account'), keyBytes(positionNft))
  }
}
