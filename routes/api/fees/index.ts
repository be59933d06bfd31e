import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { readQuery } from '../../../lib/query.js'
import { FeesSchema } from '../../../schemas/fees.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { badRequest, CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [
  ...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since', 'X-History-Missing', 'X-Fees-Unknown'
]

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('/aggregate', {
    schema: {
      operationId: 'getAggregateFees',
      summary: 'Protocol fees of all DAOs since launch',
      description: 'Protocol fees of spot swaps in USD by UTC day and by token, each as it was charged. ' +
        '`X-Fees-Unknown` says of how many swaps no event tells the fee. ' +
        'While the past is read the sums begin at the first whole day, which `X-History-Since` says.',
      tags: ['market'],
      querystring: Type.Object({}),
      response: {
        200: json(
          FeesSchema,
          'The fees, their days newest first, their tokens largest first.',
          HEADERS
        ),
        304: notModified(HEADERS),
        400: badRequest('Invalid from: no parameters here'),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    readQuery(query, {})
    return reply.sendCached(await market.fees())
  })
}
export default routes
