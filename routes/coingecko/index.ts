import { byDefault, integer, optional, word } from '../../lib/query.js'
import { depth, text, tickerId } from '../../lib/responses/parameters.js'
import {
  CoinGeckoOrderBookSchema, CoinGeckoPairsSchema, CoinGeckoTickersSchema, CoinGeckoTradesSchema
} from '../../schemas/coingecko.js'
import { QUOTE_EXAMPLE } from '../../schemas/common.js'
import { INVALID_POOL_ID, INVALID_TICKER_ID, notFound } from '../../schemas/errors.js'
import { HISTORY_HEADERS } from '../../schemas/headers.js'
import { NO_PAIR, failure } from '../../schemas/responses.js'
import { answer, routes } from '../endpoint.js'

/** A bound of time; `example`: Unix seconds. */
const moment = (example: number) =>
  optional(integer('Unix seconds, or milliseconds from 10^12 on.', 'Unix seconds or milliseconds', example))

export default routes('aggregators', (endpoint, { forms: { coingecko } }) => {
  endpoint('/pairs', {
    operationId: 'getCoinGeckoPairs',
    summary: 'CoinGecko: all pairs',
    description: 'One row per listed pool, deepest first.',
    answer: answer(CoinGeckoPairsSchema)
  }, parts => coingecko.pairs(parts))

  endpoint('/tickers', {
    operationId: 'getCoinGeckoTickers',
    summary: 'CoinGecko: all tickers',
    description: 'As `/api/tickers`, with the highest and the lowest price that trades of the last 24 hours ' +
      'executed at. target_volume divided by base_volume lies between the two.',
    answer: answer(CoinGeckoTickersSchema)
  }, parts => coingecko.tickers(parts))

  endpoint('/historical_trades', {
    operationId: 'getCoinGeckoTrades',
    summary: 'CoinGecko: trades of a pair',
    description: 'Newest first, of the pair\'s deepest pool, as its price and book are, or of `pool_id`; swaps ' +
      'that gave nothing have no price and are left out. Answers 503 until all trades from `start_time` on are ' +
      'stored; without it, from where on all are, which `X-History-Since` says.',
    query: {
      ticker_id: tickerId,
      pool_id: optional(text('Another pool of the pair.', 'the address of a pool', QUOTE_EXAMPLE)),
      type: optional(word('buy or sell; both where it is not given.', ['buy', 'sell'])),
      limit: byDefault(integer(
        'Trades of each side, 1,000 at most; 0: as many as there may be. Default 500.', 'trades of each side', 100,
        { max: 1_000 }
      ), 500),
      start_time: moment(1769860800),
      end_time: moment(1769947200)
    },
    answer: answer(CoinGeckoTradesSchema, ...HISTORY_HEADERS),
    invalid: { ticker: INVALID_TICKER_ID, pool: INVALID_POOL_ID },
    missing: failure('No listed pool has this pair, or the pair has no such pool.', {
      ticker: notFound('Ticker', '<ticker_id>'), pool: notFound('Pool', '<pool_id>')
    }),
    isCostly: true
  }, (parts, { asked, turn }) => coingecko.trades(parts, asked, turn))

  endpoint('/orderbook', {
    operationId: 'getCoinGeckoOrderBook',
    summary: 'CoinGecko: the order book of a pair',
    description: 'The pool\'s curve in slices of a price move of 0.1 %, fee included. Walking to any level yields ' +
      'what one swap of that size yields, to a raw unit per level. Of several pools of a pair the deepest, as in ' +
      '`/api/tickers/{ticker_id}`.',
    query: { ticker_id: tickerId, depth: depth(100) },
    answer: answer(CoinGeckoOrderBookSchema),
    invalid: { ticker: INVALID_TICKER_ID },
    missing: NO_PAIR
  }, (parts, { asked }) => coingecko.orderBook(parts, asked.ticker_id, asked.depth))
})
