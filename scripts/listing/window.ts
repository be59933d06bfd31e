/** What the trades of a pool themselves say of its last 24 hours. */
import { add, compare, divide, multiply, powerOfTen, type Rational, ratio, subtract, ZERO } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import { APART, type OwnPool, type OwnTrade, type OwnTrades, priceOf, tokens } from './market.js'

/** Figures of a window; prices are undefined, and the change null, where there are no trades for them. */
export interface Window {
  base: Rational
  quote: Rational
  high: Rational | undefined
  low: Rational | undefined
  average: Rational | undefined
  trades: number
  buys: number
  sells: number
  /** Quote tokens, as executed. */
  buyVolume: Rational
  sellVolume: Rational
  makers: number
  buyers: number
  sellers: number
  /** undefined: one is not known. */
  fees: Rational | undefined
  /** Percent. */
  change: number | null
}

const EIGHT_PLACES = powerOfTen(-8)
/** Whether two figures are no further apart. */
export const isWithin = (a: Rational, b: Rational, by: Rational): boolean => {
  const off = subtract(a, b)
  return compare(off.n < 0n ? { n: -off.n, d: off.d } : off, by) <= 0
}

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
      if (!areVolumes(
        tokens(base[to]! - base[from]!, pool.base),
        tokens(quote[to]! - quote[from]!, pool.quote),
        volumes
      )) {
        continue
      }
      return figures(trades.slice(from, to), trades.slice(0, from), pool)
    }
    if (to > 0 && trades[to - 1]!.at <= now - APART) return undefined
  }
  return undefined
}

/** Of both sides and of each: how many trades, and by how many. */
function sides (rows: Array<OwnTrade['row']>) {
  const [buys, sells] = [rows.filter(({ side }) => side === 'buy'), rows.filter(({ side }) => side === 'sell')]
  const who = (some: typeof rows): number => new Set(some.map(({ maker }) => maker)).size
  return { buys: buys.length, sells: sells.length, makers: who(rows), buyers: who(buys), sellers: who(sells) }
}

function figures (trades: OwnTrade[], before: OwnTrade[], pool: OwnPool): Window {
  const price = (trade: OwnTrade): Rational => priceOf(trade.quote, trade.base, pool)
  const priced = trades.filter(({ hasPrice, base }) => hasPrice && base > 0n)
  const prices = priced.map(price)
  const total = (list: OwnTrade[], of: 'base' | 'quote'): Rational =>
    tokens(list.reduce((all, one) => all + one[of], 0n), pool[of])
  const earlier = before.findLast(({ hasPrice, base }) => hasPrice && base > 0n)
  const newest = priced.at(-1) ?? earlier
  const changed = earlier === undefined || newest === undefined
    ? null
    : multiply(subtract(divide(price(newest), price(earlier)), ratio(1n)), ratio(100n))
  return {
    base: total(trades, 'base'),
    quote: total(trades, 'quote'),
    high: prices.reduce<Rational | undefined>(
      (most, one) => most === undefined || compare(one, most) > 0 ? one : most,
      undefined
    ),
    low: prices.reduce<Rational | undefined>(
      (least, one) => least === undefined || compare(one, least) < 0 ? one : least,
      undefined
    ),
    average: priced.length === 0 ? undefined : divide(total(priced, 'quote'), total(priced, 'base')),
    trades: trades.length,
    ...sides(trades.map(({ row }) => row)),
    buyVolume: total(trades.filter(({ row }) => row.side === 'buy'), 'quote'),
    sellVolume: total(trades.filter(({ row }) => row.side === 'sell'), 'quote'),
    fees: trades.some(({ fee }) => fee === undefined) ? undefined : trades.map(({ fee }) => fee!).reduce(add, ZERO),
    change: changed === null ? null : Number(changed.n * 10_000n / changed.d) / 10_000
  }
}
