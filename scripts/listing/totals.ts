import { ratio, type Rational } from '../../lib/decimal.js'
import { DAY } from '../../lib/time.js'
import { dayFigures, feesOf } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { APART, DAY_MS, LATE, type OwnPool } from './market.js'
import {
  compareFields, decimal, isExactly, isLess, isWithin, type Json, listOf, number, type Refuse, type Row, rowOf, same,
  shown, sumOf
} from './rules.js'

/** What so many figures, each rounded to a cent for itself, may be off. */
export const cents = (count: number): Rational => ratio(BigInt(count), 100n)
/** Why a DAO is not listed. */
const REASONS: Json[] = [null, 'excluded', 'undecodable', 'no reserves', 'mint unreadable', 'history incomplete']
const STATES: Json[] = ['spot', 'futarchy', 'proposal', null]
/** Newest days whose own answer is looked at. */
const DAYS = 3

export async function checkDaos ({ market, reader, refuse, doubt }: Checking, pools: OwnPool[]): Promise<void> {
  const path = '/api/daos'
  const found = await reader.row(path)
  if (found === undefined) return
  const daos = listOf(found.daos)
  const listed = daos.filter(dao => dao.listed === true)
  if (found.discovered !== daos.length || found.listed !== listed.length ||
    found.left_out !== daos.length - listed.length) {
    refuse(`${path}: discovered, listed and left_out are not what the list has`)
  }
  if (`${listed.map(({ dao }) => dao).sort()}` !== `${pools.map(({ id }) => id).sort()}`) {
    doubt(`${path}: listed are not the pools of /api/tickers`)
  }
  for (const { dao, listed, reason, state } of daos) {
    if ((reason === null) !== listed || !REASONS.includes(reason!)) {
      refuse(`${path} ${dao}: listed ${listed} with the reason ${shown(reason)}`)
    }
    if (!STATES.includes(state!)) refuse(`${path} ${dao}: state ${shown(state)}`)
  }
  for (const pool of await market.lookedAt()) {
    const dao = daos.find(({ dao }) => dao === pool.id)
    // read again, as it is now
    const provenance = rowOf(rowOf(await reader.json(`/api/pools/${pool.id}`)).provenance)
    if (dao === undefined || provenance.sequence_on_chain === undefined) continue
    const where = `${path} ${pool.id}`
    if (provenance.slot === found.slot) {
      compareFields(where, dao, '/api/pools', provenance, doubt,
        ['sequence_on_chain', 'sequence_indexed', 'missing_events'])
    }
    compareFields(where, dao, '/api/pools', {
      priced_in_usd: pool.pool.priced_in_usd,
      base_mint: pool.base.mint,
      quote_mint: pool.quote.mint,
      symbol: pool.base.symbol,
      // its first event, and what its account says, are of one transaction
      ...pool.pool.created_at !== null && { created_at: pool.pool.created_at }
    }, doubt)
    if ((dao.state === 'spot') !== (pool.pool.state === 'spot')) {
      doubt(`${where}: state ${shown(dao.state)}, /api/pools has ${shown(pool.pool.state)}`)
    }
    const { trades, reach } = await market.trades(pool)
    if (reach === -Infinity && trades[0] !== undefined && Date.parse(String(dao.first_swap)) !== trades[0].at * 1000) {
      doubt(`${where}: first_swap ${shown(dao.first_swap)} is not its first trade`)
    }
  }
}

/** The aggregate of volumes; its newest days are those that `/api/days` has. */
export async function checkTotals (checking: Checking, pools: OwnPool[]): Promise<void> {
  const { reader, refuse, doubt } = checking
  const path = '/api/volume/aggregate'
  const found = await reader.row(path)
  if (found === undefined) return
  const { days, tokens } = checkSums(path, found, 'volume', 'totalVolume', refuse)
  checkDates(path, days, refuse)
  checkLargestFirst(`${path} tokens`, tokens, 'totalVolume', refuse)
  const symbols = new Map<Json | undefined, Json | undefined>(pools.map(({ base }) => [base.mint, base.symbol]))
  for (const token of tokens) {
    const { mint } = token
    if (!symbols.has(mint)) continue
    compareFields(`${path} ${mint}`, token, '/api/pools', { symbol: symbols.get(mint) }, doubt)
  }
  // what has no USD value adds nothing
  for (const { base, pool } of pools) {
    if (pool.priced_in_usd === true && pool.trades_24h !== 0 && !tokens.some(({ mint }) => mint === base.mint)) {
      doubt(`${path}: the token ${base.mint} of a pool is left out`)
    }
  }
  for (const day of days.slice(0, DAYS)) {
    const where = `/api/days/${day.date}`
    const own = await reader.row(where)
    if (own === undefined) continue
    compareFields(where, own, path, day, doubt, ['date', ['volume_usd', 'volume'], 'trades'])
    const traded = listOf(own.pools)
    if (traded.reduce((all, { trades }) => all + Number(trades), 0) !== own.trades) {
      refuse(`${where}: the trades of its pools are not all`)
    }
    for (const name of ['volume_usd', 'fees_usd']) {
      if (!isWithin(number(own[name]), sumOf(traded, name), cents(traded.length + 1))) {
        refuse(`${where}: ${name} of its pools do not add up to ${own[name]}`)
      }
    }
    const start = Date.parse(String(own.date))
    for (const row of traded) await checkPoolDay(checking, where, row, start / 1000)
    checkComplete(checking, where, own)
  }
}

/** Days and tokens of an aggregate, which add up to its total, to the cent. */
export function checkSums (
  path: string, found: Row, daily: string, total: string, refuse: Refuse
): { days: Row[], tokens: Row[] } {
  const [days, tokens] = [listOf(found.dailyBreakdown), listOf(found.tokens)]
  for (const [name, sum] of [['dailyBreakdown', sumOf(days, daily)], ['tokens', sumOf(tokens, total)]] as const) {
    if (!isExactly(found[total], sum)) refuse(`${path}: ${name} do not add up to ${total}`)
  }
  return { days, tokens }
}

/** A day is complete once it is over, but for the last minutes, which may be final or not. */
export function checkComplete ({ doubt, now }: Checking, where: string, { date, complete }: Row): void {
  const end = Date.parse(String(date)) + DAY_MS
  if (complete !== (end < now) && Math.abs(end - now) > LATE) doubt(`${where}: complete is ${shown(complete)}`)
}

/** Each day is the one before the one above it. */
export function checkDates (path: string, days: Row[], refuse: Refuse): void {
  for (const [at, { date }] of days.entries()) {
    if (at > 0 && Date.parse(String(date)) + DAY_MS !== Date.parse(String(days[at - 1]!.date))) {
      refuse(`${path} ${at}: ${date} is not the day before`)
    }
  }
}

export function checkLargestFirst (path: string, list: Row[], key: string, refuse: Refuse): void {
  for (const [at, row] of list.entries()) {
    if (at > 0 && isLess(decimal(list[at - 1]![key]), decimal(row[key]))) refuse(`${path}: not largest first`)
  }
}

/**
 * A pool on a UTC day, held against its trades, which don't tell volumes that count fees; those of the last minutes may
 * be there or not.
 */
async function checkPoolDay ({ market, doubt, now }: Checking, where: string, row: Row, start: number): Promise<void> {
  const pool = (await market.pools()).find(({ id }) => id === row.pool_id)
  if (pool === undefined) return doubt(`${where}: ${row.pool_id} is no pool of /api/pools`)
  if (row.ticker_id !== pool.pair) doubt(`${where} ${pool.id}: ticker_id is ${row.ticker_id}`)
  if (!(await market.lookedAt()).includes(pool)) return
  const { trades, reach } = await market.trades(pool)
  if (reach === undefined || reach > start) return
  const byFees = (await market.provenance(pool.id)).volume_basis === 'fees'
  const ofDay = trades.filter(({ at }) => at >= start && at < start + DAY)
  for (let to = ofDay.length; to >= 0; to--) {
    const some = ofDay.slice(0, to)
    const [{ trades, target_volume: volume }, fees] = [dayFigures(some, pool), feesOf(some, pool)]
    const isVolume = byFees || same(row.target_volume, volume)
    if (row.trades === trades && isVolume && (fees === undefined || same(row.fees, fees))) return
    if (to > 0 && ofDay[to - 1]!.at < now / 1000 - APART) break
  }
  doubt(`${where} ${pool.id}: trades, target_volume or fees are not those of its trades`)
}
