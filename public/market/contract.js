import { compare } from './decimal.js'

/** Only what has the form of the contract is shown: an answer with one record that has not is no answer. */

const DATE = /^\d{4}-\d{2}-\d{2}$/
const POOL_FIGURES = ['last_price', 'liquidity_in_usd']
/** Null where the pool had no trade that would give one, or not all of its trades are known. */
const POOL_OPTIONAL = [
  'base_volume_24h', 'target_volume_24h', 'target_volume_7d', 'target_volume_30d', 'buy_volume_24h', 'sell_volume_24h',
  'price_change_5m', 'price_change_1h', 'price_change_6h', 'price_change_24h', 'price_change_7d', 'price_change_30d',
  'market_cap_usd', 'fdv_usd', 'treasury_usdc_aum', 'high_24h', 'low_24h', 'vwap_24h', 'fees_24h'
]
const CANDLE_FIGURES = ['open', 'high', 'low', 'close', 'base_volume', 'target_volume']
const SUPPLY_FIGURES = [
  'totalSupply', 'circulatingSupply', 'teamPerformancePackage', 'protocolAmmLiquidity', 'externalLpLiquidity'
]

function demand (holds) {
  if (!holds) throw new TypeError('not the form of the contract')
}

const isFigure = text => compare(text, '0') !== null
const isOptional = value => value === null || isFigure(value)
const isCount = value => value === null || Number.isInteger(value)
const isText = value => typeof value === 'string'
const isToken = token =>
  typeof token?.mint === 'string' && typeof token.symbol === 'string' && typeof token.name === 'string'
const isList = (value, holds) => Array.isArray(value) && value.every(holds)

const isPool = pool =>
  typeof pool.pool_id === 'string' && typeof pool.ticker_id === 'string' && isToken(pool.base) && isToken(pool.quote) &&
  POOL_FIGURES.every(field => isFigure(pool[field])) && POOL_OPTIONAL.every(field => isOptional(pool[field])) &&
  isCount(pool.trades_24h) && typeof pool.priced_in_usd === 'boolean'

const isTrade = trade =>
  typeof trade.signature === 'string' && typeof trade.maker === 'string' && ['buy', 'sell'].includes(trade.side) &&
  isFigure(trade.base_amount) && isFigure(trade.quote_amount) && isOptional(trade.price) &&
    !Number.isNaN(Date.parse(trade.timestamp))

/** A row of the page's own list. */
const ROW_OPTIONAL = [
  'price_change_24h', 'target_volume_24h', 'market_cap_usd', 'fdv_usd', 'nav_per_token', 'premium'
]
const isRow = row => typeof row.pool_id === 'string' && typeof row.base?.name === 'string' &&
  [row.base, row.quote].every(token => typeof token?.mint === 'string' && typeof token.symbol === 'string') &&
  POOL_FIGURES.every(field => isFigure(row[field])) && ROW_OPTIONAL.every(field => isOptional(row[field])) &&
  isCount(row.trades_24h) && typeof row.priced_in_usd === 'boolean' && isList(row.marks, isText)

const isDay = day => DATE.test(day.date) && isFigure(day.target_volume) && isOptional(day.close) &&
  isOptional(day.high) && isOptional(day.low)

/** Gives what `holds` is true of, and throws for everything else. */
const checked = holds => body => {
  demand(holds(body))
  return body
}

export const checkPools = checked(body => isList(body, isPool))
export const checkList = checked(({ totals, pools }) => isList(pools, isRow) && Number.isInteger(totals.count) &&
  isOptional(totals.volume) && isCount(totals.trades) && isFigure(totals.liquidity))
export const checkMarks = checked(body => isList(body, isText))
export const checkSparklines = checked(({ pools }) => Object.values(pools).every(
  heights => isList(heights, height => height === null || Number.isFinite(height))
))
const RAW = /^\d+$/
const RAW_FIGURES = [
  'base_reserves', 'quote_reserves', 'base_fees', 'quote_fees', 'sequence_on_chain', 'sequence_indexed',
  'missing_events'
]
const isProvenance = provenance => RAW_FIGURES.every(
  field => RAW.test(provenance?.[field])
) && Array.isArray(provenance.fee_rates) &&
  typeof provenance.accounts === 'object' && Number.isInteger(provenance.slot)
export const checkPool = checked(
  pool => isPool(pool) && isProvenance(pool.provenance) && isList(pool.other_pools, isText)
)
export const checkTrades = checked(body => isList(body, isTrade))
export const checkCandles = checked(body => isList(
  body, candle => Number.isInteger(candle.time) && CANDLE_FIGURES.every(field => isFigure(candle[field]))
))
const TREASURY_FIGURES = ['nav_usd', 'nav_per_token', 'premium', 'runway_months']
export const checkTreasury = checked(body => TREASURY_FIGURES.every(field => isOptional(body[field])))
export const checkDays = checked(body => isList(body, isDay))
export const checkTicker = checked(body => typeof body.pool_id === 'string' && isFigure(body.bid) && isFigure(body.ask))
export const checkVolume = checked(body => isFigure(body.totalVolume) &&
  isList(
    body.dailyBreakdown, ({ date, volume, trades }) => DATE.test(date) && isFigure(volume) && Number.isFinite(trades)
  ))

export function checkSupply ({ data }) {
  demand(SUPPLY_FIGURES.every(field => isFigure(data[field])))
  return data
}
