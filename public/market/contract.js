import { compare } from './decimal.js'

/**
 * What is shown has the form of the contract as far as drawing goes by it: an answer with one record that has not is no
 * answer. A figure that is none is a dash where it is written, so it is asked for here only where it is drawn as a
 * number.
 */

const isText = value => typeof value === 'string'
const isFlag = value => typeof value === 'boolean'
const isObject = value => typeof value === 'object'
const isInteger = value => Number.isInteger(value)
const isDate = value => /^\d{4}-\d{2}-\d{2}$/.test(value)
const isFigure = value => compare(value, '0') !== null
const orNull = holds => value => value === null || holds(value)
const listOf = holds => value => Array.isArray(value) && value.every(item => holds(item))
/** An object in which each field is what its predicate says. */
const record = fields => value => Object.entries(fields).every(([name, holds]) => holds(value?.[name]))
/** Fields that are all alike. */
const each = (holds, ...names) => Object.fromEntries(names.map(name => [name, holds]))

const token = each(isText, 'mint', 'symbol')
/** Of the API, or of the page's own list. */
const pool = {
  pool_id: isText,
  base: record({ ...token, name: isText }),
  quote: record(token),
  last_price: isFigure,
  trades_24h: orNull(isInteger),
  priced_in_usd: isFlag
}
const isPool = record({ ...pool, ticker_id: isText })
const proposal = { ...each(isText, 'proposal', 'dao', 'state'), number: isInteger, decision: isObject }

/** Gives what `holds` is true of, and throws for everything else. */
const checked = holds => body => {
  if (!holds(body)) throw new TypeError('not the form of the contract')
  return body
}

export const checkPools = checked(listOf(isPool))
export const checkPool = checked(record({
  ...pool,
  ticker_id: isText,
  other_pools: listOf(isText),
  provenance: record({
    fee_rates: Array.isArray, accounts: isObject, ...each(isText, 'base_reserves', 'quote_reserves')
  })
}))
export const checkList = checked(record({
  pools: listOf(record({ ...pool, marks: listOf(isText) })), totals: record({ count: isInteger })
}))
export const checkMarks = checked(listOf(isText))
export const checkSparklines = checked(
  record({ pools: lines => Object.values(lines).every(listOf(orNull(Number.isFinite))) })
)
export const checkTrades = checked(listOf(record({
  ...each(isText, 'signature', 'maker'),
  side: side => ['buy', 'sell'].includes(side),
  timestamp: time => !Number.isNaN(Date.parse(time))
})))
export const checkCandles = checked(listOf(record({
  time: isInteger, ...each(isFigure, 'open', 'high', 'low', 'close', 'base_volume', 'target_volume')
})))
export const checkTreasury = checked(isObject)
export const checkDays = checked(listOf(record({ date: isDate, ...each(orNull(isFigure), 'close', 'high', 'low') })))
export const checkTicker = checked(record({ pool_id: isText }))
export const checkVolume = checked(record({
  totalVolume: isFigure,
  dailyBreakdown: listOf(record({ date: isDate, volume: isFigure, trades: Number.isFinite }))
}))
export const checkProposals = checked(listOf(record(proposal)))
export const checkProposal = checked(record({ ...proposal, ...each(isObject, 'pass', 'fail') }))
export const checkDaos = checked(record({ daos: Array.isArray }))
export const checkReady = checked(record({
  ready: isFlag, problems: Array.isArray, ...each(isObject, 'history', 'chain')
}))
export const checkSupply = body => checked(record({ data: record({ totalSupply: isFigure }) }))(body).data
