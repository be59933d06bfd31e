/** What the trades of a pool themselves say of its last 24 hours. */
import {
  add, compare, divide, formatUnits, multiply, ONE, powerOfTen, type Rational, ratio, subtract
} from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import {
  APART, decimalsOf, feesOf, isPriced, type OwnPool, type OwnTrade, type OwnTrades, priceOf, rawSum, tokens
} from './market.js'
import { isWithin, type Row } from './rules.js'

export type Window = ReturnType<typeof figures>

const EIGHT_PLACES = powerOfTen(-8)

/** Volumes of an answer; `isRounded`: as numbers of JSON, which keep fifteen digits. */
export interface Volumes { base: Rational, quote: Rational, isRounded: boolean }

/** Whether a volume is the one given, to eight places: half of the last is rounded away. */
const isVolume = (exact: Rational, given: Rational, isRounded: boolean): boolean =>
  isWithin(exact, given, isRounded ? add(EIGHT_PLACES, multiply(given, powerOfTen(-15))) : EIGHT_PLACES)

/** Whether volumes are those given. */
export const areVolumes = (base: Rational, quote: Rational, given: Volumes): boolean =>
  isVolume(base, given.base, given.isRounded) && isVolume(quote, given.quote, given.isRounded)

/**
 * The window of 24 hours that ends at about `now` (Unix s) and has these volumes; undefined where none has. The trades
 * may go some seconds further than the answer did, and its window may end a little earlier or later.
 */
export function windowOf ({ trades }: OwnTrades, pool: OwnPool, now: number, volumes: Volumes): Window | undefined {
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
