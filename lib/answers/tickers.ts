import { ZERO } from '../decimal.js'
import { ServiceError } from '../errors.js'
import { RENEW_FROM } from '../live/fresh.js'
import { tickers, type Volumes } from '../market/ticker.js'
import { type Representation, represent } from '../representation.js'
import type { Ticker } from '../../schemas/ticker.js'
import { ALL, JSON_TYPE, keep, type Kept, type Sources, TICKER_TTL, unixSeconds, valuationOf } from './sources.js'

export interface TickerList {
  /** When the state that they show was read, ms. */
  readAt: number
  tickers: Ticker[]
  /** DAOs left out because their last 24 hours are not fully known. */
  incomplete: ReadonlySet<string>
  representation: Representation
}

const NO_VOLUME: Volumes = { base: ZERO, quote: ZERO }

/** The tickers, kept. Throws the ServiceError of the chain, WARMING_UP or HISTORY_UNAVAILABLE. */
export function createTickers (sources: Sources): Kept<TickerList> {
  const { snapshot: snapshots, history, settings, serialize, now } = sources
  const rules = { notional: settings.quoteNotional, feeRate: settings.takerFeeRate }

  async function load (): Promise<TickerList> {
    const { value: snapshot, age } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const readAt = now() - age
    const traded = await history.last24h(unixSeconds(sources))
    const incomplete = new Set([...traded].filter(([, { complete }]) => !complete).map(([dao]) => dao))
    const pairs = snapshot.pairs.filter(({ address }) => !incomplete.has(address))
    // a transaction is missing of which nobody knows yet whose it is: an empty list would look like a market without pools
    if (pairs.length === 0 && snapshot.pairs.length > 0) throw new ServiceError('HISTORY_UNAVAILABLE', 'events of the last 24 hours are missing')
    // the last day is covered: a DAO that it does not know has not traded
    const volumes = new Map(pairs.map(({ address }) => [address, traded.get(address) ?? NO_VOLUME]))
    const list = tickers(pairs, volumes, valuationOf(snapshot, settings), rules)
    return { readAt, tickers: list, incomplete, representation: await represent(JSON_TYPE, serialize.tickers(list)) }
  }

  return keep(sources, load, ({ readAt }) => readAt)
}
