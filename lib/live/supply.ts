import type { RawAccount } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import { positionAmount } from '../market/external-share.js'
import { type AllocatedPart, circulatingOf, lockedTeamTokens, supplyRecord } from '../market/supply.js'
import {
  bidWallAddress, launchAddresses, type LaunchAddresses, LAUNCHPADS, relaunchAddresses, tokenAccountAddress
} from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { decodeExternalPool, decodeExternalPosition, type ExternalPosition } from '../protocol/external-pool.js'
import { decodeLaunch, decodePackage, type Launch } from '../protocol/launch.js'
import { parseKey } from '../protocol/pda.js'
import { decodeMint, decodeTokenAccount, type Mint } from '../protocol/token.js'
import type { Supply } from '../../schemas/supply.js'
import type { Accounts, AccountSet, SetReader } from './account-sets.js'
import type { Kept, Part } from './fresh.js'

/** Gives the DAOs that trade a mint as their base, excluded ones aside, and whether an address is one of all DAOs. */
export type DaosOf = Kept<{ trading: readonly string[], isDao: (address: string) => boolean }, [mint: string]>

/** What the accounts of one slot say of a supply. */
export interface SupplyFacts {
  supply: Supply
  mint: Mint
  /** Raw units of it that circulate. */
  circulating: bigint
  /** null: it comes from none. */
  launch: (Launch & { address: string }) | null
  /** What the launch's own position in the external pool would withdraw, by mint; null: there is none in the vault. */
  external: { position: string, amounts: ReadonlyMap<string, bigint> } | null
  allocation: AllocatedPart[]
}

/** The launch of a mint, and the position that it opened in the external pool. */
interface Origin {
  launch: Launch
  addresses: LaunchAddresses
  position: ExternalPosition | null
}

/**
 * Reads the supply of a mint. Throws INVALID_MINT, MINT_NOT_FOUND, NODE_BAD_ANSWER for accounts that contradict each
 * other, and the ServiceError of a failed read: only an account that the node says does not exist counts as nothing.
 */
export function createSupplyReader (
  readSets: SetReader, client: ProgramClient, daosOf: DaosOf
): Kept<Supply, [mint: string]> {
  return async (parts, mint) => {
    if (parseKey(mint) === undefined) throw new ServiceError('INVALID_MINT', `${mint.slice(0, 64)} is no key`)
    await client.load()
    const found = await readSets(parts, [mint], supplyAddresses, (mint, set) =>
      supplyOf(parts, client, mint, set, daosOf))
    const made = found.get(mint)!
    if (made instanceof ServiceError) throw made
    return made.supply
  }
}

const candidatesOf = (mint: string) =>
  LAUNCHPADS.map(({ version, program }) => ({ version, addresses: launchAddresses(program, mint) }))

/** Where the supply of a mint is looked for first: the mint, and each launchpad's launch and position. */
export const supplyAddresses = (mint: string): [string, ...string[]] =>
  [mint, ...candidatesOf(mint).flatMap(({ addresses }) => [addresses.launch, addresses.position])]

/**
 * The supply by the accounts that were read, or which more must be read with them: what the launch of the mint leads
 * to, or, of a token of no launch, the pools of the DAOs that trade it. Throws MINT_NOT_FOUND, NODE_BAD_ANSWER, and a
 * DecodeError for accounts that contradict each other.
 */
export async function supplyOf (
  parts: Part[], client: ProgramClient, mint: string, { accounts, asked }: AccountSet, daosOf: DaosOf
): Promise<SupplyFacts | string[]> {
  const account = accounts.get(mint)
  const token = account && decodeMint(account)
  if (token === undefined) throw new ServiceError('MINT_NOT_FOUND', `${mint} holds no mint`)
  const origin = findOrigin(client, mint, accounts)
  // a DAO born since the list was read would be missing from the supply: it is as old as the list
  const places = origin === undefined
    ? placesOfDaos(client, token, await daosOf(parts, mint))
    : placesOfLaunch(origin, token)
  const needed = [...places.map(({ address }) => address), ...origin === undefined ? [] : besideThem(origin, token)]
  if (!needed.every(address => asked.has(address))) return needed
  const external = origin?.launch.dao == null ? null : externalLiquidity(client, origin, mint, accounts)
  const held = places.map(({ owner, ...place }): AllocatedPart =>
    ({ ...place, amount: balance(accounts, place.address, token, owner) }))
  const allocation = (origin === undefined ? held : allocatedByLaunch(client, origin, token, accounts, external, held))
    .filter(({ amount }) => amount > 0n)
  return {
    supply: supplyRecord(token, allocation),
    mint: token,
    circulating: circulatingOf(token.supply, allocation),
    launch: origin === undefined ? null : { ...origin.launch, address: origin.addresses.launch },
    external,
    allocation
  }
}

/** The launch that a mint comes from: the newest launchpad's that is complete, else the newest's. */
function findOrigin (client: ProgramClient, mint: string, accounts: Accounts): Origin | undefined {
  const origins = candidatesOf(mint).flatMap(({ version, addresses }) => {
    const account = accounts.get(addresses.launch)
    if (account === undefined) return []
    const position = accounts.get(addresses.position)
    return [{
      launch: decodeLaunch(client, version, account, mint),
      addresses,
      position: position === undefined ? null : decodeExternalPosition(client, position, addresses.positionNft)
    }]
  })
  return origins.find(({ launch }) => launch.complete) ?? origins[0]
}

/** A token account of the mint, where it is the associated one of its owner. */
const vaultOf = (owner: string, { address, tokenProgram }: Mint): string =>
  tokenAccountAddress(owner, address, tokenProgram)

/** A token account that holds a part of a supply, and who must own it. */
interface Place extends Omit<AllocatedPart, 'amount'> { owner: string }

const poolOf = (dao: string, token: Mint): Place =>
  ({ kind: 'internal_pool', address: vaultOf(dao, token), owner: dao, circulating: true })

/** The pools of the DAOs, and what nobody has claimed of a token issued anew for one, which does not circulate. */
function placesOfDaos (
  { program }: ProgramClient, token: Mint, { trading, isDao }: Awaited<ReturnType<DaosOf>>
): Place[] {
  const { signer, dao } = relaunchAddresses(program, token.address)
  const unclaimed: Place =
    { kind: 'launch_vault', address: vaultOf(signer, token), owner: signer, circulating: false }
  return [...isDao(dao) ? [unclaimed] : [], ...trading.map(dao => poolOf(dao, token))]
}

/** What a launch that has made its DAO holds, the bid wall behind it, and the DAO's pool. */
function placesOfLaunch ({ launch: { dao, baseVault }, addresses: { signer } }: Origin, token: Mint): Place[] {
  if (dao === null) return []
  const wall = bidWallAddress(token.address, signer)
  return [
    { kind: 'launch_vault', address: baseVault, owner: signer, circulating: true },
    { kind: 'bid_wall', address: vaultOf(wall, token), owner: wall, circulating: true },
    poolOf(dao, token)
  ]
}

/** What must be read beside these, at the same slot, to measure the team's tokens and the external position. */
function besideThem ({ launch, addresses, position }: Origin, token: Mint): string[] {
  if (launch.dao === null) return []
  const { package: team, positionNftAccount } = addresses
  return [team, vaultOf(team, token), positionNftAccount, ...position === null ? [] : [position.pool]]
}

function allocatedByLaunch (
  client: ProgramClient, origin: Origin, token: Mint, accounts: Accounts, external: SupplyFacts['external'],
  [vault, ...others]: AllocatedPart[]
): AllocatedPart[] {
  if (vault === undefined) return []
  const { launch: { packageInitialized }, addresses } = origin
  const team = teamPackage(client, origin, token, accounts)
  const teamVault = packageInitialized ? vaultOf(addresses.package, token) : vault.address
  const outside = external?.amounts.get(token.address) ?? 0n
  return [
    { kind: 'team_package', address: teamVault, amount: team, circulating: false },
    ...external === null
      ? []
      : [{ kind: 'external_pool' as const, address: external.position, amount: outside, circulating: true }],
    { ...vault, amount: vault.amount - (packageInitialized ? 0n : team) },
    ...others
  ]
}

/** Balance of `owner`'s token account; 0: there is none. Throws a DecodeError where it is of another mint or owner. */
function balance (accounts: Accounts, address: string, mint: Mint, owner: string): bigint {
  const account = accounts.get(address)
  if (account === undefined) return 0n
  const token = decodeTokenAccount(account)
  if (token.mint === mint.address && token.owner === owner) return token.amount
  throw new DecodeError(`${address}: a vault of another mint or owner`)
}

function teamPackage (client: ProgramClient, origin: Origin, token: Mint, accounts: Accounts): bigint {
  const { launch, addresses } = origin
  // v0.8 mints a team's tokens when it has earned them: nothing is locked beforehand (programs/performance_package_v2)
  if (launch.version === 'v0.8') return 0n
  const account = accounts.get(addresses.package)
  const decoded = account === undefined ? null : decodePackage(client, account, token.address)
  const vault = vaultOf(addresses.package, token)
  if (decoded !== null && decoded.vault !== vault) throw new DecodeError('package: a vault that is not its own')
  return lockedTeamTokens(launch, decoded, balance(accounts, vault, token, addresses.package))
}

/** What the position that the launch opened would withdraw, while the DAO's vault holds its NFT. */
function externalLiquidity (
  client: ProgramClient, { launch, addresses, position }: Origin, mint: string, accounts: Accounts
): SupplyFacts['external'] {
  if (position === null || !holdsNft(accounts.get(addresses.positionNftAccount), launch.daoVault)) return null
  const account = accounts.get(position.pool)
  if (account === undefined) throw new DecodeError('external position: its pool does not exist')
  const pool = decodeExternalPool(client, account)
  if (pool.tokenA !== mint && pool.tokenB !== mint) throw new DecodeError('external pool: of other mints')
  const amount = (side: 'A' | 'B'): bigint => positionAmount(pool, position.liquidity, side)
  return { position: addresses.position, amounts: new Map([[pool.tokenA, amount('A')], [pool.tokenB, amount('B')]]) }
}

/** Whether the NFT, and so the position, is in the vault; without its first account it has not been seen to leave. */
function holdsNft (account: RawAccount | undefined, vault: string | null): boolean {
  if (account === undefined) return true
  const { owner, amount } = decodeTokenAccount(account)
  return amount === 1n && owner === vault
}
