import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AggregateSchema } from '../../../schemas/aggregate.js'
import { CHAIN_FAILURES } from '../../../schemas/responses.js'

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('/aggregate', {
    schema: {
      operationId: 'getAggregateVolume',
      summary: 'Volume of all DAOs since launch',
      description: 'Spot volume in USD by UTC day and by token. A swap counts its protocol fee divided by the fee rate, on the quote leg; ' +
        'conditional markets count nothing. `X-History-Complete: false` says that events are missing which no node has, `X-History-Missing` how many. ' +
        'Answers 503 until the history has been walked to its beginning.',
      tags: ['market'],
      response: { 200: AggregateSchema, ...CHAIN_FAILURES }
    }
  }, async (_request, reply) => reply.represent(await market.aggregate()) as never)
}
export default routes
