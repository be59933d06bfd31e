import { ServiceError } from '../../errors.js'
import { LRUCache } from 'lru-cache'
import type { Aged } from '../../live/fresh.js'
import { levelsOf, orderBook, type OrderBook } from '../../market/order-book.js'
import { isTickerId } from '../../market/ticker.js'
import { tickerNotFound } from '../../../schemas/errors.js'
import type { TickerList } from '../tickers.js'
import type { FormSources } from './sources.js'

export interface PairBook extends OrderBook {
  /** The chain's time of the pool's state, Unix seconds. */
  time: number
}

/** Books of one list of tickers that are kept: any pair and depth may be asked for. */
const MAX_KEPT = 256

/**
 * Order books by ticker id and depth in levels (0: all), each in a form of its own, made once for each list of tickers.
 * Of several pools of a pair the deepest, as the tickers have it. Throws INVALID_TICKER_ID, TICKER_NOT_FOUND and what
 * the tickers throw.
 */
export function createOrderBooks<T extends {}> (
  sources: FormSources, form: (tickerId: string, book: PairBook) => Promise<T>
): (tickerId: string, depth: number) => Promise<Aged<T>> {
  const { tickers, settings } = sources
  const rules = { notional: settings.quoteNotional, feeRate: settings.takerFeeRate }
  const kept = new WeakMap<TickerList, LRUCache<string, Promise<T>>>()

  function make (list: TickerList, tickerId: string, depth: number): Promise<T> {
    const deepest = list.pools.get(tickerId)?.[0]
    if (deepest === undefined) throw new ServiceError('TICKER_NOT_FOUND', tickerNotFound(tickerId))
    return form(tickerId, { time: list.time, ...orderBook(list.pairs.get(deepest)!, rules, levelsOf(depth)) })
  }

  return async (tickerId, depth) => {
    if (!isTickerId(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
    const { value: list, ...age } = await tickers()
    let books = kept.get(list)
    if (books === undefined) kept.set(list, books = new LRUCache({ max: MAX_KEPT }))
    const key = `${tickerId} ${depth}`
    const book = books.get(key) ?? make(list, tickerId, depth)
    books.set(key, book)
    return { value: await book, ...age }
  }
}
