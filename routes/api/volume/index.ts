import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AggregateSchema } from '../../../schemas/aggregate.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since', 'X-History-Missing']

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify

  fastify.get('/aggregate', {
    schema: {
      operationId: 'getAggregateVolume',
      summary: 'Volume of all DAOs since launch',
      description: 'Spot volume in USD by UTC day and by token. A swap counts what was paid or received on the quote ' +
        'leg; ' +
        'conditional markets count nothing. `X-History-Complete: false` says that events are missing which no node ' +
          'has, `X-History-Missing` how many. ' +
        'While the past is read the sums begin at the first whole day, which `X-History-Since` says.',
      tags: ['market'],
      response: {
        200: json(AggregateSchema, 'The volume, its days newest first, its tokens largest first.', HEADERS),
        304: notModified(HEADERS),
        ...CHAIN_FAILURES
      }
    }
  }, async (_request, reply) => reply.sendCached(await market.aggregate()))
}
export default routes
