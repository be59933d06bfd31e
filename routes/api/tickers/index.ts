import { TickerSchema, TickersSchema } from '../../../schemas/ticker.js'
import { answer, PAIR, routes } from '../../endpoint.js'

export default routes('market', (endpoint, { market }) => {
  endpoint('', {
    operationId: 'getTickers',
    summary: 'All trading pairs',
    description: 'A ticker for every DAO that has reserves on both sides and is not excluded, deepest pool first. ' +
      'Prices come from spot pools only, never from conditional markets. Answers live 10 seconds. Answers 503 until ' +
      'the last 24 hours are indexed: a volume too low is a wrong number.',
    query: 'any',
    answer: answer(TickersSchema)
  }, parts => market.tickers(parts))

  endpoint('/:ticker_id', {
    operationId: 'getTicker',
    summary: 'One trading pair',
    description: 'The ticker of a pair; of several pools the deepest, the others named in `X-Other-Pools`. Answers ' +
      '503 while events of its last 24 hours are missing.',
    query: 'any',
    ...PAIR,
    answer: answer(TickerSchema, 'X-Other-Pools')
  }, (parts, { params }) => market.ticker(parts, params.ticker_id))
})
