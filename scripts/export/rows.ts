/** Rows of an export. What the tokens of a pool are not known for is null, never guessed. */
import { compare, formatUnits, type Rational, ratio } from '../../lib/decimal.js'
import type { Trade } from '../../lib/history/rules/types.js'
import { executedPriceText } from '../../lib/market/pool-figures.js'
import { DAY, dateOf } from '../../lib/time.js'
import type { Pool } from '../../schemas/pools.js'
import type { Cells, Column } from './sinks.js'

export type PoolTokens = Pick<Pool, 'base' | 'quote'>

/** Seconds of an interval. */
export const INTERVALS: Readonly<Record<string, number>> =
  { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': DAY }

const text = (...names: string[]): Column[] => names.map(name => ({ name }))
const whole = (...names: string[]): Column[] => names.map(name => ({ name, isInteger: true }))
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
  ...whole('trades', 'makers')
]

const tokenCells = (tokens: PoolTokens | undefined): Cells =>
  [tokens?.base, tokens?.quote].flatMap(token => [token?.mint ?? null, token?.symbol ?? null, token?.decimals ?? null])

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()
const raw = (amount: bigint | null | undefined): string | null => amount == null ? null : String(amount)

interface Amounts { base: bigint, quote: bigint }
const amountsOf = ({ swap: { side, input, output } }: Trade): Amounts =>
  side === 'buy' ? { base: output, quote: input } : { base: input, quote: output }

/** Null for what has none: nothing was received. */
function priceText ({ base, quote }: Amounts, tokens: PoolTokens | undefined): string | null {
  if (tokens === undefined || base === 0n || quote === 0n) return null
  return executedPriceText(
    { base, quote },
    { baseDecimals: tokens.base.decimals, quoteDecimals: tokens.quote.decimals }
  )
}

const units = (amount: bigint, token: { decimals: number } | undefined): string | null =>
  token === undefined ? null : formatUnits(amount, token.decimals)

export function tradeRow (trade: Trade, tokens: PoolTokens | undefined): Cells {
  const { dao, seq, signature, slot, blockIndex, eventIndex, at, swap, maker, reserves } = trade
  const amounts = amountsOf(trade)
  return [
    dao, String(seq), signature, slot, blockIndex, eventIndex, iso(at), swap.side, ...tokenCells(tokens),
    priceText(amounts, tokens), units(amounts.base, tokens?.base), units(amounts.quote, tokens?.quote),
    raw(swap.input), raw(swap.output), raw(swap.fee), maker, raw(reserves?.base), raw(reserves?.quote)
  ]
}

interface Bar extends Amounts {
  start: number
  /** Of the last and the first trade that has a price, the highest and the lowest. */
  close?: Amounts
  open?: Amounts
  high?: Amounts
  low?: Amounts
  trades: number
  makers: Set<string | null>
}

const priceOf = ({ base, quote }: Amounts): Rational => ratio(quote, base)

/**
 * Candles, or days, of a pool from its trades, newest first as these come: each is given once a trade of an earlier one
 * has come. Volumes are exact, prices those of trades; intervals without a trade are left out.
 */
export function barsOf (
  dao: string, tokens: PoolTokens | undefined, length: number, isDay: boolean
): { take (trades: readonly Trade[]): Cells[], end (): Cells[] } {
  let bar: Bar | undefined

  function row ({ start, open, high, low, close, base, quote, trades, makers }: Bar): Cells {
    const price = (amounts: Amounts | undefined): string | null =>
      amounts === undefined ? null : priceText(amounts, tokens)
    return [
      dao, isDay ? dateOf(start / DAY) : iso(start), ...tokenCells(tokens), price(open), price(high), price(low),
      price(close),
      units(base, tokens?.base), units(quote, tokens?.quote), raw(base), raw(quote), trades,
      // of one whose maker is not known yet nobody can say how many they are
      makers.has(null) ? null : makers.size
    ]
  }

  function add (to: Bar, trade: Trade): void {
    const amounts = amountsOf(trade)
    to.base += amounts.base
    to.quote += amounts.quote
    to.trades++
    to.makers.add(trade.maker)
    if (amounts.base === 0n || amounts.quote === 0n) return
    to.close ??= amounts
    to.open = amounts
    if (to.high === undefined || compare(priceOf(amounts), priceOf(to.high)) > 0) to.high = amounts
    if (to.low === undefined || compare(priceOf(amounts), priceOf(to.low)) < 0) to.low = amounts
  }

  return {
    take (trades) {
      const done: Cells[] = []
      for (const trade of trades) {
        const start = trade.at - trade.at % length
        if (bar !== undefined && bar.start !== start) done.push(row(bar))
        if (bar?.start !== start) bar = { start, base: 0n, quote: 0n, trades: 0, makers: new Set() }
        add(bar, trade)
      }
      return done
    },
    end: () => bar === undefined ? [] : [row(bar)]
  }
}
