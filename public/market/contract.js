import { compare } from './decimal.js'

/** Only what has the form of the contract is shown: an answer with one record that has not is no answer. */

const isText = value => typeof value === 'string'
const isFlag = value => typeof value === 'boolean'
const isObject = value => typeof value === 'object'
const isInteger = value => Number.isInteger(value)
const isDate = value => /^\d{4}-\d{2}-\d{2}$/.test(value)
const isRaw = value => /^\d+$/.test(value)
const isFigure = value => compare(value, '0') !== null
const orNull = holds => value => value === null || holds(value)
/** Null where the pool had no trade that would give one, or not all of its trades are known. */
const isOptional = orNull(isFigure)
const listOf = holds => value => Array.isArray(value) && value.every(item => holds(item))
/** An object in which each field is what its predicate says. */
const record = fields => value => Object.entries(fields).every(([name, holds]) => holds(value?.[name]))
/** Fields that are all alike. */
const each = (holds, ...names) => Object.fromEntries(names.map(name => [name, holds]))

const token = each(isText, 'mint', 'symbol')
const figures = { ...each(isFigure, 'last_price', 'liquidity_in_usd'), trades_24h: orNull(isInteger) }

const isPool = record({
  ...each(isText, 'pool_id', 'ticker_id'),
  ...each(record({ ...token, name: isText }), 'base', 'quote'),
  ...figures,
  ...each(
    isOptional, 'base_volume_24h', 'target_volume_24h', 'target_volume_7d', 'target_volume_30d', 'buy_volume_24h',
    'sell_volume_24h', 'price_change_5m', 'price_change_1h', 'price_change_6h', 'price_change_24h', 'price_change_7d',
    'price_change_30d', 'market_cap_usd', 'fdv_usd', 'treasury_usdc_aum', 'high_24h', 'low_24h', 'vwap_24h', 'fees_24h'
  ),
  priced_in_usd: isFlag
})

/** A row of the page's own list. */
const isRow = record({
  pool_id: isText,
  base: record({ ...token, name: isText }),
  quote: record(token),
  ...figures,
  ...each(
    isOptional, 'price_change_24h', 'target_volume_24h', 'market_cap_usd', 'fdv_usd', 'nav_per_token', 'premium'
  ),
  priced_in_usd: isFlag,
  marks: listOf(isText)
})

const isProvenance = record({
  ...each(
    isRaw, 'base_reserves', 'quote_reserves', 'base_fees', 'quote_fees', 'sequence_on_chain', 'sequence_indexed',
    'missing_events'
  ),
  fee_rates: Array.isArray,
  accounts: isObject,
  slot: isInteger
})

const isTrade = record({
  ...each(isText, 'signature', 'maker'),
  side: side => ['buy', 'sell'].includes(side),
  ...each(isFigure, 'base_amount', 'quote_amount'),
  price: isOptional,
  timestamp: time => !Number.isNaN(Date.parse(time))
})

const isProposal = record({
  ...each(isText, 'proposal', 'dao', 'state'),
  number: isInteger,
  decision: orNull(record(each(isFigure, 'pass_twap', 'threshold')))
})

/** Gives what `holds` is true of, and throws for everything else. */
const checked = holds => body => {
  if (!holds(body)) throw new TypeError('not the form of the contract')
  return body
}

export const checkPools = checked(listOf(isPool))
export const checkPool = checked(
  pool => isPool(pool) && record({ provenance: isProvenance, other_pools: listOf(isText) })(pool)
)
export const checkList = checked(record({
  pools: listOf(isRow),
  totals: record({ count: isInteger, volume: isOptional, trades: orNull(isInteger), liquidity: isFigure })
}))
export const checkMarks = checked(listOf(isText))
export const checkSparklines = checked(
  record({ pools: lines => Object.values(lines).every(listOf(orNull(Number.isFinite))) })
)
export const checkTrades = checked(listOf(isTrade))
export const checkCandles = checked(listOf(record({
  time: isInteger, ...each(isFigure, 'open', 'high', 'low', 'close', 'base_volume', 'target_volume')
})))
export const checkTreasury = checked(record(each(isOptional, 'nav_usd', 'nav_per_token', 'premium', 'runway_months')))
export const checkDays = checked(listOf(
  record({ date: isDate, target_volume: isFigure, ...each(isOptional, 'close', 'high', 'low') })
))
export const checkTicker = checked(record({ pool_id: isText, ...each(isFigure, 'bid', 'ask') }))
export const checkVolume = checked(record({
  totalVolume: isFigure,
  dailyBreakdown: listOf(record({ date: isDate, volume: isFigure, trades: Number.isFinite }))
}))
export const checkProposals = checked(listOf(isProposal))
export const checkProposal = checked(body => isProposal(body) && record(each(isObject, 'pass', 'fail'))(body))
export const checkDaos = checked(record({ daos: Array.isArray }))
export const checkReady = checked(record({
  ready: isFlag, problems: Array.isArray, ...each(isObject, 'history', 'chain')
}))

const isSupply = record({
  data: record(each(
    isFigure, 'totalSupply', 'circulatingSupply', 'teamPerformancePackage', 'protocolAmmLiquidity',
    'externalLpLiquidity'
  ))
})
export const checkSupply = body => checked(isSupply)(body).data
