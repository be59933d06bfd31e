import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { jsonResponse, oncePerValue } from '../../../lib/responses/json-response.js'
import { BYTES_HEADERS } from '../../../schemas/headers.js'
import { INVALID_TICKER_ID, tickerNotFound } from '../../../schemas/errors.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'
import { TickerSchema, TickersSchema } from '../../../schemas/ticker.js'

const TickerParamsSchema = Type.Object({
  ticker_id: Type.String({
    description: 'Base mint, underscore, quote mint.',
    examples: ['METAwkXcqyXKy1AtsSgJ8JiUHwGCafnZL38n3vYmeta_EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v']
  })
})

/** Most pools of a pair that the header names. */
const MAX_OTHERS = 20
const tickerResponse = oncePerValue(jsonResponse(TickerSchema))

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('', {
    schema: {
      operationId: 'getTickers',
      summary: 'All trading pairs',
      description: 'A ticker for every DAO that has reserves on both sides and is not excluded, deepest pool first. ' +
        'Prices come from spot pools only, ' +
        'never from conditional markets. Answers live 10 seconds. Answers 503 until the last 24 hours are indexed: a ' +
          'volume too low is a wrong number.',
      tags: ['market'],
      response: {
        200: json(TickersSchema, 'The tickers, deepest pool first.', BYTES_HEADERS),
        304: notModified(BYTES_HEADERS),
        ...CHAIN_FAILURES
      }
    }
  }, async (_request, reply) => reply.sendCached(await market.tickers()))

  fastify.get('/:ticker_id', {
    schema: {
      operationId: 'getTicker',
      summary: 'One trading pair',
      description: 'The ticker of a pair; of several pools the deepest, the others named in `X-Other-Pools`.',
      tags: ['market'],
      params: TickerParamsSchema,
      response: {
        200: json(TickerSchema, 'The ticker of the deepest pool.', [...BYTES_HEADERS, 'X-Other-Pools']),
        304: notModified([...BYTES_HEADERS, 'X-Other-Pools']),
        400: badRequest(INVALID_TICKER_ID),
        404: notFound('No listed DAO has this pair.', tickerNotFound('<ticker_id>')),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params }, reply) => {
    const { value: [deepest, ...others], ...age } = await market.tickersOf(params.ticker_id)
    if (others.length > 0) {
      reply.header('x-other-pools', others.slice(0, MAX_OTHERS).map(({ pool_id: pool }) => pool).join(', '))
    }
    return reply.sendCached({ value: await tickerResponse(deepest!), ...age })
  })
}
export default routes
