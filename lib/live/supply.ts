import { LRUCache } from 'lru-cache'
import type { AccountReader } from '../chain/accounts.js'
import type { RawAccount } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import { type AllocatedPart, circulatingOf, lockedTeamTokens, positionAmount, supplyRecord } from '../market/supply.js'
import {
  bidWallAddress, launchAddresses, LAUNCHPADS, relaunchAddresses, tokenAccountAddress
} from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { decodeExternalPool, decodeExternalPosition } from '../protocol/external-pool.js'
import { decodeLaunch, decodePackage } from '../protocol/launch.js'
import { keyBytes, parseKey } from '../protocol/pda.js'
import { decodeMint, decodeTokenAccount, MINT_HEAD } from '../protocol/token.js'
import type { Supply } from '../../schemas/supply.js'
import type { Accounts, AccountSet, SetReader } from './account-sets.js'
import type { Kept, Part } from './fresh.js'
import type { Snapshot } from './snapshot.js'

/** A supply by the accounts of one slot. */
export type SupplyFacts = Exclude<Awaited<ReturnType<typeof supplyOf>>, string[]>

type Origin = NonNullable<ReturnType<typeof findOrigin>>

const MAX_MINTS = 10_000
const noMint = (mint: string) => new ServiceError('MINT_NOT_FOUND', `${mint} holds no mint`)

/**
 * Reads the supply of a mint. Throws INVALID_MINT, MINT_NOT_FOUND, NODE_BAD_ANSWER for accounts that contradict each
 * other, and the ServiceError of a failed read: only an account that the node says does not exist counts as nothing.
 */
export function createSupplyReader (
  reader: Pick<AccountReader, 'accounts'>, readSets: SetReader, client: ProgramClient, state: Kept<Snapshot>
): Kept<Supply, [mint: string]> {
  /** What was a mint stays one. */
  const mints = new LRUCache<string, true>({ max: MAX_MINTS })
  return async (parts, mint) => {
    if (parseKey(mint) === undefined) throw new ServiceError('INVALID_MINT', `${mint.slice(0, 64)} is no key`)
    // anyone may ask for any account, of 10 MB too
    if (!mints.has(mint)) {
      const { value: [[account] = []] } = await reader.accounts([[mint]], 0, MINT_HEAD)
      if (account == null || decodeMint(account) === undefined) throw noMint(mint)
      mints.set(mint, true)
    }
    await client.load()
    const found = await readSets(parts, [mint], supplyAddresses, (mint, set) =>
      supplyOf(parts, client, mint, set, state))
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
 * Whether the bytes of a DAO that can't be decoded may be of one with this base: the pool and the DAO name both mints,
 * the quote behind the base.
 */
function mayBeBase (data: Buffer, mint: Buffer): boolean {
  const first = data.indexOf(mint)
  const second = data.indexOf(mint, first + 1)
  const before = (at: number) => data.subarray(at - mint.length, at)
  return first >= 0 && (second < 0 || !before(first).equals(before(second)))
}

/**
 * The supply by the accounts that were read, or the addresses that must be read with them: of what the mint's launch
 * leads to, or, without a launch, of the pools of the DAOs that trade it. Throws MINT_NOT_FOUND, NODE_BAD_ANSWER, and a
 * DecodeError for accounts that contradict each other.
 */
export async function supplyOf (
  parts: Part[], client: ProgramClient, mint: string, { accounts, asked }: AccountSet, state: Kept<Snapshot>
) {
  const account = accounts.get(mint)
  const token = account && decodeMint(account)
  if (token === undefined) throw noMint(mint)
  const needed = new Set<string>()

  /** One that has not been asked for counts as none until it has. */
  function read (address: string): RawAccount | undefined {
    needed.add(address)
    return accounts.get(address)
  }

  /** Balance of `owner`'s token account; 0: there is none. */
  function balance (owner: string, address: string): bigint {
    const account = read(address)
    if (account === undefined) return 0n
    const held = decodeTokenAccount(account)
    if (held.mint === mint && held.owner === owner) return held.amount
    throw new DecodeError(`${address}: a vault of another mint or owner`)
  }
  const vaultOf = (owner: string) => tokenAccountAddress(owner, mint, token.tokenProgram)
  const part = (kind: AllocatedPart['kind'], address: string, amount: bigint, circulating = true): AllocatedPart =>
    ({ kind, address, amount, circulating })
  function held (kind: AllocatedPart['kind'], owner: string, circulating?: boolean) {
    const address = vaultOf(owner)
    return part(kind, address, balance(owner, address), circulating)
  }

  /** The pools of the DAOs, and the unclaimed part of a relaunched token, which does not circulate. */
  async function heldByDaos (): Promise<AllocatedPart[]> {
    // a DAO born since the list was read would be missing from the supply: it is as old as the list
    const { discovered } = await state(parts)
    const { signer, dao: own } = relaunchAddresses(client.program, mint)
    const unclaimed = discovered.some(({ address }) => address === own) ? [held('launch_vault', signer, false)] : []
    const trading = discovered.filter(({ address, dao, leftOut, data }) => {
      if (leftOut !== 'undecodable') return leftOut !== 'excluded' && dao?.baseMint === mint
      if (address === own || !mayBeBase(data, keyBytes(mint))) return address === own
      throw new DecodeError(`${address}, which can't be decoded, may have it as its base`)
    })
    return [...unclaimed, ...trading.map(({ address }) => held('internal_pool', address))]
  }

  function teamPackage ({ launch, addresses }: Origin): bigint {
    // v0.8 mints a team's tokens when it has earned them: none are locked beforehand (programs/performance_package_v2)
    if (launch.version === 'v0.8') return 0n
    const account = read(addresses.package)
    const decoded = account === undefined ? null : decodePackage(client, account, mint)
    const vault = vaultOf(addresses.package)
    if (decoded !== null && decoded.vault !== vault) throw new DecodeError('package: a vault that is not its own')
    return lockedTeamTokens(launch, decoded, balance(addresses.package, vault))
  }

  /** What the position that the launch opened would withdraw, while the DAO's vault holds its NFT. */
  function externalOf ({ launch, addresses, position }: Origin) {
    if (position === null || launch.dao === null) return null
    const nft = read(addresses.positionNftAccount)
    // without its first account the NFT, and so the position, has not been seen to leave
    if (nft !== undefined) {
      const { owner, amount } = decodeTokenAccount(nft)
      if (amount !== 1n || owner !== launch.daoVault) return null
    }
    const account = read(position.pool)
    if (account === undefined) {
      if (!asked.has(position.pool)) return null
      throw new DecodeError('external position: its pool does not exist')
    }
    const pool = decodeExternalPool(client, account)
    if (pool.tokenA !== mint && pool.tokenB !== mint) throw new DecodeError('external pool: of other mints')
    const amount = (side: 'A' | 'B') => positionAmount(pool, position.liquidity, side)
    return { position: addresses.position, amounts: new Map([[pool.tokenA, amount('A')], [pool.tokenB, amount('B')]]) }
  }

  /** Holdings of a launch that has made its DAO, of its bid wall, and of the DAO's pool. */
  function heldByLaunch (origin: Origin): AllocatedPart[] {
    const { launch: { dao, baseVault, packageInitialized }, addresses: { signer, package: team } } = origin
    if (dao === null) return []
    const locked = teamPackage(origin)
    const inVault = balance(signer, baseVault) - (packageInitialized ? 0n : locked)
    return [
      part('team_package', packageInitialized ? vaultOf(team) : baseVault, locked, false),
      part('external_pool', external?.position ?? '', external?.amounts.get(mint) ?? 0n),
      part('launch_vault', baseVault, inVault),
      held('bid_wall', bidWallAddress(mint, signer)),
      held('internal_pool', dao)
    ]
  }

  const origin = findOrigin(client, mint, accounts)
  const external = origin === undefined ? null : externalOf(origin)
  const parted = origin === undefined ? await heldByDaos() : heldByLaunch(origin)
  if (![...needed].every(address => asked.has(address))) return [...needed]
  const allocation = parted.filter(({ amount }) => amount > 0n)
  return {
    supply: supplyRecord(token, allocation),
    mint: token,
    /** Raw units. */
    circulating: circulatingOf(token.supply, allocation),
    /** null: it comes from none. */
    launch: origin === undefined ? null : { ...origin.launch, address: origin.addresses.launch },
    /** What the launch's own position in the external pool would withdraw, by mint; null: the vault has none. */
    external,
    allocation
  }
}

/**
 * The launch that a mint comes from, the newest launchpad's that is complete, else the newest's, and the position that
 * it opened in the external pool.
 */
function findOrigin (client: ProgramClient, mint: string, accounts: Accounts) {
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
