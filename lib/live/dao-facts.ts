import { eachInSlices } from '../async.js'
import type { AccountReader } from '../chain/accounts.js'
import { CURRENT_MS } from '../chain/moment.js'
import { badAnswer, isServiceError, ServiceError } from '../errors.js'
import { ammPositionAddress, PROGRAMS, squadsAddresses, tokenAccountAddress } from '../protocol/addresses.js'
import { DecodeError } from '../protocol/bytes.js'
import type { ProgramClient } from '../protocol/client.js'
import { type Dao, decodeAmmPosition, decodeDao, decodeSpendingLimit } from '../protocol/dao.js'
import { keyText } from '../protocol/pda.js'
import { decodeTokenAccount } from '../protocol/token.js'
import { type AccountSet, type SetReader, wrongWith } from './account-sets.js'
import type { Kept, Part } from './fresh.js'
import type { Snapshot } from './snapshot.js'
import { supplyAddresses, type SupplyFacts, supplyOf } from './supply.js'
import type { Token } from './tokens.js'

/** A DAO with its supply and what it owns, all of one slot. */
export type DaoFacts = Awaited<ReturnType<DaoFactsReader['one']>>

export type KnownDao = Pick<Dao, 'address' | 'baseMint' | 'quoteMint' | 'vault'>

export type DaoFactsReader = ReturnType<typeof createDaoFactsReader>

interface DaoFactsOptions extends Pick<AccountReader, 'tokenAccounts'> {
  readSets: SetReader
  client: ProgramClient
  /** Mints whose balances are looked for in every treasury. */
  mints: readonly string[]
  state: Kept<Snapshot>
}

type Tokens = ReadonlyMap<string, Pick<Token, 'tokenProgram'> | null>

const TOKEN_PROGRAMS = [PROGRAMS.token, PROGRAMS.token2022]
/** Token accounts of a vault that are read; anyone can open more of them for it. */
const MAX_TOKENS = 60

export function createDaoFactsReader ({ readSets, client, tokenAccounts, mints, state }: DaoFactsOptions) {
  const positionOf = ({ address, vault }: KnownDao) => ammPositionAddress(client.program, address, vault)

  const knownMints = ({ baseMint, quoteMint }: KnownDao) => new Set([baseMint, quoteMint, ...mints])

  /** Token accounts of a vault where known mints would lie: of either program where a mint is not among `tokens`. */
  const associated = (dao: KnownDao, tokens: Tokens) => [...knownMints(dao)].flatMap(mint =>
    [tokens.get(mint)?.tokenProgram ?? TOKEN_PROGRAMS].flat()
      .map(program => tokenAccountAddress(dao.vault, mint, program)))

  /**
   * Token accounts of a vault that hold something, of known mints first, then by amount; a bounded number. `complete`:
   * they are all, as of `time`, Unix seconds.
   */
  async function listed (dao: KnownDao) {
    const found = await Promise.all(TOKEN_PROGRAMS.map(program => tokenAccounts(dao.vault, program)))
    const rows = found.flatMap(list => list?.value ?? [])
      .map(({ address, data }) => ({ address, mint: keyText(data.subarray(0, 32)), amount: data.readBigUInt64LE(64) }))
      .filter(({ amount }) => amount > 0n)
    const isKnown = knownMints(dao)
    rows.sort((a, b) => Number(isKnown.has(b.mint)) - Number(isKnown.has(a.mint)) ||
      Number(b.amount - a.amount) || (a.address < b.address ? -1 : 1))
    return {
      addresses: rows.slice(0, MAX_TOKENS).map(({ address }) => address),
      complete: found.every(list => list !== undefined) && rows.length <= MAX_TOKENS,
      time: Math.min(...found.map(list => list?.moment.time ?? Infinity))
    }
  }

  function make (dao: KnownDao, { slot, accounts }: AccountSet, supply: SupplyFacts, held: readonly string[]) {
    const own = accounts.get(dao.address)
    if (own === undefined) throw new DecodeError('dao: there is none')
    const decoded = decodeDao(client, own)
    const details = decoded.details()
    const squads = squadsAddresses(dao.address)
    const limit = accounts.get(squads.limit)
    // a proposal may change it without changing the DAO's account
    if (limit !== undefined && details.multisig === squads.multisig) {
      details.spendingLimit = decodeSpendingLimit(dao, squads.multisig, limit)
    }
    const position = accounts.get(positionOf(dao))
    const liquidity = position === undefined ? 0n : decodeAmmPosition(client, dao.address, position)
    const { totalLiquidity: total } = details
    if (liquidity > total) throw new DecodeError('position: of more than there is')
    const tokens = held.flatMap(address => {
      const account = accounts.get(address)
      if (account === undefined) return []
      const { mint, owner, amount } = decodeTokenAccount(account)
      return owner === dao.vault && amount > 0n ? [{ mint, amount, address }] : []
    })
    const share = (reserve: bigint) => total === 0n ? 0n : liquidity * reserve / total
    const internal = { base: share(decoded.baseReserves), quote: share(decoded.quoteReserves) }
    return {
      ...supply,
      slot,
      dao: decoded,
      /** With the spending limit that is in force, as far as it is known. */
      details,
      /** What its vault holds, by token account, without empty ones; raw units. */
      tokens,
      /** False where no node lists them: then they are of the mints that were asked for. */
      tokensComplete: false,
      /** What its own position in the spot pool would withdraw now, raw units. */
      internal
    }
  }

  /** By DAO. Those of one base mint are read together: the supply of each needs the pools of all. */
  async function facts (parts: Part[], daos: readonly KnownDao[], heldBy: (dao: KnownDao) => readonly string[]) {
    await client.load()
    const byMint = new Map<string, KnownDao[]>(daos.map(({ baseMint }) => [baseMint, []]))
    for (const dao of daos) byMint.get(dao.baseMint)!.push(dao)
    const made = new Map<string, ReturnType<typeof make> | ServiceError>()
    const read = await readSets(
      parts,
      byMint,
      ([mint, trading]) => [...supplyAddresses(mint), ...trading.flatMap(dao =>
        [dao.address, positionOf(dao), squadsAddresses(dao.address).limit, ...heldBy(dao)])],
      async ([mint, trading], set) => {
        const supply = await supplyOf(parts, client, mint, set, state)
        if (Array.isArray(supply)) return supply
        await eachInSlices(trading, dao => {
          try {
            made.set(dao.address, make(dao, set, supply, heldBy(dao)))
          } catch (error) {
            made.set(dao.address, wrongWith(dao.address, error))
          }
        })
        return null
      }
    )
    for (const { address, baseMint } of daos) if (!made.has(address)) made.set(address, read.get(baseMint)!)
    return made
  }

  return {
    /**
     * Of many DAOs, with what their vaults hold in the accounts associated with known mints, or what is wrong with one.
     * Throws the ServiceError of a failed read.
     */
    all: async (parts: Part[], daos: readonly KnownDao[], tokens: Tokens) =>
      await facts(parts, daos, dao => associated(dao, tokens)),
    /** Of one, with all that its vault holds. Throws what is wrong with it. */
    async one (parts: Part[], dao: KnownDao, tokens: Tokens) {
      const { addresses, complete, time: listedAt } = await listed(dao)
      const held = [...new Set([...associated(dao, tokens), ...addresses])]
      const made = (await facts(parts, [dao], () => held)).get(dao.address)!
      // the DAO exists, and so does its mint
      if (isServiceError(made, 'MINT_NOT_FOUND')) throw badAnswer(made.message)
      if (made instanceof ServiceError) throw made
      // an old list lacks what was opened since
      const isOld = parts.some(({ time }) => (time - listedAt) * 1000 > CURRENT_MS.confirmed)
      return { ...made, tokensComplete: complete && !isOld }
    }
  }
}
