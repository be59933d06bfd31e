import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { DEAR } from '../../../lib/http/dear-routes.js'
import { positiveDecimal, readQuery, readRange, TIME, word } from '../../../lib/query.js'
import { dayOf } from '../../../lib/time.js'
import { DAO_EXAMPLE } from '../../../schemas/common.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { INVALID_POOL_ID, poolNotFound } from '../../../schemas/errors.js'
import { rangeParameters } from '../../../schemas/parameters.js'
import {
  CandlesSchema, PoolDaysSchema, PoolDetailSchema, PoolsSchema, QuoteSchema, TradesSchema
} from '../../../schemas/pools.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'
import { CANDLES, CANDLES_QUERY, INTERVAL_NAMES, TRADES, TRADES_QUERY } from './asked.js'

const HISTORY_HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since']
const WARMING = 'While the past is read it tells what is known by then; where that is nothing the status is 503.'

const PoolParamsSchema = Type.Object({
  pool_id: Type.String({ description: 'Address of the DAO.', examples: [DAO_EXAMPLE] })
})
const NOT_FOUND = { 404: notFound('No listed pool has this id.', poolNotFound('<pool_id>')) }
const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { pools } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong

  fastify.get('', {
    schema: {
      operationId: 'getPools',
      summary: 'All pools with their windows',
      description: 'Every listed pool, deepest first, with what was traded on it: 24 hours to the second, 7 and 30 ' +
        `days by whole minutes. Answers live 10 seconds. ${WARMING}`,
      tags: ['pools'],
      querystring: Type.Object({}),
      response: {
        200: json(PoolsSchema, 'The pools.', BYTES_HEADERS),
        304: notModified(
          BYTES_HEADERS
        ),
        400: badRequest('Invalid limit: no parameters here'),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await pools.list())
  })

  fastify.get('/:pool_id', {
    schema: {
      operationId: 'getPool',
      summary: 'One pool, and what its figures are made of',
      description: 'The record of the list with its provenance: accounts, slot, raw amounts, fee rates, sequence ' +
        `numbers. \`npm run verify\` makes the figures again with a node alone. ${WARMING}`,
      tags: ['pools'],
      params: PoolParamsSchema,
      querystring: Type.Object({}),
      response: {
        200: json(PoolDetailSchema, 'The pool.', BYTES_HEADERS),
        304: notModified(
          BYTES_HEADERS
        ),
        400: badRequest(INVALID_POOL_ID),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await pools.one(params.pool_id))
  })

  fastify.get('/:pool_id/quote', {
    schema: {
      operationId: 'getQuote',
      summary: 'What a swap would yield',
      description: 'Output, average price, price impact and fee of one swap of a given size, by the program\'s ' +
        'integer arithmetic on the reserves of a slot: exact to the ' +
        'raw unit. While a proposal is live the output is at least what is stated, and `exact` is false.',
      tags: ['pools'],
      params: PoolParamsSchema,
      querystring: Type.Object({
        side: Type.String({ description: 'buy: pay quote tokens. sell: pay base tokens.', examples: ['buy'] }),
        amount: Type.String({
          description: 'What is paid, in whole tokens: plain decimal text above 0, at most what the pool holds of it.',
          examples: ['100']
        })
      }),
      response: {
        200: json(QuoteSchema, 'The quote.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        400: badRequest({ parameter: 'Invalid side: one of buy, sell', pool: INVALID_POOL_ID }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    const { side, amount } = readQuery(query, { side: word(['buy', 'sell']), amount: positiveDecimal })
    return reply.sendCached(await pools.quote(params.pool_id, side, amount))
  })

  fastify.get('/:pool_id/trades', {
    config: DEAR,
    schema: {
      operationId: 'getTrades',
      summary: 'Trades of a pool',
      description: 'Finalized spot swaps, newest first. The next page is asked for with the last `trade_id` as ' +
        '`before`: pages neither repeat nor lose a trade while ' +
        'new ones arrive. `X-History-Complete: false` says that older ones are lost, which no node has.',
      tags: ['pools'],
      params: PoolParamsSchema,
      querystring: Type.Object(TRADES_QUERY),
      response: {
        200: json(TradesSchema, 'The trades.', HISTORY_HEADERS),
        304: notModified(HISTORY_HEADERS),
        400: badRequest({ parameter: 'Invalid limit: a whole number from 1 to 1000', pool: INVALID_POOL_ID }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    const { from: since, to: until, ...asked } = readRange(query, TRADES)
    return reply.sendCached(await pools.trades(params.pool_id, { ...asked, since, until }, turn))
  })

  fastify.get('/:pool_id/ohlcv', {
    config: DEAR,
    schema: {
      operationId: 'getCandles',
      summary: 'Candles of a pool',
      description: 'Open, high, low and close of executed prices with volumes, oldest first; the newest ends now. Of ' +
        'a longer range the newest `limit`. Candles of a minute ' +
        'add up to those of longer intervals and to the days, exactly. Intervals without a trade are left out; with ' +
          '`empty=true` they repeat the last close.',
      tags: ['pools'],
      params: PoolParamsSchema,
      querystring: Type.Object(CANDLES_QUERY),
      response: {
        200: json(CandlesSchema, 'The candles.', HISTORY_HEADERS),
        304: notModified(HISTORY_HEADERS),
        400: badRequest({ parameter: `Invalid interval: one of ${INTERVAL_NAMES.join(', ')}`, pool: INVALID_POOL_ID }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    return reply.sendCached(await pools.candles(params.pool_id, readRange(query, CANDLES), turn))
  })

  fastify.get('/:pool_id/days', {
    config: DEAR,
    schema: {
      operationId: 'getPoolDays',
      summary: 'UTC days of a pool',
      description: 'Volumes, trades, makers, fees and prices of each UTC day with trades, oldest first; today so ' +
        `far. ${WARMING}`,
      tags: ['pools'],
      params: PoolParamsSchema,
      querystring: Type.Object({
        ...rangeParameters('Days', ', and the one that holds it', '; default today')
      }),
      response: {
        200: json(PoolDaysSchema, 'The days.', HISTORY_HEADERS),
        304: notModified(HISTORY_HEADERS),
        400: badRequest({ parameter: `Invalid from: ${TIME}`, pool: INVALID_POOL_ID }),
        ...NOT_FOUND,
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    const { from, to } = readRange(query, {})
    return reply.sendCached(await pools.days(params.pool_id, { from: from && dayOf(from), to: to && dayOf(to) }, turn))
  })
}
export default routes
