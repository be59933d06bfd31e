import { optional, time } from '../../../lib/query.js'
import { addresses } from '../../../lib/responses/parameters.js'
import { PricesSchema } from '../../../schemas/prices.js'
import { answer, routes } from '../../endpoint.js'

export default routes('market', (endpoint, { prices }) => {
  endpoint('', {
    operationId: 'getPrices',
    summary: 'Prices of many tokens, now or at a second of the past',
    description: 'Of the deepest listed pool of each mint: the spot price now, or with `at` the price of the last ' +
      'trade at or before that second, and what the quote token was worth then. A price of the past answers 503 ' +
      'while not all events since its trade are stored, and for a second that is not final yet, with `Retry-After` ' +
      'until it is; `X-History-Complete: false` says that some are lost.',
    query: {
      mints: addresses('1 to 100 addresses of mints separated by commas, each once.', 100),
      at: optional(time('Unix seconds, or an ISO 8601 date or time; not after now.', '2026-01-31T12:00:00Z'))
    },
    answer: answer(PricesSchema, 'X-History-Complete')
  }, (parts, { asked }) => prices(parts, asked.mints, asked.at))
})
