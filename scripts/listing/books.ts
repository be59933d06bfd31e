/** Order books and lists of trades of a pair, held against the reserves and the trades of its deepest pool. */
import { add, multiply, powerOfTen, type Rational, ratio, ZERO } from '../../lib/decimal.js'
import type { Checking } from './check.js'
import { type Curve, swapOutput } from './figures.js'
import { decimalsOf, type OwnPool, rawOf } from './market.js'
import {
  book, type Checked, CLOCKS, compareFields, decimal, isRow, type Json, listOf, milliseconds, type Row, trades
} from './rules.js'

/** Raw units below which a pool is too coarse for slices of 0.1 %: they are joined. */
const COARSE = 10n ** 8n
/** A slice moves the price by so much. */
const STEP = Math.log(1.001)
const DEPTH = 20

interface Level { price: Rational, amount: bigint }

function levels (list: Json | undefined, decimals: number): Level[] {
  if (!Array.isArray(list)) return []
  return list.flatMap(level => {
    const [price, amount] = Array.isArray(level) ? [decimal(level[0]), rawOf(level[1], decimals)] : []
    return price === undefined || amount === undefined ? [] : [{ price, amount }]
  })
}

/** The book of a pair whose deepest pool this is; `path` of an order book takes a depth. */
export async function checkBook (
  checking: Checking, pool: OwnPool, path: string, form: 'text' | 'number'
): Promise<void> {
  const { reader, refuse, now } = checking
  const where = `${path}depth=${DEPTH}`
  const found = await reader.json(where)
  book(found, where, refuse, form, DEPTH)
  if (!isRow(found)) return
  if (found.ticker_id !== pool.pair) refuse(`${where}: another ticker_id`)
  milliseconds(found, 'timestamp', where, refuse, now)
  await compareBook(checking, pool, where, found)
}

/**
 * Walking to any level yields what one swap of that size yields, to a raw unit a level, and each level is a price move
 * of 0.1 %.
 */
async function compareBook (
  { market, doubt, reader, now }: Checking, pool: OwnPool, where: string, found: Row
): Promise<void> {
  const provenance = await market.provenance(pool.id)
  const [base, quote] = [rawOf(provenance.base_reserves, 0), rawOf(provenance.quote_reserves, 0)]
  const fee = decimal(provenance.taker_fee_rate)
  if (base === undefined || quote === undefined || fee === undefined || base === 0n || quote === 0n || fee.n >= fee.d) {
    return
  }
  const curve: Curve = { base, quote, fee }
  for (const side of ['bids', 'asks'] as const) {
    const list = levels(found[side], decimalsOf(pool.base))
    if (base > COARSE && quote > COARSE && list.length !== DEPTH / 2) {
      doubt(`${where}: ${list.length} ${side} of a depth of ${DEPTH}, amounts that the token has`)
    }
    const wrong = walk(list, side, curve, pool)
    if (wrong !== undefined) doubt(`${where}: ${side} to level ${wrong} are not what one swap of the reserves yields`)
  }
  const age = typeof found.timestamp === 'number' ? now - found.timestamp : NaN
  const told = reader.ageOf(where) * 1000
  if (!(age >= told - SLACK && age <= told + SLACK)) {
    doubt(
      `${where}: timestamp ${String(found.timestamp)} is ${Math.round(age / 1000)} s ago, the Age is ${told / 1000} s`
    )
  }
}

/** What an answer may be older than its Age says: 10 s that it is fresh, and clocks that differ, ms. */
const SLACK = 90_000

/** The first level that is not of the curve; undefined where all are. */
function walk (list: Level[], side: 'bids' | 'asks', { base, quote, fee }: Curve, pool: OwnPool): number | undefined {
  let [amount, value, before] = [0n, ZERO, 0]
  const scale = powerOfTen(decimalsOf(pool.quote) - decimalsOf(pool.base))
  for (const [at, level] of list.entries()) {
    amount += level.amount
    value = add(value, multiply(multiply(level.price, ratio(level.amount)), scale))
    const nearest = (2n * value.n + value.d) / (2n * value.d)
    // a raw unit a level, and what a number of JSON does not keep
    const units = BigInt(at + 1) + nearest / 10n ** 13n + 1n
    const [input, from, to] = side === 'bids' ? [amount, base, quote] : [nearest, quote, base]
    const [least, most] = side === 'bids'
      ? [swapOutput(input, from, to, fee) - units, swapOutput(input, from, to, fee) + units]
      : [
          swapOutput(input > units ? input - units : 0n, from, to, fee) - 1n,
          swapOutput(input + units, from, to, fee) + 1n
        ]
    const output = side === 'bids' ? nearest : amount
    if (output < least || output > most) return at
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

/**
 * Trades of one side, or of both, newest first: each in itself and one of the pool's own, and none is left out.
 * `limit`: of a list that was cut.
 */
export async function checkTrades (
  checking: Checking, pool: OwnPool, where: string, given: Json | undefined, names: Checked, limit?: number
): Promise<void> {
  trades(given, where, checking.refuse, names, checking.now)
  await compareTrades(checking, pool, where, listOf(given), names, limit)
}

async function compareTrades (
  { market, refuse, doubt }: Checking, pool: OwnPool, where: string, list: Row[],
  { target, time, side, since = -Infinity }: Checked, limit: number | undefined
): Promise<void> {
  const { trades, reach } = await market.trades(pool)
  const own = new Map(trades.filter(({ row, hasPrice }) => hasPrice && row.side === (side ?? row.side))
    .map(trade => [String(trade.id), trade]))
  const newest = trades.at(-1)?.id ?? 0n
  const seen = new Set<string>()
  let oldest: bigint | undefined
  for (const row of list) {
    const key = String(row.trade_id)
    const here = `${where} ${key}`
    seen.add(key)
    if (!/^\d+$/.test(key)) continue
    oldest = BigInt(key)
    if (row.pool_id !== undefined && row.pool_id !== pool.id) {
      refuse(`${here}: of ${String(row.pool_id)}, and not of the deepest pool of the pair`)
    }
    const trade = own.get(key)
    if (trade === undefined) {
      const isKnown = reach !== undefined && Number(row[time]) / 1000 >= reach && BigInt(key) <= newest
      if (isKnown) refuse(`${here}: no trade of the pool`)
      continue
    }
    const { price, base_amount: base, quote_amount: quote, side: type } = trade.row
    compareFields(here, row, '/api/pools', {
      price, base_volume: base, [target]: quote, type, [time]: trade.at * 1000
    }, refuse)
  }
  if (reach === undefined) return
  const isCut = limit !== undefined && list.length === limit
  const from = Math.max(since / 1000 + CLOCKS, reach)
  const missing = [...own.values()].filter(({ id, at }) => !seen.has(String(id)) && at >= from &&
    (!isCut || oldest === undefined || id > oldest))
  if (missing.length > 0) {
    doubt(`${where}: ${missing.length} trades of the pool are left out, ${missing[0]!.id} among them`)
  }
}
