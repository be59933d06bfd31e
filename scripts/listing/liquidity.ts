import { DAY } from '../../lib/time.js'
import type { Checking } from './check.js'
import { decimalsOf, type OwnPool, rawOf } from './market.js'
import { compareFields, isRow, type Json, type Row } from './rules.js'

const listOf = (value: Json | undefined): Row[] => Array.isArray(value) ? value.filter(isRow) : []
const PATH = '/api/liquidity/aggregate'
const cents = (value: Json | undefined): bigint => rawOf(value, 2) ?? 0n

/**
 * Liquidity by day: days follow one another up to the last that is over, the DAOs add up to the newest, and each of
 * those that are looked at is what the trades on both sides of midnight say.
 */
export async function checkLiquidityDays (checking: Checking, pools: OwnPool[]): Promise<void> {
  const { reader, market, refuse, doubt, now } = checking
  const found = await reader.json(PATH)
  if (!isRow(found)) return refuse(`${PATH}: no object`)
  const [days, daos] = [listOf(found.dailyBreakdown), listOf(found.daos)]
  const [newest] = days
  if (newest === undefined) {
    if (found.totalLiquidity !== null || daos.length > 0) refuse(`${PATH}: no days, and DAOs or a total`)
    return
  }
  if (found.totalLiquidity !== newest.liquidity) refuse(`${PATH}: totalLiquidity is not that of the newest day`)
  const start = Date.parse(String(newest.date))
  if (start + 2 * DAY * 1000 < now - LATE || start + DAY * 1000 > now + LATE) {
    refuse(`${PATH}: the newest day is ${String(newest.date)}`)
  }
  checkDays(PATH, days, refuse)
  const known = daos.filter(({ liquidity }) => liquidity !== null)
  if (newest.daos !== known.length || newest.unknown !== daos.length - known.length) {
    refuse(`${PATH}: daos and unknown of the newest day are not what the list has`)
  }
  const off = known.reduce((sum, { liquidity }) => sum + cents(liquidity), 0n) - cents(newest.liquidity)
  // each is rounded for itself
  if (off > BigInt(known.length) || off < -BigInt(known.length)) refuse(`${PATH}: DAOs do not add up to the newest day`)
  for (const [at, { liquidity }] of known.entries()) {
    if (at > 0 && cents(liquidity) > cents(known[at - 1]!.liquidity)) refuse(`${PATH}: DAOs are not largest first`)
  }
  for (const dao of daos) {
    const pool = pools.find(({ id }) => id === dao.dao)
    // a DAO without a listed pool is there, too
    if (pool !== undefined) compareFields(`${PATH} ${pool.id}`, dao, '/api/pools', pool.base, TOKEN, doubt)
  }
  for (const pool of await market.lookedAt()) {
    const dao = daos.find(({ dao }) => dao === pool.id)
    if (dao === undefined) {
      if (pool.pool.priced_in_usd === true && Date.parse(String(pool.pool.created_at)) < start + DAY * 1000) {
        doubt(`${PATH}: ${pool.id} is left out`)
      }
      continue
    }
    await checkClose(checking, pool, dao, start / 1000 + DAY)
    await checkOne(checking, dao, days)
  }
}

const TOKEN = [['mint', 'mint'], ['symbol', 'symbol']] as const
/** After its end a day waits for its last trades to be final, ms. */
const LATE = 900_000

function checkDays (path: string, days: Row[], refuse: Checking['refuse']): void {
  for (const [at, { date, liquidity, daos }] of days.entries()) {
    if (at > 0 && Date.parse(String(date)) + DAY * 1000 !== Date.parse(String(days[at - 1]!.date))) {
      refuse(`${path} ${at}: ${String(date)} is not the day before`)
    }
    if ((rawOf(liquidity, 2) === undefined) !== (liquidity === null) || (liquidity === null && daos !== 0)) {
      refuse(`${path} ${at}: liquidity is ${JSON.stringify(liquidity)} of ${JSON.stringify(daos)} DAOs`)
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
  const isDollar = pool.pool.priced_in_usd === true && (await market.detail(pool.id))?.provenance
  if (last === undefined || !isRow(isDollar) || isDollar.usd_priced_by !== null) return
  const following = first === undefined ? BigInt(String(isDollar.sequence_on_chain)) + 1n : first.id
  const held = rawOf(last.row.quote_reserve, decimalsOf(pool.quote))
  if (following !== last.id + 1n || held === undefined) return
  const [given, unit] = [cents(dao.liquidity), 10n ** BigInt(decimalsOf(pool.quote))]
  const off = given * unit - 200n * held
  if (off > unit || off < -unit) {
    doubt(`${PATH} ${pool.id}: ${String(dao.liquidity)} is not what the trades around midnight say`)
  }
}

/** The days of one DAO are within those of all, and end with what the list has of it. */
async function checkOne ({ reader, refuse, doubt }: Checking, dao: Row, days: Row[]): Promise<void> {
  const path = `${PATH}?dao=${String(dao.dao)}`
  const found = await reader.json(path)
  if (!isRow(found)) return refuse(`${path}: no object`)
  const [own, [row]] = [listOf(found.dailyBreakdown), listOf(found.daos)]
  checkDays(path, own, refuse)
  compareFields(path, { ...row }, PATH, dao, OF_ONE, doubt)
  compareFields(path, found, PATH, dao, [['totalLiquidity', 'liquidity']], doubt)
  const isKnown = dao.liquidity !== null
  compareFields(path, { ...own[0] }, PATH, {
    date: days[0]!.date!, liquidity: dao.liquidity!, daos: Number(isKnown), unknown: Number(!isKnown)
  }, [['date', 'date'], ['liquidity', 'liquidity'], ['daos', 'daos'], ['unknown', 'unknown']], doubt)
  const all = new Map(days.map(day => [day.date, day]))
  for (const day of own) {
    const whole = all.get(day.date)
    if (whole === undefined || cents(day.liquidity) > cents(whole.liquidity) || Number(day.daos) > Number(whole.daos)) {
      doubt(`${path}: ${String(day.date)} is more than of all DAOs`)
    }
  }
}

const OF_ONE = [['dao', 'dao'], ['mint', 'mint'], ['symbol', 'symbol'], ['liquidity', 'liquidity']] as const
