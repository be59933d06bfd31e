/** Candles as rows of the table `days`, their keys aside. */
import type { Selectable } from 'kysely'
import type { Candle, CandlePrices } from '../rules/candles.js'
import { seqText } from './row-mapping.js'
import type { Tables } from './table-types.js'

type Columns = Omit<Selectable<Tables['days']>, 'dao' | 'day' | 'change' | 'makers' | 'hours'>

export const CANDLE_COLUMNS = [
  'base', 'quote', 'trades', 'fees', 'unknown_fees', 'open_seq', 'open_quote', 'open_base', 'close_seq', 'close_quote', 'close_base',
  'high_quote', 'high_base', 'low_quote', 'low_base'
] as const

export function candleRow ({ base, quote, trades, fees, unknownFees, prices }: Candle): Columns {
  const text = (value: bigint | undefined) => value?.toString() ?? null
  return {
    base: base.toString(),
    quote: quote.toString(),
    trades,
    fees: fees.toString(),
    unknown_fees: unknownFees,
    open_seq: prices === null ? null : seqText(prices.open.seq),
    open_quote: text(prices?.open.quote),
    open_base: text(prices?.open.base),
    close_seq: prices === null ? null : seqText(prices.close.seq),
    close_quote: text(prices?.close.quote),
    close_base: text(prices?.close.base),
    high_quote: text(prices?.high.quote),
    high_base: text(prices?.high.base),
    low_quote: text(prices?.low.quote),
    low_base: text(prices?.low.base)
  }
}

function pricesOf (row: Columns): CandlePrices | null {
  if (row.open_seq === null || row.close_seq === null) return null
  const price = (quote: string | null, base: string | null) => ({ quote: BigInt(quote!), base: BigInt(base!) })
  return {
    open: { seq: BigInt(row.open_seq), ...price(row.open_quote, row.open_base) },
    high: price(row.high_quote, row.high_base),
    low: price(row.low_quote, row.low_base),
    close: { seq: BigInt(row.close_seq), ...price(row.close_quote, row.close_base) }
  }
}

export const candleOfRow = (row: Columns): Candle => ({
  base: BigInt(row.base),
  quote: BigInt(row.quote),
  trades: Number(row.trades),
  fees: BigInt(row.fees),
  unknownFees: Number(row.unknown_fees),
  prices: pricesOf(row)
})
