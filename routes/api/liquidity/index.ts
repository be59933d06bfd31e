import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { optional, readQuery } from '../../../lib/query.js'
import { daoNotFound, INVALID_DAO } from '../../../schemas/errors.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { LiquiditySchema } from '../../../schemas/liquidity.js'
import { parameter } from '../../../schemas/parameters.js'
import { badRequest, CHAIN_FAILURES, json, notFound, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since']

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { market } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('/aggregate', {
    schema: {
      operationId: 'getAggregateLiquidity',
      summary: 'Liquidity of all DAOs by UTC day',
      description: 'Twice the quote reserves of the spot pools at the end of each UTC day that is over, by the last ' +
        'event before it, in USD as the volumes ' +
        'are valued. While a proposal is live its markets hold a part of the reserves, which is not in it. A DAO ' +
          'whose reserves then are not known ' +
        'is counted as `unknown`.',
      tags: ['market'],
      querystring: Type.Object({
        dao: Type.Optional(parameter(
          'The days of this DAO alone, by its address or its base mint.', 'GVikRbEHoPYjGfGpSSdLHB8EBA1iq7WDyxLmAz6Kxpwi'
        ))
      }),
      response: {
        200: json(LiquiditySchema, 'The days newest first, the DAOs largest first.', HEADERS),
        304: notModified(HEADERS),
        400: badRequest(INVALID_DAO),
        404: notFound('There is no such DAO, or it is excluded.', daoNotFound('<dao>')),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    const { dao } = readQuery(query, { dao: optional({ expects: 'an address', read: text => text }) })
    return reply.sendCached(await market.liquidity(dao))
  })
}
export default routes
