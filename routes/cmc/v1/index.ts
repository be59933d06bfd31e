import { byDefault, integer } from '../../../lib/query.js'
import { depth } from '../../../lib/responses/parameters.js'
import {
  CmcAssetsSchema, CmcOrderBookSchema, CmcSummarySchema, CmcTickersSchema, CmcTradesSchema
} from '../../../schemas/cmc.js'
import { answer, PAIR, routes } from '../../endpoint.js'

const { ticker_id: pair } = PAIR.params
const MARKET_PAIR = { ...PAIR, params: { market_pair: pair } }
/** Level 1: best bid and ask; 2 and 3 are the same, as a pool has no single orders. */
const BEST = 1

export default routes('aggregators', (endpoint, { forms: { cmc } }) => {
  endpoint('/summary', {
    operationId: 'getCmcSummary',
    summary: 'CoinMarketCap: all pools with the last 24 hours',
    description: 'One row per pool, deepest first.',
    answer: answer(CmcSummarySchema)
  }, parts => cmc.summary(parts))

  endpoint('/trades/:market_pair', {
    operationId: 'getCmcTrades',
    summary: 'CoinMarketCap: trades of a pair in the last 24 hours',
    description: 'Newest first, of the deepest pool of the pair; swaps that gave nothing have no price and are ' +
      'left out.',
    ...MARKET_PAIR,
    answer: answer(CmcTradesSchema),
    isCostly: true
  }, (parts, { params, turn }) => cmc.trades(parts, params.market_pair, turn))

  endpoint('/assets', {
    operationId: 'getCmcAssets',
    summary: 'CoinMarketCap: the tokens of all pairs',
    description: 'By mint: symbols repeat.',
    answer: answer(CmcAssetsSchema)
  }, parts => cmc.assets(parts))

  endpoint('/ticker', {
    operationId: 'getCmcTicker',
    summary: 'CoinMarketCap: all pairs with price and volumes',
    description: 'By ticker_id. Nothing is added up: of several pools of a pair the deepest stands for it.',
    answer: answer(CmcTickersSchema)
  }, parts => cmc.ticker(parts))

  endpoint('/orderbook/:market_pair', {
    operationId: 'getCmcOrderBook',
    summary: 'CoinMarketCap: the order book of a pair',
    description: 'The pool\'s curve in slices of a price move of 0.1 %, fee included; of several pools of a pair ' +
      'the deepest.',
    ...MARKET_PAIR,
    query: {
      depth: depth(0),
      level: byDefault(integer(
        '1: the best bid and ask alone; 2 and 3: the whole book. Default 2.', 'level of detail', 2, { min: 1, max: 3 }
      ), 2)
    },
    answer: answer(CmcOrderBookSchema)
  }, (parts, { params, asked }) => cmc.orderBook(parts, params.market_pair, asked.level === BEST ? 2 : asked.depth))
})
