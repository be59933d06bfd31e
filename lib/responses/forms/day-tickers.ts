import type { Kept, Part } from '../../live/fresh.js'
import { levelsOf, orderBook } from '../../market/order-book.js'
import type { Supply } from '../../../schemas/supply.js'
import type { PoolList } from '../pools.js'
import { checkLeft } from '../known-history.js'
import { keep, type Sources } from '../sources.js'
import { pairIn, type TickerList } from '../tickers.js'

export interface FormSources extends Sources {
  tickers: Kept<TickerList>
  days: Kept<DayTicker[]>
  supply: Kept<Supply, [mint: string]>
}

/** A ticker with exact volumes, and what else the trades of its 24 hours tell. */
export type DayTicker = Awaited<ReturnType<ReturnType<typeof createDayTickers>>>[number]

/** The tickers whose last 24 hours are all known, deepest first, kept. */
export const createDayTickers = (
  sources: Sources, list: Kept<TickerList>, pools: Kept<PoolList>
) => keep(sources, async parts => {
  const { tickers, state: { byPair } } = await list(parts)
  const { byId } = await pools(parts)
  const whole = tickers.flatMap(ticker => {
    const pool = byId.get(ticker.pool_id)
    const { base_volume_24h: base, target_volume_24h: target } = pool ?? {}
    if (pool === undefined || base == null || target == null) return []
    const last = ticker.last_price
    return [{
      ticker: {
        ...ticker,
        // rounded they would contradict high and low
        base_volume: base,
        target_volume: target,
        high: pool.high_24h ?? last,
        low: pool.low_24h ?? last
      },
      change: pool.price_change_24h,
      /** Of several pools of a pair, listed or not. */
      isDeepest: byPair.get(ticker.ticker_id)![0] === ticker.pool_id
    }]
  })
  checkLeft(whole.length, tickers.length)
  return whole
})

/** The order book of a pair's deepest pool, of so many levels (0: all), with its Unix ms. Throws as `pairIn`. */
export async function deepestBook (
  { tickers, settings }: FormSources, parts: Part[], tickerId: string, depth: number
) {
  const { list, pair } = await pairIn(tickers, parts, tickerId)
  const { bids, asks } = orderBook(pair, settings.quoteRules, levelsOf(depth))
  return { timestamp: list.state.time * 1000, bids, asks }
}
