import { derive, keyBytes, keyText } from './pda.js'

/** Programs and the addresses derived from them, by the seeds of the sources named. */

/** Ids by the protocol's sdk/src/constants.ts. */
export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  metaplex: 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  performancePackage: 'pbPPQH7jyKoSLu8QYs3rSY3YkDRXEBojKbTgnUg7NDS',
  externalPool: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
  squads: 'SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf',
  bidWall: 'WALL8ucBuUyL46QYxwYJjidaFYhdvxUFrgvBxPshERx',
  relaunch: 'vaMpdXN2P3Z5v8y6GtAU5NzCUjxtphnRVpvqu37Spik'
} as const

/** The launchpads, newest first: the order in which a mint's launch is looked for. */
export const LAUNCHPADS = [
  { version: 'v0.8', program: 'moonDJUoHteKkGATejA5bdJVwJ6V6Dg74gyqyJTx73n' },
  { version: 'v0.7', program: 'moontUzsdepotRGe5xsfip7vLPTJnVuafqdUWexVnPM' },
  { version: 'v0.6', program: 'MooNyh4CBUYEKyXVnjGYQ8mEiJDpGvJMdvrZx1iGeHV' }
] as const
export type LaunchpadVersion = typeof LAUNCHPADS[number]['version']

/** Addresses kept, some 30 of a mint of a launch: its supply is read again every few seconds. */
const MAX_KEPT = 30_000
const kept = new Map<string, string>()

/** A program-derived address; a seed given as text is a key. */
function pda (program: string, ...seeds: ReadonlyArray<string | Buffer>): string {
  const id = `${program} ${seeds.join(' ')}`
  let address = kept.get(id)
  if (address === undefined) {
    const bytes = seeds.map(seed => typeof seed === 'string' ? keyBytes(seed) : seed)
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(id, address = keyText(derive(bytes, keyBytes(program))))
  }
  return address
}

const text = (seed: string) => Buffer.from(seed)
const NO_NONCE = Buffer.alloc(8)

/** Metaplex metadata of a mint (mpl-token-metadata). */
export const metadataAddress = (mint: string) =>
  pda(PROGRAMS.metaplex, text('metadata'), PROGRAMS.metaplex, mint)

/** Associated token account of any owner (spl-token). */
export const tokenAccountAddress = (owner: string, mint: string, tokenProgram: string) =>
  pda(PROGRAMS.associatedToken, owner, tokenProgram, mint)

/** Signer of a program's CPI events (anchor: seed `__event_authority`). */
export const eventAuthority = (program: string) => pda(program, text('__event_authority'))

/**
 * A DAO's own liquidity in its pool; the seed is the vault, whatever authority is stored
 * (programs/futarchy/src/instructions/provide_liquidity.rs).
 */
export const ammPositionAddress = (program: string, dao: string, vault: string) =>
  pda(program, text('amm_position'), dao, vault)

/**
 * The multisig of a DAO, and the spending limit that its launch and its proposals keep there
 * (programs/v07_launchpad/src/instructions/complete_launch.rs).
 */
export function squadsAddresses (dao: string) {
  const multisig = pda(PROGRAMS.squads, text('multisig'), text('multisig'), dao)
  return { multisig, limit: pda(PROGRAMS.squads, text('multisig'), multisig, text('spending_limit'), dao) }
}

/** The bid wall of a launch, by its signer (programs/v07_launchpad/src/instructions/complete_launch.rs). */
export const bidWallAddress = (mint: string, signer: string) =>
  pda(PROGRAMS.bidWall, text('bid_wall'), mint, signer, NO_NONCE)

/**
 * The DAO of a relaunched token, and the owner of what is unclaimed (sdk/src/relaunch/v0.1/pda.ts,
 * programs/relaunch/src/instructions/complete_relaunch.rs).
 */
export function relaunchAddresses (program: string, mint: string) {
  const signer = pda(PROGRAMS.relaunch, text('relaunch_signer'), pda(PROGRAMS.relaunch, text('relaunch'), mint))
  return { signer, dao: pda(program, text('dao'), signer, NO_NONCE) }
}

/** Addresses of a launch (programs/v07_launchpad/src/instructions/initialize_launch.rs, complete_launch.rs). */
export function launchAddresses (launchpad: string, mint: string) {
  const launch = pda(launchpad, text('launch'), mint)
  const positionNft = pda(launchpad, text('position_nft_mint'), mint)
  // most mints have no launch: addresses that only an existing one leads to are derived on demand
  return {
    launch,
    /** Creator of the DAO and create key of the package. */
    get signer () { return pda(launchpad, text('launch_signer'), launch) },
    /** Price-based performance package; v0.8 has none. */
    get package () { return pda(PROGRAMS.performancePackage, text('performance_package'), this.signer) },
    /** The position that the launch opened in the external pool, and the token account that holds its NFT. */
    position: pda(PROGRAMS.externalPool, text('position'), positionNft),
    positionNft,
    get positionNftAccount () { return pda(PROGRAMS.externalPool, text('position_nft_account'), positionNft) }
  }
}
