import type { Part } from '../../live/fresh.js'
import { levelsOf, orderBook } from '../../market/order-book.js'
import { priceRules } from '../sources.js'
import { pairIn } from '../tickers.js'
import type { FormSources } from './sources.js'

/**
 * The order book of a pair's deepest pool to so many levels (0: all), with the Unix millisecond of the pool's state.
 * Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, and what the tickers throw.
 */
export async function deepestBook (
  { tickers, settings }: FormSources, parts: Part[], tickerId: string, depth: number
) {
  const { list, pools: [deepest] } = await pairIn(tickers, parts, tickerId)
  const { bids, asks } = orderBook(list.pairs.get(deepest!)!, priceRules(settings), levelsOf(depth))
  return { timestamp: list.time * 1000, bids, asks }
}
