import type { History } from '../history/history.js'
import type { AgeTime, ChainTime } from '../chain/timekeeper.js'
import { type Aged, createFreshCache, type FreshCache, type Made, type Part } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import { createValuation, type UsdValuation } from '../market/usd.js'
import { ServiceError } from '../errors.js'
import type { Dao } from '../protocol/dao.js'
import { parseKey } from '../protocol/pda.js'
import type { Settings } from '../settings.js'
import { daoNotFound } from '../../schemas/errors.js'

/** What answers are made of: here, and only here, the state now and the history meet. */
export interface Sources {
  /** All DAOs, kept while fresh. */
  snapshot: FreshCache<typeof ALL, Snapshot>
  history: History
  settings: Settings
  /** Milliseconds, steadily growing: for ages. */
  now: () => number
  time: AgeTime & Pick<ChainTime, 'utc' | 'offsets'>
}

/** The one key of caches that hold one value. */
export const ALL = 'all'
/** Lifetime of tickers, of the contract, and of all that is made of the same state, ms. */
export const TICKER_TTL = 10_000

/**
 * What tokens are worth by the pools of a snapshot. Throws NODE_BAD_ANSWER where one that the settings value can't be
 * read.
 */
export function usdValuationOf (
  { pairs, tokens }: Snapshot, { usdMints, usdPricedMints, usdMinDepth }: Settings
): UsdValuation {
  const lost = [...usdMints, ...usdPricedMints.keys()].find(mint => tokens.get(mint) === null)
  if (lost !== undefined) {
    throw new ServiceError('NODE_BAD_ANSWER', `the node gave no mint at ${lost}, which has a value by the settings`)
  }
  return createValuation(pairs, { usdMints, pricedBy: usdPricedMints, minDepth: usdMinDepth })
}

/**
 * The address of a DAO by that, or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND, and
 * what the chain throws.
 */
export async function daoOf ({ get }: Sources['snapshot'], daoOrMint: string): Promise<string> {
  if (parseKey(daoOrMint) === undefined) throw new ServiceError('INVALID_DAO', 'no address')
  const { value: { daos, pairs } } = await get(ALL)
  if (daos.has(daoOrMint)) return daoOrMint
  const [trading, another] = pairs.filter(({ baseMint }) => baseMint === daoOrMint)
  if (trading === undefined || another !== undefined) throw new ServiceError('DAO_NOT_FOUND', daoNotFound(daoOrMint))
  return trading.address
}

/** Whether the account of a DAO numbers events up to a moment: where none is stored, they are not known. */
export const hasEvents = ({ seqNum, createdAt }: Pick<Dao, 'seqNum' | 'createdAt'>, time: number): boolean =>
  seqNum > 0n && createdAt <= time

/** How old the head of the history may be for anything to be made of it, ms. */
export const staleAfter = ({ staleIfError }: Settings): number => TICKER_TTL + staleIfError

/**
 * The head of the history, at which windows and days end, as a part of an answer. Throws WARMING_UP,
 * HISTORY_UNAVAILABLE.
 */
export const headPart = ({ history, now }: Pick<Sources, 'history' | 'now'>, { time } = history.head()): Part =>
  ({ time, readAt: now(), commitment: 'finalized' })

/** Gives what is made once per refresh and kept as `Sources` are. */
export type Kept<V> = () => Promise<Aged<V>>

/** What caches of answers have in common. */
export const cacheOptions = ({ settings: { staleIfError }, now, time }: Pick<Sources, 'settings' | 'now' | 'time'>) =>
  ({ ttl: TICKER_TTL, staleIfError, now, time })

/** Keeps what `load` makes of each key, of `max` keys. */
export const keepEach = <K extends {}, V extends {}>(
  sources: Sources, max: number, load: (key: K) => Promise<Made<V>>
): (key: K) => Promise<Aged<V>> => createFreshCache<K, V>({ ...cacheOptions(sources), load, max }).get

/** Keeps what `load` makes. */
export function keepResponse<V extends {}> (sources: Sources, load: () => Promise<Made<V>>): Kept<V> {
  const get = keepEach<typeof ALL, V>(sources, 1, load)
  return () => get(ALL)
}

/** Another form of a kept value: made once for each value, with that value's age. */
export function sameLife<V extends object, T> (get: Kept<V>, form: (value: V) => T | Promise<T>): Kept<T> {
  let made: { of: V, form: T | Promise<T> } | undefined
  return async () => {
    const { value, ...age } = await get()
    if (made?.of !== value) made = { of: value, form: form(value) }
    return { value: await made.form, ...age }
  }
}
