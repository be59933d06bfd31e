/** Figures of a pool in the forms' own words, held against what its trades and its reserves say. */
import {
  add, compare, divide, formatUnits, multiply, ONE, powerOfTen, type Rational, ratio, subtract
} from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import type { Checking } from './check.js'
import {
  APART, decimalsOf, feesOf, isPriced, type OwnPool, type OwnTrade, type OwnTrades, priceOf, rawSum, tokens
} from './market.js'
import { decimal, isWithin, type Json, near, type Refuse, type Row, shown } from './rules.js'

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
    const found = `${names.base} ${row[names.base]} and ${names.quote} ${row[names.quote]}`
    const told = `${pool.pool.base_volume_24h} and ${pool.pool.target_volume_24h}`
    return doubt(`${where}: ${found} are of no 24 hours of the pool's trades; /api/pools has ${told}`)
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

type Window = ReturnType<typeof figures>

const EIGHT_PLACES = powerOfTen(-8)

/** Volumes of an answer; `isRounded`: as numbers of JSON, which keep fifteen digits. */
interface Volumes { base: Rational, quote: Rational, isRounded: boolean }

/** Whether a volume is the one given, to eight places: half of the last is rounded away. */
const isVolume = (exact: Rational, given: Rational, isRounded: boolean): boolean =>
  isWithin(exact, given, isRounded ? add(EIGHT_PLACES, multiply(given, powerOfTen(-15))) : EIGHT_PLACES)

/** Whether volumes are those given. */
const areVolumes = (base: Rational, quote: Rational, given: Volumes): boolean =>
  isVolume(base, given.base, given.isRounded) && isVolume(quote, given.quote, given.isRounded)

/**
 * The window of 24 hours that ends at about `now` (Unix s) and has these volumes; undefined where none has. The trades
 * may go some seconds further than the answer did, and its window may end a little earlier or later.
 */
function windowOf ({ trades }: OwnTrades, pool: OwnPool, now: number, volumes: Volumes): Window | undefined {
  const first = (after: number): number => {
    const at = trades.findIndex(trade => trade.at > after)
    return at === -1 ? trades.length : at
  }
  const [base, quote] = [[0n], [0n]]
  for (const [i, trade] of trades.entries()) {
    base.push(base[i]! + trade.base)
    quote.push(quote[i]! + trade.quote)
  }
  const [lowest, highest] = [first(now - DAY - APART), first(now - DAY + APART)]
  for (let to = trades.length; to >= 0; to--) {
    for (let from = lowest; from <= Math.min(highest, to); from++) {
      const [sold, paid] = [base[to]! - base[from]!, quote[to]! - quote[from]!]
      if (areVolumes(tokens(sold, pool.base), tokens(paid, pool.quote), volumes)) {
        return figures(trades.slice(from, to), trades.slice(0, from), pool)
      }
    }
    if (to > 0 && trades[to - 1]!.at <= now - APART) return undefined
  }
  return undefined
}

/** Of both sides and of each, as `/api/pools` names it: how many trades, by how many, for how much. */
function sides (trades: OwnTrade[], { quote }: OwnPool): Row {
  const [buys, sells] = ['buy', 'sell'].map(side => trades.filter(({ row }) => row.side === side)) as
    [OwnTrade[], OwnTrade[]]
  const who = (some: OwnTrade[]): number => new Set(some.map(({ row }) => row.maker)).size
  const paid = (some: OwnTrade[]): string => formatUnits(rawSum(some, 'quote'), decimalsOf(quote))
  return {
    trades_24h: trades.length,
    buys_24h: buys.length,
    sells_24h: sells.length,
    makers_24h: who(trades),
    buyers_24h: who(buys),
    sellers_24h: who(sells),
    buy_volume_24h: paid(buys),
    sell_volume_24h: paid(sells)
  }
}

/** Of a window; prices are undefined, and the change null, where there are no trades for them. */
function figures (trades: OwnTrade[], before: OwnTrade[], pool: OwnPool) {
  const price = (trade: OwnTrade): Rational => priceOf(trade.quote, trade.base, pool)
  const priced = trades.filter(isPriced)
  const prices = priced.map(price).sort(compare)
  const earlier = before.findLast(isPriced)
  const newest = priced.at(-1) ?? earlier
  const changed = earlier === undefined || newest === undefined
    ? null
    : multiply(subtract(divide(price(newest), price(earlier)), ONE), ratio(100n))
  return {
    high: prices.at(-1),
    low: prices[0],
    average: priced.length === 0 ? undefined : priceOf(rawSum(priced, 'quote'), rawSum(priced, 'base'), pool),
    sides: sides(trades, pool),
    /** undefined: one is not known. */
    fees: feesOf(trades),
    /** Percent. */
    change: changed === null ? null : Number(changed.n * 10_000n / changed.d) / 10_000
  }
}
