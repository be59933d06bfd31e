/** Figures of a pool in the forms' own words, held against what its trades and its reserves say. */
import { add, multiply, powerOfTen, type Rational } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import { changeOf, feesOf, hasPrice, windowFigures } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { APART, type OwnPool, type OwnTrade, type OwnTrades, tokens } from './market.js'
import { compareFields, decimal, isWithin, type Row, type Shared } from './rules.js'

/** A form's names of the figures of a window. */
export interface WindowNames { base: string, quote: string, high?: string, low?: string, change?: string }

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
  // without a trade both are the last price
  const [high, low] = [window.high_24h, window.low_24h].map(price => price ?? pool.ticker.last_price)
  const prices = { high, low, change: window.change }
  const shared = (['high', 'low', 'change'] as const).flatMap(
    (name): Shared[] => names[name] === undefined ? [] : [[names[name], name]]
  )
  compareFields(where, row, 'its list of trades', prices, doubt, shared)
  return window
}

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

function figures (trades: OwnTrade[], before: OwnTrade[], pool: OwnPool) {
  const earlier = before.findLast(hasPrice)
  return {
    ...windowFigures(trades, pool),
    /** undefined: one is not known. */
    fees_24h: feesOf(trades, pool),
    /** Percent. */
    change: changeOf(earlier, trades.findLast(hasPrice) ?? earlier)
  }
}
