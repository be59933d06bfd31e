import { positiveDecimal, word } from '../../../lib/query.js'
import { CANDLES, DAYS, TRADES } from '../../../lib/responses/parameters.js'
import { DAO_EXAMPLE } from '../../../schemas/common.js'
import { INVALID_POOL_ID } from '../../../schemas/errors.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { PoolDetailSchema, PoolsSchema, QuoteSchema } from '../../../schemas/pools.js'
import { CandlesSchema, PoolDaysSchema, TradesSchema } from '../../../schemas/traded.js'
import { NO_POOL } from '../../../schemas/responses.js'
import { answer, pathParameter, routes } from '../../endpoint.js'

const WARMING = 'While the past is read it tells what is known by then; where that is nothing the status is 503.'
const POOL = {
  params: { pool_id: pathParameter('Address of the DAO.', DAO_EXAMPLE) },
  invalid: { pool: INVALID_POOL_ID },
  missing: NO_POOL
}

export default routes('pools', (endpoint, { pools }) => {
  endpoint('', {
    operationId: 'getPools',
    summary: 'All pools with their windows',
    description: 'Every listed pool, deepest first, with what was traded on it: 24 hours to the second, 7 and 30 ' +
      `days by whole minutes. Answers live 10 seconds. ${WARMING}`,
    answer: answer(PoolsSchema)
  }, parts => pools.list(parts))

  endpoint('/:pool_id', {
    operationId: 'getPool',
    summary: 'One pool, and what its figures are made of',
    description: 'The record of the list with its provenance: accounts, slot, raw amounts, fee rates, sequence ' +
      `numbers. \`npm run verify\` makes the figures again with a node alone. ${WARMING}`,
    ...POOL,
    answer: answer(PoolDetailSchema)
  }, (parts, { params }) => pools.one(parts, params.pool_id))

  endpoint('/:pool_id/quote', {
    operationId: 'getQuote',
    summary: 'What a swap would yield',
    description: 'Output, average price, price impact and fee of one swap of a given size, by the program\'s ' +
      'integer arithmetic on the reserves of a slot: exact to the raw unit. While a proposal is live the output is ' +
      'at least what is stated, and `exact` is false.',
    ...POOL,
    query: {
      side: word('buy: pay quote tokens. sell: pay base tokens.', ['buy', 'sell']),
      amount: positiveDecimal(
        'What is paid, in whole tokens: plain decimal text above 0, at most what the pool holds of it.', '100'
      )
    },
    answer: answer(QuoteSchema)
  }, (parts, { params, asked: { side, amount } }) => pools.quote(parts, params.pool_id, side, amount))

  endpoint('/:pool_id/trades', {
    operationId: 'getTrades',
    summary: 'Trades of a pool',
    description: 'Finalized spot swaps, newest first. The next page is asked for with the last `trade_id` as ' +
      '`before`: pages neither repeat nor lose a trade while new ones arrive. `X-History-Complete: false` says that ' +
      'older ones are lost, which no node has.',
    ...POOL,
    query: TRADES,
    answer: answer(TradesSchema, ...HISTORY_HEADERS),
    isCostly: true
  }, (parts, { params, asked, turn }) => pools.trades(parts, params.pool_id, asked, turn))

  endpoint('/:pool_id/ohlcv', {
    operationId: 'getCandles',
    summary: 'Candles of a pool',
    description: 'Open, high, low and close of executed prices with volumes, oldest first; the newest ends now. Of ' +
      'a longer range the newest `limit`. Candles of a minute add up to those of longer intervals and to the days, ' +
      'exactly. Intervals without a trade are left out; with `empty=true` they repeat the last close.',
    ...POOL,
    query: CANDLES,
    answer: answer(CandlesSchema, ...HISTORY_HEADERS),
    isCostly: true
  }, (parts, { params, asked, turn }) => pools.candles(parts, params.pool_id, asked, turn))

  endpoint('/:pool_id/days', {
    operationId: 'getPoolDays',
    summary: 'UTC days of a pool',
    description: 'Volumes, trades, makers, fees and prices of each UTC day with trades, oldest first; today so ' +
      `far. ${WARMING}`,
    ...POOL,
    query: DAYS,
    answer: answer(PoolDaysSchema, ...HISTORY_HEADERS),
    isCostly: true
  }, (parts, { params, asked, turn }) => pools.days(parts, params.pool_id, asked, turn))
})
