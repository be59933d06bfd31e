import { LRUCache } from 'lru-cache'
import { MAX_ACCOUNTS, type TokenAccountLister } from '../chain/accounts.js'
import type { AccountReader, RawAccount } from '../chain/types.js'
import { type Made, type Part, partOf } from './fresh.js'
import { createPauses } from '../async.js'
import { chunks } from '../chunks.js'
import { isServiceError, ServiceError } from '../errors.js'
import { ammPositionAddress, PROGRAMS, tokenAccountAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { type Dao, decodeAmmPosition, decodeDao, type DaoDetails } from '../protocol/dao.js'
import { decodeTokenAccount } from '../protocol/token.js'
import { keyText } from '../protocol/pda.js'
import { existing, supplyAddresses, type SupplyFacts, supplyOf } from './supply.js'

/** A DAO with its supply and what it owns, all of one slot. */
export interface DaoFacts extends SupplyFacts {
  slot: number
  dao: Dao
  details: DaoDetails
  /** What its vault holds, by token account, without empty ones; raw units. */
  tokens: Array<{ mint: string, amount: bigint, address: string }>
  /** False where no node lists them: then they are of the mints that were asked for. */
  tokensComplete: boolean
  /** What its own position in the spot pool would withdraw now, raw units. */
  internal: { base: bigint, quote: bigint }
}

export type Facts = ReadonlyMap<string, DaoFacts | ServiceError>

/** What must be known of a DAO beforehand. */
export type KnownDao = Pick<Dao, 'address' | 'baseMint' | 'quoteMint' | 'vault'>

export interface DaoFactsReader {
  /**
   * Of many DAOs, with what their vaults hold in the accounts associated with known mints, or what is wrong with one.
   * Throws the ServiceError of a failed read.
   */
  all (daos: readonly KnownDao[]): Promise<Made<Facts>>
  /** Of one, with all that its vault holds. Throws what is wrong with it. */
  one (dao: KnownDao): Promise<Made<DaoFacts>>
}

interface DaoFactsOptions {
  reader: AccountReader
  client: ProgramClient
  list: TokenAccountLister
  /** Mints whose balances are looked for in every treasury. */
  mints: readonly string[]
  /** The DAOs that trade a mint as their base. */
  daosOf: (mint: string) => Promise<Made<readonly string[]>>
  now: () => number
}

/** Times that accounts are read before a launch that changes between reads counts as a failure. */
const MAX_ROUNDS = 3
/** Node calls sent together. */
const CALLS_AT_ONCE = 4
/** Token accounts of a vault that are read; anyone can open more of them for it. */
const MAX_TOKENS = 60
/** For how long the list of a vault's token accounts is kept, ms: their balances are read each time. */
const LIST_TTL = 60_000
const MAX_KEPT = 2_000

/** Token accounts that a vault may have; `complete`: they are all. */
interface HeldAccounts { addresses: readonly string[], complete: boolean }
interface Listed extends HeldAccounts { at: number }

const bad = (what: string, cause?: unknown): ServiceError => new ServiceError('NODE_BAD_ANSWER', what, { cause })

export function createDaoFactsReader ({ reader, client, list, mints, daosOf, now }: DaoFactsOptions): DaoFactsReader {
  /** What was needed the last time, so that once is enough. */
  const plans = new LRUCache<string, readonly string[]>({ max: MAX_KEPT })
  const lists = new LRUCache<string, Listed>({ max: MAX_KEPT })

  const positionOf = ({ address, vault }: KnownDao): string => ammPositionAddress(client.program, address, vault)

  /** Token accounts of a vault that hold something, of known mints first, then by amount; a bounded number. */
  async function listed ({ vault, baseMint, quoteMint }: KnownDao): Promise<Listed> {
    const kept = lists.get(vault)
    if (kept !== undefined && now() - kept.at < LIST_TTL) return kept
    const found = [await list(vault, PROGRAMS.token), await list(vault, PROGRAMS.token2022)]
    const rows = found.flatMap(rows => rows ?? [])
      .map(({ address, data }) => ({ address, mint: keyText(data.subarray(0, 32)), amount: data.readBigUInt64LE(64) }))
      .filter(({ amount }) => amount > 0n)
    const isKnown = new Set([baseMint, quoteMint, ...mints])
    rows.sort((a, b) => Number(isKnown.has(b.mint)) - Number(isKnown.has(a.mint)) ||
      Number(b.amount - a.amount) || (a.address < b.address ? -1 : 1))
    const made = {
      at: now(),
      addresses: rows.slice(0, MAX_TOKENS).map(({ address }) => address),
      complete: found.every(rows => rows !== undefined) && rows.length <= MAX_TOKENS
    }
    lists.set(vault, made)
    return made
  }

  /** Token accounts where known mints would lie. */
  const associated = ({ vault, baseMint, quoteMint }: KnownDao): string[] =>
    [...new Set([baseMint, quoteMint, ...mints])].map(mint => tokenAccountAddress(vault, mint))

  function make (
    dao: KnownDao,
    slot: number,
    accounts: ReadonlyMap<string, RawAccount>,
    supply: SupplyFacts,
    { addresses, complete }: HeldAccounts
  ): DaoFacts {
    const own = accounts.get(dao.address)
    if (own === undefined) throw new DecodeError('dao: there is none')
    const decoded = decodeDao(client, own)
    const details = decoded.details()
    const position = accounts.get(positionOf(dao))
    const liquidity = position === undefined ? 0n : decodeAmmPosition(client.program, dao.address, position)
    const { totalLiquidity: total } = details
    if (liquidity > total) throw new DecodeError('position: of more than there is')
    const tokens = addresses.flatMap(address => {
      const account = accounts.get(address)
      if (account === undefined) return []
      const { mint, owner, amount } = decodeTokenAccount(account)
      return owner === dao.vault && amount > 0n ? [{ mint, amount, address }] : []
    })
    const share = (reserve: bigint): bigint => total === 0n ? 0n : liquidity * reserve / total
    const internal = { base: share(decoded.baseReserves), quote: share(decoded.quoteReserves) }
    return { ...supply, slot, dao: decoded, details, tokens, tokensComplete: complete, internal }
  }

  /** Reads the accounts of each DAO, those of one in one call where it holds them. */
  async function read (wanted: ReadonlyMap<string, readonly string[]>) {
    const calls: Array<{ addresses: string[], daos: string[] }> = []
    for (const [dao, addresses] of wanted) {
      for (const some of chunks(addresses, MAX_ACCOUNTS)) {
        const last = calls.at(-1)
        if (last !== undefined && last.addresses.length + some.length <= MAX_ACCOUNTS) {
          last.addresses.push(...some)
          last.daos.push(dao)
        } else calls.push({ addresses: [...some], daos: [dao] })
      }
    }
    const found = new Map<string, { slot: number, value: Map<string, RawAccount>, parts: Part[] }>()
    for (const some of chunks(calls, CALLS_AT_ONCE)) {
      const { moment, readAt, value } = await reader.accountLists(some.map(({ addresses }) => addresses))
      const part = partOf({ moment, readAt })
      for (const [at, given] of value.entries()) {
        const accounts = existing(given)
        for (const dao of some[at]!.daos) {
          const known = found.get(dao)
          if (known === undefined) found.set(dao, { slot: moment.slot, value: new Map(accounts), parts: [part] })
          else {
            for (const [address, account] of accounts) known.value.set(address, account)
            known.parts.push(part)
          }
        }
      }
    }
    return found
  }

  async function facts (
    daos: readonly KnownDao[], held: (dao: KnownDao) => HeldAccounts
  ): Promise<Made<Facts>> {
    await client.load()
    const done = new Map<string, DaoFacts | ServiceError>()
    const parts: Part[] = []
    let open = [...daos]
    for (let round = 0; round < MAX_ROUNDS && open.length > 0; round++) {
      const wanted = new Map(open.map(dao => {
        const supply = [...supplyAddresses(dao.baseMint), ...plans.get(dao.address) ?? []]
        return [dao.address, [...new Set([dao.address, positionOf(dao), ...supply, ...held(dao).addresses])]]
      }))
      const found = await read(wanted)
      const again: KnownDao[] = []
      const pause = createPauses()
      for (const dao of open) {
        await pause()
        const { slot, value, parts: read } = found.get(dao.address)!
        try {
          const supply = await supplyOf(client, dao.baseMint, value, new Set(wanted.get(dao.address)), daosOf, true)
          if (Array.isArray(supply)) {
            plans.set(dao.address, supply)
            again.push(dao)
          } else {
            parts.push(...read, ...supply.parts)
            done.set(dao.address, make(dao, slot, value, supply, held(dao)))
          }
        } catch (error) {
          if (error instanceof DecodeError) done.set(dao.address, bad(`${dao.address}: ${error.message}`, error))
          else if (isServiceError(error)) done.set(dao.address, error)
          else throw error
        }
      }
      open = again
    }
    for (const { address } of open) done.set(address, bad(`the launch of ${address} changed with every read`))
    return { value: done, parts }
  }

  return {
    all: daos => facts(daos, dao => ({ addresses: associated(dao), complete: false })),
    async one (dao) {
      const all = await listed(dao)
      const addresses = [...new Set([...associated(dao), ...all.addresses])]
      const { value, parts } = await facts([dao], () => ({ addresses, complete: all.complete }))
      const found = value.get(dao.address)!
      if (found instanceof ServiceError) throw found
      return { value: found, parts }
    }
  }
}
