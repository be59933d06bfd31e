import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { DEAR } from '../../../lib/http/dear-routes.js'
import { depth } from '../../../lib/responses/forms/parameters.js'
import { integer, readQuery } from '../../../lib/query.js'
import {
  CmcAssetsSchema, CmcOrderBookSchema, CmcSummarySchema, CmcTickersSchema, CmcTradesSchema
} from '../../../schemas/cmc.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { INVALID_TICKER_ID, tickerNotFound } from '../../../schemas/errors.js'
import { depthParameter, TICKER_ID_PARAMETER } from '../../../schemas/parameters.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'

const FAILURES = { 304: notModified(BYTES_HEADERS), ...CHAIN_FAILURES }
const NO_PARAMETERS = { 400: badRequest('Invalid depth: no parameters here'), ...FAILURES }
const PARAMS = Type.Object({ market_pair: TICKER_ID_PARAMETER })
/** Of level 1 the best bid and ask alone; 2 and 3 are the same: a pool has no single orders. */
const BEST = 1

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { forms } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))   // handlers read queries themselves and say what is wrong

  fastify.get('/summary', {
    schema: {
      operationId: 'getCmcSummary',
      summary: 'CoinMarketCap: all pools with the last 24 hours',
      description: 'One row per pool, deepest first.',
      tags: ['aggregators'],
      querystring: Type.Object({}),
      response: { 200: json(CmcSummarySchema, 'The pools.', BYTES_HEADERS), ...NO_PARAMETERS }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.cmc.summary())
  })

  fastify.get('/trades/:market_pair', {
    config: DEAR,
    schema: {
      operationId: 'getCmcTrades',
      summary: 'CoinMarketCap: trades of a pair in the last 24 hours',
      description: 'Newest first, of the deepest pool of the pair; swaps that gave nothing have no price and are ' +
        'left out.',
      tags: ['aggregators'],
      params: PARAMS,
      querystring: Type.Object({}),
      response: {
        200: json(CmcTradesSchema, 'The trades.', BYTES_HEADERS),
        400: badRequest({ query: 'Invalid depth: no parameters here', pair: INVALID_TICKER_ID }),
        404: notFound('No listed DAO has this pair.', tickerNotFound('<ticker_id>')),
        ...FAILURES
      }
    }
  }, async ({ params, query, turn }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.cmc.trades(params.market_pair, turn))
  })

  fastify.get('/assets', {
    schema: {
      operationId: 'getCmcAssets',
      summary: 'CoinMarketCap: the tokens of all pairs',
      description: 'By mint: symbols repeat.',
      tags: ['aggregators'],
      querystring: Type.Object({}),
      response: { 200: json(CmcAssetsSchema, 'The tokens.', BYTES_HEADERS), ...NO_PARAMETERS }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.cmc.assets())
  })

  fastify.get('/ticker', {
    schema: {
      operationId: 'getCmcTicker',
      summary: 'CoinMarketCap: all pairs with price and volumes',
      description: 'By ticker_id. Nothing is added up: of several pools of a pair the deepest stands for it.',
      tags: ['aggregators'],
      querystring: Type.Object({}),
      response: { 200: json(CmcTickersSchema, 'The pairs.', BYTES_HEADERS), ...NO_PARAMETERS }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await forms.cmc.ticker())
  })

  fastify.get('/orderbook/:market_pair', {
    schema: {
      operationId: 'getCmcOrderBook',
      summary: 'CoinMarketCap: the order book of a pair',
      description: 'The pool\'s curve in slices of a price move of 0.1 %, fee included; of several pools of a pair ' +
        'the deepest.',
      tags: ['aggregators'],
      params: PARAMS,
      querystring: Type.Object({
        depth: depthParameter(0),
        level: Type.Optional(Type.String({
          description: '1: the best bid and ask alone; 2 and 3: the whole book. Default 2.',
          examples: ['2']
        }))
      }),
      response: {
        200: json(CmcOrderBookSchema, 'The book.', BYTES_HEADERS),
        400: badRequest({ query: 'Invalid depth: a whole number from 0 to 500', pair: INVALID_TICKER_ID }),
        404: notFound('No listed DAO has this pair.', tickerNotFound('<ticker_id>')),
        ...FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    const asked = readQuery(query, { depth: depth(0), level: integer({ min: 1, max: 3, otherwise: 2 }) })
    return reply.sendCached(await forms.cmc.orderBook(params.market_pair, asked.level === BEST ? 2 : asked.depth))
  })
}
export default routes
