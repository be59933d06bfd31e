/** Candles and days of a pool from the ledger's swaps alone, as they must be served once all of it is stored. */
import { compare, ratio, type Rational } from '../../../../lib/decimal.js'
import type { Dao, Ledger, SpotSwap } from '../../../../simulator/index.js'
import { plain, significant } from '../truth.js'

interface Candle {
  open: Rational
  high: Rational
  low: Rational
  close: Rational
  base: bigint
  quote: bigint
  trades: number
}

/** By the number of the interval; every swap here has received something, and so a price. */
function candlesOf (swaps: readonly SpotSwap[], seconds: number): Map<number, Candle> {
  const candles = new Map<number, Candle>()
  for (const { side, input, output, time } of swaps) {
    const [base, quote] = side === 'buy' ? [output, input] : [input, output]
    const price = ratio(quote, base)
    const number = Math.floor(time / seconds)
    const known = candles.get(number)
    candles.set(number, {
      open: known?.open ?? price,
      high: known !== undefined && compare(known.high, price) > 0 ? known.high : price,
      low: known !== undefined && compare(known.low, price) < 0 ? known.low : price,
      close: price,
      base: (known?.base ?? 0n) + base,
      quote: (known?.quote ?? 0n) + quote,
      trades: (known?.trades ?? 0) + 1
    })
  }
  return candles
}

/** A line for each candle, oldest first; without volumes where they are not counted by the amounts. */
export function expectedCandles (ledger: Ledger, dao: Dao, seconds: number, hasVolumes: boolean): string[] {
  const swaps = ledger.swaps.filter(swap => swap.dao === dao.address)
  const price = ({ n, d }: Rational) => significant(
    ratio(n * 10n ** BigInt(dao.base.decimals), d * 10n ** BigInt(dao.quote.decimals))
  )
  return Array.from(candlesOf(swaps, seconds), ([number, { open, high, low, close, base, quote, trades }]) => [
    number * seconds, ...[open, high, low, close].map(price), trades,
    ...hasVolumes ? [plain(base, dao.base.decimals), plain(quote, dao.quote.decimals)] : []
  ].join(' '))
}

/** The same of candles, or of days, as they are served; days come with their date. */
export const servedCandles = (rows: any[], hasVolumes: boolean): string[] => rows.map(row => [
  row.time ?? Date.parse(row.date) / 1000, row.open, row.high, row.low, row.close, row.trades,
  ...hasVolumes ? [row.base_volume, row.target_volume] : []
].join(' '))
