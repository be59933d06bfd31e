import { DAO_EXAMPLE, QUOTE_EXAMPLE as EXAMPLE } from '../../schemas/common.js'
import { TickerSchema } from '../../schemas/ticker.js'
import { INTERVALS, type Interval } from '../history/history.js'
import { parseKey } from '../protocol/pda.js'
import { byDefault, integer, optional, type Parameter, range, word } from '../query.js'

/** Parameters that several endpoints take. */

/** A text that the answer checks. */
export const text = (description: string, expects: string, example: string): Parameter<string> =>
  ({ description, example, expects: `${expects}, as ${example}`, read: given => given })

export const address = (description: string, expects = 'an address'): Parameter<string> => ({
  ...text(description, expects, EXAMPLE), read: given => parseKey(given) === undefined ? undefined : given
})

export const addresses = (description: string, max: number): Parameter<string[]> => ({
  description,
  example: EXAMPLE,
  expects: `1 to ${max} addresses separated by commas, each once, as ${EXAMPLE}`,
  read (given) {
    const all = given.split(',')
    const isEach = all.length <= max && new Set(all).size === all.length
    return isEach && all.every(one => parseKey(one) !== undefined) ? all : undefined
  }
})

export const tickerId = text(
  'Base mint, underscore, quote mint.', 'base mint, underscore, quote mint', TickerSchema.examples[0]!.ticker_id
)

export const daoOrMint = (description: string): Parameter<string> =>
  text(description, 'the address of a DAO, or of its base mint', DAO_EXAMPLE)

export const depth = (otherwise: number): Parameter<number> => byDefault(integer(
  `Levels of both sides together, 500 at most; 0: as many as there are (500). Default ${otherwise}.`,
  'levels of both sides', 100, { max: 500 }
), otherwise)

export const limit = (otherwise: number): Parameter<number> => byDefault(
  integer(`Most rows, 1 to 1,000. Default ${otherwise}.`, 'rows', otherwise, { min: 1, max: 1000 }), otherwise
)

/** A sequence number: any u64. */
const tradeId: Parameter<bigint> = {
  description: 'Only trades older than the one with this trade_id.',
  example: '4711',
  expects: 'a trade_id, as 4711',
  read: given => /^\d{1,20}$/.test(given) && BigInt(given) < 1n << 64n ? BigInt(given) : undefined
}

const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[]

/** Of pools and of the markets of proposals. */
export const TRADES = { limit: limit(100), before: optional(tradeId), ...range('Trades') }
export const CANDLES = {
  interval: byDefault(word(`One of ${INTERVAL_NAMES.join(', ')}. Default 1h.`, INTERVAL_NAMES, '1h'), '1h' as const),
  ...range('Intervals with trades', ', and the one that holds it', '; default now'),
  limit: limit(300),
  empty: byDefault(word('true: intervals without a trade, too. Default false.', ['true', 'false']), 'false')
}
export const DAYS = range('Days', ', and the one that holds it', '; default today')
