import { add, compare, powerOfTen, ZERO } from '../../lib/decimal.js'
import { DAY, HOUR } from '../../lib/time.js'
import { candleOf, hasPrice } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { APART, type OwnPool } from './market.js'
import { compareFields, decimal, isRow, type Row, shown } from './rules.js'

/** Of a raw unit: sums of fees ÷ rate are rounded, far behind it. */
const ROUNDED_PLACES = 12

/**
 * Candles of an hour, held against the trades, and the volumes of 7 and 30 days against the candles. Where volumes
 * count fees, trades don't tell them.
 */
export async function checkCandles ({ market, reader, refuse, doubt, now }: Checking, pool: OwnPool): Promise<void> {
  const path = `/api/pools/${pool.id}/ohlcv?interval=1h&limit=1000`
  const given = await reader.json(path)
  if (!Array.isArray(given)) return refuse(`${path}: no list`)
  const candles = given.filter(isRow)
  for (const [at, { time }] of candles.entries()) {
    if (typeof time !== 'number' || time % HOUR !== 0 || time <= Number(candles[at - 1]?.time ?? -1)) {
      refuse(`${path} ${at}: time ${shown(time)} is no hour after the one before`)
    }
  }
  const { windows_end: end, volume_basis: basis } = await market.provenance(pool.id)
  const { trades, reach } = await market.trades(pool)
  if (reach !== undefined) {
    const until = Math.floor(now / 1000) - APART
    const hours = new Map<number, typeof trades>()
    for (const trade of trades) {
      const hour = trade.at - trade.at % HOUR
      if (hour >= reach && hour + HOUR <= until) hours.set(hour, [...hours.get(hour) ?? [], trade])
    }
    const inReach = candles.filter(({ time }) => Number(time) >= reach && Number(time) + HOUR <= until)
    // before a pool's first price there is no candle
    const first = trades.find(hasPrice)?.at ?? Infinity
    const wanted = [...hours].filter(([hour]) => first < hour + HOUR)
    if (inReach.length !== wanted.length) doubt(`${path}: ${inReach.length} hours, the trades have ${wanted.length}`)
    for (const row of inReach) {
      const { open, high, low, close, trades: count, ...volumes } = candleOf(hours.get(Number(row.time)) ?? [], pool)
      const sums = { trades: count, ...basis !== 'fees' && volumes }
      // without a price the last close stands for all four
      const expected: Row = open === null ? sums : { open, high, low, close, ...sums }
      compareFields(`${path} ${row.time}`, row, 'its hour', expected, doubt)
    }
  }
  // nor ever, where no trade has had one
  if (candles.length === 0 && !trades.some(hasPrice)) return
  const detail = await market.detail(pool.id)
  if (typeof end !== 'number' || detail === undefined) return
  const sum = (from: number, to: number) =>
    candles.filter(({ time }) => Number(time) >= from && Number(time) < to)
      .reduce((all, { target_volume: volume }) => add(all, decimal(volume) ?? ZERO), ZERO)
  const rounded = basis === 'fees' ? powerOfTen(-pool.quote.decimals - ROUNDED_PLACES) : ZERO
  for (const [name, days] of [['target_volume_7d', 7], ['target_volume_30d', 30]] as const) {
    if (detail[name] === null) continue   // not known yet
    const volume = decimal(detail[name])
    // the whole hours in it, and all that it touches
    const isWithin = volume !== undefined &&
      compare(add(volume, rounded), sum(end - days * DAY, end - HOUR - APART)) >= 0 &&
      compare(volume, add(sum(end - days * DAY - HOUR - APART, end + APART), rounded)) <= 0
    if (!isWithin) doubt(`${path}: ${name} ${detail[name]} is not what its hours add up to`)
  }
}
