import type { History } from '../history/history.js'
import { type Aged, createFreshCache, type FreshCache } from '../live/fresh.js'
import type { Snapshot } from '../live/snapshot.js'
import { createValuation, type Valuation } from '../market/usd.js'
import type { Settings } from '../settings.js'
import type { AggregateVolume } from '../../schemas/aggregate.js'
import type { Daos } from '../../schemas/daos.js'
import type { Ticker } from '../../schemas/ticker.js'

/** What the answers about the whole market are made of: here, and only here, the state now and the history meet. */
export interface Sources {
  /** All DAOs, kept while fresh. */
  snapshot: FreshCache<typeof ALL, Snapshot>
  history: History
  settings: Settings
  /** JSON text by the schemas of the contract. */
  serialize: { tickers: (list: Ticker[]) => string, aggregate: (record: AggregateVolume) => string, daos: (report: Daos) => string }
  /** Wall clock, ms. */
  now: () => number
}

/** The one key of caches that hold one value. */
export const ALL = 'all'
/** Lifetime of tickers, of the contract, and of all that is made of the same state, ms. */
export const TICKER_TTL = 10_000

export const JSON_TYPE = 'application/json; charset=utf-8'

/** What tokens are worth by the pools of a snapshot. */
export const valuationOf = (snapshot: Snapshot, { dollars }: Settings): Valuation => createValuation(snapshot.pairs, dollars)

/** For how long the head of the history may have been out of reach before nothing is made of it, ms. */
export const staleAfter = ({ staleIfError }: Settings): number => TICKER_TTL + staleIfError

export const unixSeconds = ({ now }: Sources): number => Math.floor(now() / 1000)

/** An answer that is made once per refresh and kept as `Sources` are. */
export interface Kept<V> {
  get (): Promise<Aged<V>>
  peek (): Aged<V> | undefined
}

/** Keeps what `load` makes; `readAt` says when its source was read, where that was before. */
export function keep<V extends {}> ({ settings, now }: Sources, load: () => Promise<V>, readAt?: (value: V) => number): Kept<V> {
  const cache = createFreshCache<typeof ALL, V>({ load, ttl: TICKER_TTL, staleIfError: settings.staleIfError, max: 1, now, ...(readAt && { readAt }) })
  return { get: () => cache.get(ALL), peek: () => cache.peek(ALL) }
}
