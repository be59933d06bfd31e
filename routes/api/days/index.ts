import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { readQuery, readRange, TIME, utcDay } from '../../../lib/query.js'
import { invalidDate } from '../../../lib/responses/pools/market-day.js'
import { dayOf } from '../../../lib/time.js'
import { rangeParameters } from '../../../schemas/parameters.js'
import { BYTES_HEADERS, type HeaderName } from '../../../schemas/headers.js'
import { MarketDaySchema, MarketDaysSchema } from '../../../schemas/pools.js'
import { badRequest, CHAIN_FAILURES, json, notModified } from '../../../schemas/responses.js'

const HEADERS: readonly HeaderName[] = [
  ...BYTES_HEADERS, 'X-History-Complete', 'X-History-Since', 'X-History-Missing', 'X-Fees-Unknown'
]

const routes: FastifyPluginAsyncTypebox = async fastify => {
  const { pools } = fastify
  fastify.setValidatorCompiler(() => value => ({ value }))

  fastify.get('', {
    schema: {
      operationId: 'getMarketDays',
      summary: 'UTC days of the whole market',
      description: 'Volume, protocol fees and trades of all pools by UTC day, as the breakdowns of the aggregates ' +
        'have them, oldest first; at most 366 days. ' +
        'It begins at the first whole day while the past is read, which `X-History-Since` says.',
      tags: ['pools'],
      querystring: Type.Object({
        ...rangeParameters('Days', ', and the one that holds it; default 30 days in all', '; default today')
      }),
      response: {
        200: json(MarketDaysSchema, 'The days.', HEADERS),
        304: notModified(HEADERS),
        400: badRequest(`Invalid from: ${TIME}`),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ query }, reply) => {
    const { from, to } = readRange(query, {})
    return reply.sendCached(await pools.marketDays({ from: from && dayOf(from), to: to && dayOf(to) }))
  })

  fastify.get('/:date', {
    schema: {
      operationId: 'getMarketDay',
      summary: 'One UTC day of the whole market',
      description: 'Volume and protocol fees of all pools on a UTC day, valued as the aggregates are, whose ' +
        'breakdown its sums are taken from. Answers 503 while ' +
        'that day is still to be read.',
      tags: ['pools'],
      params: Type.Object({
        date: Type.String({ description: 'UTC day, YYYY-MM-DD, not after today.', examples: ['2026-01-31'] })
      }),
      querystring: Type.Object({}),
      response: {
        200: json(MarketDaySchema, 'The day.', HEADERS),
        304: notModified(
          HEADERS
        ),
        400: badRequest(invalidDate().message),
        ...CHAIN_FAILURES
      }
    }
  }, async ({ params, query }, reply) => {
    readQuery(query, {})
    const day = utcDay.read(params.date)
    if (day === undefined) throw invalidDate()
    return reply.sendCached(await pools.day(day))
  })
}
export default routes
