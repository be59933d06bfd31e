import { eachInSlices } from '../../async.js'
import type { Reading, Trade } from '../../history/history.js'
import type { Turn } from '../../line.js'
import type { Part } from '../../live/fresh.js'
import { textsOf } from '../../market/pool-figures.js'
import { historyHeaders, knownTrades } from '../known.js'
import { headOf } from '../sources.js'
import { pairIn } from '../tickers.js'
import type { FormSources } from './sources.js'

export const SIDES = ['buy', 'sell'] as const
export type Side = typeof SIDES[number]

interface TradesAsked {
  sides: readonly Side[]
  /** Unix seconds, both included. */
  since: number | undefined
  until: number | undefined
  /** Of each side. */
  limit: number
  /** One of the pair's pools; undefined: the deepest, as price and book are. Whoever adds pools pushes out no trade. */
  pool: string | undefined
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

/** Trades of a side that are read at once. */
const PAGE = 1_000

/**
 * Trades of one pool of a pair, newest first, by side, read in turns of who asks; without a first second, as far as all
 * are known. Throws INVALID_TICKER_ID, TICKER_NOT_FOUND, POOL_NOT_FOUND, OVERLOADED, what the tickers throw, WARMING_UP
 * and HISTORY_UNAVAILABLE while not all trades of the time are known.
 */
export function createPairTrades (sources: FormSources) {
  const { tickers, history } = sources
  return async (parts: Part[], tickerId: string, { sides, since, until, limit, pool }: TradesAsked, turn: Turn) => {
    const { list, pool: dao } = await pairIn(tickers, [], tickerId, pool)
    const texts = textsOf(list.pairs.get(dao)!)

    const pairTrade = ({ seq, at, swap: { side, input, output } }: Trade): PairTrade => {
      const [base, quote] = side === 'buy' ? [output, input] : [input, output]
      return {
        id: seq,
        pool: dao,
        price: texts.price({ quote, base }),
        base: texts.base(base),
        quote: texts.quote(quote),
        at,
        side
      }
    }

    let headers = historyHeaders(true, undefined)
    /** The next page of a side, after those that are there. */
    async function more (reading: Reading, side: Side, known: readonly PairTrade[]): Promise<Trade[]> {
      const page = Math.min(PAGE, limit - known.length)
      const asked = { dao, side, since, until, before: known.at(-1)?.id, limit: page }
      const found = await knownTrades(reading, asked, since !== undefined)
      if (found.headers['x-history-complete'] === 'false') headers = found.headers
      return found.trades
    }

    const found: Record<Side, PairTrade[]> = { buy: [], sell: [] }
    // before the first page: what is read after it is of then, or younger
    headOf(sources, parts)
    let open = sides
    for (let admitted: 'admitted' | undefined; open.length > 0; admitted = 'admitted') {
      await turn(async () => {
        const pages = await history.read(async reading => {
          const pages: Array<[Side, Trade[]]> = []
          for (const side of open) pages.push([side, await more(reading, side, found[side])])
          return pages
        })
        for (const [side, trades] of pages) await eachInSlices(trades, trade => found[side].push(pairTrade(trade)))
        open = pages.filter(([side, { length }]) => length === PAGE && found[side].length < limit).map(([side]) => side)
      }, admitted)
    }
    return { ...found, headers }
  }
}
