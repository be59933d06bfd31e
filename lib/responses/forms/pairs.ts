import type { Kept, Part } from '../../live/fresh.js'
import { levelsOf, orderBook } from '../../market/order-book.js'
import type { CoinGeckoTickers } from '../../../schemas/coingecko.js'
import type { Pool } from '../../../schemas/pools.js'
import type { Supply } from '../../../schemas/supply.js'
import type { PoolList } from '../pools/pool-list.js'
import { checkLeft } from '../known.js'
import { keep, type Sources } from '../sources.js'
import { pairIn, type TickerList } from '../tickers.js'

export interface FormSources extends Sources {
  tickers: Kept<TickerList>
  days: Kept<DayTicker[]>
  supply: Kept<Supply, [mint: string]>
}

/** A ticker whose volumes are exact, with what the trades of the same 24 hours tell besides. */
export interface DayTicker {
  ticker: CoinGeckoTickers[number]
  change: Pool['price_change_24h']
  /** Of several pools of a pair, listed or not. */
  isDeepest: boolean
}

/**
 * The tickers of which all of the last 24 hours is known, deepest first, kept. A DAO that is not final yet, or misses
 * an event, is left out. Throws what the tickers throw, HISTORY_UNAVAILABLE where none is left.
 */
export const createDayTickers = (
  sources: Sources, list: Kept<TickerList>, pools: Kept<PoolList>
): Kept<DayTicker[]> => keep(sources, async parts => {
  const { tickers, state: { byPair } } = await list(parts)
  const { byId } = await pools(parts)
  const whole = tickers.flatMap((ticker): DayTicker[] => {
    const pool = byId.get(ticker.pool_id)
    const { base_volume_24h: base, target_volume_24h: target } = pool ?? {}
    if (pool === undefined || base == null || target == null) return []
    const last = ticker.last_price
    return [{
      ticker: {
        ...ticker,
        // exactly: rounded they would contradict the prices beside them
        base_volume: base,
        target_volume: target,
        high: pool.high_24h ?? last,
        low: pool.low_24h ?? last
      },
      change: pool.price_change_24h,
      isDeepest: byPair.get(ticker.ticker_id)![0] === ticker.pool_id
    }]
  })
  checkLeft(whole.length, tickers.length)
  return whole
})

/**
 * The order book of a pair's deepest pool to so many levels (0: all), with the Unix millisecond of the pool's state.
 * Throws what `pairIn` throws.
 */
export async function deepestBook (
  { tickers, settings }: FormSources, parts: Part[], tickerId: string, depth: number
) {
  const { list, pair } = await pairIn(tickers, parts, tickerId)
  const { bids, asks } = orderBook(pair, settings.quoteRules, levelsOf(depth))
  return { timestamp: list.time * 1000, bids, asks }
}
