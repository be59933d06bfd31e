import type { FastifyPluginAsync } from 'fastify'
import { AggregateSchema } from '../../../schemas/aggregate.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { answer, endpoint } from '../../endpoint.js'

const routes: FastifyPluginAsync = async fastify => {
  const { market } = fastify

  endpoint(fastify, '/aggregate', {
    operationId: 'getAggregateVolume',
    summary: 'Volume of all DAOs since launch',
    description: 'Spot volume in USD by UTC day and by token. A swap counts what was paid or received on the quote ' +
      'leg; conditional markets count nothing. `X-History-Complete: false` says that events are missing which no ' +
      'node has, `X-History-Missing` how many. While the past is read the sums begin at the first whole day, which ' +
      '`X-History-Since` says.',
    tag: 'market',
    query: 'any',
    answer: answer(AggregateSchema, ...HISTORY_HEADERS, 'X-History-Missing')
  }, parts => market.aggregate(parts))
}
export default routes
