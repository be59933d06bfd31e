import type { History } from '../history/history.js'
import { type Aged, createFreshCache, type FreshCache } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import { createValuation, type UsdValuation } from '../market/usd.js'
import { ServiceError } from '../errors.js'
import type { Settings } from '../settings.js'
import { haltedMs, type Standing } from './standing.js'

/** What the answers about the whole market are made of: here, and only here, the state now and the history meet. */
export interface Sources {
  /** All DAOs, kept while fresh. */
  snapshot: FreshCache<typeof ALL, Snapshot>
  history: History
  settings: Settings
  /** Milliseconds, steadily growing: for ages. */
  now: () => number
  /** Unix ms of the chain, at which days and windows end; undefined: not known yet. */
  chainTime: () => number | undefined
  /** For how long no node has moved; undefined: one does. */
  standing: () => Standing | undefined
}

/** The one key of caches that hold one value. */
export const ALL = 'all'
/** Lifetime of tickers, of the contract, and of all that is made of the same state, ms. */
export const TICKER_TTL = 10_000

/** What tokens are worth by the pools of a snapshot. Throws NODE_BAD_ANSWER where one that the settings value can't be read: its sums would be nought. */
export function usdValuationOf ({ pairs, tokens }: Snapshot, { usdMints, usdPricedMints, usdMinDepth }: Settings): UsdValuation {
  const lost = [...usdMints, ...usdPricedMints.keys()].find(mint => tokens.get(mint) === null)
  if (lost !== undefined) throw new ServiceError('NODE_BAD_ANSWER', `the node gave no mint at ${lost}, which has a value by the settings`)
  return createValuation(pairs, { usdMints, pricedBy: usdPricedMints, minDepth: usdMinDepth })
}

/** For how long the head of the history may have been out of reach before nothing is made of it, ms. */
export const staleAfter = ({ staleIfError }: Settings): number => TICKER_TTL + staleIfError

/** The chain's time. Throws WARMING_UP while it is not known. */
export function unixMillis ({ chainTime }: Sources): number {
  const time = chainTime()
  if (time === undefined) throw new ServiceError('WARMING_UP', 'the time of the chain is not known yet')
  return time
}

/** The same in seconds. */
export const unixSeconds = (sources: Sources): number => Math.floor(unixMillis(sources) / 1000)

/** An answer that is made once per refresh and kept as `Sources` are. */
export interface Kept<V> {
  get (): Promise<Aged<V>>
  peek (): Aged<V> | undefined
}

/** Keeps what `load` makes; `readAt` says when its source was read, where that was before. */
export function keepResponse<V extends {}> (sources: Sources, load: () => Promise<V>, readAt?: (value: V) => number): Kept<V> {
  const { settings, now, standing } = sources
  const cache = createFreshCache<typeof ALL, V>({
    load, ttl: TICKER_TTL, staleIfError: settings.staleIfError, max: 1, now, haltedMs: () => haltedMs(standing()), ...(readAt && { readAt })
  })
  return { get: () => cache.get(ALL), peek: () => cache.peek(ALL) }
}
