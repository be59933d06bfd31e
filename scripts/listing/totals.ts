import { add, compare, powerOfTen, ZERO } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import type { Checking } from './check.js'
import { APART, type OwnPool, rawOf, tokens } from './market.js'
import { compareFields, decimal, isRow, type Json, type Row } from './rules.js'
import { isWithin } from './window.js'

const listOf = (value: Json | undefined): Row[] => Array.isArray(value) ? value.filter(isRow) : []
const sumOf = (list: Row[], key: string): bigint => list.reduce((all, row) => all + (rawOf(row[key], 2) ?? 0n), 0n)
/** Why a DAO is not listed. */
const REASONS: Json[] = [null, 'excluded', 'undecodable', 'no reserves', 'mint unreadable', 'history incomplete']
const STATES: Json[] = ['spot', 'futarchy', 'proposal', null]
/** Newest days whose own answer is looked at. */
const DAYS = 3

/** The list of DAOs: every pool of the tickers is in it as listed, and no other. */
export async function checkDaos ({ market, reader, refuse, doubt }: Checking, pools: OwnPool[]): Promise<void> {
  const path = '/api/daos'
  const found = await reader.json(path)
  if (!isRow(found)) return refuse(`${path}: no object`)
  const daos = listOf(found.daos)
  const listed = daos.filter(dao => dao.listed === true)
  if (found.discovered !== daos.length || found.listed !== listed.length ||
    found.left_out !== daos.length - listed.length) {
    refuse(`${path}: discovered, listed and left_out are not what the list has`)
  }
  if (listed.map(({ dao }) => dao).sort().join() !== pools.map(({ id }) => id).sort().join()) {
    doubt(`${path}: listed are not the pools of /api/tickers`)
  }
  for (const dao of daos) {
    if ((dao.reason === null) !== dao.listed || !REASONS.includes(dao.reason!)) {
      refuse(`${path} ${String(dao.dao)}: listed ${dao.listed} with the reason ${JSON.stringify(dao.reason)}`)
    }
    if (!STATES.includes(dao.state!)) refuse(`${path} ${String(dao.dao)}: state ${JSON.stringify(dao.state)}`)
  }
  for (const pool of await market.lookedAt()) {
    const dao = daos.find(({ dao }) => dao === pool.id)
    const provenance = (await market.detail(pool.id))?.provenance
    if (dao === undefined || !isRow(provenance)) continue
    const where = `${path} ${pool.id}`
    compareFields(where, dao, '/api/pools', {
      ...provenance,
      priced: pool.pool.priced_in_usd!,
      base: pool.base.mint!,
      symbol: pool.base.symbol!,
      created_at: pool.pool.created_at!,
      quote: pool.quote.mint!
    }, [
      ['sequence_on_chain', 'sequence_on_chain'], ['sequence_indexed', 'sequence_indexed'],
      ['missing_events', 'missing_events'], ['priced_in_usd', 'priced'],
      ['base_mint', 'base'], ['quote_mint', 'quote'], ['symbol', 'symbol'],
      // its first event, and what its account says, are of one transaction
      ...pool.pool.created_at === null ? [] : [['created_at', 'created_at'] as const]
    ], doubt)
    if ((dao.state === 'spot') !== (pool.pool.state === 'spot')) {
      doubt(`${where}: state ${JSON.stringify(dao.state)}, /api/pools has ${JSON.stringify(pool.pool.state)}`)
    }
    const { trades, reach } = await market.trades(pool)
    if (reach === -Infinity && trades[0] !== undefined && Date.parse(String(dao.first_swap)) !== trades[0].at * 1000) {
      doubt(`${where}: first_swap ${JSON.stringify(dao.first_swap)} is not its first trade`)
    }
  }
}

/**
 * Days and tokens of the aggregate add up to its total, to the cent; the newest days are those that `/api/days` has.
 */
export async function checkTotals (checking: Checking, pools: OwnPool[]): Promise<void> {
  const { reader, refuse, doubt } = checking
  const path = '/api/volume/aggregate'
  const found = await reader.json(path)
  if (!isRow(found)) return refuse(`${path}: no object`)
  const [days, tokens] = [listOf(found.dailyBreakdown), listOf(found.tokens)]
  for (const [name, sum] of [
    ['dailyBreakdown', sumOf(days, 'volume')],
    ['tokens', sumOf(tokens, 'totalVolume')]
  ] as const) {
    if (sum !== rawOf(found.totalVolume, 2)) refuse(`${path}: ${name} do not add up to totalVolume`)
  }
  for (const [at, { date }] of days.entries()) {
    if (at > 0 && Date.parse(String(date)) + DAY * 1000 !== Date.parse(String(days[at - 1]!.date))) {
      refuse(`${path} ${at}: ${String(date)} is not the day before`)
    }
  }
  const symbols = new Map(pools.map(({ base }) => [base.mint, base.symbol]))
  for (const [at, { mint, symbol, totalVolume }] of tokens.entries()) {
    if (symbols.has(mint) && symbols.get(mint) !== symbol) {
      doubt(
        `${path}: ${String(mint)} is ${JSON.stringify(symbol)}, /api/pools has ${JSON.stringify(symbols.get(mint))}`
      )
    }
    if (at > 0 && (rawOf(totalVolume, 2) ?? 0n) > (rawOf(tokens[at - 1]!.totalVolume, 2) ?? 0n)) {
      refuse(`${path}: tokens are not largest first`)
    }
  }
  // what has no USD value adds nothing
  for (const { base, pool } of pools) {
    if (pool.priced_in_usd === true && pool.trades_24h !== 0 && !tokens.some(({ mint }) => mint === base.mint)) {
      doubt(`${path}: the token ${String(base.mint)} of a pool is left out`)
    }
  }
  for (const day of days.slice(0, DAYS)) {
    const where = `/api/days/${String(day.date)}`
    const own = await reader.json(where)
    if (!isRow(own)) continue
    compareFields(where, own, path, day, [['date', 'date'], ['volume_usd', 'volume'], ['trades', 'trades']], doubt)
    const traded = listOf(own.pools)
    if (traded.reduce((all, { trades }) => all + Number(trades), 0) !== own.trades) {
      refuse(`${where}: the trades of its pools are not all`)
    }
    for (const [whole, part] of [['volume_usd', 'volume_usd'], ['fees_usd', 'fees_usd']] as const) {
      // each is rounded for itself
      const off = (rawOf(own[whole], 2) ?? 0n) - sumOf(traded, part)
      if (off > BigInt(traded.length) + 1n || off < -BigInt(traded.length) - 1n) {
        refuse(`${where}: ${part} of its pools do not add up to ${String(own[whole])}`)
      }
    }
    for (const row of traded) await checkPoolDay(checking, where, row, Date.parse(String(own.date)) / 1000)
    const isOver = Date.parse(String(own.date)) + DAY * 1000 < checking.now - LATE
    if (own.complete !== isOver && (isOver || Date.parse(String(own.date)) + DAY * 1000 > checking.now + LATE)) {
      doubt(`${where}: complete is ${JSON.stringify(own.complete)}`)
    }
  }
}

/** After its end a day waits for its last trades to be final, ms. */
const LATE = 900_000

/** A pool on a UTC day, held against its trades; those of the last minutes may be there or not. */
async function checkPoolDay ({ market, doubt, now }: Checking, where: string, row: Row, start: number): Promise<void> {
  const pool = (await market.pools()).find(({ id }) => id === row.pool_id)
  if (pool === undefined) return doubt(`${where}: ${String(row.pool_id)} is no pool of /api/pools`)
  if (row.ticker_id !== pool.pair) doubt(`${where} ${pool.id}: ticker_id is ${String(row.ticker_id)}`)
  if (!(await market.lookedAt()).includes(pool)) return
  const { trades, reach } = await market.trades(pool)
  if (reach === undefined || reach > start) return
  const ofDay = trades.filter(({ at }) => at >= start && at < start + DAY)
  for (let to = ofDay.length; to >= 0; to--) {
    const some = ofDay.slice(0, to)
    const volume = tokens(some.reduce((all, { quote }) => all + quote, 0n), pool.quote)
    const fees = some.every(({ fee }) => fee !== undefined) ? some.map(({ fee }) => fee!).reduce(add, ZERO) : undefined
    const [given, paid] = [decimal(row.target_volume), decimal(row.fees)]
    const isOne = given !== undefined && compare(given, volume) === 0 && row.trades === to &&
      (fees === undefined || (paid !== undefined && isWithin(paid, fees, powerOfTen(-8))))
    if (isOne) return
    if (to > 0 && ofDay[to - 1]!.at < now / 1000 - APART) break
  }
  doubt(`${where} ${pool.id}: trades, target_volume or fees are not those of its trades`)
}
