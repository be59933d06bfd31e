import type { FastifyPluginAsync } from 'fastify'
import { TickerSchema, TickersSchema } from '../../../schemas/ticker.js'
import { answer, endpoint, PAIR } from '../../endpoint.js'

const routes: FastifyPluginAsync = async fastify => {
  const { market } = fastify

  endpoint(fastify, '', {
    operationId: 'getTickers',
    summary: 'All trading pairs',
    description: 'A ticker for every DAO that has reserves on both sides and is not excluded, deepest pool first. ' +
      'Prices come from spot pools only, never from conditional markets. Answers live 10 seconds. Answers 503 until ' +
      'the last 24 hours are indexed: a volume too low is a wrong number.',
    tag: 'market',
    query: 'any',
    answer: answer(TickersSchema)
  }, parts => market.tickers(parts))

  endpoint(fastify, '/:ticker_id', {
    operationId: 'getTicker',
    summary: 'One trading pair',
    description: 'The ticker of a pair; of several pools the deepest, the others named in `X-Other-Pools`.',
    tag: 'market',
    query: 'any',
    ...PAIR,
    answer: answer(TickerSchema, 'X-Other-Pools')
  }, (parts, { params }) => market.ticker(parts, params.ticker_id))
}
export default routes
