import { ServiceError } from '../../errors.js'
import { formatUnits } from '../../decimal.js'
import type { Reading, Trade } from '../../history/history.js'
import { isTickerId } from '../../market/ticker.js'
import { tickerNotFound } from '../../../schemas/messages.js'
import { executedPriceText } from '../../market/pool-figures.js'
import type { FormSources } from './sources.js'

export const SIDES = ['buy', 'sell'] as const
export type Side = typeof SIDES[number]

export interface TradesAsked {
  sides: readonly Side[]
  /** Unix seconds, both included. */
  since: number | undefined
  until: number | undefined
  /** Of each side. */
  limit: number
  /** Of all pools of the pair, or the deepest alone. */
  pools: 'all' | 'deepest'
}

/** A trade that has a price, its texts in whole tokens. */
export interface PairTrade {
  id: bigint
  pool: string
  price: string
  base: string
  quote: string
  /** Unix seconds. */
  at: number
  side: Side
}

/** Throws unless all trades of a pool from `since` to `until` are known, or stated to be lost. */
function checkKnown (reading: Reading, pool: string, since: number, until: number | undefined): void {
  if (reading.knowledge(pool, since - 1, until) !== 'partly') return
  throw new ServiceError(reading.known.covers(since - 1) ? 'HISTORY_UNAVAILABLE' : 'WARMING_UP', `not all trades of ${pool} are known`)
}

/** In the order of the chain, the last first. */
const newestFirst = (a: Trade, b: Trade): number =>
  b.at - a.at || b.slot - a.slot || (a.dao === b.dao ? Number(b.seq - a.seq) : (b.blockIndex ?? 0) - (a.blockIndex ?? 0) || b.eventIndex - a.eventIndex)

/**
 * Trades of a pair of one state of the history, newest first, by side. Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, what the tickers throw, WARMING_UP and
 * HISTORY_UNAVAILABLE while not all trades of the time asked for are known.
 */
export function createPairTrades ({ tickers, history }: FormSources): (tickerId: string, asked: TradesAsked) => Promise<Record<Side, PairTrade[]>> {
  return async (tickerId, { sides, since, until, limit, pools: which }) => {
    if (!isTickerId(tickerId)) throw new ServiceError('INVALID_TICKER_ID', 'no ticker id')
    const { value: { pools, pairs } } = await tickers()
    const all = pools.get(tickerId)
    if (all === undefined) throw new ServiceError('TICKER_NOT_FOUND', tickerNotFound(tickerId))

    function pairTrade ({ dao, seq, at, swap: { side, input, output } }: Trade): PairTrade {
      const pair = pairs.get(dao)!
      const [base, quote] = side === 'buy' ? [output, input] : [input, output]
      return {
        id: seq,
        pool: dao,
        price: executedPriceText({ quote, base }, pair),
        base: formatUnits(base, pair.baseDecimals),
        quote: formatUnits(quote, pair.quoteDecimals),
        at,
        side
      }
    }

    const found = await history.read(async reading => {
      const trades: Record<Side, Trade[]> = { buy: [], sell: [] }
      for (const side of sides) {
        for (const dao of which === 'all' ? all : all.slice(0, 1)) {
          const some = await reading.trades({ dao, side, limit, ...(since !== undefined && { since }), ...(until !== undefined && { until }) })
          checkKnown(reading, dao, (some.length === limit ? some.at(-1)?.at : since) ?? -Infinity, until)
          trades[side].push(...some)
        }
      }
      return trades
    })
    const newest = (trades: Trade[]): PairTrade[] => trades.sort(newestFirst).slice(0, limit).map(pairTrade)
    return { buy: newest(found.buy), sell: newest(found.sell) }
  }
}
