import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { optional, readQuery, TIME, time } from '../../../lib/query.js'
import { addresses } from '../../../lib/responses/parameters.js'
import { AddressSchema } from '../../../schemas/common.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { PricesSchema } from '../../../schemas/prices.js'
import { badRequest, CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete']
const MOST_MINTS = 100

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { prices } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('', {
    schema: {
      operationId: 'getPrices',
      summary: 'Prices of many tokens, now or at a second of the past',
      description: 'Of the deepest listed pool of each mint: the spot price now, or with `at` the price of the last ' +
        'trade at or before that second, and what the quote token was ' +
        'worth then. A price of the past answers 503 while not all events since its trade are stored, and for a ' +
          'second that is not final yet, with `Retry-After` until it is; `X-History-Complete: false` says that some ' +
            'are lost.',
      tags: ['market'],
      querystring: Type.Object({
        mints: Type.String({
          description: '1 to 100 addresses of mints separated by commas, each once.',
          examples: [AddressSchema.examples[0]]
        }),
        at: Type.Optional(Type.String({
          description: 'Unix seconds, or an ISO 8601 date or time; not after now.', examples: ['2026-01-31T12:00:00Z']
        }))
      }),
      response: {
        200: json(PricesSchema, 'The prices.', HEADERS),
        304: notModified(HEADERS),
        400: badRequest(
          { list: 'Invalid mints: 1 to 100 addresses separated by commas, each once', time: `Invalid at: ${TIME}` }
        ),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    const { mints, at } = readQuery(query, { mints: addresses(1, MOST_MINTS), at: optional(time) })
    return reply.sendCached(await prices(mints, at))
  })
}
export default routes
