import { type TSchema, Type } from '@sinclair/typebox'
import { INTERVALS, type Interval } from '../../../lib/history/history.js'
import { integer, type Parameter } from '../../../lib/query.js'
import { rangeParameters } from '../../../schemas/parameters.js'

/** What is asked of trades and candles, of pools and of the markets of proposals. */

export const parameter = (description: string, example: string): TSchema =>
  Type.Optional(Type.String({ description, examples: [example] }))

/** A sequence number: any u64. */
const tradeId: Parameter<bigint | undefined> = {
  expects: 'a trade_id, as 4711',
  read: text => /^\d{1,20}$/.test(text) && BigInt(text) < 1n << 64n ? BigInt(text) : undefined,
  otherwise: { value: undefined }
}
const limit = (otherwise: number) => integer({ min: 1, max: 1000, otherwise })
export const INTERVAL_NAMES = Object.keys(INTERVALS) as Interval[]
const interval: Parameter<Interval> = {
  expects: `one of ${INTERVAL_NAMES.join(', ')}`,
  read: text => INTERVAL_NAMES.find(name => name === text),
  otherwise: { value: '1h' }
}

const empty: Parameter<boolean> = {
  expects: 'one of true, false',
  read: text => text === 'true' ? true : text === 'false' ? false : undefined,
  otherwise: { value: false }
}

export const TRADES = { limit: limit(100), before: tradeId }
export const CANDLES = { interval, limit: limit(300), empty }

export const TRADES_QUERY = {
  limit: parameter('Most rows, 1 to 1,000. Default 100.', '100'),
  before: parameter('Only trades older than the one with this trade_id.', '4711'),
  ...rangeParameters('Trades', '', '')
}
export const CANDLES_QUERY = {
  interval: parameter(`One of ${INTERVAL_NAMES.join(', ')}. Default 1h.`, '1h'),
  ...rangeParameters('Intervals with trades', ', and the one that holds it', '; default now'),
  limit: parameter('Most rows, 1 to 1,000. Default 300.', '300'),
  empty: parameter('true: intervals without a trade, too. Default false.', 'true')
}
