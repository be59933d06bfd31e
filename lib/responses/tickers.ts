import { inSlices } from '../async.js'
import { systemClock } from '../clock.js'
import { ZERO } from '../decimal.js'
import { ServiceError } from '../errors.js'
import { type Made, RENEW_FROM } from '../live/fresh.js'
import { byDepth, type Pair, poolsByPair, ticker, type Volumes } from '../market/ticker.js'
import type { UsdValuation } from '../market/usd.js'
import type { CachedResponse } from '../http/cached-response.js'
import { type Ticker, TickersSchema } from '../../schemas/ticker.js'
import { jsonResponse } from './json-response.js'
import {
  ALL, hasEvents, headPart, keepResponse, type Kept, type Sources, TICKER_TTL, usdValuationOf
} from './sources.js'

export interface TickerList {
  /** The chain's time of the state that they show, Unix seconds. */
  time: number
  tickers: Ticker[]
  /** The pools of each pair by ticker id, deepest first. */
  pools: ReadonlyMap<string, readonly string[]>
  byPool: ReadonlyMap<string, Ticker>
  /** Their pools with the tokens' texts, by address. */
  pairs: ReadonlyMap<string, Pair>
  /** What quote tokens are worth by the same state, and its slot. */
  usd: UsdValuation
  slot: number
  response: CachedResponse<Ticker[]>
}

const toResponse = jsonResponse(TickersSchema)
const NO_VOLUME: Volumes = { base: ZERO, quote: ZERO }

/** The tickers, kept. */
export interface Tickers extends Kept<TickerList> {
  /**
   * DAOs left out because their last 24 hours are not fully known, by the newest attempt at a list, one that came to
   * nothing too. One that is due is made
   * and waited for, but not for long: without a history nobody knows of any.
   */
  incomplete (): Promise<ReadonlySet<string>>
}

/** For how long such an attempt is waited for, ms. */
const ATTEMPT_MS = 1_000

/** `get` throws the ServiceError of the chain, WARMING_UP or HISTORY_UNAVAILABLE. */
export function createTickers (sources: Sources): Tickers {
  const { snapshot: snapshots, history, settings } = sources
  let newest: ReadonlySet<string> | undefined
  const rules = { notional: settings.quoteNotional, feeRate: settings.takerFeeRate }

  async function load (): Promise<Made<TickerList>> {
    const { value: snapshot, parts } = await snapshots.get(ALL, TICKER_TTL * RENEW_FROM)
    const isMissing = (): boolean => history.status().missingTransactions > 0
    const wasMissing = isMissing()
    const { head, volumes: traded } = await history.last24h()
    // what is found by the time that the others have had their turn was missing in these sums
    const mayOwn = wasMissing || isMissing()
    const incomplete = new Set<string>()
    for (const [dao, { complete }] of traded) if (!complete) incomplete.add(dao)
    // a DAO that the history does not know yet may own what is missing, or numbers events that nobody has read: unknown
    // is not zero
    for (const { address, dao } of snapshot.discovered) {
      if (dao !== undefined && !traded.has(address) && (mayOwn || hasEvents(dao, head.time))) incomplete.add(address)
    }
    newest = incomplete
    const pairs = snapshot.pairs.filter(({ address }) => !incomplete.has(address))
    // a transaction is missing of which nobody knows yet whose it is: an empty list would look like a market without
    // pools
    if (pairs.length === 0 && snapshot.pairs.length > 0) {
      throw new ServiceError('HISTORY_UNAVAILABLE', 'events of the last 24 hours are missing')
    }
    // the last day is covered: a DAO that it does not know has not traded
    const volumes = new Map(pairs.map(({ address }) => [address, traded.get(address) ?? NO_VOLUME]))
    const usd = usdValuationOf(snapshot, settings)
    const list = await inSlices(byDepth(pairs, usd), pair => ticker(pair, volumes, usd, rules))
    return {
      value: {
        time: parts[0]!.time,
        tickers: list,
        pools: poolsByPair(pairs),
        byPool: new Map(list.map(one => [one.pool_id, one])),
        pairs: new Map(pairs.map(pair => [pair.address, pair])),
        usd,
        slot: snapshot.slot,
        response: toResponse(list)
      },
      parts: [...parts, headPart(sources, head)]
    }
  }

  const kept = keepResponse(sources, load)

  return {
    ...kept,
    async incomplete () {
      await attempt(kept.get())
      return newest ?? new Set()
    }
  }
}

/** Why there is no list is told to who asks for it. */
async function attempt (list: Promise<unknown>): Promise<void> {
  let cancel = (): void => {}
  const late = new Promise<void>(resolve => { cancel = systemClock.after(ATTEMPT_MS, resolve) })
  await Promise.race([list.then(() => {}, () => {}), late])
  cancel()
}
