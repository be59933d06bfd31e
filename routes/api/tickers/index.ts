import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { badRequest, CHAIN_FAILURES } from '../../../schemas/responses.js'
import { TickerSchema, TickersSchema } from '../../../schemas/ticker.js'

const TickerParamsSchema = Type.Object({
  ticker_id: Type.String({ description: 'Base mint, underscore, quote mint.' })
})

/** Most pools of a pair that the header names. */
const MOST_OTHERS = 20

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('', {
    schema: {
      operationId: 'getTickers',
      summary: 'All trading pairs',
      description: 'A ticker for every DAO that has reserves on both sides and is not excluded, deepest pool first. Answers live 10 seconds.',
      tags: ['market'],
      response: { 200: TickersSchema, ...CHAIN_FAILURES }
    }
  }, async (_request, reply) => reply.represent(await market.tickers()) as never)

  fastify.get('/:ticker_id', {
    schema: {
      operationId: 'getTicker',
      summary: 'One trading pair',
      description: 'The ticker of a pair; of several pools the deepest, the others named in `X-Other-Pools`.',
      tags: ['market'],
      params: TickerParamsSchema,
      response: {
        200: TickerSchema,
        400: badRequest('Invalid ticker_id format. Expected: BASE_MINT_QUOTE_MINT'),
        404: badRequest('Ticker not found: <ticker_id>'),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params }, reply) => {
    const { value: [deepest, ...others], ...age } = await market.tickersOf(params.ticker_id)
    reply.tellAge(age)
    if (others.length > 0) reply.header('x-other-pools', others.slice(0, MOST_OTHERS).map(({ pool_id: pool }) => pool).join(', '))
    return deepest
  })
}
export default routes
