import { optional } from '../../../lib/query.js'
import { daoOrMint } from '../../../lib/responses/parameters.js'
import { HISTORY_HEADERS } from '../../../schemas/headers.js'
import { LiquiditySchema } from '../../../schemas/aggregate.js'
import { NO_DAO } from '../../../schemas/responses.js'
import { answer, routes } from '../../endpoint.js'

export default routes('market', (endpoint, { market }) => {
  endpoint('/aggregate', {
    operationId: 'getAggregateLiquidity',
    summary: 'Liquidity of all DAOs by UTC day',
    description: 'Twice the quote reserves of the spot pools at the end of each UTC day that is over, by the last ' +
      'event before it, in USD as the volumes are valued. While a proposal is live its markets hold a part of the ' +
      'reserves, which is not in it. A DAO whose reserves then are not known is counted as `unknown`.',
    query: { dao: optional(daoOrMint('The days of this DAO alone, by its address or its base mint.')) },
    answer: answer(LiquiditySchema, ...HISTORY_HEADERS),
    missing: NO_DAO
  }, (parts, { asked }) => market.liquidity(parts, asked.dao))
})
