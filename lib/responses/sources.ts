import { LRUCache } from 'lru-cache'
import type { Accounts, History } from '../history/history.js'
import type { AgeTime, ChainTime } from '../chain/timekeeper.js'
import { type Aged, createFreshCache, type FreshCache, type Made, type Part, RENEW_FROM } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import { byDepth, type Pair } from '../market/ticker.js'
import { createValuation, type UsdValuation } from '../market/usd.js'
import { type ErrorCode, ServiceError } from '../errors.js'
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

/** The state that answers kept as long as tickers are made of: renewed where it would grow old before they do. */
export const stateOf = ({ snapshot }: Sources): Promise<Aged<Snapshot>> => snapshot.get(ALL, TICKER_TTL * RENEW_FROM)

/** What the history is compared with. */
export const accountsOf = ({ value: { slot, discovered }, parts: [part] }: Made<Snapshot>): Accounts => ({
  slot,
  time: part!.time,
  readAt: part!.readAt,
  daos: discovered.flatMap(({ address, dao }) => dao === undefined
    ? []
    : [{
        address,
        seqNum: dao.seqNum,
        createdAt: dao.createdAt,
        reserves: { quote: dao.quoteReserves, base: dao.baseReserves }
      }])
})

/** What bid and ask are reckoned with. */
export const priceRules = ({ quoteNotional: notional, takerFeeRate: feeRate }: Settings) => ({ notional, feeRate })

/** Throws an error of this code where a text is no address. */
export function checkAddress (text: string, code: ErrorCode): void {
  if (parseKey(text) === undefined) throw new ServiceError(code, 'no address')
}

/** The state, with what its tokens are worth by its pools. */
export interface PricedState extends Snapshot {
  usd: UsdValuation
  /** Mints that count as 1 USD. */
  usdMints: ReadonlySet<string>
  /** Its pools, deepest first. */
  deepest: readonly Pair[]
}

const priced = new WeakMap<Snapshot, PricedState>()

/**
 * The same, with what its pools make of it, once for each state. Throws NODE_BAD_ANSWER where a token that the settings
 * value can't be read.
 */
export async function pricedStateOf (sources: Sources): Promise<Made<PricedState>> {
  const { usdMints, usdPricedMints: pricedBy, usdMinDepth: minDepth } = sources.settings
  const { value, parts } = await stateOf(sources)
  const known = priced.get(value)
  if (known !== undefined) return { value: known, parts }
  const { pairs, tokens } = value
  const lost = [...usdMints, ...pricedBy.keys()].find(mint => tokens.get(mint) === null)
  if (lost !== undefined) {
    throw new ServiceError('NODE_BAD_ANSWER', `the node gave no mint at ${lost}, which has a value by the settings`)
  }
  const usd = createValuation(pairs, { usdMints, pricedBy, minDepth })
  const state = { ...value, usd, usdMints, deepest: byDepth(pairs, usd) }
  priced.set(value, state)
  return { value: state, parts }
}

/**
 * The address of a DAO by that, or by a base mint that one listed DAO trades. Throws INVALID_DAO, DAO_NOT_FOUND, and
 * what the chain throws.
 */
export async function daoOf ({ get }: Sources['snapshot'], daoOrMint: string): Promise<string> {
  checkAddress(daoOrMint, 'INVALID_DAO')
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
 * The history up to `head` as a part of an answer: of when the accounts confirmed that nothing is missing, since a node
 * may leave the newest transactions out of its lists. Throws WARMING_UP, HISTORY_UNAVAILABLE.
 */
export const headPart = ({ history, now }: Pick<Sources, 'history' | 'now'>, head = history.head()): Part =>
  ({ time: head.confirmedTo, readAt: now(), commitment: 'finalized' })

/** Gives what is made once per refresh and kept as `Sources` are. */
export type Kept<V> = () => Promise<Aged<V>>

/** What caches of answers have in common. */
export const cacheOptions = ({ settings: { staleIfError }, now, time }: Pick<Sources, 'settings' | 'now' | 'time'>) =>
  ({ ttl: TICKER_TTL, staleIfError, now, time })

/**
 * Keeps what `load` makes of each question, `max` of them by their keys: those of questions that have the same answer
 * are the same.
 */
export function keepEach<Q, V extends {}> (
  sources: Sources, max: number, load: (question: Q) => Promise<Made<V>>, keyOf: (question: Q) => string = String
): (question: Q) => Promise<Aged<V>> {
  // an answer is made anew by its key alone, in the turn of who asked last
  const questions = new LRUCache<string, { newest: Q }>({ max: 2 * max })
  const { get } = createFreshCache<string, V>({
    ...cacheOptions(sources), load: key => load(questions.get(key)!.newest), max
  })
  return question => {
    const key = keyOf(question)
    questions.set(key, { newest: question })
    return get(key)
  }
}

/** Keeps what `load` makes. */
export function keepResponse<V extends {}> (sources: Sources, load: () => Promise<Made<V>>): Kept<V> {
  const get = keepEach<typeof ALL, V>(sources, 1, load)
  return () => get(ALL)
}

/** Makes a form once for each value, however often it is asked for; forgotten with the value. */
export function oncePerValue<V extends object, R> (make: (value: V) => R): (value: V) => R {
  const made = new WeakMap<V, { form: R }>()
  return value => {
    const known = made.get(value) ?? { form: make(value) }
    made.set(value, known)
    return known.form
  }
}

/** Another form of a kept value: made once for each value, with that value's age. */
export function sameLife<Q extends unknown[], V extends object, T> (
  get: (...question: Q) => Promise<Aged<V>>, form: (value: V) => T | Promise<T>
): (...question: Q) => Promise<Aged<T>> {
  const formOf = oncePerValue(form)
  return async (...question) => {
    const { value, ...age } = await get(...question)
    return { value: await formOf(value), ...age }
  }
}
