import { chunks } from '../chunks.js'
import { MAX_ACCOUNTS } from '../chain/accounts.js'
import type { AccountReader, AtSlot, RawAccount } from '../chain/types.js'
import { ServiceError } from '../errors.js'
import { positionAmount } from '../market/external-share.js'
import { lockedTeamTokens, supplyRecord } from '../market/supply.js'
import { launchAddresses, type LaunchAddresses, LAUNCHPADS, PROGRAMS, tokenAccountAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { decodeExternalPool, decodeExternalPosition, type ExternalPosition } from '../protocol/external-pool.js'
import { decodeLaunch, decodePackage, type Launch } from '../protocol/launch.js'
import { parseKey } from '../protocol/pda.js'
import { decodeMint, decodeTokenAccount, type Mint } from '../protocol/token.js'
import type { Supply } from '../../schemas/supply.js'

/** The supply of a mint, all its parts read at one slot. */

export type SupplyReader = (mint: string) => Promise<Supply>

/** Times that the accounts are read before a launch that changes between reads counts as a failure. */
const MAX_ROUNDS = 3

type Accounts = ReadonlyMap<string, RawAccount>

interface Origin {
  launch: Launch
  addresses: LaunchAddresses
  position: ExternalPosition | null
}

/**
 * Reads the supply of a mint. The first read finds the launch among the launchpads; for a token of no launch it is the only one. The second
 * reads everything again, with the vaults and the external pool that the launch leads to, at one slot; a third follows only when the launch
 * has changed in between. A token of no launch has the DAOs that trade it as its internal AMM, which `daosOf` names: their base vaults are read
 * likewise, a hundred accounts a call.
 *
 * It throws INVALID_MINT, MINT_NOT_FOUND, NODE_BAD_ANSWER for accounts that contradict each other, and the ServiceError of a failed read:
 * only an account of which the node says that it does not exist counts as nothing.
 */
export function createSupplyReader (reader: AccountReader, client: ProgramClient, daosOf: (mint: string) => Promise<readonly string[]>): SupplyReader {
  /** Of one slot where one call holds them all, else of the same or following ones. */
  async function readAll (addresses: readonly string[], minSlot: number | undefined): Promise<AtSlot<Array<RawAccount | null>>> {
    const all: AtSlot<Array<RawAccount | null>> = { slot: minSlot ?? 0, value: [] }
    for (const some of chunks(addresses, MAX_ACCOUNTS)) {
      const { slot, value } = await reader.accounts(some, all.slot === 0 ? undefined : all.slot)
      all.slot = slot
      all.value.push(...value)
    }
    return all
  }

  return async mint => {
    if (parseKey(mint) === undefined) throw new ServiceError('INVALID_MINT', `${mint.slice(0, 64)} is no key`)
    const candidates = LAUNCHPADS.map(({ version, program }) => ({ version, addresses: launchAddresses(program, mint) }))
    const found = candidates.flatMap(({ addresses }) => [addresses.launch, addresses.position])
    let planned: string[] = []
    let slot: number | undefined
    await client.load()
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const asked = [mint, ...found, ...planned]
      const answer = await readAll(asked, slot)
      slot = answer.slot
      const accounts = existing(answer.value)
      try {
        const token = readMint(mint, accounts)
        const origin = findOrigin(client, candidates, accounts, mint)
        const daos = origin === undefined ? await daosOf(mint) : []
        const needed = origin === undefined ? daos.map(dao => ammVault(dao, token)) : neededFor(origin, token)
        const known = new Set(asked)
        if (needed.every(address => known.has(address))) return measure(client, token, origin, daos, accounts)
        planned = needed
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error
        throw new ServiceError('NODE_BAD_ANSWER', `the supply of ${mint}: ${error.message}`, { cause: error })
      }
    }
    throw new ServiceError('NODE_BAD_ANSWER', `the launch of ${mint} changed with every read`)
  }
}

/**
 * Accounts by address, without those that merely hold lamports: anyone can send some to an address that a program may use later, which
 * makes an empty account of the system program.
 */
function existing (accounts: ReadonlyArray<RawAccount | null>): Accounts {
  const present = accounts.filter(account => account !== null && !(account.owner === PROGRAMS.system && account.data.length === 0)) as RawAccount[]
  return new Map(present.map(account => [account.address, account]))
}

function readMint (mint: string, accounts: Accounts): Mint {
  const account = accounts.get(mint)
  const token = account && decodeMint(account)
  if (token === undefined) throw new ServiceError('MINT_NOT_FOUND', `${mint} holds no mint`)
  return token
}

interface Candidate { version: typeof LAUNCHPADS[number]['version'], addresses: LaunchAddresses }

/** The launch that a mint comes from: the newest launchpad's that is complete, else the newest's. */
function findOrigin (client: ProgramClient, candidates: readonly Candidate[], accounts: Accounts, mint: string): Origin | undefined {
  const origins = candidates.flatMap(({ version, addresses }) => {
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

const packageVault = ({ addresses }: Origin, { address, tokenProgram }: Mint): string => tokenAccountAddress(addresses.package, address, tokenProgram)
const ammVault = (dao: string, { address, tokenProgram }: Mint): string => tokenAccountAddress(dao, address, tokenProgram)

/** What else must be read, at the same slot, to measure the parts. */
function neededFor (origin: Origin, token: Mint): string[] {
  const { launch, addresses, position } = origin
  if (launch.dao === null) return []
  return [
    addresses.package, packageVault(origin, token),
    ammVault(launch.dao, token),
    addresses.positionNftAccount, ...position === null ? [] : [position.pool]
  ]
}

function measure (client: ProgramClient, token: Mint, origin: Origin | undefined, daos: readonly string[], accounts: Accounts): Supply {
  const { address: mint, supply, decimals } = token
  const dao = origin?.launch.dao
  if (origin === undefined || dao == null) {
    const ammLiquidity = daos.reduce((sum, dao) => sum + balance(accounts, ammVault(dao, token), mint, dao), 0n)
    return supplyRecord({ mint, supply, decimals, teamPackage: 0n, ammLiquidity, externalLiquidity: 0n })
  }
  return supplyRecord({
    mint,
    supply,
    decimals,
    teamPackage: teamPackage(client, origin, token, accounts),
    ammLiquidity: balance(accounts, ammVault(dao, token), mint, dao),
    externalLiquidity: externalLiquidity(client, origin, mint, accounts)
  })
}

/** Balance of `owner`'s token account; 0 where the account does not exist. Throws a DecodeError where it is of another mint or owner. */
function balance (accounts: Accounts, address: string, mint: string, owner: string): bigint {
  const account = accounts.get(address)
  if (account === undefined) return 0n
  const token = decodeTokenAccount(account)
  if (token.mint !== mint || token.owner !== owner) throw new DecodeError(`${address}: a vault of another mint or owner`)
  return token.amount
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

/** Tokens of the position that the launch opened, while the DAO's vault holds its NFT. */
function externalLiquidity (client: ProgramClient, { launch, addresses, position }: Origin, mint: string, accounts: Accounts): bigint {
  if (position === null || !holdsNft(accounts.get(addresses.positionNftAccount), launch.daoVault)) return 0n
  const account = accounts.get(position.pool)
  if (account === undefined) throw new DecodeError('external position: its pool does not exist')
  const pool = decodeExternalPool(client, account)
  if (pool.tokenA !== mint && pool.tokenB !== mint) throw new DecodeError('external pool: of other mints')
  return positionAmount(pool, position.liquidity, pool.tokenA === mint ? 'A' : 'B')
}

/** The position belongs to whoever holds its NFT. Without its first account the NFT has not been seen to leave the vault. */
function holdsNft (account: RawAccount | undefined, vault: string | null): boolean {
  if (account === undefined) return true
  const { owner, amount } = decodeTokenAccount(account)
  return amount === 1n && owner === vault
}
