import type { Accounts, History } from '../history/history.js'
import type { AccountReader } from '../chain/accounts.js'
import type { ChainTime } from '../chain/timekeeper.js'
import {
  aged, createFreshCache, dated, type FreshCache, type Kept, oldestOf, type Part, RENEW_FROM, within
} from '../live/fresh.js'
import { type PoolTokens, type Snapshot, tokensOf } from '../live/snapshot.js'
import { createSetReader, wrongWith } from '../live/account-sets.js'
import { divide, powerOfTen } from '../decimal.js'
import { byDepth, poolsByPair } from '../market/ticker.js'
import { baseUsd, createValuation } from '../market/usd.js'
import { badAnswer, type ErrorCode, isServiceError, ServiceError, unusable } from '../errors.js'
import type { ProgramClient } from '../protocol/client.js'
import { decodeDao } from '../protocol/dao.js'
import { parseKey } from '../protocol/pda.js'
import type { Settings } from '../settings.js'
import { notFound } from '../../schemas/errors.js'

/** The state of all DAOs, kept; read less than `maxAge` ms ago where that is given. */
export type SnapshotCache = FreshCache<Snapshot, [maxAge?: number]>

/**
 * What answers are made of: here alone the state now and the history meet. What is made of both throws the
 * ServiceErrors of the chain, and WARMING_UP or HISTORY_UNAVAILABLE while not all is known that it tells; what else it
 * throws stands beside it.
 */
export interface Sources {
  snapshot: Pick<SnapshotCache, 'get' | 'peek'>
  /** Throws NODE_BAD_ANSWER where a token that settings value, or a pool that prices it, can't be read. */
  priced: Kept<PricedState>
  history: History
  settings: Settings
  /** Milliseconds, steadily growing. */
  now: () => number
  time: ChainTime
}

/** Lifetime of tickers by the contract, and of all that is made of the same state, ms. */
export const TICKER_TTL = 10_000

/** The state for answers that live as long as tickers: renewed where it would grow old before they do. */
export const stateOf = ({ get }: Sources['snapshot'], parts: Part[]): Promise<Snapshot> =>
  get(parts, TICKER_TTL * RENEW_FROM)

/** DAOs for the history to compare with, as `createFinalDaos` gives them too. */
export const accountsOf = ({ slot, listSlot, time, discovered }: Snapshot): Accounts => ({
  slot,
  listSlot,
  time,
  daos: discovered.flatMap(({ dao }) => dao ?? []).map(
    ({ address, seqNum, createdAt, quoteReserves: quote, baseReserves: base }) =>
      ({ address, seqNum, createdAt, reserves: { quote, base } }))
})

/**
 * Gives DAOs by what `reader` reads at `finalized`, without those that it does not show there: they may be younger, or
 * the node may be wrong. Throws a ServiceError where one can't be read.
 */
export function createFinalDaos (reader: AccountReader, program: ProgramClient) {
  const readSets = createSetReader(reader)
  return async (daos: readonly string[]): Promise<Accounts> => {
    const parts: Part[] = []
    let slot = Infinity
    const read = await readSets(parts, daos, address => [address], (address, set) => {
      slot = Math.min(slot, set.slot)
      const account = set.accounts.get(address)
      const dao = account && decodeDao(program, account)
      return dao?.ownAddress === address ? dao.seqNum : undefined
    })
    return {
      slot,
      time: oldestOf(parts),
      daos: Array.from(read).flatMap(([address, seqNum]) => {
        if (isServiceError(seqNum)) throw seqNum
        return seqNum === undefined ? [] : { address, seqNum }
      })
    }
  }
}

/** Throws `code` where a text is no address. */
export function checkAddress (text: string, code: ErrorCode): void {
  if (parseKey(text) === undefined) throw new ServiceError(code, 'no address')
}

export const noDao = (dao: string) => new ServiceError('DAO_NOT_FOUND', notFound('DAO', dao))
export const noPool = (pool: string) => new ServiceError('POOL_NOT_FOUND', notFound('Pool', pool))
export const noProposal = (proposal: string) => new ServiceError('PROPOSAL_NOT_FOUND', notFound('Proposal', proposal))

export type PricedState = Awaited<ReturnType<ReturnType<typeof createPriced>>>

/** The state with what tokens are worth, and pools deepest first; made once for each state. */
export const createPriced = (state: Sources['snapshot'], { usdRules }: Settings) =>
  formOf(parts => stateOf(state, parts), snapshot => {
    const { discovered, pairs, tokens } = snapshot
    const { usdMints, pricedBy } = usdRules
    const pricing = [...pricedBy.values()]
    const lost = [...usdMints, ...pricedBy.keys()].find(mint => tokens.get(mint) === null) ??
      discovered.find(({ address, leftOut }) => leftOut === 'undecodable' && pricing.includes(address))?.address
    if (lost !== undefined) throw badAnswer(`values by the settings need ${lost}, which can't be read`)
    const usd = createValuation(pairs, usdRules)
    const deepest = byDepth(pairs.values(), usd)
    return {
      ...snapshot,
      usd,
      /** Mints that count as 1 USD. */
      usdMints,
      usdPerUnit (mint: string) {
        const [worth, token] = [usd(mint), tokens.get(mint)]
        return worth === undefined || token == null ? undefined : divide(worth, powerOfTen(token.decimals))
      },
      /** Of a whole base token of a listed pool. */
      priceUsd: (pool: string) => baseUsd(pairs.get(pool)!, { usd, usdMints }),
      symbolOf: (mint: string) => tokens.get(mint)?.symbol ?? '',
      deepest,
      /** By ticker id, deepest first. */
      byPair: poolsByPair(deepest)
    }
  })

/** The address of a DAO by that, or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND. */
export async function daoOf ({ get }: Sources['snapshot'], daoOrMint: string): Promise<string> {
  checkAddress(daoOrMint, 'INVALID_DAO')
  const { daos, pairs } = await get([])
  if (daos.has(daoOrMint)) return daoOrMint
  const [trading, another] = [...pairs.values()].filter(({ baseMint }) => baseMint === daoOrMint)
  if (trading === undefined || another !== undefined) throw noDao(daoOrMint)
  return trading.address
}

/** What is kept by a DAO's address, by what `daoOf` takes; throws as that. */
export const byDao = <V>({ snapshot }: Sources, kept: Kept<V, [string]>): Kept<V, [daoOrMint: string]> =>
  (parts, daoOrMint) => within(daoOf(snapshot, daoOrMint).then(address => kept(parts, address)))

/** A state so young is not read again for an unknown pool, ms: anyone may ask for one. */
const YOUNG = 1_000

/**
 * What a pool trades, by the kept state, of any age, else by a new one, whose ServiceError is thrown. undefined: no
 * such DAO, or its account or mints can't be read. Throws HISTORY_UNAVAILABLE where that is not known as of `slot`.
 */
export async function poolTokens (
  { peek, get }: Sources['snapshot'], pool: string, slot = 0
): Promise<PoolTokens | undefined> {
  const tokensIn = ({ daos, tokens }: Snapshot) => {
    const dao = daos.get(pool)
    return dao && tokensOf(dao, tokens)
  }
  const kept = peek()
  const known = kept && tokensIn(kept.value)
  if (known !== undefined) return known
  const state = await get([], YOUNG)
  const found = tokensIn(state)
  if (found !== undefined || state.slot >= slot) return found
  throw unusable(`the accounts are older than an event of ${pool}`)
}

/** How old the head of the history may be, ms. */
export const staleAfter = ({ staleIfError }: Settings) => TICKER_TTL + staleIfError

/** Kept answers of a kind: anyone may ask for any second, or any DAO. */
const MAX_KEPT = 128
/** The same of records of a few kB, as of a DAO or a mint, which are what an outage leaves. */
export const MAX_RECORDS = 1_000

/**
 * Keeps what `load` makes of each question, by key; `max` of them, for `ttl` ms. An account that can't be decoded is a
 * node's bad answer.
 */
export function keep<V extends {}, Q extends unknown[] = []> (
  { settings: { staleIfError }, now, time }: Sources, load: Kept<V, Q>,
  { keyOf = question => question.join(' '), max = MAX_KEPT, ttl = TICKER_TTL }: {
    keyOf?: (question: Q) => string, max?: number, ttl?: number
  } = {}
): Kept<V, Q> {
  return createFreshCache<V, Q>({
    load: (parts, ...question) =>
      load(parts, ...question).catch((error: unknown) => { throw wrongWith(keyOf(question), error) }),
    keyOf,
    ttl,
    staleIfError,
    max,
    now,
    time
  }).get
}

/** Another form of a kept value, made once for each value. */
export function formOf<Q extends unknown[], V extends object, T> (
  kept: Kept<V, Q>, form: (value: V) => T | Promise<T>
): Kept<T, Q> {
  const made = new WeakMap<V, T | Promise<T>>()
  return async (parts, ...question) => {
    const value = await kept(parts, ...question)
    if (!made.has(value)) made.set(value, form(value))
    return made.get(value)!
  }
}

/** What `make` gives, with its age; `ttl`: ms. */
export const withAge = async <V>({ now, time }: Pick<Sources, 'now' | 'time'>, make: Kept<V>, ttl = TICKER_TTL) =>
  aged(await dated(make), { ttl, now, time })
