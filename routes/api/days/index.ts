import { range } from '../../../lib/query.js'
import { INVALID_DATE } from '../../../schemas/errors.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { MarketDaySchema, MarketDaysSchema } from '../../../schemas/traded.js'
import { answer, pathParameter, routes } from '../../endpoint.js'

const HEADERS = [...HISTORY_HEADERS, 'X-History-Missing', 'X-Fees-Unknown'] as const

export default routes('pools', (endpoint, { market }) => {
  endpoint('', {
    operationId: 'getMarketDays',
    summary: 'UTC days of the whole market',
    description: 'Volume, protocol fees and trades of all pools by UTC day, as the breakdowns of the aggregates ' +
      'have them, oldest first; at most 366 days. It begins at the first whole day while the past is read, which ' +
      '`X-History-Since` says.',
    query: range('Days', ', and the one that holds it; default 30 days in all', '; default today'),
    answer: answer(MarketDaysSchema, ...HEADERS)
  }, (parts, { asked }) => market.days(parts, asked))

  endpoint('/:date', {
    operationId: 'getMarketDay',
    summary: 'One UTC day of the whole market',
    description: 'Volume and protocol fees of all pools on a UTC day, valued as the aggregates are, whose breakdown ' +
      'its sums are taken from. Answers 503 while that day is still to be read, and where there was a DAO and no ' +
      'node has any event up to its end.',
    params: { date: pathParameter('UTC day, YYYY-MM-DD, not after today.', '2026-01-31') },
    answer: answer(MarketDaySchema, ...HEADERS),
    invalid: { date: INVALID_DATE }
  }, (parts, { params }) => market.day(parts, params.date))
})
