import { checkBook, checkTrades } from './books.js'
import type { Checking } from './check.js'
import { checkWindow } from './figures.js'
import { checkKnown } from './reader.js'
import {
  ADDRESS, checkRange, checkTicker, compareRows, decimal, fields, isRow, PRICE, type Refuse, type Row, rows
} from './rules.js'

const LIMIT = 50

const PAIR = ['ticker_id', ['base', 'base_currency'], ['target', 'target_currency'], 'pool_id'] as const
/** What the specified ticker has, this form's has too. */
const TICKER = [
  'ticker_id', 'base_currency', 'target_currency', 'base_symbol', 'base_name', 'target_symbol', 'target_name',
  'pool_id', 'last_price', 'bid', 'ask', 'liquidity_in_usd'
]

const IDS = { base: ADDRESS, target: ADDRESS, pool_id: ADDRESS }
const WINDOW = { base: 'base_volume', quote: 'target_volume', high: 'high', low: 'low' }
const TRADES = { target: 'target_volume', time: 'trade_timestamp', form: 'text' } as const

/** CoinGecko's rules for a DEX. */
export async function checkCoinGecko (checking: Checking): Promise<void> {
  const { reader, market, refuse, doubt, compared } = checking
  const own = await market.tickers()
  const tickers = rows(await reader.json('/coingecko/tickers'), '/coingecko/tickers', refuse)
  const pairs = rows(await reader.json('/coingecko/pairs'), '/coingecko/pairs', refuse)
  if (pairs === undefined || tickers === undefined) return
  const pools = await market.pools()
  if (tickers.length === 0) refuse('/coingecko/tickers: no tickers')
  const ids = new Set<string>()
  for (const [at, pair] of pairs.entries()) {
    const where = `/coingecko/pairs ${at}`
    const { base, target, pool_id: pool } = fields(pair, where, refuse, IDS)
    if (pair.ticker_id !== `${base}_${target}`) refuse(`${where}: ticker_id is not base_target`)
    if (ids.has(pool)) refuse(`${where}: pool_id comes twice`)
    ids.add(pool)
  }
  for (const [at, ticker] of tickers.entries()) {
    checkRow(ticker, `/coingecko/tickers ${at}`, ids, refuse)
  }
  if (tickers.length !== pairs.length || new Set(tickers.map(({ pool_id: pool }) => pool)).size !== ids.size) {
    // the trades of a new pool are known some seconds after the pool
    doubt('/coingecko: pairs and tickers are not of the same pools')
  }
  compareRows('/coingecko/pairs', pairs, own, doubt, PAIR)
  compareRows('/coingecko/tickers', tickers, own, doubt, TICKER)
  for (const pool of pools) {
    const ticker = tickers.find(({ pool_id: id }) => id === pool.id)
    if (ticker !== undefined) await checkWindow(checking, pool, `/coingecko/tickers ${pool.id}`, ticker, WINDOW)
  }
  const looked = await market.lookedAt()
  for (const pool of looked) {
    const id = pool.pair
    // of several pools of a pair the deepest
    if (pools.find(({ pair }) => pair === id) !== pool) continue
    await checkBook(checking, pool, `/coingecko/orderbook?ticker_id=${id}&`, 'text')
    const path = `/coingecko/historical_trades?ticker_id=${id}&limit=${LIMIT}`
    const made = await reader.json(path)
    if (!isRow(made)) {
      refuse(`${path}: no { buy: [], sell: [] }`)
      continue
    }
    for (const side of ['buy', 'sell']) {
      const list = made[side]
      if (Array.isArray(list) && list.length > LIMIT) refuse(`${path}: more than the limit`)
      await checkTrades(checking, pool, `${path} ${side}`, list, { ...TRADES, side }, LIMIT)
    }
  }
  await checkKnown(reader, '/coingecko/tickers', refuse)
  compared(`${tickers.length} tickers and pairs with /api/tickers, their 24 hours with the trades`)
  compared(`${looked.length} books with the reserves, and lists of trades with /api/pools`)
}

function checkRow (ticker: Row, where: string, pools: ReadonlySet<string>, refuse: Refuse): void {
  checkTicker(ticker, where, refuse)
  if (!pools.has(String(ticker.pool_id))) refuse(`${where}: its pool is not among the pairs`)
  const { high, low } = fields(ticker, where, refuse, { high: PRICE, low: PRICE })
  checkRange(where, refuse, { base: decimal(ticker.base_volume), target: decimal(ticker.target_volume), low, high })
}
