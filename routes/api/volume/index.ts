import { AggregateSchema } from '../../../schemas/aggregate.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { answer, routes } from '../../endpoint.js'

export default routes('market', (endpoint, { market }) => {
  endpoint('/aggregate', {
    operationId: 'getAggregateVolume',
    summary: 'Volume of all DAOs since launch',
    description: 'Spot volume in USD by UTC day and by token. A swap counts what was paid or received on the quote ' +
      'leg; conditional markets count nothing. `X-History-Complete: false` says that events are missing which no ' +
      'node has, `X-History-Missing` how many. While the past is read the sums begin at the first whole day, which ' +
      '`X-History-Since` says.',
    query: 'any',
    answer: answer(AggregateSchema, ...HISTORY_HEADERS, 'X-History-Missing')
  }, parts => market.aggregate(parts))
})
