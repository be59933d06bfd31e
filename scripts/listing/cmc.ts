import { ADDRESS, amount, averageWithin, below, book, type Get, isRow, milliseconds, readJson, type Refuse, rows, text, trades } from './rules.js'

const LOOKED_AT = 5
/** A day, and what the answer and the check's clock may be apart, ms. */
const DAY = 86_400_000
const APART = 600_000

/** CoinMarketCap's rules. */
export async function checkCmc (get: Get, refuse: Refuse, now = Date.now()): Promise<void> {
  const positive = { form: 'number', isPositive: true } as const
  const summary = rows(await readJson(get, '/cmc/v1/summary', refuse), '/cmc/v1/summary', refuse)
  const assets = await readJson(get, '/cmc/v1/assets', refuse)
  const ticker = await readJson(get, '/cmc/v1/ticker', refuse)
  if (summary === undefined || !isRow(assets) || !isRow(ticker)) return refuse('summary is a list, assets and ticker are objects')
  if (summary.length === 0) refuse('/cmc/v1/summary is empty')
  for (const [at, row] of summary.entries()) {
    const where = `/cmc/v1/summary ${at}`
    const [base, quote] = [text(row, 'base_currency', where, refuse, ADDRESS), text(row, 'quote_currency', where, refuse, ADDRESS)]
    if (row.trading_pairs !== `${base}_${quote}`) refuse(`${where}: trading_pairs is not base_quote`)
    const [last, bid, ask] = ['last_price', 'highest_bid', 'lowest_ask'].map(key => amount(row, key, where, refuse, positive))
    if (!below(bid, ask) || below(last, bid) || below(ask, last)) refuse(`${where}: highest_bid, last_price and lowest_ask do not rise`)
    const [high, low] = [amount(row, 'highest_price_24h', where, refuse, positive), amount(row, 'lowest_price_24h', where, refuse, positive)]
    const [sold, paid] = [amount(row, 'base_volume', where, refuse, { form: 'number' }), amount(row, 'quote_volume', where, refuse, { form: 'number' })]
    if (below(high, low)) refuse(`${where}: the highest price is below the lowest`)
    if (high !== undefined && low !== undefined && sold !== undefined && paid !== undefined && !averageWithin(sold, paid, low, high)) refuse(`${where}: the average price lies outside of lowest and highest`)
    if (row.price_change_percent_24h !== null && typeof row.price_change_percent_24h !== 'number') refuse(`${where}: price_change_percent_24h is no number`)
    for (const mint of [base, quote]) if (assets[mint] === undefined) refuse(`${where}: ${mint} is not among the assets`)
    if (ticker[`${base}_${quote}`] === undefined) refuse(`${where}: not in the ticker`)
  }
  for (const [mint, row] of Object.entries(assets)) {
    const where = `/cmc/v1/assets ${mint}`
    if (!isRow(row)) return refuse(`${where}: no object`)
    text(row, 'name', where, refuse)
    if (row.contractAddress !== mint) refuse(`${where}: contractAddress is another`)
    for (const key of ['can_withdraw', 'can_deposit']) if (typeof row[key] !== 'boolean') refuse(`${where}: ${key} is neither true nor false`)
    if (row.unified_cryptoasset_id !== null && !Number.isSafeInteger(row.unified_cryptoasset_id)) refuse(`${where}: unified_cryptoasset_id is neither a number nor null`)
    for (const key of ['maker_fee', 'taker_fee', 'min_withdraw']) amount(row, key, where, refuse, { form: 'number' })
  }
  for (const [id, row] of Object.entries(ticker)) {
    const where = `/cmc/v1/ticker ${id}`
    if (!isRow(row)) return refuse(`${where}: no object`)
    if (id !== `${String(row.base_id)}_${String(row.quote_id)}`) refuse(`${where}: not the key of its tokens`)
    amount(row, 'last_price', where, refuse, positive)
    for (const key of ['base_volume', 'quote_volume']) amount(row, key, where, refuse, { form: 'number' })
    if (row.isFrozen !== 0 && row.isFrozen !== 1) refuse(`${where}: isFrozen is neither 0 nor 1`)
  }
  for (const id of Object.keys(ticker).slice(0, LOOKED_AT)) {
    const where = `/cmc/v1/orderbook/${id}?depth=20`
    const found = await readJson(get, where, refuse)
    book(found, where, refuse, 'number', 20)
    if (isRow(found)) milliseconds(found, 'timestamp', where, refuse, now)
    const path = `/cmc/v1/trades/${id}`
    trades(await readJson(get, path, refuse), path, refuse, { target: 'quote_volume', time: 'timestamp', form: 'number', since: now - DAY - APART }, now)
  }
}
