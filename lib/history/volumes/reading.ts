import { DAY, HOUR, MINUTE } from '../../time.js'
import {
  candleOf, executedPrice, joinCandles, SIZES, type Candle, type ExecutedPrice, type Size, type TimedCandle
} from '../rules/candles.js'
import { ratio } from '../../decimal.js'
import { type Completeness, knowledgeOf, wholeAfterOf } from '../rules/completeness.js'
import { walkedTo } from '../rules/signature-ranges.js'
import type { MarketKey, Trade } from '../rules/rows.js'
import type { Store } from '../store/create-store.js'
import type { CandleRange } from '../store/types.js'
import type { Volumes } from './volumes.js'

/** Seconds. */
export const INTERVALS = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '4h': 4 * HOUR,
  '1d': DAY
} as const
export type Interval = keyof typeof INTERVALS

/** Joins it with the last of `candles` if that begins at the same time. */
function add (candles: TimedCandle[], start: number, candle: Candle): void {
  const last = candles.at(-1)
  if (last?.start === start) Object.assign(last, joinCandles(last, candle))
  else candles.push({ ...candle, start })
}

/** The newest `limit` of a range, oldest first, joined of stored candles. */
async function candlesOf (
  store: Store, dao: string, interval: Interval, { from, to, limit }: CandleRange
): Promise<TimedCandle[]> {
  const width = INTERVALS[interval]
  const size: Size = width >= DAY ? 'days' : width >= HOUR ? 'hours' : 'minutes'
  // as many as `limit` candles can hold, so that the oldest is whole
  const rows = await store.candlesOf(dao, size, { from, to, limit: limit * width / SIZES[size] })
  if (width === SIZES[size]) return rows
  const joined: TimedCandle[] = []
  for (const row of rows) add(joined, row.start - row.start % width, row)
  return joined.slice(-limit)
}

const MARKET_PAGE = 1000
/** Newest first. */
async function * marketTrades (
  store: Store, dao: string, market: MarketKey, { from, to }: Omit<CandleRange, 'limit'>
): AsyncGenerator<Trade> {
  const query = { dao, market, since: from, until: to - 1, limit: MARKET_PAGE }
  for (let page = await store.trades(query); page.length > 0;) {
    yield * page
    page = page.length < MARKET_PAGE ? [] : await store.trades({ ...query, before: page.at(-1)!.seq })
  }
}

/** A decision lasts days, so its candles are made when asked for. */
async function marketCandlesOf (
  store: Store, dao: string, interval: Interval, { limit, ...range }: CandleRange, market: MarketKey
): Promise<TimedCandle[]> {
  const width = INTERVALS[interval]
  const candles: TimedCandle[] = []
  for await (const { seq, at, swap } of marketTrades(store, dao, market, range)) {
    const [input, output] = [ratio(swap.input), ratio(swap.output)]
    const volume = swap.side === 'buy' ? { base: output, quote: input } : { base: input, quote: output }
    const candle = candleOf(swap, seq, volume)
    const start = at - at % width
    if (candles.length === limit && candles.at(-1)?.start !== start) break
    add(candles, start, candle)
  }
  return candles.reverse()
}

export type Reading = ReturnType<typeof createReading>

/** One state of the store; `knowledge` says whether that is all there is. Throws HISTORY_UNAVAILABLE. */
export function createReading (store: Store, { windows, closes }: Volumes, known: Completeness) {
  const stored: Pick<
    Store, 'trades' | 'lastTrades' | 'daysOf' | 'feeRates' | 'untold' | 'proposalEvents' | 'otherFees'
  > = store
  return {
    ...stored,
    /** The newest `limit` with trades, oldest first; `from` and `to` (excluded) are multiples of the interval. */
    candles: (dao: string, interval: Interval, range: CandleRange, market?: MarketKey) => market === undefined
      ? candlesOf(store, dao, interval, range)
      : marketCandlesOf(store, dao, interval, range, market),
    /** The last stored price up to the Unix second `at`. */
    async lastPrice (dao: string, at: number, market?: MarketKey): Promise<ExecutedPrice & { at: number } | null> {
      const trades = market === undefined
        ? await store.lastTrades(at, [dao])
        : marketTrades(store, dao, market, { from: 0, to: at + 1 })
      for await (const { swap, at: tradedAt } of trades) {
        const price = executedPrice(swap)
        if (price !== undefined) return { ...price, at: tradedAt }
      }
      return null
    },
    windows: (now: number) => windows(now, known),
    closes,
    /** Of a DAO after the Unix second `after`, −Infinity: from its beginning, up to `until`. */
    knowledge: (dao: string, after: number, until?: number) => knowledgeOf(known, after, until)(dao),
    wholeAfter: wholeAfterOf(known),
    walkedTo: walkedTo(known),
    known
  }
}
