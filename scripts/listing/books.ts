import { add, compare, divide, multiply, powerOfTen, type Rational, ratio, ZERO } from '../../lib/decimal.js'
import { hasPrice, outputOf } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { type OwnPool, rawOf } from './market.js'
import {
  below, CLOCKS, compareFields, decimal, fields, type Json, milliseconds, near, type Refuse, type Row, rows, shown
} from './rules.js'

/** Raw units below which a pool is too coarse for slices of 0.1 %: they are joined. */
const COARSE = 10n ** 8n
/** A slice moves the price by so much. */
const STEP = Math.log(1.001)
const DEPTH = 20

interface Level { price: Rational, amount: bigint }
type Side = 'bids' | 'asks'
type Form = 'text' | 'number'

/** Levels of one side, each in itself, best first: those whose amount the token has. */
function sideOf (found: Row, side: Side, where: string, refuse: Refuse, form: Form, decimals: number): Level[] {
  const list = found[side]
  if (!Array.isArray(list) || list.length === 0) {
    refuse(`${where}: ${side} are empty`)
    return []
  }
  const rule = { form, isPositive: true }
  const levels = list.flatMap((level, at): Level[] => {
    const here = `${where} ${side} ${at}`
    if (!Array.isArray(level) || level.length !== 2) {
      refuse(`${here}: no pair of price and amount`)
      return []
    }
    const { price } = fields({ price: level[0]!, amount: level[1]! }, here, refuse, { price: rule, amount: rule })
    const amount = rawOf(level[1], decimals)
    return price === undefined || amount === undefined ? [] : [{ price, amount }]
  })
  // a number of more digits than a float has may look equal to its neighbour
  const wrong = levels.findIndex(({ price }, at) =>
    at > 0 && compare(price, levels[at - 1]!.price) * (side === 'bids' ? 1 : -1) > 0)
  if (wrong > 0) refuse(`${where}: ${side} are out of order at level ${wrong}`)
  return levels
}

/** The book of a pair whose deepest pool this is; `path` of an order book takes a depth. */
export async function checkBook (checking: Checking, pool: OwnPool, path: string, form: Form): Promise<void> {
  const { reader, refuse, now } = checking
  const where = `${path}depth=${DEPTH}`
  const found = await reader.row(where)
  if (found === undefined) return
  const [bids, asks] = (['bids', 'asks'] as const).map(
    side => sideOf(found, side, where, refuse, form, pool.base.decimals)
  ) as [Level[], Level[]]
  const count = bids.length + asks.length
  if (count > DEPTH) refuse(`${where}: ${count} levels, ${DEPTH} were asked for`)
  if (!below(bids[0]?.price, asks[0]?.price)) refuse(`${where}: a crossed book`)
  if (found.ticker_id !== pool.pair) refuse(`${where}: another ticker_id`)
  milliseconds(found, 'timestamp', where, refuse, now)
  await compareBook(checking, pool, where, found, { bids, asks })
}

/**
 * Walking to any level yields what one swap of that size yields, to a raw unit a level, and each level is a price move
 * of 0.1 %.
 */
async function compareBook (
  { market, doubt, reader, now }: Checking, pool: OwnPool, where: string, found: Row, sides: Record<Side, Level[]>
): Promise<void> {
  const provenance = await market.provenance(pool.id)
  const [base, quote] = [rawOf(provenance.base_reserves, 0), rawOf(provenance.quote_reserves, 0)]
  const fee = decimal(provenance.taker_fee_rate)
  if (base === undefined || quote === undefined || fee === undefined || base === 0n || quote === 0n || fee.n >= fee.d) {
    return
  }
  for (const side of ['bids', 'asks'] as const) {
    const list = sides[side]
    if (base > COARSE && quote > COARSE && list.length !== DEPTH / 2) {
      doubt(`${where}: ${list.length} ${side} of a depth of ${DEPTH}, amounts that the token has`)
    }
    const wrong = walk(list, side, { base, quote, fee }, pool)
    if (wrong !== undefined) doubt(`${where}: ${side} to level ${wrong} are not what one swap of the reserves yields`)
  }
  const age = typeof found.timestamp === 'number' ? now - found.timestamp : NaN
  const told = reader.ageOf(where) * 1000
  if (!(age >= told - SLACK && age <= told + SLACK)) {
    doubt(
      `${where}: timestamp ${found.timestamp} is ${Math.round(age / 1000)} s ago, the Age is ${told / 1000} s`
    )
  }
}

/** What an answer may be older than its Age says: 10 s that it is fresh, and clocks that differ, ms. */
const SLACK = 90_000

/** The first level that is not of the curve of these reserves; undefined where all are. */
function walk (
  list: Level[], side: Side, { base, quote, fee }: { base: bigint, quote: bigint, fee: Rational }, pool: OwnPool
): number | undefined {
  let [amount, value, before] = [0n, ZERO, 0]
  const scale = powerOfTen(pool.quote.decimals - pool.base.decimals)
  for (const [at, level] of list.entries()) {
    amount += level.amount
    value = add(value, multiply(multiply(level.price, ratio(level.amount)), scale))
    const nearest = (2n * value.n + value.d) / (2n * value.d)
    // a raw unit a level, and what a number of JSON does not keep
    const units = BigInt(at + 1) + nearest / 10n ** 13n + 1n
    const [input, from, to] = side === 'bids' ? [amount, base, quote] : [nearest, quote, base]
    const yields = (input: bigint): bigint => outputOf(input, from, to, fee)
    const isOne = side === 'bids'
      ? nearest >= yields(input) - units && nearest <= yields(input) + units
      : amount >= yields(input > units ? input - units : 0n) - 1n && amount <= yields(input + units) + 1n
    if (!isOne) return at
    const net = input * (fee.d - fee.n) / fee.d
    const moves = 2 * Math.log1p(Number(net) / Number(from)) / STEP
    // as far as whole units, of which the reserve is made, tell it
    const blur = 1e-6 + 4 * Number(units) / Number(from) / STEP
    const step = Math.round(moves)
    if (Math.abs(moves - step) > blur || step <= before || (from > COARSE && to > COARSE && step !== at + 1)) return at
    before = step
  }
  return undefined
}

/** A form's list of trades: its names, its way with numbers, its side, and since when it is, Unix ms. */
interface Checked { target: string, time: string, form: Form, side?: string, since?: number }

/**
 * Trades of one side, or of both, newest first, none before `since`: each has a price that its amounts bear out and is
 * one of the pool's own, and none of those is left out. `limit`: of a list that may be cut.
 */
export async function checkTrades (
  { market, refuse, doubt, now }: Checking, pool: OwnPool, where: string, given: Json | undefined,
  { target, time, form, side, since = -Infinity }: Checked, limit?: number
): Promise<void> {
  const list = rows(given, where, refuse)
  if (list === undefined) return
  const { trades, reach } = await market.trades(pool)
  const own = new Map(trades.filter(trade => hasPrice(trade) && trade.row.side === (side ?? trade.row.side))
    .map(trade => [String(trade.seq), trade]))
  const newest = trades.at(-1)?.seq ?? 0n
  const seen = new Set<string>()
  let [oldest, before]: [bigint | undefined, number] = [undefined, Infinity]
  const rule = { form, isPositive: true }
  for (const row of list) {
    const key = String(row.trade_id)
    const here = `${where} ${key}`
    const { price, base_volume: sold, [target]: paid } =
      fields(row, here, refuse, { price: rule, base_volume: rule, [target]: rule })
    if (price !== undefined && sold !== undefined && paid !== undefined && sold.n > 0n &&
      !near(divide(paid, sold), price, 10_000_000n)) {
      refuse(`${here}: the price is not what was paid for what was received`)
    }
    const at = milliseconds(row, time, here, refuse, now)
    if (at > before) refuse(`${here}: not newest first`)
    if (at < since - CLOCKS * 1000) refuse(`${here}: older than what is asked for`)
    before = at
    if (row.type !== (side ?? row.type) || (row.type !== 'buy' && row.type !== 'sell')) {
      refuse(`${here}: type ${shown(row.type)}`)
    }
    if (row.pool_id !== undefined && row.pool_id !== pool.id) {
      refuse(`${here}: of ${row.pool_id}, and not of the deepest pool of the pair`)
    }
    if (row.trade_id === undefined || seen.has(key)) refuse(`${here}: trade_id is not there or not unique`)
    seen.add(key)
    if (!/^\d+$/.test(key)) continue
    oldest = BigInt(key)
    const trade = own.get(key)
    if (trade !== undefined) {
      const { price, base_amount: base, quote_amount: quote, side: type } = trade.row
      compareFields(here, row, '/api/pools', {
        price, base_volume: base, [target]: quote, type, [time]: trade.at * 1000
      }, refuse)
    } else if (reach !== undefined && Number(row[time]) / 1000 >= reach && oldest <= newest) {
      refuse(`${here}: no trade of the pool`)
    }
  }
  if (reach === undefined) return
  const isCut = limit !== undefined && list.length === limit
  const from = Math.max(since / 1000 + CLOCKS, reach)
  const missing = [...own.values()].filter(({ seq, at }) => !seen.has(String(seq)) && at >= from &&
    (!isCut || oldest === undefined || seq > oldest))
  if (missing.length > 0) {
    doubt(`${where}: ${missing.length} trades of the pool are left out, ${missing[0]!.seq} among them`)
  }
}
