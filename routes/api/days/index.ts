import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { readQuery, utcDay } from '../../../lib/query.js'
import { invalidDate } from '../../../lib/responses/pools/market-day.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { MarketDaySchema } from '../../../schemas/pools.js'
import { badRequest, CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [...BYTES_HEADERS, 'X-History-Complete', 'X-History-Missing', 'X-Fees-Unknown']

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { pools } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('/:date', {
    schema: {
      operationId: 'getMarketDay',
      summary: 'One UTC day of the whole market',
      description: 'Volume and protocol fees of all pools on a UTC day, valued as the aggregates are, whose breakdown its sums are taken from. Answers 503 until the ' +
        'history has been walked to its beginning.',
      tags: ['pools'],
      params: Type.Object({ date: Type.String({ description: 'UTC day, YYYY-MM-DD, not after today.', examples: ['2026-01-31'] }) }),
      querystring: Type.Object({}),
      response: { 200: json(MarketDaySchema, 'The day.', HEADERS), 304: notModified(HEADERS), 400: badRequest(invalidDate().message), ...CHAIN_FAILURES }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    const day = utcDay.read(params.date)
    if (day === undefined) throw invalidDate()
    return reply.sendCached(await pools.day(day))
  })
}
export default routes
