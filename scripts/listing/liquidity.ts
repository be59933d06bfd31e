import { DAY } from '../../lib/time.js'
import type { Checking } from './check.js'
import { DAY_MS, LATE, type OwnPool, rawOf, tokens } from './market.js'
import { compareFields, isLess, isWithin, listOf, number, type Row, shown, sumOf } from './rules.js'
import { cents, checkDates, checkLargestFirst } from './totals.js'

const PATH = '/api/liquidity/aggregate'

/** Liquidity by day, held against the list of DAOs and against the trades on both sides of midnight. */
export async function checkLiquidityDays (checking: Checking, pools: OwnPool[]): Promise<void> {
  const { reader, market, refuse, doubt, now } = checking
  const found = await reader.row(PATH)
  if (found === undefined) return
  const [days, daos] = [listOf(found.dailyBreakdown), listOf(found.daos)]
  const [newest] = days
  if (newest === undefined) {
    if (found.totalLiquidity !== null || daos.length > 0) refuse(`${PATH}: no days, and DAOs or a total`)
    return
  }
  if (found.totalLiquidity !== newest.liquidity) refuse(`${PATH}: totalLiquidity is not that of the newest day`)
  const start = Date.parse(String(newest.date))
  if (start + 2 * DAY_MS < now - LATE || start + DAY_MS > now + LATE) {
    refuse(`${PATH}: the newest day is ${newest.date}`)
  }
  checkDays(PATH, days, refuse)
  const known = daos.filter(({ liquidity }) => liquidity !== null)
  if (newest.daos !== known.length || newest.unknown !== daos.length - known.length) {
    refuse(`${PATH}: daos and unknown of the newest day are not what the list has`)
  }
  if (!isWithin(sumOf(known, 'liquidity'), number(newest.liquidity), cents(known.length))) {
    refuse(`${PATH}: DAOs do not add up to the newest day`)
  }
  checkLargestFirst(`${PATH} daos`, known, 'liquidity', refuse)
  for (const dao of daos) {
    const pool = pools.find(({ id }) => id === dao.dao)
    // a DAO without a listed pool is there, too
    if (pool !== undefined) compareFields(`${PATH} ${pool.id}`, dao, '/api/pools', pool.base, doubt, ['mint', 'symbol'])
  }
  for (const pool of await market.lookedAt()) {
    const dao = daos.find(({ dao }) => dao === pool.id)
    if (dao === undefined) {
      if (pool.pool.priced_in_usd === true && Date.parse(String(pool.pool.created_at)) < start + DAY_MS) {
        doubt(`${PATH}: ${pool.id} is left out`)
      }
      continue
    }
    await checkClose(checking, pool, dao, start / 1000 + DAY)
    await checkOne(checking, dao, days)
  }
}

function checkDays (path: string, days: Row[], refuse: Checking['refuse']): void {
  checkDates(path, days, refuse)
  for (const [at, { liquidity, daos }] of days.entries()) {
    if ((rawOf(liquidity, 2) === undefined) !== (liquidity === null) || (liquidity === null && daos !== 0)) {
      refuse(`${path} ${at}: liquidity is ${shown(liquidity)} of ${shown(daos)} DAOs`)
    }
  }
}

/**
 * Where nothing lies between the last trade before midnight and the first one after, the pool closed with the first.
 */
async function checkClose ({ market, doubt }: Checking, pool: OwnPool, dao: Row, end: number): Promise<void> {
  const { trades } = await market.trades(pool)
  const next = trades.findIndex(({ at }) => at >= end)
  const [last, first] = next === -1 ? [trades.at(-1), undefined] : [trades[next - 1], trades[next]]
  const { usd_priced_by: pricedBy, sequence_on_chain: newest } = await market.provenance(pool.id)
  if (last === undefined || pool.pool.priced_in_usd !== true || pricedBy !== null) return
  const following = first === undefined ? BigInt(String(newest)) + 1n : first.seq
  const held = rawOf(last.row.quote_reserve, pool.quote.decimals)
  if (following !== last.seq + 1n || held === undefined) return
  if (!isWithin(number(dao.liquidity), tokens(2n * held, pool.quote), cents(1))) {
    doubt(`${PATH} ${pool.id}: ${dao.liquidity} is not what the trades around midnight say`)
  }
}

/** The days of one DAO are within those of all, and end with what the list has of it. */
async function checkOne ({ reader, refuse, doubt }: Checking, dao: Row, days: Row[]): Promise<void> {
  const path = `${PATH}?dao=${dao.dao}`
  const found = await reader.row(path)
  if (found === undefined) return
  const [own, [row]] = [listOf(found.dailyBreakdown), listOf(found.daos)]
  checkDays(path, own, refuse)
  compareFields(path, { ...row }, PATH, dao, doubt, ['dao', 'mint', 'symbol', 'liquidity'])
  compareFields(path, found, PATH, dao, doubt, [['totalLiquidity', 'liquidity']])
  const isKnown = dao.liquidity !== null
  compareFields(path, { ...own[0] }, PATH, {
    date: days[0]!.date, liquidity: dao.liquidity, daos: Number(isKnown), unknown: Number(!isKnown)
  }, doubt)
  const all = new Map(days.map(day => [day.date, day]))
  for (const day of own) {
    const whole = all.get(day.date)
    if (whole === undefined || Number(day.daos) > Number(whole.daos) ||
      isLess(number(whole.liquidity), number(day.liquidity))) {
      doubt(`${path}: ${day.date} is more than of all DAOs`)
    }
  }
}
