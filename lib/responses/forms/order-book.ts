import type { Part } from '../../live/fresh.js'
import { levelsOf, orderBook } from '../../market/order-book.js'
import { priceRules } from '../sources.js'
import { pairIn } from '../tickers.js'
import type { FormSources } from './sources.js'

/**
 * The order book of a pair's deepest pool to so many levels (0: all), with the Unix millisecond of the pool's state.
 * Throws what `pairIn` throws.
 */
export async function deepestBook (
  { tickers, settings }: FormSources, parts: Part[], tickerId: string, depth: number
) {
  const { list, pool } = await pairIn(tickers, parts, tickerId)
  const { bids, asks } = orderBook(list.pairs.get(pool)!, priceRules(settings), levelsOf(depth))
  return { timestamp: list.time * 1000, bids, asks }
}
