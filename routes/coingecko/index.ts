import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { DEAR } from '../../lib/http/dear-routes.js'
import { depth, poolId, tickerId } from '../../lib/responses/forms/parameters.js'
import { integer, oneOf, optional, readQuery } from '../../lib/query.js'
import {
  CoinGeckoOrderBookSchema, CoinGeckoPairsSchema, CoinGeckoTickersSchema, CoinGeckoTradesSchema
} from '../../schemas/coingecko.js'
import { AddressSchema } from '../../schemas/common.js'
import { BYTES_HEADERS } from '../../schemas/headers.js'
import { INVALID_POOL_ID, INVALID_TICKER_ID, poolNotFound, tickerNotFound } from '../../schemas/errors.js'
import { depthParameter, TICKER_ID_PARAMETER } from '../../schemas/parameters.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../schemas/responses.js'

const FAILURES = { 304: notModified(BYTES_HEADERS), ...CHAIN_FAILURES }
const QUERY_FAILURE = {
  400: badRequest({ query: 'Invalid depth: a whole number from 0 to 500', ticker: INVALID_TICKER_ID })
}

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { forms } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong

  fastify.get('/pairs', {
    schema: {
      operationId: 'getCoinGeckoPairs',
      summary: 'CoinGecko: all pairs',
      description: 'One row per listed pool, deepest first.',
      tags: ['aggregators'],
      querystring: Type.Object({}),
      response: {
        200: json(CoinGeckoPairsSchema, 'The pairs.', BYTES_HEADERS),
        400: badRequest(
          'Invalid depth: no parameters here'
        ),
        ...FAILURES
      }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.coingecko.pairs())
  })

  fastify.get('/tickers', {
    schema: {
      operationId: 'getCoinGeckoTickers',
      summary: 'CoinGecko: all tickers',
      description: 'As `/api/tickers`, with the highest and the lowest price that trades of the last 24 hours ' +
        'executed at. target_volume divided by base_volume lies between the two.',
      tags: ['aggregators'],
      querystring: Type.Object({}),
      response: {
        200: json(CoinGeckoTickersSchema, 'The tickers.', BYTES_HEADERS),
        400: badRequest(
          'Invalid depth: no parameters here'
        ),
        ...FAILURES
      }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.coingecko.tickers())
  })

  fastify.get('/historical_trades', {
    config: DEAR,
    schema: {
      operationId: 'getCoinGeckoTrades',
      summary: 'CoinGecko: trades of a pair',
      description: 'Newest first, of the pair\'s deepest pool, as its price and book are, or of `pool_id`; swaps ' +
        'that gave nothing have no price and are left out. ' +
        'Answers 503 until all trades from `start_time` on are stored; without it, from where on all are, which ' +
          '`X-History-Since` says.',
      tags: ['aggregators'],
      querystring: Type.Object({
        ticker_id: TICKER_ID_PARAMETER,
        pool_id: Type.Optional(Type.String({
          description: 'Another pool of the pair.',
          examples: AddressSchema.examples
        })),
        type: Type.Optional(Type.String({
          description: 'buy or sell; both where it is not given.',
          examples: ['buy']
        })),
        limit: Type.Optional(Type.String({
          description: 'Trades of each side, 1,000 at most; 0: as many as there may be. Default 500.',
          examples: ['100']
        })),
        start_time: Type.Optional(Type.String({
          description: 'Unix seconds, or milliseconds from 10^12 on.',
          examples: ['1769860800']
        })),
        end_time: Type.Optional(Type.String({
          description: 'Unix seconds, or milliseconds from 10^12 on.',
          examples: ['1769947200']
        }))
      }),
      response: {
        200: json(CoinGeckoTradesSchema, 'The trades.', [...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since']),
        400: badRequest({
          query: 'Invalid limit: a whole number from 0 to 1000', ticker: INVALID_TICKER_ID, pool: INVALID_POOL_ID
        }),
        404: notFound('No listed DAO has this pair, or the pair has no such pool.', {
          ticker: tickerNotFound('<ticker_id>'), pool: poolNotFound('<pool_id>')
        }),
        ...FAILURES
      }
    }
  }, async ({ query, turn }, reply) => {
    const asked = readQuery(query, {
      ticker_id: tickerId,
      pool_id: optional(poolId),
      type: oneOf(['buy', 'sell'], undefined),
      limit: integer({ max: 1_000, otherwise: 500 }),
      start_time: integer({ otherwise: undefined }),
      end_time: integer({ otherwise: undefined })
    })
    return reply.sendCached(await forms.coingecko.trades(asked, turn))
  })

  fastify.get('/orderbook', {
    schema: {
      operationId: 'getCoinGeckoOrderBook',
      summary: 'CoinGecko: the order book of a pair',
      description: 'The pool\'s curve in slices of a price move of 0.1 %, fee included. Walking to any level yields ' +
        'what one swap of that size yields, ' +
        'to a raw unit per level. Of several pools of a pair the deepest, as in `/api/tickers/{ticker_id}`.',
      tags: ['aggregators'],
      querystring: Type.Object({ ticker_id: TICKER_ID_PARAMETER, depth: depthParameter(100) }),
      response: {
        200: json(CoinGeckoOrderBookSchema, 'The book.', BYTES_HEADERS),
        ...QUERY_FAILURE,
        404: notFound('No listed DAO has this pair.', tickerNotFound('<ticker_id>')),
        ...FAILURES
      }
    }
  }, async ({ query }, reply) => {
    const asked = readQuery(query, { ticker_id: tickerId, depth: depth(100) })
    return reply.sendCached(await forms.coingecko.orderBook(asked.ticker_id, asked.depth))
  })
}
export default routes
