import { DAY } from '../../lib/time.js'
import { checkBook, checkTrades } from './books.js'
import type { Checking } from './check.js'
import { checkWindow } from './figures.js'
import { deepestBy, type OwnPool, type Token } from './market.js'
import { checkKnown } from './reader.js'
import {
  ADDRESS, below, checkRange, compareFields, compareRows, fields, isLess, isRow, type Json, type Row, rows, shown, SOME,
  tokenTexts
} from './rules.js'

const VOLUME = { form: 'number' } as const
const PRICE = { form: 'number', isPositive: true } as const

/** CoinMarketCap's rules. */
export async function checkCmc (checking: Checking): Promise<void> {
  const { reader, market, refuse, doubt, compared } = checking
  const own = await market.tickers()
  const summary = rows(await reader.json('/cmc/v1/summary'), '/cmc/v1/summary', refuse)
  const [ticker, assets] = [await reader.row('/cmc/v1/ticker'), await reader.row('/cmc/v1/assets')]
  if (summary === undefined || ticker === undefined || assets === undefined) return
  if (summary.length === 0) refuse('/cmc/v1/summary: it is empty')
  const pools = await market.pools()
  compareRows('/cmc/v1/summary', summary, own, doubt, SUMMARY)
  for (const [at, row] of summary.entries()) {
    checkSummary(checking, row, `/cmc/v1/summary ${at}`, assets, ticker)
    const pool = pools.find(({ id }) => id === row.pool_id)
    if (pool !== undefined) await checkWindow(checking, pool, `/cmc/v1/summary ${pool.id}`, row, WINDOW)
  }
  const tokens = new Map(pools.flatMap(({ base, quote }) => [base, quote]).map(token => [token.mint, token]))
  if (Object.keys(assets).length !== tokens.size) {
    doubt(`/cmc/v1/assets: ${Object.keys(assets).length} tokens, the pools have ${tokens.size}`)
  }
  const { taker_fee_rate: fee } = pools[0] === undefined ? {} : await market.provenance(pools[0].id)
  for (const [mint, row] of Object.entries(assets)) checkAsset(checking, mint, row, tokens.get(mint), fee)
  const deepest = deepestBy(pools, ({ pair }) => pair)
  if (Object.keys(ticker).length !== deepest.size) {
    doubt(`/cmc/v1/ticker: ${Object.keys(ticker).length} pairs, the pools have ${deepest.size}`)
  }
  for (const [id, row] of Object.entries(ticker)) await checkTicker(checking, id, row, deepest.get(id))
  for (const pool of await market.lookedAt()) if (deepest.get(pool.pair) === pool) await checkPair(checking, pool)
  await checkKnown(reader, '/cmc/v1/summary', refuse)
  compared(
    `${summary.length} rows of the summary, ${Object.keys(ticker).length} tickers and ${tokens.size} assets with ` +
      '/api/tickers and /api/pools'
  )
  compared(`${(await market.lookedAt()).length} books with the reserves, and days of trades with /api/pools`)
}

const WINDOW = {
  base: 'base_volume',
  quote: 'quote_volume',
  high: 'highest_price_24h',
  low: 'lowest_price_24h',
  change: 'price_change_percent_24h'
}
const SUMMARY_FIELDS = {
  base_currency: ADDRESS,
  quote_currency: ADDRESS,
  last_price: PRICE,
  highest_bid: PRICE,
  lowest_ask: PRICE,
  highest_price_24h: PRICE,
  lowest_price_24h: PRICE,
  base_volume: VOLUME,
  quote_volume: VOLUME
}
const SUMMARY = [
  ['trading_pairs', 'ticker_id'], 'pool_id', 'base_currency', ['quote_currency', 'target_currency'], 'last_price',
  ['lowest_ask', 'ask'], ['highest_bid', 'bid']
] as const

function checkSummary ({ refuse }: Checking, row: Row, where: string, assets: Row, ticker: Row): void {
  const {
    base_currency: base, quote_currency: quote, last_price: last, highest_bid: bid, lowest_ask: ask,
    highest_price_24h: high, lowest_price_24h: low, base_volume: sold, quote_volume: paid
  } = fields(row, where, refuse, SUMMARY_FIELDS)
  if (row.trading_pairs !== `${base}_${quote}`) refuse(`${where}: trading_pairs is not base_quote`)
  if (!below(bid, ask) || isLess(last, bid) || isLess(ask, last)) {
    refuse(`${where}: highest_bid, last_price and lowest_ask do not rise`)
  }
  checkRange(where, refuse, { base: sold, target: paid, low, high })
  if (row.price_change_percent_24h !== null && typeof row.price_change_percent_24h !== 'number') {
    refuse(`${where}: price_change_percent_24h is no number`)
  }
  for (const mint of [base, quote]) if (assets[mint] === undefined) refuse(`${where}: ${mint} is not among the assets`)
  if (ticker[`${base}_${quote}`] === undefined) refuse(`${where}: not in the ticker`)
}

function checkAsset (
  { refuse, doubt }: Checking, mint: string, row: Json | undefined, token: Token | undefined, fee: Json | undefined
): void {
  const where = `/cmc/v1/assets ${mint}`
  if (!isRow(row)) return refuse(`${where}: no object`)
  fields(row, where, refuse, {
    name: SOME, symbol: SOME, maker_fee: VOLUME, taker_fee: VOLUME, min_withdraw: VOLUME
  })
  // tokens are in their owners' wallets, and have no number of CoinMarketCap's yet
  compareFields(where, row, 'every asset', {
    contractAddress: mint, can_withdraw: true, can_deposit: true, unified_cryptoasset_id: null
  }, refuse)
  if (token === undefined) return doubt(`${where}: of no pool of /api/pools`)
  compareFields(where, row, '/api/pools', {
    ...tokenTexts(token), maker_fee: fee, taker_fee: fee, min_withdraw: `${10 ** -token.decimals}`
  }, doubt)
}

async function checkTicker (
  checking: Checking, id: string, row: Json | undefined, pool: OwnPool | undefined
): Promise<void> {
  const { refuse, doubt } = checking
  const where = `/cmc/v1/ticker ${id}`
  if (!isRow(row)) return refuse(`${where}: no object`)
  if (id !== `${row.base_id}_${row.quote_id}`) refuse(`${where}: not the key of its tokens`)
  fields(row, where, refuse, { last_price: PRICE, base_volume: VOLUME, quote_volume: VOLUME })
  if (row.isFrozen !== 0) refuse(`${where}: isFrozen is ${shown(row.isFrozen)}, and the pool trades`)
  if (pool === undefined) return doubt(`${where}: no pair of /api/pools`)
  compareFields(where, row, 'the deepest pool', pool.ticker, doubt, ['last_price'])
  for (const [side, token] of [['base', pool.base], ['quote', pool.quote]] as const) {
    const { name, symbol } = tokenTexts(token)
    compareFields(where, row, '/api/pools', { [`${side}_name`]: name, [`${side}_symbol`]: symbol }, doubt)
  }
  await checkWindow(checking, pool, where, row, { base: 'base_volume', quote: 'quote_volume' })
}

async function checkPair (checking: Checking, pool: OwnPool): Promise<void> {
  await checkBook(checking, pool, `/cmc/v1/orderbook/${pool.pair}?`, 'number')
  const path = `/cmc/v1/trades/${pool.pair}`
  await checkTrades(checking, pool, path, await checking.reader.json(path), {
    target: 'quote_volume', time: 'timestamp', form: 'number', since: checking.now - DAY * 1000
  })
}
