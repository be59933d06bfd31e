import { ratio } from '../../lib/decimal.js'
import { hasPrice, priceOf } from '../checks/swaps.js'
import { checkCandles } from './candles.js'
import type { Checking } from './check.js'
import { checkWindow } from './figures.js'
import { isToken, type OwnPool, rawOf, tokens } from './market.js'
import { checkPrices } from './prices.js'
import { checkKnown } from './reader.js'
import { checkLiquidityDays } from './liquidity.js'
import { checkFees, checkOwners, checkQuotes } from './daos.js'
import { checkDetail, checkSettings } from './record.js'
import { ADDRESS, checkTicker, compareFields, decimal, fields, isLess, isRow, shown, SIGNATURE } from './rules.js'
import { checkDaos, checkTotals } from './totals.js'
import { checkSupply } from './supply.js'

/** The service's own answers, held against one another, against the reserves and against the trades. */
export async function checkApi (checking: Checking): Promise<void> {
  const { market, refuse, doubt, reader, compared } = checking
  const [tickers, rows, pools] = [await market.tickers(), await market.rows(), await market.pools()]
  if (tickers.length === 0) refuse('/api/tickers: no tickers')
  const [ids, others] = [tickers, rows].map(list => list.map(({ pool_id: id }) => id))
  if (`${ids}` !== `${others}`) doubt('/api/pools: not the pools of /api/tickers in their order')
  if (new Set(ids).size !== tickers.length) refuse('/api/tickers: a pool_id comes twice')
  for (const [at, ticker] of tickers.entries()) checkTicker(ticker, `/api/tickers ${at}`, refuse)
  for (const { pool_id: id, base, quote } of rows) {
    if (!isToken(base) || !isToken(quote)) refuse(`/api/pools ${id}: a token without mint or decimals`)
  }
  // before the trades are read, which may go further than what they are held against
  await checkTotals(checking, pools)
  for (const pool of pools) await checkRow(checking, pool)
  checkOrder(checking, pools)
  const looked = await market.lookedAt()
  for (const pool of looked) {
    await checkDetail(checking, pool, pools)
    await checkTrades(checking, pool)
    await checkCandles(checking, pool)
  }
  await checkSettings(checking)
  for (const mint of new Set(looked.flatMap(({ base, quote }) => [base.mint, quote.mint]))) {
    await checkSupply(checking, mint)
  }
  await checkDaos(checking, pools)
  await checkLiquidityDays(checking, pools)
  await checkPrices(checking, pools)
  await checkOwners(checking)
  await checkQuotes(checking)
  await checkFees(checking)
  await checkKnown(reader, '/api/tickers', refuse)
  compared(`${pools.length} pools by ticker, record, reserves, order and 24 hours`)
  compared(
    `${looked.length} of them by provenance, trades, candles, longer windows and supply; the ` +
      'record of the DAO, treasury, proposals, quotes; the list of DAOs, sums of the aggregates'
  )
}

/** Whether a pool holds so few quote tokens that they are worth nothing to the cent at a dollar each. */
async function holdsDust ({ market }: Checking, { id, quote }: OwnPool): Promise<boolean> {
  const { quote_reserves: held } = await market.provenance(id)
  return isLess(tokens(2n * (rawOf(held, 0) ?? 0n), quote), ratio(5n, 1_000n))
}

async function checkRow (checking: Checking, pool: OwnPool): Promise<void> {
  const { doubt, refuse } = checking
  const { ticker, pool: row, id, base, quote } = pool
  const where = `/api/pools ${id}`
  compareFields(where, row, '/api/tickers', ticker, doubt, ['ticker_id', 'last_price', 'liquidity_in_usd'])
  for (const [side, token] of [['base', base], ['target', quote]] as const) {
    compareFields(`${where} ${side}`, token, '/api/tickers', ticker, doubt,
      [['mint', `${side}_currency`], ['symbol', `${side}_symbol`], ['name', `${side}_name`]])
  }
  if (row.state !== 'spot' && row.state !== 'proposal') refuse(`${where}: state ${shown(row.state)}`)
  const isNothing = row.liquidity_in_usd === '0.00'
  // anyone can make a pool that holds less than half a cent
  const isDust = isNothing && row.priced_in_usd === true && await holdsDust(checking, pool)
  if (typeof row.priced_in_usd !== 'boolean' || (row.priced_in_usd === isNothing && !isDust)) {
    refuse(`${where}: priced_in_usd ${row.priced_in_usd} with a liquidity of ${row.liquidity_in_usd}`)
  }
  await checkWindow(checking, pool, `/api/tickers ${id}`, ticker, { base: 'base_volume', quote: 'target_volume' })
  const window = await checkWindow(
    checking, pool, where, row, { base: 'base_volume_24h', quote: 'target_volume_24h', change: 'price_change_24h' }
  )
  if (window === undefined) return
  const { change: _, fees_24h: fees, ...figures } = window
  compareFields(where, row, 'its list of trades', { ...figures, ...fees !== undefined && { fees_24h: fees } }, doubt)
}

/** Deepest first, what has no USD value last; which of two is deeper by less than a cent, the texts don't tell. */
function checkOrder ({ doubt }: Checking, pools: OwnPool[]): void {
  for (const [at, { pool, id }] of pools.slice(1).entries()) {
    if (isLess(decimal(pools[at]!.pool.liquidity_in_usd), decimal(pool.liquidity_in_usd))) {
      doubt(`/api/pools ${id}: behind a pool that is less deep`)
    }
  }
}

/** The list of trades in itself. */
async function checkTrades ({ market, refuse }: Checking, pool: OwnPool): Promise<void> {
  const { trades } = await market.trades(pool)
  for (const [at, trade] of trades.entries()) {
    const { row, seq, at: time, slot } = trade
    const where = `/api/pools/${pool.id}/trades ${seq}`
    fields(row, where, refuse, { signature: SIGNATURE, maker: ADDRESS, side: /^(buy|sell)$/ })
    const price = hasPrice(trade) ? priceOf(trade, pool) : null
    compareFields(where, row, 'quote_amount ÷ base_amount', { price }, refuse)
    if (isRow(row.fee) && row.fee.mint !== (row.side === 'buy' ? pool.quote.mint : pool.base.mint)) {
      refuse(`${where}: the fee is not of the token paid`)
    }
    for (const key of ['block_index', 'event_index']) {
      if (typeof row[key] !== 'number') refuse(`${where}: ${key} ${shown(row[key])}`)
    }
    const before = trades[at - 1]
    if (before === undefined) continue
    const isBehind = seq > before.seq && slot >= before.slot && time >= before.at
    if (!isBehind) refuse(`${where}: trade_id, slot or timestamp falls`)
  }
}
