import { chunks } from '../chunks.js'
import { MAX_ACCOUNTS } from '../chain/accounts.js'
import type { AccountReader, RawAccount } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import { positionAmount } from '../market/external-share.js'
import { lockedTeamTokens, supplyRecord } from '../market/supply.js'
import {
  bidWallAddress, launchAddresses, type LaunchAddresses, LAUNCHPADS, PROGRAMS, relaunchAddresses, tokenAccountAddress
} from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { decodeExternalPool, decodeExternalPosition, type ExternalPosition } from '../protocol/external-pool.js'
import { decodeLaunch, decodePackage, type Launch } from '../protocol/launch.js'
import { parseKey } from '../protocol/pda.js'
import { decodeMint, decodeTokenAccount, type Mint } from '../protocol/token.js'
import type { Supply } from '../../schemas/supply.js'
import { type Made, type Part, partOf } from './fresh.js'

type SupplyReader = (mint: string) => Promise<Made<Supply>>

/** Times that the accounts are read before a launch that changes between reads counts as a failure. */
const MAX_ROUNDS = 3

export type Accounts = ReadonlyMap<string, RawAccount>

interface Origin {
  launch: Launch
  addresses: LaunchAddresses
  position: ExternalPosition | null
}

/**
 * Reads the supply of a mint: first what leads to its launch, then, at one slot, everything with the vaults and the
 * external pool of the launch; a third time where the launch has changed in between. A token of no launch has the DAOs
 * that trade it, `daosOf`, as its internal AMM. Throws INVALID_MINT, MINT_NOT_FOUND, NODE_BAD_ANSWER for accounts that
 * contradict each other, and the ServiceError of a failed read: only an account that the node says does not exist
 * counts as nothing.
 */
export function createSupplyReader (
  reader: AccountReader, client: ProgramClient, daosOf: (mint: string) => Promise<Made<readonly string[]>>
): SupplyReader {
  /** Of one moment where one call holds them all, else of the same or following ones. */
  async function readAll (addresses: readonly string[], minSlot: number | undefined) {
    let slot = minSlot
    const value: Array<RawAccount | null> = []
    const parts: Part[] = []
    for (const some of chunks(addresses, MAX_ACCOUNTS)) {
      const { moment, readAt, value: accounts } = await reader.accounts(some, slot)
      slot = moment.slot
      value.push(...accounts)
      parts.push(partOf({ moment, readAt }))
    }
    return { slot: slot!, value, parts }
  }

  return async mint => {
    if (parseKey(mint) === undefined) throw new ServiceError('INVALID_MINT', `${mint.slice(0, 64)} is no key`)
    let asked = supplyAddresses(mint)
    let slot: number | undefined
    await client.load()
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await readAll(asked, slot)
      slot = answer.slot
      const found = await supplyOf(client, mint, existing(answer.value), new Set(asked), daosOf)
      // a DAO born since the list was read would be missing from the supply: it is as old as the list
      if (!Array.isArray(found)) return { value: found.supply, parts: [...answer.parts, ...found.parts] }
      asked = [...supplyAddresses(mint), ...found]
    }
    throw new ServiceError('NODE_BAD_ANSWER', `the launch of ${mint} changed with every read`)
  }
}

const candidatesOf = (mint: string) =>
  LAUNCHPADS.map(({ version, program }) => ({ version, addresses: launchAddresses(program, mint) }))

/** Where the supply of a mint is looked for first: the mint, and each launchpad's launch and position. */
export const supplyAddresses = (mint: string): string[] =>
  [mint, ...candidatesOf(mint).flatMap(({ addresses }) => [addresses.launch, addresses.position])]

/** Where tokens are, by the token account or position, raw units. */
interface AllocatedPart {
  kind: 'team_package' | 'internal_pool' | 'external_pool' | 'launch_vault' | 'bid_wall'
  address: string
  amount: bigint
  circulating: boolean
}

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
  /** The states that the list of DAOs was made of, where one was needed. */
  parts: readonly Part[]
}

/**
 * The supply by the accounts that were read, or which more than `asked` must be read with them; `isWhole`: with those
 * that tell where else tokens of a launch are. Throws MINT_NOT_FOUND, and NODE_BAD_ANSWER for accounts that contradict
 * each other.
 */
export async function supplyOf (
  client: ProgramClient,
  mint: string,
  accounts: Accounts,
  asked: ReadonlySet<string>,
  daosOf: (mint: string) => Promise<Made<readonly string[]>>,
  isWhole = false
): Promise<SupplyFacts | string[]> {
  try {
    const token = readMint(mint, accounts)
    const origin = findOrigin(client, mint, accounts)
    const { value: daos, parts } = origin === undefined ? await daosOf(mint) : { value: [], parts: [] }
    const needed = origin === undefined
      ? [...daos.map(dao => ammVault(dao, token)), ...unclaimedVault(client, token, daos)]
      : [...neededFor(origin, token), ...isWhole ? elsewhere(origin, token) : []]
    if (!needed.every(address => asked.has(address))) return needed
    return { ...measure(client, token, origin, daos, accounts, isWhole), parts }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new ServiceError('NODE_BAD_ANSWER', `the supply of ${mint}: ${error.message}`, { cause: error })
  }
}

/** Accounts by address, without those that merely hold lamports: anyone can send some to an unused address. */
export function existing (accounts: ReadonlyArray<RawAccount | null>): Accounts {
  return new Map(accounts.flatMap(account =>
    account === null || (account.owner === PROGRAMS.system && account.data.length === 0)
      ? []
      : [[account.address, account]]))
}

function readMint (mint: string, accounts: Accounts): Mint {
  const account = accounts.get(mint)
  const token = account && decodeMint(account)
  if (token === undefined) throw new ServiceError('MINT_NOT_FOUND', `${mint} holds no mint`)
  return token
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

/** Where a token issued anew for one of the DAOs lies until it is claimed; none: it was not. */
function unclaimedVault (
  { program }: ProgramClient, { address, tokenProgram }: Mint, daos: readonly string[]
): string[] {
  const { signer, dao } = relaunchAddresses(program, address)
  return daos.includes(dao) ? [tokenAccountAddress(signer, address, tokenProgram)] : []
}

const packageVault = ({ addresses }: Origin, { address, tokenProgram }: Mint): string =>
  tokenAccountAddress(addresses.package, address, tokenProgram)
const ammVault = (dao: string, { address, tokenProgram }: Mint): string =>
  tokenAccountAddress(dao, address, tokenProgram)

/** What else must be read, at the same slot, to measure the parts. */
function neededFor (origin: Origin, token: Mint): string[] {
  const { launch, addresses, position } = origin
  if (launch.dao === null) return []
  const pool = position === null ? [] : [position.pool]
  return [
    addresses.package, packageVault(origin, token), ammVault(launch.dao, token), addresses.positionNftAccount, ...pool
  ]
}

/** Where else tokens of a launch may be: unclaimed in its own vault, and in its bid wall. */
const elsewhere = ({ launch, addresses }: Origin, { address, tokenProgram }: Mint): string[] =>
  [launch.baseVault, tokenAccountAddress(bidWallAddress(address, addresses.signer), address, tokenProgram)]

type MeasuredSupply = Omit<SupplyFacts, 'parts'>

function measure (
  client: ProgramClient,
  token: Mint,
  origin: Origin | undefined,
  daos: readonly string[],
  accounts: Accounts,
  isWhole: boolean
): MeasuredSupply {
  const { address: mint, supply, decimals } = token
  const allocation: AllocatedPart[] = []
  const put = (kind: AllocatedPart['kind'], address: string, amount: bigint): bigint => {
    const circulating = kind !== 'team_package' && (kind !== 'launch_vault' || origin !== undefined)
    if (amount > 0n) allocation.push({ kind, address, amount, circulating })
    return amount
  }
  const pool = (dao: string): bigint =>
    put('internal_pool', ammVault(dao, token), balance(accounts, ammVault(dao, token), mint, dao))
  const dao = origin?.launch.dao
  const launch = origin === undefined ? null : { ...origin.launch, address: origin.addresses.launch }
  const facts = (
    teamPackage: bigint, ammLiquidity: bigint, external: SupplyFacts['external'], unclaimed = 0n
  ): MeasuredSupply => ({
    supply: supplyRecord({
      mint,
      supply,
      decimals,
      teamPackage,
      unclaimed,
      ammLiquidity,
      externalLiquidity: external?.amounts.get(mint) ?? 0n
    }),
    mint: token,
    circulating: supply - teamPackage - unclaimed,
    launch,
    external,
    allocation
  })
  if (origin === undefined || dao == null) {
    const { signer } = relaunchAddresses(client.program, mint)
    const unclaimed = unclaimedVault(client, token, daos).map(vault =>
      put('launch_vault', vault, balance(accounts, vault, mint, signer)))
    return facts(0n, daos.reduce((sum, dao) => sum + pool(dao), 0n), null, unclaimed[0])
  }
  const isApart = origin.launch.packageInitialized
  const team = teamPackage(client, origin, token, accounts)
  put('team_package', isApart ? packageVault(origin, token) : origin.launch.baseVault, team)
  const external = externalLiquidity(client, origin, mint, accounts)
  if (external !== null) put('external_pool', external.position, external.amounts.get(mint) ?? 0n)
  if (isWhole) {
    const unclaimed = balance(accounts, origin.launch.baseVault, mint, origin.addresses.signer) - (isApart ? 0n : team)
    put('launch_vault', origin.launch.baseVault, unclaimed)
    const wall = bidWallAddress(mint, origin.addresses.signer)
    const wallVault = tokenAccountAddress(wall, mint, token.tokenProgram)
    put('bid_wall', wallVault, balance(accounts, wallVault, mint, wall))
  }
  return facts(team, pool(dao), external)
}

/** Balance of `owner`'s token account; 0: there is none. Throws a DecodeError where it is of another mint or owner. */
export function balance (accounts: Accounts, address: string, mint: string, owner: string): bigint {
  const account = accounts.get(address)
  if (account === undefined) return 0n
  const token = decodeTokenAccount(account)
  if (token.mint === mint && token.owner === owner) return token.amount
  throw new DecodeError(`${address}: a vault of another mint or owner`)
}

function teamPackage (client: ProgramClient, origin: Origin, token: Mint, accounts: Accounts): bigint {
  const { launch, addresses } = origin
  // v0.8 mints a team's tokens when it has earned them: nothing is locked beforehand (programs/performance_package_v2)
  if (launch.version === 'v0.8') return 0n
  const account = accounts.get(addresses.package)
  const decoded = account === undefined ? null : decodePackage(client, account, token.address)
  const vault = packageVault(origin, token)
  if (decoded !== null && decoded.vault !== vault) throw new DecodeError('package: a vault that is not its own')
  return lockedTeamTokens({
    complete: launch.complete,
    packageAmount: launch.packageAmount,
    packageInitialized: launch.packageInitialized,
    package: decoded,
    vaultBalance: balance(accounts, vault, token.address, addresses.package)
  })
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
