/** Figures of a pool in the forms' own words, held against what its trades and its reserves say. */
import type { Rational } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import type { OwnPool } from './market.js'
import { decimal, type Json, near, type Refuse, type Row, shown } from './rules.js'
import { areVolumes, type Window, windowOf } from './window.js'

/** Twelve significant digits, of which the last is rounded. */
const DIGITS = 10n ** 11n

/** A form's names of the figures of a window. */
export interface WindowNames { base: string, quote: string, high?: string, low?: string, change?: string }

/** Whether a price, of twelve significant digits, is this one. */
export const isPrice = (value: Json | undefined, exact: Rational | undefined): boolean => {
  const given = decimal(value)
  return given !== undefined && exact !== undefined && near(given, exact, DIGITS)
}

/** Tells a price that is not `exact`, which is `what`. */
export function checkPrice (
  tell: Refuse, where: string, row: Row, name: string, exact: Rational | undefined, what = 'that of its trades'
): void {
  if (!isPrice(row[name], exact)) tell(`${where}: ${name} ${shown(row[name])} is not ${what}`)
}

/**
 * Volumes, highest and lowest price and change of a row. They are those of the pool in `/api/pools`, or those of its
 * trades: two windows may end some seconds apart. Where volumes count fees in place of amounts, trades don't tell them.
 */
export async function checkWindow (
  { market, doubt, now }: Checking, pool: OwnPool, where: string, row: Row, names: WindowNames
): Promise<Window | undefined> {
  const [base, quote] = [decimal(row[names.base]), decimal(row[names.quote])]
  if (base === undefined || quote === undefined) return undefined
  const [ownBase, ownQuote] = [decimal(pool.pool.base_volume_24h), decimal(pool.pool.target_volume_24h)]
  const isLookedAt = (await market.lookedAt()).includes(pool)
  const given = { base, quote, isRounded: typeof row[names.base] === 'number' }
  const isOwn = ownBase !== undefined && ownQuote !== undefined && areVolumes(ownBase, ownQuote, given)
  if (isOwn && !isLookedAt) return undefined
  if ((await market.provenance(pool.id)).volume_basis === 'fees') {
    if (!isOwn) doubt(`${where}: ${names.base} and ${names.quote} are not those of /api/pools`)
    return undefined
  }
  const trades = await market.trades(pool)
  if (trades.reach === undefined) return undefined
  const window = windowOf(trades, pool, Math.floor(now / 1000), given)
  if (window === undefined) {
    return doubt(
      `${where}: ${names.base} ${row[names.base]} and ${names.quote} ${row[names.quote]} are of no ` +
        '24 hours of the pool\'s trades; /api/pools has ' +
        `${pool.pool.base_volume_24h} and ${pool.pool.target_volume_24h}`
    )
  }
  for (const [name, price] of [[names.high, window.high], [names.low, window.low]] as const) {
    // without a trade both are the last price
    if (name !== undefined) checkPrice(doubt, where, row, name, price ?? decimal(pool.ticker.last_price))
  }
  if (names.change !== undefined && !isChange(row[names.change], window.change)) {
    doubt(`${where}: ${names.change} ${row[names.change]} is not that of the pool's trades, ${window.change}`)
  }
  return window
}

/** Percent with two places, the last of them rounded. */
export const isChange = (value: Json | undefined, change: number | null): boolean =>
  change === null
    ? value === null
    : value !== null && Math.abs(Number(value) - change) <= 0.00501 + Math.abs(change) * 1e-9
