import { ADDRESS, amount, averageWithin, below, book, type Get, isRow, milliseconds, readJson, type Refuse, type Row, rows, text, trades } from './rules.js'

/** Pairs whose books and trades are looked at, so that a check stays within the limit of requests. */
const LOOKED_AT = 5

/** CoinGecko's rules for a DEX. */
export async function checkCoinGecko (get: Get, refuse: Refuse, now = Date.now()): Promise<void> {
  const pairs = rows(await readJson(get, '/coingecko/pairs', refuse), '/coingecko/pairs', refuse)
  const tickers = rows(await readJson(get, '/coingecko/tickers', refuse), '/coingecko/tickers', refuse)
  if (pairs === undefined || tickers === undefined) return
  if (tickers.length === 0) refuse('no tickers')
  const pools = new Set<string>()
  for (const [at, pair] of pairs.entries()) {
    const where = `/coingecko/pairs ${at}`
    const [base, target] = [text(pair, 'base', where, refuse, ADDRESS), text(pair, 'target', where, refuse, ADDRESS)]
    if (pair.ticker_id !== `${base}_${target}`) refuse(`${where}: ticker_id is not base_target`)
    const pool = text(pair, 'pool_id', where, refuse, ADDRESS)
    if (pools.has(pool)) refuse(`${where}: pool_id comes twice`)
    pools.add(pool)
  }
  for (const [at, ticker] of tickers.entries()) checkTicker(ticker, `/coingecko/tickers ${at}`, pools, refuse)
  if (tickers.length !== pairs.length || new Set(tickers.map(({ pool_id: pool }) => pool)).size !== pools.size) refuse('pairs and tickers are not of the same pools')
  for (const ticker of tickers.slice(0, LOOKED_AT)) {
    const id = String(ticker.ticker_id)
    const where = `/coingecko/orderbook?ticker_id=${id}&depth=20`
    const found = await readJson(get, where, refuse)
    book(found, where, refuse, 'text', 20)
    if (isRow(found)) {
      if (found.ticker_id !== id) refuse(`${where}: another ticker_id`)
      milliseconds(found, 'timestamp', where, refuse, now)
    }
    const path = `/coingecko/historical_trades?ticker_id=${id}&limit=50`
    const made = await readJson(get, path, refuse)
    if (!isRow(made)) {
      refuse(`${path}: no { buy: [], sell: [] }`)
      continue
    }
    for (const side of ['buy', 'sell']) {
      if (Array.isArray(made[side]) && made[side].length > 50) refuse(`${path}: more than the limit`)
      trades(made[side], `${path} ${side}`, refuse, { target: 'target_volume', time: 'trade_timestamp', form: 'text', side }, now)
    }
  }
}

function checkTicker (ticker: Row, where: string, pools: ReadonlySet<string>, refuse: Refuse): void {
  const [base, target] = [text(ticker, 'base_currency', where, refuse, ADDRESS), text(ticker, 'target_currency', where, refuse, ADDRESS)]
  if (ticker.ticker_id !== `${base}_${target}`) refuse(`${where}: ticker_id is not base_target`)
  if (!pools.has(String(ticker.pool_id))) refuse(`${where}: its pool is not among the pairs`)
  const positive = { form: 'text', isPositive: true } as const
  const [last, bid, ask] = [amount(ticker, 'last_price', where, refuse, positive), amount(ticker, 'bid', where, refuse, positive), amount(ticker, 'ask', where, refuse, positive)]
  if (!below(bid, last) || !below(last, ask)) refuse(`${where}: bid, last price and ask do not rise`)
  const [high, low] = [amount(ticker, 'high', where, refuse, positive), amount(ticker, 'low', where, refuse, positive)]
  const [sold, paid] = [amount(ticker, 'base_volume', where, refuse), amount(ticker, 'target_volume', where, refuse)]
  amount(ticker, 'liquidity_in_usd', where, refuse)
  if (high === undefined || low === undefined || sold === undefined || paid === undefined) return
  if (below(high, low)) refuse(`${where}: high is below low`)
  if (!averageWithin(sold, paid, low, high)) refuse(`${where}: the average price, target_volume divided by base_volume, lies outside of low and high`)
}
