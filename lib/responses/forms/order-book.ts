import { LRUCache } from 'lru-cache'
import type { Aged } from '../../live/fresh.js'
import { levelsOf, orderBook, type OrderBook } from '../../market/order-book.js'
import { oncePerValue, priceRules } from '../sources.js'
import { pairIn, type TickerList } from '../tickers.js'
import type { FormSources } from './sources.js'

/** Books of one list of tickers that are kept: any pair and depth may be asked for. */
const MAX_KEPT = 256

/**
 * Order books of a pair's deepest pool by ticker id and depth in levels (0: all), made once for each list of tickers;
 * `time`: of the pool's state, Unix seconds. Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, and what the tickers throw.
 */
export function createOrderBooks<T extends {}> (
  { tickers, settings }: FormSources, form: (tickerId: string, book: OrderBook & { time: number }) => T
): (tickerId: string, depth: number) => Promise<Aged<T>> {
  const rules = priceRules(settings)
  const booksOf = oncePerValue((_list: TickerList) => new LRUCache<string, T>({ max: MAX_KEPT }))

  return async (tickerId, depth) => {
    const { list, pools: [deepest], age } = await pairIn(tickers, tickerId)
    const books = booksOf(list)
    const key = `${tickerId} ${depth}`
    const book = books.get(key) ??
      form(tickerId, { time: list.time, ...orderBook(list.pairs.get(deepest!)!, rules, levelsOf(depth)) })
    books.set(key, book)
    return { value: book, ...age }
  }
}
