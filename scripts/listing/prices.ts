import { hasPrice, priceOf } from '../checks/swaps.js'
import type { Checking } from './check.js'
import { APART, deepestBy, type OwnPool } from './market.js'
import { compareFields, isRow, listOf, type Row } from './rules.js'

/** Prices now as the deepest pools' tickers have them, and those of a past second as the pools' trades do. */
export async function checkPrices (checking: Checking, pools: OwnPool[]): Promise<void> {
  const { market, reader, compared } = checking
  const deepest = deepestBy(pools, ({ base }) => base.mint)
  const lookedAt = (await market.lookedAt()).filter(pool => deepest.get(pool.base.mint) === pool)
  if (lookedAt.length === 0) return
  const now = await pricesOf(checking, lookedAt)
  if (now === undefined) return
  // read again, as they are now
  const prices = new Map(listOf(await reader.json('/api/tickers')).map(row => [row.pool_id, row.last_price!]))
  // a quote token of one dollar is one for every pool
  const dollars = new Set(Object.values(now).flatMap(price =>
    isRow(price) && price.price_usd === price.price ? [String(price.quote_mint)] : []))
  for (const pool of lookedAt) {
    const price = now[pool.base.mint]
    const where = `/api/prices ${pool.base.mint}`
    if (!isRow(price)) checking.doubt(`${where}: no price of a pool that is listed`)
    else {
      compareOf(checking, pool, where, price, dollars, { price: prices.get(pool.id) ?? null })
      if (pool.pool.priced_in_usd !== (price.price_usd !== null)) {
        checking.doubt(`${where}: price_usd is ${price.price_usd}, and priced_in_usd is not so`)
      }
    }
    await checkPast(checking, pool, dollars)
  }
  compared(`prices of ${lookedAt.length} tokens, now and at a second of the past`)
}

async function pricesOf ({ reader, refuse }: Checking, pools: OwnPool[], at = ''): Promise<Row | undefined> {
  const path = `/api/prices?mints=${pools.map(({ base }) => base.mint).join()}${at}`
  const answer = await reader.json(path)
  if (answer === undefined) return undefined
  return isRow(answer) && isRow(answer.prices) ? answer.prices : refuse(`${path}: no prices`)
}

function compareOf (
  { doubt }: Checking, pool: OwnPool, where: string, price: Row, dollars: ReadonlySet<string>, also: Row
): void {
  compareFields(where, price, 'the pool', { ...also, pool_id: pool.id, quote_mint: pool.quote.mint }, doubt)
  if (dollars.has(pool.quote.mint) && price.price_usd !== price.price) {
    doubt(`${where}: price_usd ${price.price_usd} in a quote token of one dollar`)
  }
}

/** At the second of the trade in the middle, of those whose second is final for certain. */
async function checkPast (checking: Checking, pool: OwnPool, dollars: ReadonlySet<string>): Promise<void> {
  const { trades } = await checking.market.trades(pool)
  const priced = trades.filter(trade => hasPrice(trade) && trade.at < checking.now / 1000 - APART)
  const at = priced[priced.length >> 1]?.at
  const trade = priced.findLast(trade => trade.at === at)
  if (trade === undefined) return
  const where = `/api/prices ${pool.base.mint} at ${at}`
  const price = (await pricesOf(checking, [pool], `&at=${at}`))?.[pool.base.mint]
  if (!isRow(price)) return checking.doubt(`${where}: no price, and a trade`)
  compareOf(checking, pool, where, price, dollars, { timestamp: trade.at, price: priceOf(trade, pool) })
}
