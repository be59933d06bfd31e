/** Rows of an export. What the tokens of a pool are not known for is null, never guessed. */
import { formatUnits, ratio } from '../../lib/decimal.js'
import {
  candleOf, executedPrice, type ExecutedPrice, joinCandles, type TimedCandle
} from '../../lib/history/rules/candles.js'
import { SCALE } from '../../lib/history/rules/fixed-point.js'
import type { Trade } from '../../lib/history/rules/rows.js'
import { executedPriceText } from '../../lib/market/pool-figures.js'
import { dateOf, dayOf, timeText } from '../../lib/time.js'
import type { Pool } from '../../schemas/pools.js'
import type { Cells, Column } from './sinks.js'

/** What the service tells of a pool, and from and to which Unix second all of its trades are stored. */
export interface PoolFacts extends Pick<Pool, 'base' | 'quote'> { from: number, to: number }

const text = (...names: string[]): Column[] => names.map(name => ({ name }))
const whole = (...names: string[]): Column[] => names.map(name => ({ name, type: 'INT64' }))
const TOKENS = ['base', 'quote'].flatMap(side =>
  [...text(`${side}_mint`, `${side}_symbol`), ...whole(`${side}_decimals`)])

export const TRADE_COLUMNS: readonly Column[] = [
  ...text('pool_id', 'trade_id', 'signature'), ...whole('slot', 'block_index', 'event_index'), ...text('time', 'side'),
  ...TOKENS,
  ...text('price', 'base_amount', 'quote_amount', 'input', 'output', 'fee', 'maker', 'base_reserve', 'quote_reserve')
]
export const BAR_COLUMNS: readonly Column[] = [
  ...text('pool_id', 'time'), ...TOKENS,
  ...text('open', 'high', 'low', 'close', 'base_volume', 'quote_volume', 'base_raw', 'quote_raw'),
  ...whole('trades', 'makers'), { name: 'complete', type: 'BOOLEAN' }
]

const tokenCells = (tokens: PoolFacts | undefined): Cells =>
  [tokens?.base, tokens?.quote].flatMap(token => [token?.mint ?? null, token?.symbol ?? null, token?.decimals ?? null])

const raw = (amount: bigint | null | undefined): string | null => amount == null ? null : String(amount)

const amountsOf = ({ swap: { side, input, output } }: Trade) =>
  side === 'buy' ? { base: output, quote: input } : { base: input, quote: output }

const priceText = (price: ExecutedPrice | undefined, tokens: PoolFacts | undefined): string | null =>
  tokens === undefined || price === undefined
    ? null
    : executedPriceText(price, { baseDecimals: tokens.base.decimals, quoteDecimals: tokens.quote.decimals })

const units = (amount: bigint, token: { decimals: number } | undefined): string | null =>
  token === undefined ? null : formatUnits(amount, token.decimals)

export function tradeRow (trade: Trade, tokens: PoolFacts | undefined): Cells {
  const { dao, seq, signature, slot, blockIndex, eventIndex, at, swap, maker, reserves } = trade
  const { base, quote } = amountsOf(trade)
  return [
    dao, String(seq), signature, slot, blockIndex, eventIndex, timeText(at), swap.side, ...tokenCells(tokens),
    priceText(executedPrice(swap), tokens), units(base, tokens?.base), units(quote, tokens?.quote),
    raw(swap.input), raw(swap.output), raw(swap.fee), maker, raw(reserves?.base), raw(reserves?.quote)
  ]
}

/**
 * Candles, or days, of a pool from its trades, newest first: each is given once a trade of an earlier one has come.
 * Volumes are exact; intervals without a trade are left out. One that goes on, or of which trades may be missing, is
 * not complete.
 */
export function barsOf (
  dao: string, tokens: PoolFacts | undefined, length: number, isDay: boolean
): { take (trades: readonly Trade[]): Cells[], end (): Cells[] } {
  let bar: TimedCandle & { makers: Set<string | null> } | undefined

  function row ({ start, prices, trades, makers, ...sums }: NonNullable<typeof bar>): Cells {
    const [base, quote] = [sums.base / SCALE, sums.quote / SCALE]
    return [
      dao, isDay ? dateOf(dayOf(start)) : timeText(start), ...tokenCells(tokens),
      ...(['open', 'high', 'low', 'close'] as const).map(name => priceText(prices?.[name], tokens)),
      units(base, tokens?.base), units(quote, tokens?.quote), raw(base), raw(quote), trades,
      // of one whose maker is not known yet nobody can say how many they are
      makers.has(null) ? null : makers.size,
      tokens === undefined ? null : start >= tokens.from && start + length <= tokens.to
    ]
  }

  return {
    take (trades) {
      const done: Cells[] = []
      for (const trade of trades) {
        const start = trade.at - trade.at % length
        const { base, quote } = amountsOf(trade)
        const candle = candleOf(trade.swap, trade.seq, { base: ratio(base), quote: ratio(quote) })
        if (bar?.start === start) Object.assign(bar, joinCandles(bar, candle))
        else {
          if (bar !== undefined) done.push(row(bar))
          bar = { start, ...candle, makers: new Set() }
        }
        bar.makers.add(trade.maker)
      }
      return done
    },
    end: () => bar === undefined ? [] : [row(bar)]
  }
}
