import { FeesSchema } from '../../../schemas/aggregate.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { answer, routes } from '../../endpoint.js'

export default routes('market', (endpoint, { market }) => {
  endpoint('/aggregate', {
    operationId: 'getAggregateFees',
    summary: 'Protocol fees of all DAOs since launch',
    description: 'Protocol fees of spot swaps in USD by UTC day and by token, each as it was charged. ' +
      '`X-Fees-Unknown` says of how many swaps no event tells the fee. While the past is read the sums begin at the ' +
      'first whole day, which `X-History-Since` says.',
    answer: answer(FeesSchema, ...HISTORY_HEADERS, 'X-History-Missing', 'X-Fees-Unknown')
  }, parts => market.fees(parts))
})
